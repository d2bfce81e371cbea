//! A turn that the user may cancel at any moment: the model and tools that read are left alone then, and a change that has begun is
//! completed and logged first.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use super::ChatEvent;
use crate::Result;
use crate::engine::run::StopSignal;
use crate::faces::tools::{AnyTool, Effect, find_tool};

/// How many calls that may change something are being carried out.
#[derive(Debug, Default)]
pub struct ChangesInProgress(AtomicUsize);

impl ChangesInProgress {
    /// Counts a call when it begins and when it has returned.
    pub fn count(&self, event: &ChatEvent, tools: &[Box<dyn AnyTool>]) {
        let changes =
            |name: &str| find_tool(tools, name).is_ok_and(|tool| tool.declaration().effect != Effect::Reads);
        match event {
            ChatEvent::Tool { name, .. } if changes(name) => _ = self.0.fetch_add(1, Ordering::SeqCst),
            ChatEvent::ToolDone { name, .. } if changes(name) => _ = self.0.fetch_sub(1, Ordering::SeqCst),
            _ => {}
        }
    }

    fn is_empty(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

/// What the turn comes to; `None` if it was cancelled before, or failed after that: a change that would have begun is refused then.
pub async fn run_until_cancelled<T>(
    stop: &StopSignal,
    changes: &ChangesInProgress,
    turn: impl Future<Output = Result<T>>,
) -> Option<Result<T>> {
    let (mut turn, mut waiting) = (pin!(turn), pin!(stop.wait()));
    poll_fn(|context| {
        if let Poll::Ready(done) = turn.as_mut().poll(context) {
            return Poll::Ready(Some(done).filter(|done| done.is_ok() || !stop.is_requested()));
        }
        // Once the signal was given, nothing waits for it any more.
        let is_cancelled = stop.is_requested() || waiting.as_mut().poll(context).is_ready();
        if is_cancelled && changes.is_empty() { Poll::Ready(None) } else { Poll::Pending }
    })
    .await
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_that_has_begun_is_waited_for() {
        let tools = crate::faces::tools::catalog();
        let (stop, changes) = (StopSignal::default(), ChangesInProgress::default());
        let begins = |name: &str| ChatEvent::Tool {
            id: "call-1".to_owned(),
            name: name.to_owned(),
            arguments: json!({}),
        };
        let ends = |name: &str| ChatEvent::ToolDone {
            id: "call-1".to_owned(),
            name: name.to_owned(),
            failed: false,
            waits: false,
            edit: None,
            places: Vec::new(),
            took_ms: 1,
        };
        let never = std::future::pending::<Result<()>>();
        let mut turn = Box::pin(run_until_cancelled(&stop, &changes, never));
        assert!((&mut turn).now_or_never().is_none());
        changes.count(&begins("append_to_file"), &tools);
        stop.request();
        assert!((&mut turn).now_or_never().is_none(), "the note is being written");
        changes.count(&begins("read_file"), &tools);
        changes.count(&ends("append_to_file"), &tools);
        assert!(matches!((&mut turn).now_or_never(), Some(None)));
    }

    #[test]
    fn what_is_done_at_once_is_done_though_it_was_cancelled_and_what_fails_was_cancelled() {
        let (stop, changes) = (StopSignal::default(), ChangesInProgress::default());
        let ends = |result: Result<u8>| {
            run_until_cancelled(&stop, &changes, std::future::ready(result)).now_or_never()
        };
        let failed = || Err(crate::Error::failed("no"));
        assert!(matches!(ends(failed()), Some(Some(Err(_)))));
        stop.request();
        assert!(matches!(ends(Ok(7)), Some(Some(Ok(7)))));
        assert!(matches!(ends(failed()), Some(None)));
    }
}
