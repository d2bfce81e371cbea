//! Who may hold a conversation now: so many at a time, and those about one note one after the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

/// Each takes a thread of its own while the model thinks.
pub const MOST_TURNS: usize = 64;

pub struct Turns {
    seats: Arc<Semaphore>,
    orders: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl Default for Turns {
    fn default() -> Self {
        Self { seats: Arc::new(Semaphore::new(MOST_TURNS)), orders: Mutex::default() }
    }
}

/// As long as it is held, nobody else speaks about the same.
pub struct Turn {
    _order: OwnedMutexGuard<()>,
    _seat: Option<OwnedSemaphorePermit>,
}

impl Turns {
    /// Waits until nobody else speaks about this, and then for a seat: those who wait for each other take none.
    pub async fn next(&self, about: &str) -> Turn {
        let order = {
            let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
            // What nobody waits for or holds is forgotten.
            orders.retain(|_, order| Arc::strong_count(order) > 1);
            orders.entry(about.to_owned()).or_default().clone()
        };
        let order = order.lock_owned().await;
        Turn { _order: order, _seat: self.seats.clone().acquire_owned().await.ok() }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn those_who_wait_for_each_other_keep_nobody_else_waiting() {
        let turns = Turns::default();
        let first = turns.next("Bees.md").now_or_never().unwrap();
        let mut waiting: Vec<_> = (0..MOST_TURNS).map(|_| Box::pin(turns.next("Bees.md"))).collect();
        assert!(waiting.iter_mut().all(|turn| turn.now_or_never().is_none()));
        assert!(turns.next("Wax.md").now_or_never().is_some());
        drop(first);
        assert!(waiting.iter_mut().any(|turn| turn.now_or_never().is_some()));
    }
}
