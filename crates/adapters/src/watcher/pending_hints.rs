//! What was heard and not passed on yet: bounded, whatever happens.
//!
//! A change is passed on after a short quiet, so that the three or four events of one save are one hint; under steady
//! load it is passed on after a while all the same.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::ChangeHints;

/// So long nothing must happen before what happened is passed on.
const QUIET: Duration = Duration::from_millis(10);
/// So long at the most it is held back.
const LONGEST: Duration = Duration::from_millis(100);
/// More paths than this are a storm: it is cheaper to look everywhere than to keep a list.
const MOST_PATHS: usize = 2000;

#[derive(Debug, Default)]
pub struct PendingHints {
    state: Mutex<PendingState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct PendingState {
    touched: BTreeSet<(usize, String)>,
    rescan: bool,
    /// When the first and the last of what is held back was heard.
    heard: Option<(Instant, Instant)>,
    limit: Option<String>,
    ended: bool,
}

impl PendingState {
    /// Whether somebody has to be woken: whoever waits for more knows when to look again.
    fn note_event(&mut self) -> bool {
        let now = Instant::now();
        let first = self.heard.map(|(first, _)| first);
        self.heard = Some((first.unwrap_or(now), now));
        first.is_none()
    }
}

impl PendingHints {
    /// Notes that something happened again to a path that is to be looked at anyway. No where it is not.
    pub fn touch_again(&self, corpus: usize, path: &str) -> bool {
        let mut state = self.state();
        let known = state.rescan || state.touched.contains(&(corpus, path.to_owned()));
        if known {
            state.note_event();
        }
        known
    }

    pub fn touch(&self, corpus: usize, path: String) {
        let mut state = self.state();
        if !state.rescan {
            state.touched.insert((corpus, path));
            if state.touched.len() > MOST_PATHS {
                state.touched.clear();
                state.rescan = true;
            }
        }
        if state.note_event() {
            self.changed.notify_all();
        }
    }

    pub fn rescan(&self) {
        let mut state = self.state();
        state.touched.clear();
        state.rescan = true;
        if state.note_event() {
            self.changed.notify_all();
        }
    }

    pub fn set_limit(&self, limit: Option<String>) {
        self.state().limit = limit;
    }

    pub fn limit(&self) -> Option<String> {
        self.state().limit.clone()
    }

    pub fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    /// Waits until something is to be passed on. No when all has ended.
    pub fn wait(&self) -> bool {
        let mut state = self.state();
        loop {
            if state.ended {
                return false;
            }
            let Some((first, last)) = state.heard else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = (last + QUIET).min(first + LONGEST).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What was heard until now, without a wait for more. Nothing where nothing was.
    pub fn take(&self) -> Option<ChangeHints> {
        let mut state = self.state();
        state.heard.take()?;
        let touched = std::mem::take(&mut state.touched).into_iter().collect();
        Some(ChangeHints { touched, rescan: std::mem::take(&mut state.rescan) })
    }

    fn state(&self) -> MutexGuard<'_, PendingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl PendingHints {
    /// Waits for the next hints; nothing when all has ended.
    pub fn next(&self) -> Option<ChangeHints> {
        while self.wait() {
            if let Some(hints) = self.take() {
                return Some(hints);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_touched_often_is_one_hint_and_a_storm_is_none_but_a_rescan() {
        let gathered = PendingHints::default();
        assert!(!gathered.touch_again(0, "a"));
        gathered.touch(0, "b".to_owned());
        gathered.touch(0, "a".to_owned());
        assert!(gathered.touch_again(0, "a") && !gathered.touch_again(1, "a"));
        let touched = vec![(0, "a".to_owned()), (0, "b".to_owned())];
        assert_eq!(gathered.next(), Some(ChangeHints { touched, rescan: false }));
        for n in 0..=MOST_PATHS {
            gathered.touch(0, n.to_string());
        }
        assert!(gathered.touch_again(3, "whatever"));
        assert_eq!(gathered.next(), Some(ChangeHints { touched: Vec::new(), rescan: true }));
        gathered.end();
        assert_eq!(gathered.next(), None);
    }
}
