//! How long is waited: for a server that is busy, and for the next piece of an answer.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Requests for one answer.
pub(super) const MOST_ATTEMPTS: u32 = 4;

#[derive(Debug, Clone, Copy)]
pub struct RetryPolicy {
    /// Before the second attempt; twice as long before each further one.
    pub first_wait: Duration,
    /// However long a server asks to be left alone.
    pub longest_wait: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            idle: Duration::from_secs(120),
        }
    }
}

impl RetryPolicy {
    /// Before the attempt that follows this many. A server's own word counts; else it is spread, so that those who
    /// were turned away together do not come back together.
    pub(super) fn delay(&self, attempts: u32, asked: Option<Duration>) -> Duration {
        let own = || {
            let longest = self.first_wait.saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1)));
            longest.mul_f64(0.5 + 0.5 * random_fraction())
        };
        asked.unwrap_or_else(own).min(self.longest_wait)
    }
}

/// From 0 to 1.
fn random_fraction() -> f64 {
    RandomState::new().hash_one(()) as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_spread_and_end_somewhere() {
        let pace = RetryPolicy::default();
        for (attempts, longest) in [(1, 500), (2, 1000), (3, 2000), (9, 60_000), (200, 60_000)] {
            let wait = pace.delay(attempts, None);
            let longest = Duration::from_millis(longest);
            assert!(wait <= longest && wait >= longest / 2, "{attempts}: {wait:?}");
        }
        assert_eq!(pace.delay(1, Some(Duration::ZERO)), Duration::ZERO);
        assert_eq!(pace.delay(1, Some(Duration::from_secs(7))), Duration::from_secs(7));
        assert_eq!(pace.delay(1, Some(Duration::from_secs(3600))), Duration::from_secs(60));
        assert!((0..100).any(|_| pace.delay(1, None) != pace.delay(1, None)));
    }
}
