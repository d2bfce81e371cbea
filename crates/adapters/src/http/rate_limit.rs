//! Limits requests to a host: few at once, and some time between two.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// How many pages of a host are requested at once.
pub(super) const PAGES: usize = 2;
/// How many requests a search service gets at once: as many topics are researched side by side.
pub(super) const SEARCHES: usize = 4;
const GAP: Duration = Duration::from_millis(200);
/// Hosts that are remembered; beyond it those that nobody asks are forgotten.
const REMEMBERED: usize = 256;

/// The hosts that requests are sent to, and when each may get the next one.
#[derive(Default)]
pub(super) struct RateLimiter {
    hosts: Mutex<HashMap<(String, usize), Arc<HostLimit>>>,
}

struct HostLimit {
    at_once: usize,
    places: Arc<Semaphore>,
    next: Mutex<Option<Instant>>,
}

/// Holds a place at a host until it is dropped.
pub(super) struct HostPermit {
    _place: Option<OwnedSemaphorePermit>,
}

impl RateLimiter {
    /// Waits until the host may be sent a request, of which `at_once` may be under way. This machine itself needs no time between two requests.
    pub(super) async fn acquire(&self, host: &str, at_once: usize, is_here: bool) -> HostPermit {
        let host = self.host_limit(host, at_once);
        let place = host.places.clone().acquire_owned().await.ok();
        if !is_here {
            tokio::time::sleep_until(host.reserve_start(Instant::now())).await;
        }
        HostPermit { _place: place }
    }

    fn host_limit(&self, name: &str, at_once: usize) -> Arc<HostLimit> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= REMEMBERED {
            let now = Instant::now();
            hosts.retain(|_, host| Arc::strong_count(host) > 1 || host.is_in_use(now));
        }
        let places = || Arc::new(Semaphore::new(at_once));
        let fresh = || Arc::new(HostLimit { at_once, places: places(), next: Mutex::new(None) });
        hosts.entry((name.to_owned(), at_once)).or_insert_with(fresh).clone()
    }
}

impl HostLimit {
    /// When a request that is ready now may start; the next one after it has to wait longer.
    fn reserve_start(&self, now: Instant) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let start = next.map_or(now, |next| next.max(now));
        *next = Some(start + GAP);
        start
    }

    fn is_in_use(&self, now: Instant) -> bool {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        next.is_some_and(|next| next > now) || self.places.available_permits() < self.at_once
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn two_requests_run_at_once_and_begin_apart() {
        let (limiter, begin) = (RateLimiter::default(), Instant::now());
        let first = limiter.acquire("x.test", PAGES, false).await;
        let second = limiter.acquire("x.test", PAGES, false).await;
        assert_eq!(begin.elapsed(), GAP);
        let third =
            tokio::time::timeout(Duration::from_secs(9), limiter.acquire("x.test", PAGES, false)).await;
        assert!(third.is_err(), "there is no place for a third");
        // Another host does not have to wait for it.
        let before = Instant::now();
        limiter.acquire("y.test", PAGES, false).await;
        assert_eq!(before.elapsed(), Duration::ZERO);
        drop(first);
        limiter.acquire("x.test", PAGES, false).await;
        assert_eq!(before.elapsed(), Duration::ZERO);
        drop(second);
        limiter.acquire("x.test", PAGES, false).await;
        assert_eq!(before.elapsed(), GAP);
        for _ in 0..9 {
            limiter.acquire("127.0.0.1", PAGES, true).await;
        }
        assert_eq!(before.elapsed(), GAP);
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_that_nobody_asks_are_forgotten() {
        let limiter = RateLimiter::default();
        let asked = limiter.acquire("x.test", PAGES, false).await;
        for number in 0..1000 {
            limiter.acquire(&format!("{number}.test"), PAGES, true).await;
        }
        assert!(limiter.hosts.lock().unwrap().len() <= REMEMBERED);
        assert!(limiter.hosts.lock().unwrap().contains_key(&("x.test".to_owned(), PAGES)));
        drop(asked);
    }
}
