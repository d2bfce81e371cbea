//! Spans that wait to be sent. There is room for so many: the oldest give way, and are counted. Nobody who puts one in waits.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wellread_core::ports::TraceSpan;

pub const ROOM: usize = 2048;

#[derive(Debug, Default)]
pub struct SpanQueue {
    state: Mutex<SpanQueueState>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct SpanQueueState {
    spans: VecDeque<TraceSpan>,
    dropped: u64,
    ending: bool,
    /// Nothing is sent any more.
    over: bool,
}

impl SpanQueue {
    pub fn push(&self, span: TraceSpan) {
        let mut state = self.lock_state();
        if state.over {
            state.dropped += 1;
            return;
        }
        state.spans.push_back(span);
        state.drop_oldest();
    }

    /// The oldest of them, so many at the most.
    pub fn take(&self, most: usize) -> Vec<TraceSpan> {
        let mut state = self.lock_state();
        let count = state.spans.len().min(most);
        state.spans.drain(..count).collect()
    }

    /// Back to where they were. They are the oldest: where there is no room any more, they go first.
    pub fn put_back(&self, spans: Vec<TraceSpan>) {
        let mut state = self.lock_state();
        for span in spans.into_iter().rev() {
            state.spans.push_front(span);
        }
        state.drop_oldest();
    }

    /// These will never be sent.
    pub fn count_dropped(&self, count: usize) {
        self.lock_state().dropped += count as u64;
    }

    pub fn dropped_count(&self) -> u64 {
        self.lock_state().dropped
    }

    /// Waits until it is time, or until the process is about to end; yes where it is.
    pub fn wait_until(&self, due: Instant) -> bool {
        let left = due.saturating_duration_since(Instant::now());
        let waited = self.news.wait_timeout_while(self.lock_state(), left, |state| !state.ending);
        waited.unwrap_or_else(PoisonError::into_inner).0.ending
    }

    /// Says that nothing will be sent any more.
    pub fn close(&self) {
        let mut state = self.lock_state();
        state.over = true;
        state.dropped += state.spans.len() as u64;
        state.spans.clear();
        self.news.notify_all();
    }

    /// Has what is left sent now, and waits for that; not longer than this.
    pub fn flush(&self, most: Duration) {
        let mut state = self.lock_state();
        state.ending = true;
        self.news.notify_all();
        let waited = self.news.wait_timeout_while(state, most, |state| !state.over);
        let (state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        drop(state);
        if waited.timed_out() {
            tracing::warn!("the last telemetry was not accepted in time, and was dropped");
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, SpanQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpanQueueState {
    fn drop_oldest(&mut self) {
        let too_many = self.spans.len().saturating_sub(ROOM);
        self.spans.drain(..too_many);
        self.dropped += too_many as u64;
    }
}
