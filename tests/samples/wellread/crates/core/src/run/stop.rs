//! A word from the user that work is to end: those who work on it hear it wherever they wait.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

/// Clones are one: what is asked of one is asked of all.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    asked: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl Stop {
    pub fn ask(&self) {
        self.0.asked.store(true, Ordering::SeqCst);
        let waiting = std::mem::take(&mut *self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().for_each(Waker::wake);
    }

    pub fn is_asked(&self) -> bool {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// Comes back once it was asked, and never otherwise.
    pub async fn asked(&self) {
        poll_fn(|context| {
            let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if self.is_asked() {
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
        let stop = Stop::default();
        let other = stop.clone();
        let mut waiting = Box::pin(stop.asked());
        assert!((&mut waiting).now_or_never().is_none());
        other.ask();
        assert!((&mut waiting).now_or_never().is_some());
        assert!(stop.is_asked() && stop.asked().now_or_never().is_some());
    }
}
