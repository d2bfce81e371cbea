//! However a recipe ends, its run ends with it: done, failed, or called off.

use std::future::Future;
use std::pin::pin;

use futures_util::future::{Either, select};
use serde::Serialize;
use serde_json::json;

use super::{Around, Done, Progress};
use crate::event::Outcome;
use crate::run::Run;
use crate::{Error, Result};

/// Carries a recipe out, unless the user calls it off. A write is not cut in half: it waits for nothing.
pub(super) async fn carried_out<T: Serialize>(
    around: Around<'_>,
    run: &Run,
    work: impl Future<Output = Result<Done<T>>>,
) -> Result<T> {
    (around.watch)(Progress::Run { run_id: run.id().clone() });
    let (stop, work) = (pin!(around.stop.asked()), pin!(work));
    let ended = match select(stop, work).await {
        Either::Right((done, _)) => done,
        Either::Left(((), _)) => {
            let result = json!({ "error": "called off" });
            run.end(Outcome::Cancelled, result, "It was called off; nothing was written.\n".to_owned())?;
            return Err(Error::failed("called off: nothing was written").with("run_id", run.id().as_str()));
        }
    };
    match ended {
        Ok(Done { value, report, outcome }) => {
            run.end(outcome, serde_json::to_value(&value).unwrap_or_default(), report)?;
            Ok(value)
        }
        Err(error) if run.is_replay() => Err(error),
        Err(error) => {
            let result = json!({ "error": error.message(), "hint": error.hint_text() });
            // The first error counts, whatever becomes of the log.
            let _ = run.end(Outcome::Failed, result, format!("It failed: {error}\n"));
            Err(error.with("run_id", run.id().as_str()))
        }
    }
}
