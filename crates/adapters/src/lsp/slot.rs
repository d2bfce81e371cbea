//! The place of one server: it is started when it is first asked, again when it has ended, and left alone for a while
//! when it ends too often.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};
use wellread_core::ports::ServerFailure;

use super::session::{Session, Start};

/// How often one may fail within how long.
const MOST_FAILURES: usize = 3;
const A_WHILE: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub struct Slot {
    start: Start,
    standing: watch::Sender<Standing>,
    past: Mutex<Past>,
}

#[derive(Debug, Clone)]
enum Standing {
    None,
    Starting,
    Running(Arc<Session>),
    /// The last start failed.
    Failed(ServerFailure),
}

#[derive(Debug)]
struct Past {
    failures: Vec<Instant>,
    last_asked: Instant,
    /// How many are waiting for an answer.
    asking: usize,
    start: Option<AbortHandle>,
}

impl Slot {
    pub fn new(start: Start) -> Arc<Self> {
        let past = Past { failures: Vec::new(), last_asked: Instant::now(), asking: 0, start: None };
        Arc::new(Self { start, standing: watch::channel(Standing::None).0, past: Mutex::new(past) })
    }

    /// The running server. A start goes on when whoever asked waits no longer: the next one will find it.
    pub async fn session(self: &Arc<Self>, deadline: Instant) -> Result<Arc<Session>, ServerFailure> {
        let mut heard = self.standing.subscribe();
        let mut has_waited = false;
        loop {
            let standing = heard.borrow_and_update().clone();
            match standing {
                Standing::Running(session) if !session.has_ended() => return Ok(session),
                Standing::Running(session) => {
                    if session.has_failed() {
                        self.past().failures.push(Instant::now());
                    }
                    self.standing.send_replace(Standing::None);
                }
                Standing::Failed(failure) if has_waited => return Err(failure),
                Standing::None | Standing::Failed(_) => {
                    self.may_start()?;
                    self.standing.send_replace(Standing::Starting);
                    let slot = self.clone();
                    let start = tokio::spawn(async move { slot.begin().await });
                    self.past().start = Some(start.abort_handle());
                }
                Standing::Starting => {
                    has_waited = true;
                    if timeout_at(deadline, heard.changed()).await.is_err() {
                        return Err(ServerFailure::NotReady { command: self.command() });
                    }
                }
            }
        }
    }

    async fn begin(&self) {
        let standing = match Session::start(&self.start).await {
            Ok(session) => Standing::Running(Arc::new(session)),
            Err(failure) => {
                // A program that is not there, or not let, costs nothing to look for again.
                if !matches!(failure, ServerFailure::Missing { .. } | ServerFailure::Unsafe { .. }) {
                    self.past().failures.push(Instant::now());
                }
                Standing::Failed(failure)
            }
        };
        self.standing.send_replace(standing);
    }

    fn may_start(&self) -> Result<(), ServerFailure> {
        let mut past = self.past();
        past.failures.retain(|failure| failure.elapsed() < A_WHILE);
        let times = past.failures.len();
        if times < MOST_FAILURES {
            Ok(())
        } else {
            Err(ServerFailure::GivenUp { command: self.command(), times })
        }
    }

    /// Marks that somebody waits for an answer, until what is returned is dropped.
    pub fn asking(self: &Arc<Self>) -> Asking {
        self.past().asking += 1;
        Asking(self.clone())
    }

    /// Whether nobody has asked it anything for so long.
    pub fn is_idle(&self, for_long: Duration) -> bool {
        let past = self.past();
        past.asking == 0 && past.last_asked.elapsed() >= for_long
    }

    /// Ends the server, where one runs or is about to.
    pub async fn end(&self) {
        if let Some(start) = self.past().start.take() {
            start.abort();
        }
        let running = match &*self.standing.borrow() {
            Standing::Running(session) => Some(session.clone()),
            _ => None,
        };
        if let Some(session) = running {
            session.end().await;
        }
        self.standing.send_replace(Standing::None);
    }

    pub fn command(&self) -> String {
        self.start.words.first().cloned().unwrap_or_default()
    }

    fn past(&self) -> MutexGuard<'_, Past> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct Asking(Arc<Slot>);

impl Drop for Asking {
    fn drop(&mut self) {
        let mut past = self.0.past();
        past.asking -= 1;
        past.last_asked = Instant::now();
    }
}
