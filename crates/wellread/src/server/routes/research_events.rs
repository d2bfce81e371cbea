//! What happens to agendas and findings, told as it happens: what is in the records with its number, so that one who comes back
//! misses nothing, and between that the steps of this process's tasks.
//!
//! Nothing is read before the client takes it: one that is slow costs no memory.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use futures_util::stream::unfold;
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use wellread_core::Result;

use crate::server::ServerContext;
use crate::server::browser_sessions::SessionId;
use crate::server::events::{LONGEST_SILENCE, SILENCE, format_event, format_numbered_event};
use crate::server::guard::Credentials;
use crate::server::problem::Problem;
use crate::server::route::Route;
use crate::worker::TaskProgress;

/// How often is looked whether another process changed something. One on the same database also rings.
const LOOKS: Duration = Duration::from_secs(1);
/// As much as is read at once.
const AT_ONCE: usize = 500;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/research/events", "Streams events as they happen", stream_events)
            .answers_as("text/event-stream", &json!({ "type": "string" })),
    ]
}

/// Counts first, then whatever happens. One that comes back says by `Last-Event-ID` what it has heard.
async fn stream_events(
    State(site): State<Arc<ServerContext>>,
    Extension(credentials): Extension<Credentials>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let heard = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse::<u64>().ok());
    let (counts, last) = site
        .run_blocking(|site| Ok((site.app.records.counts()?, site.app.records.events_after(u64::MAX, 0)?.1)))
        .await?;
    let follower = EventFollower {
        steps: site.worker.news.subscribe(),
        changes: site.app.bells.events.subscribe(),
        // What a newer file has never told can't have been heard.
        after: heard.filter(|heard| *heard <= last).unwrap_or(last),
        waiting: VecDeque::from([format_event("counts", &json!(counts))]),
        session: credentials.session().cloned(),
        site,
    };
    let events = unfold(follower, |mut follower| async {
        let next = match tokio::time::timeout(LONGEST_SILENCE, follower.next_event()).await {
            Ok(next) => next?,
            Err(_) => SILENCE.to_owned(),
        };
        Some((Ok::<_, Infallible>(Bytes::from(next)), follower))
    });
    let mut response = Response::new(Body::from_stream(events));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

struct EventFollower {
    site: Arc<ServerContext>,
    steps: Receiver<TaskProgress>,
    /// Rings when another process has changed something.
    changes: watch::Receiver<()>,
    /// The number of what was read last.
    after: u64,
    /// What was read and is not told yet.
    waiting: VecDeque<String>,
    /// The session of the browser that listens.
    session: Option<SessionId>,
}

impl EventFollower {
    /// Nothing more once the server or the session ends. One may leave off waiting for it at any time.
    async fn next_event(&mut self) -> Option<String> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            tokio::select! {
                step = self.steps.recv() => match step {
                    Ok(step) => self.waiting.push_back(format_event("progress", &json!(step))),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                },
                Ok(()) = self.changes.changed() => {}
                () = tokio::time::sleep(LOOKS) => {}
            }
            let signed_out =
                self.session.as_ref().is_some_and(|session| !self.site.server.sessions.is_open(session));
            if signed_out || self.site.over.is_requested() || self.site.server.is_shutting_down() {
                return None;
            }
            self.read_new_events().await;
        }
    }

    /// Reads what has happened since. Where that can't be read, the next look may.
    async fn read_new_events(&mut self) {
        let after = self.after;
        let happened =
            self.site.run_blocking(move |site| site.app.records.events_after(after, AT_ONCE)).await;
        let Ok((happened, last)) = happened else { return };
        // The records were begun anew.
        if last < self.after {
            self.after = 0;
        }
        for (number, happening) in happened {
            self.after = number;
            self.waiting.extend(format_numbered_event(number, &happening));
        }
    }
}
