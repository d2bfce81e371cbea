//! Who may hold a conversation now: so many at a time, those about one note one after the other, and nobody once the server
//! ends.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, watch};
use wellread_core::{Error, ErrorKind, Result, WayOut};

/// Each takes a thread of its own while the model thinks.
pub const MOST_TURNS: usize = 64;

pub struct TurnScheduler {
    seats: Arc<Semaphore>,
    orders: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    /// Whether those who speak are to leave off.
    over: watch::Sender<bool>,
}

impl Default for TurnScheduler {
    fn default() -> Self {
        let seats = Arc::new(Semaphore::new(MOST_TURNS));
        Self { seats, orders: Mutex::default(), over: watch::Sender::new(false) }
    }
}

impl TurnScheduler {
    /// Waits for a seat. There is none once the server ends.
    pub async fn acquire_seat(&self) -> Result<OwnedSemaphorePermit> {
        self.seats.clone().acquire_owned().await.map_err(|_| shutdown_error("the turn was not started"))
    }

    /// What a turn comes to; or that it was left where it is, to be taken up, because the server ends.
    pub async fn run_until_shutdown<T>(&self, turn: impl Future<Output = Result<T>>) -> Result<T> {
        let mut over = self.over.subscribe();
        tokio::select! {
            said = turn => said,
            _ = over.wait_for(|over| *over) => {
                Err(shutdown_error("the turn was interrupted").hint("`wellread runs` lists it, `wellread resume` continues it").with_way_out(WayOut::Runs))
            }
        }
    }

    /// Waits until nobody speaks any more. Nobody begins from now on.
    pub async fn wait_until_idle(&self) {
        let _all = self.seats.acquire_many(MOST_TURNS as u32).await;
        self.seats.close();
    }

    /// Whoever speaks still leaves off.
    pub fn abort_all(&self) {
        self.over.send_replace(true);
        self.seats.close();
    }

    /// Waits until nobody else speaks about this.
    pub async fn lock_topic(&self, about: &str) -> OwnedMutexGuard<()> {
        let order = {
            let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
            // What nobody waits for or holds is forgotten.
            orders.retain(|_, order| Arc::strong_count(order) > 1);
            orders.entry(about.to_owned()).or_default().clone()
        };
        order.lock_owned().await
    }
}

fn shutdown_error(what: &str) -> Error {
    Error::new(ErrorKind::Unavailable, format!("the server is shutting down; {what}"))
        .hint("try again when it is back")
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn those_who_wait_for_each_other_keep_nobody_else_waiting() {
        let turns = TurnScheduler::default();
        let first = turns.lock_topic("Bees.md").now_or_never().unwrap();
        let mut waiting: Vec<_> = (0..MOST_TURNS).map(|_| Box::pin(turns.lock_topic("Bees.md"))).collect();
        assert!(waiting.iter_mut().all(|turn| turn.now_or_never().is_none()));
        assert!(turns.acquire_seat().now_or_never().is_some_and(|seat| seat.is_ok()));
        assert!(turns.lock_topic("Wax.md").now_or_never().is_some());
        drop(first);
        assert!(waiting.iter_mut().any(|turn| turn.now_or_never().is_some()));
    }

    #[test]
    fn once_it_is_over_nobody_begins() {
        let turns = TurnScheduler::default();
        turns.abort_all();
        assert!(turns.acquire_seat().now_or_never().unwrap().is_err());
        let left = turns.run_until_shutdown(std::future::pending::<Result<()>>()).now_or_never().unwrap();
        assert_eq!(left.unwrap_err().kind(), ErrorKind::Unavailable);
    }
}
