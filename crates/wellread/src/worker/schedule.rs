//! Looks after the schedule: at its hour an agenda for the vault is proposed, once, by whichever process is there.

use std::time::Duration;

use wellread_core::agendas::jobs::{AgendaRequest, Schedule};
use wellread_core::ports::agenda::IdempotentRequest;
use wellread_core::{Error, Result};

use super::{Worker, jobs};

/// What the schedule is called in the records.
const SCHEDULE: &str = "schedule";
/// How often the clock is looked at, and how long after a failure.
const EVERY: Duration = Duration::from_secs(30);
const AFTER_FAILURE: Duration = Duration::from_secs(15 * 60);

pub async fn run_schedule(worker: &Worker, schedule: Schedule) {
    while !worker.stop.is_requested() {
        match propose_if_due(worker, schedule).await {
            Ok(()) => worker.pause(EVERY).await,
            Err(error) => {
                tracing::warn!("the scheduled agenda could not be proposed: {error}");
                worker.pause(AFTER_FAILURE).await;
            }
        }
    }
}

/// There is none: a moment that comes before it is switched on again is not caught up then.
pub fn clear_schedule(worker: &Worker) -> Result<()> {
    let app = &worker.app;
    app.records.record_setting(SCHEDULE, None, app.clock.now().timestamp()).map(drop)
}

/// Sees to the moment that is due, where one is. One that was missed is caught up, once.
async fn propose_if_due(worker: &Worker, schedule: Schedule) -> Result<()> {
    let (app, runtime) = (worker.app.clone(), tokio::runtime::Handle::current());
    let ctx = app.ctx.with_progress(std::sync::Arc::new(|_| {}), worker.stop.clone());
    let done = tokio::task::spawn_blocking(move || {
        let now = app.clock.now();
        let since = app.records.record_setting(SCHEDULE, Some(&schedule.to_string()), now.timestamp())?;
        let Some(due) = since.and_then(|since| schedule.due_moment(since, &now)) else { return Ok(()) };
        let once = IdempotentRequest::new(&Schedule::key(&due), "schedule", &())?;
        let wish = AgendaRequest { note: None, scheduled: true, once: Some(once) };
        app.wait_for_complete_index(&ctx.stop)?;
        runtime.block_on(jobs(&ctx).trigger(wish)).map(drop)
    });
    done.await.unwrap_or_else(|_| Err(Error::failed("internal error: this is a bug in Wellread")))
}
