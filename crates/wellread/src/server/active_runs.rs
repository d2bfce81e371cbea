//! Long work that this server does at the moment, by its run: begun, answered in one of three ways, and called off.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use wellread_core::domain::id::RunId;
use wellread_core::engine::run::StopSignal;
use wellread_core::research::ResearchEvent;
use wellread_core::{Error, Result as CoreResult};

use super::ServerContext;
use super::events::{self, EventReceiver, EventSender, wants_events};
use super::problem::Problem;
use super::route::ApiAnswer;
use crate::output::success;

#[derive(Debug, Clone, Default)]
pub struct ActiveRuns(Arc<Mutex<HashMap<RunId, StopSignal>>>);

/// Takes the run out when the work ends, however it does.
#[derive(Debug)]
pub struct ActiveRunGuard {
    active: ActiveRuns,
    run: RunId,
}

impl ActiveRuns {
    pub fn register(&self, run: RunId, stop: StopSignal) -> ActiveRunGuard {
        lock(&self.0).insert(run.clone(), stop);
        ActiveRunGuard { active: self.clone(), run }
    }

    /// Whether there was something to call off.
    pub fn cancel(&self, run: &RunId) -> bool {
        let found = lock(&self.0).get(run).cloned();
        found.inspect(StopSignal::request).is_some()
    }
}

impl Drop for ActiveRunGuard {
    fn drop(&mut self) {
        lock(&self.active.0).remove(&self.run);
    }
}

/// Begins work that takes long. Whoever asked may have gone away meanwhile; it is completed all the same.
pub async fn start_research(
    site: Arc<ServerContext>,
    tool: &'static str,
    arguments: Value,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let (sender, receiver) = events::channel();
    let stop = StopSignal::default();
    let (begun, run) = oneshot::channel::<RunId>();
    // The run is known once it has begun, and leaves the list with the work.
    let entry = Arc::new(Mutex::new(None));
    let progress = {
        let (active, stop, sender, entry) =
            (site.underway.clone(), stop.clone(), sender.clone(), entry.clone());
        let begun = Mutex::new(Some(begun));
        Arc::new(move |event: ResearchEvent| {
            if let ResearchEvent::Run { run_id } = &event {
                *lock(&entry) = Some(active.register(run_id.clone(), stop.clone()));
                if let Some(begun) = lock(&begun).take() {
                    let _ = begun.send(run_id.clone());
                }
            }
            sender.send_event(&event);
        })
    };
    let ctx = site.app.ctx.with_progress(progress, stop.clone());
    let work = tokio::spawn(async move {
        let _seat = site.turns.acquire_seat().await?;
        let call = site.app.clone().call_tool_in(ctx, tool.to_owned(), arguments);
        let answer = site.turns.run_until_shutdown(call).await;
        drop(lock(&entry).take());
        // Where the server ends, whoever works on it leaves off too; the run can be taken up.
        stop.request();
        answer.map(|answer| answer.fields)
    });
    if wants_events(headers) {
        return Ok(stream_events(work, sender, receiver));
    }
    drop((sender, receiver));
    if prefers_async(headers) {
        return answer_when_begun(work, run).await;
    }
    Ok(ApiAnswer(join(work).await?).into_response())
}

/// The work of a recipe on a task of its own.
type ResearchTask = JoinHandle<CoreResult<Value>>;

async fn join(work: ResearchTask) -> CoreResult<Value> {
    work.await.unwrap_or_else(|_| Err(Error::failed("internal error: this is a bug in Wellread")))
}

/// Streams the progress, and the answer as the last event.
fn stream_events(work: ResearchTask, sender: EventSender, receiver: EventReceiver) -> Response {
    tokio::spawn(async move {
        match join(work).await {
            Ok(fields) => sender.send("done", &success(fields)),
            Err(error) => sender.send("error", &Problem::from(error).to_json()),
        }
    });
    let mut response = Response::new(Body::from_stream(receiver.into_stream()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

/// Answers with the run as soon as it has begun. What fails before, or is done at once, is answered as such.
async fn answer_when_begun(work: ResearchTask, run: oneshot::Receiver<RunId>) -> Result<Response, Problem> {
    let mut done = Box::pin(join(work));
    tokio::select! {
        biased;
        answer = &mut done => Ok(ApiAnswer(answer?).into_response()),
        Ok(run) = run => {
            tokio::spawn(done);
            let mut response = ApiAnswer(json!({ "run_id": run })).into_response();
            *response.status_mut() = StatusCode::ACCEPTED;
            let name = HeaderName::from_static("preference-applied");
            response.headers_mut().insert(name, HeaderValue::from_static("respond-async"));
            Ok(response)
        }
    }
}

fn prefers_async(headers: &HeaderMap) -> bool {
    let preferences = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    preferences
        .flat_map(|value| value.split(','))
        .any(|one| one.split(';').next().is_some_and(|one| one.trim().eq_ignore_ascii_case("respond-async")))
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_can_be_called_off_and_nothing_else() {
        let (underway, run, stop) = (ActiveRuns::default(), RunId::fresh(), StopSignal::default());
        assert!(!underway.cancel(&run));
        let entry = underway.register(run.clone(), stop.clone());
        assert!(!stop.is_requested() && underway.cancel(&run) && stop.is_requested());
        drop(entry);
        assert!(!underway.cancel(&run));
    }
}
