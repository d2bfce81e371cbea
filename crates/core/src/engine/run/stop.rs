//! The user's request to stop: whoever works on the task notices it wherever they wait.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

/// A shared flag: a request through one clone reaches all.
#[derive(Debug, Clone, Default)]
pub struct StopSignal(Arc<StopSignalState>);

#[derive(Debug, Default)]
struct StopSignalState {
    asked: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl StopSignal {
    /// Requests that the work stop.
    pub fn request(&self) {
        self.0.asked.store(true, Ordering::SeqCst);
        let waiting = std::mem::take(&mut *self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// Waits until a stop is requested.
    pub async fn wait(&self) {
        poll_fn(|context| {
            let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if self.is_requested() {
                return Poll::Ready(());
            }
            if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                waiting.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn who_waits_hears_of_it_and_so_does_who_comes_later() {
        let stop = StopSignal::default();
        let other = stop.clone();
        let mut waiting = Box::pin(stop.wait());
        assert!((&mut waiting).now_or_never().is_none());
        other.request();
        assert!((&mut waiting).now_or_never().is_some());
        assert!(stop.is_requested() && stop.wait().now_or_never().is_some());
    }
}
