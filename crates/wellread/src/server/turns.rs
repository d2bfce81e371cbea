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

impl Turns {
    /// Waits for a seat.
    pub async fn seat(&self) -> Option<OwnedSemaphorePermit> {
        self.seats.clone().acquire_owned().await.ok()
    }

    /// Waits until nobody else speaks about this.
    pub async fn order(&self, about: &str) -> OwnedMutexGuard<()> {
        let order = {
            let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
            // What nobody waits for or holds is forgotten.
            orders.retain(|_, order| Arc::strong_count(order) > 1);
            orders.entry(about.to_owned()).or_default().clone()
        };
        order.lock_owned().await
    }
}
