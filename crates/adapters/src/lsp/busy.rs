//! Tracks whether a server is busy reading the repository, by its progress notifications and rust-analyzer's status.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::Instant;

use super::wire::{self, MessageId};

/// The most concurrent tasks of a server that are tracked.
const MOST: usize = 256;
/// A task without news for this long counts as ended.
const STALE: Duration = Duration::from_secs(20);

/// What a server is busy with.
#[derive(Debug)]
pub struct BusyTracker {
    now: Mutex<BusyState>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct BusyState {
    under_way: HashMap<MessageId, Instant>,
    ended: u64,
    /// Whether it is idle, for a server that reports that itself.
    at_rest: Option<bool>,
}

#[derive(Deserialize)]
struct ProgressParams {
    token: MessageId,
    value: ProgressValue,
}

#[derive(Deserialize)]
struct ProgressValue {
    kind: String,
}

#[derive(Deserialize)]
struct Status {
    quiescent: bool,
}

impl BusyTracker {
    /// A server that reports itself when it is idle counts as busy until it does.
    pub fn new(says_so: bool) -> Self {
        let now = BusyState { at_rest: says_so.then_some(false), ..BusyState::default() };
        Self { now: Mutex::new(now), changed: watch::channel(()).0 }
    }

    /// Processes a notification of the server.
    pub fn take_notification(&self, method: &str, message: &[u8]) {
        match method {
            "$/progress" => {
                let Some(progress) = wire::params::<ProgressParams>(message) else { return };
                self.apply_progress(progress);
            }
            "experimental/serverStatus" => {
                let Some(status) = wire::params::<Status>(message) else { return };
                self.state().at_rest = Some(status.quiescent);
            }
            _ => return,
        }
        self.changed.send_replace(());
    }

    fn apply_progress(&self, progress: ProgressParams) {
        let mut now = self.state();
        match progress.value.kind.as_str() {
            "end" => {
                now.ended += u64::from(now.under_way.remove(&progress.token).is_some());
            }
            _ if now.under_way.len() < MOST || now.under_way.contains_key(&progress.token) => {
                now.under_way.insert(progress.token, Instant::now());
            }
            _ => {}
        }
    }

    pub fn is_busy(&self) -> bool {
        let mut now = self.state();
        now.under_way.retain(|_, heard| heard.elapsed() < STALE);
        now.at_rest == Some(false) || !now.under_way.is_empty()
    }

    /// How many tasks have ended so far: if this has grown, an earlier answer may be incomplete.
    pub fn ended_count(&self) -> u64 {
        self.state().ended
    }

    /// Waits until the server is idle; false if it still is not at the deadline.
    pub async fn wait_until_idle(&self, deadline: Instant) -> bool {
        let mut heard = self.changed.subscribe();
        while self.is_busy() {
            let look_again = deadline.min(Instant::now() + STALE);
            // On a change or a timeout alike, check again.
            let _ = tokio::time::timeout_at(look_again, heard.changed()).await;
            if Instant::now() >= deadline {
                return !self.is_busy();
            }
        }
        true
    }

    fn state(&self) -> std::sync::MutexGuard<'_, BusyState> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(tracker: &BusyTracker, token: &str, kind: &str) {
        let message = format!(r#"{{"params":{{"token":{token},"value":{{"kind":"{kind}","title":"x"}}}}}}"#);
        tracker.take_notification("$/progress", message.as_bytes());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_is_busy_until_all_that_it_began_has_ended() {
        let tracker = BusyTracker::new(false);
        let in_a_minute = || Instant::now() + Duration::from_secs(60);
        assert!(tracker.wait_until_idle(in_a_minute()).await);
        progress(&tracker, "1", "begin");
        progress(&tracker, "\"a\"", "report");
        progress(&tracker, "1", "end");
        assert!(tracker.is_busy());
        assert!(!tracker.wait_until_idle(Instant::now() + Duration::from_secs(5)).await);
        progress(&tracker, "\"a\"", "end");
        progress(&tracker, "\"never begun\"", "end");
        assert!(tracker.wait_until_idle(in_a_minute()).await);
        assert_eq!(tracker.ended_count(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_begun_and_never_heard_of_again_is_forgotten() {
        let tracker = BusyTracker::new(false);
        for number in 0..100_000 {
            progress(&tracker, &number.to_string(), "begin");
        }
        assert_eq!(tracker.state().under_way.len(), MOST);
        assert!(tracker.wait_until_idle(Instant::now() + Duration::from_secs(60)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_says_when_it_is_at_rest_is_waited_for() {
        let tracker = BusyTracker::new(true);
        assert!(!tracker.wait_until_idle(Instant::now() + Duration::from_secs(60)).await);
        tracker.take_notification(
            "experimental/serverStatus",
            br#"{"params":{"health":"ok","quiescent":"no"}}"#,
        );
        assert!(tracker.is_busy());
        tracker.take_notification(
            "experimental/serverStatus",
            br#"{"params":{"health":"ok","quiescent":true}}"#,
        );
        assert!(tracker.wait_until_idle(Instant::now()).await);
    }
}
