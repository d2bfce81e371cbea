//! Spaces requests in time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub struct Pace {
    between: Duration,
    /// The turn of the last request that was scheduled.
    last: Mutex<Option<Instant>>,
}

impl Pace {
    pub const fn every(between: Duration) -> Self {
        Self { between, last: Mutex::new(None) }
    }

    /// Waits for the next turn. If the wait is cancelled, the turn stays unused.
    pub async fn wait(&self) {
        let now = Instant::now();
        let turn = self.turn(now);
        if turn > now {
            tokio::time::sleep(turn - now).await;
        }
    }

    fn turn(&self, now: Instant) -> Instant {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = last.map_or(now, |last| now.max(last + self.between));
        *last = Some(turn);
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_as_far_apart_as_they_have_to_be() {
        let pace = Pace::every(Duration::from_secs(3));
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(pace.turn(start), start);
        assert_eq!(pace.turn(start), after(3));
        assert_eq!(pace.turn(after(1)), after(6));
        assert_eq!(pace.turn(after(60)), after(60));
        assert_eq!(pace.turn(after(61)), after(63));
    }
}
