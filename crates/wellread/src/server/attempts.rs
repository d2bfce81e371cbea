//! Counts wrong tokens, so that nobody can try many. The right one is never asked to wait.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// As many in a row are answered as wrong; after that, one every [`SECONDS_EACH`].
const AT_ONCE: f64 = 20.0;
pub const SECONDS_EACH: u64 = 3;

#[derive(Debug)]
pub struct TokenAttempts(Mutex<(f64, Instant)>);

impl Default for TokenAttempts {
    fn default() -> Self {
        Self(Mutex::new((AT_ONCE, Instant::now())))
    }
}

impl TokenAttempts {
    /// A wrong one came. Whether there were too many of them.
    pub fn record_wrong(&self) -> bool {
        self.record_wrong_at(Instant::now())
    }

    fn record_wrong_at(&self, now: Instant) -> bool {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let regained = now.saturating_duration_since(left.1).as_secs_f64() / SECONDS_EACH as f64;
        let allowed = (left.0 + regained).min(AT_ONCE);
        let too_many = allowed < 1.0;
        *left = (if too_many { allowed } else { allowed - 1.0 }, now);
        too_many
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn some_are_answered_and_the_rest_told_to_wait() {
        let attempts = TokenAttempts::default();
        let now = Instant::now();
        assert_eq!((0..50).filter(|_| attempts.record_wrong_at(now)).count(), 30);
        let later = now + Duration::from_secs(2 * SECONDS_EACH);
        assert_eq!((0..10).filter(|_| attempts.record_wrong_at(later)).count(), 8);
        let much_later = later + Duration::from_secs(86_400);
        assert_eq!((0..50).filter(|_| attempts.record_wrong_at(much_later)).count(), 30);
    }
}
