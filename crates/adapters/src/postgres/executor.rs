//! The thread that talks to the database.
//!
//! Ports block, and are called from any thread: also from a worker of an asynchronous runtime, where no other runtime may be
//! entered, and while something is dropped. So all that is asynchronous runs on a thread of its own; a caller hands its
//! work over and waits on a channel of the standard library. The thread ends when nobody can hand it work any more.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How much longer than the limit of its work a caller waits, should the thread itself be stuck.
const GRACE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Executor {
    submit: UnboundedSender<Work>,
}

impl Executor {
    pub fn start() -> io::Result<Arc<Self>> {
        let (submit, mut submitted) = unbounded_channel::<Work>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("postgres".to_owned()).spawn(move || {
            runtime.block_on(async move {
                while let Some(work) = submitted.recv().await {
                    tokio::spawn(work);
                }
            });
        })?;
        Ok(Arc::new(Self { submit }))
    }

    /// Runs this on the thread, and waits for nothing. False if it could not be handed over.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> bool {
        self.submit.send(Box::pin(work)).is_ok()
    }

    /// Runs this on the thread and waits for it; `None` if it took longer than the limit or could not be run.
    pub fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (done, answer) = mpsc::sync_channel(1);
        let work = async move {
            if let Ok(outcome) = tokio::time::timeout(limit, work).await {
                let _ = done.send(outcome);
            }
        };
        self.submit.send(Box::pin(work)).ok()?;
        answer.recv_timeout(limit + GRACE).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_from_inside_a_runtime_neither_panics_nor_hangs() {
        let outer = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let limit = Duration::from_secs(5);
        let answer = outer.block_on(async {
            let executor = Executor::start().unwrap();
            let answer = executor.run(limit, async { 7 });
            // It is dropped inside the runtime, too.
            drop(executor);
            answer
        });
        assert_eq!(answer, Some(7));
    }

    #[test]
    fn work_that_takes_too_long_or_panics_is_none() {
        let executor = Executor::start().unwrap();
        let never = executor.run(Duration::from_millis(10), std::future::pending::<()>());
        assert_eq!(never, None);
        assert_eq!(executor.run(Duration::from_secs(5), async { panic!("of a test") }), None::<()>);
        assert_eq!(executor.run(Duration::from_secs(5), async { 1 }), Some(1), "the others go on");
    }
}
