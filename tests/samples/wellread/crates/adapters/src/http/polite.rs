//! Leaves hosts in peace: few requests at once, and some time between two.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// How many pages of a host are asked for at once.
pub(super) const PAGES: usize = 2;
/// How often a search service is asked at once: as many topics are researched side by side.
pub(super) const SEARCHES: usize = 4;
const GAP: Duration = Duration::from_millis(200);
/// Hosts that are remembered; beyond it those that nobody asks are forgotten.
const REMEMBERED: usize = 256;

/// Who is being asked, and when they may be asked next.
#[derive(Default)]
pub(super) struct Polite {
    hosts: Mutex<HashMap<(String, usize), Arc<Host>>>,
}

struct Host {
    at_once: usize,
    places: Arc<Semaphore>,
    next: Mutex<Option<Instant>>,
}

/// Holds a place at a host until it is dropped.
pub(super) struct Turn {
    _place: Option<OwnedSemaphorePermit>,
}

impl Polite {
    /// Waits until the host may be asked, so often at once. This machine itself needs no time between two requests.
    pub(super) async fn turn(&self, host: &str, at_once: usize, is_here: bool) -> Turn {
        let host = self.host(host, at_once);
        let place = host.places.clone().acquire_owned().await.ok();
        if !is_here {
            tokio::time::sleep_until(host.start(Instant::now())).await;
        }
        Turn { _place: place }
    }

    fn host(&self, name: &str, at_once: usize) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= REMEMBERED {
            let now = Instant::now();
            hosts.retain(|_, host| Arc::strong_count(host) > 1 || host.is_waited_for(now));
        }
        let places = || Arc::new(Semaphore::new(at_once));
        let fresh = || Arc::new(Host { at_once, places: places(), next: Mutex::new(None) });
        hosts.entry((name.to_owned(), at_once)).or_insert_with(fresh).clone()
    }
}

impl Host {
    /// When a request that is ready now may start; the next one after it has to wait longer.
    fn start(&self, now: Instant) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let start = next.map_or(now, |next| next.max(now));
        *next = Some(start + GAP);
        start
    }

    fn is_waited_for(&self, now: Instant) -> bool {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        next.is_some_and(|next| next > now) || self.places.available_permits() < self.at_once
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn two_requests_run_at_once_and_begin_apart() {
        let (polite, begin) = (Polite::default(), Instant::now());
        let first = polite.turn("x.test", PAGES, false).await;
        let second = polite.turn("x.test", PAGES, false).await;
        assert_eq!(begin.elapsed(), GAP);
        let third = tokio::time::timeout(Duration::from_secs(9), polite.turn("x.test", PAGES, false)).await;
        assert!(third.is_err(), "there is no place for a third");
        // Another host does not have to wait for it.
        let before = Instant::now();
        polite.turn("y.test", PAGES, false).await;
        assert_eq!(before.elapsed(), Duration::ZERO);
        drop(first);
        polite.turn("x.test", PAGES, false).await;
        assert_eq!(before.elapsed(), Duration::ZERO);
        drop(second);
        polite.turn("x.test", PAGES, false).await;
        assert_eq!(before.elapsed(), GAP);
        for _ in 0..9 {
            polite.turn("127.0.0.1", PAGES, true).await;
        }
        assert_eq!(before.elapsed(), GAP);
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_that_nobody_asks_are_forgotten() {
        let polite = Polite::default();
        let asked = polite.turn("x.test", PAGES, false).await;
        for number in 0..1000 {
            polite.turn(&format!("{number}.test"), PAGES, true).await;
        }
        assert!(polite.hosts.lock().unwrap().len() <= REMEMBERED);
        assert!(polite.hosts.lock().unwrap().contains_key(&("x.test".to_owned(), PAGES)));
        drop(asked);
    }
}
