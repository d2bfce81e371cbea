//! However a recipe ends, its run ends with it: done, failed, or called off.

use std::future::Future;
use std::pin::pin;

use futures_util::future::{Either, select};
use serde::Serialize;
use serde_json::json;

use super::{Context, RecipeOutcome, ResearchEvent};
use crate::engine::run::Run;
use crate::ports::event::RunOutcome;
use crate::{Error, Result};

/// Carries a recipe out, unless the user calls it off. A write is not cut in half: it waits for nothing.
pub(super) async fn run_recipe<T: Serialize>(
    around: Context<'_>,
    run: &Run,
    work: impl Future<Output = Result<RecipeOutcome<T>>>,
) -> Result<T> {
    (around.watch)(ResearchEvent::Run { run_id: run.id().clone() });
    let (stop, work) = (pin!(around.stop.wait()), pin!(work));
    let ended = match select(stop, work).await {
        Either::Right((done, _)) => done,
        Either::Left(((), _)) => {
            let result = json!({ "error": "called off" });
            run.end(RunOutcome::Cancelled, result, "It was called off; nothing was written.\n".to_owned())?;
            return Err(
                Error::failed("called off: nothing was written").with_detail("run_id", run.id().as_str())
            );
        }
    };
    match ended {
        Ok(RecipeOutcome { value, report, outcome }) => {
            run.end(outcome, serde_json::to_value(&value).unwrap_or_default(), report)?;
            Ok(value)
        }
        Err(error) if run.is_replay() => Err(error),
        Err(error) => {
            let result = json!({ "error": error.message(), "hint": error.hint_text() });
            // The first error counts, whatever becomes of the log.
            let _ = run.end(RunOutcome::Failed, result, format!("It failed: {error}\n"));
            Err(error.with_detail("run_id", run.id().as_str()))
        }
    }
}
