//! The log of what was decided and changed, by whom and by which face. It is kept as soon as there are accounts.
//!
//! Decisions and settings are recorded here, when their route has answered that it is done; changes of notes where they are made
//! (`audited_files`), so that none is missed, whichever tool, conversation or run made it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::Value;
use wellread_core::Result;
use wellread_core::ports::AuditEntry;

use super::ServerContext;
use super::guard::Credentials;

/// Arguments that name what a call is about, in the order in which they are looked for.
const TARGETS: [&str; 4] = ["id", "finding_id", "agenda_id", "topic"];

/// What a recorded route works with: its site, and what it does.
pub type RecordedRoute = (Arc<ServerContext>, Arc<str>);

/// Records a request after it was served. The address says what it was about.
pub async fn record_request(
    State((site, action)): State<RecordedRoute>,
    request: Request,
    next: Next,
) -> Response {
    let face = request.extensions().get::<Credentials>().map_or("api", face_of);
    let target = request.uri().path().to_owned();
    let response = next.run(request).await;
    if response.status().is_success() {
        record(site, face, action.to_string(), Some(target)).await;
    }
    response
}

/// By which face a request comes.
fn face_of(credentials: &Credentials) -> &'static str {
    match credentials {
        Credentials::Session(_) | Credentials::Cookie(_) => "page",
        Credentials::Remote(_) => "mcp",
        Credentials::None | Credentials::Token | Credentials::User(_) => "api",
    }
}

/// What the arguments of a call say that it is about.
pub fn find_target(arguments: &Value) -> Option<String> {
    TARGETS.iter().find_map(|name| arguments[*name].as_str()).map(str::to_owned)
}

/// Adds to the log, if there are accounts. What was done is done; where it can't be logged, that is said.
pub async fn record(site: Arc<ServerContext>, face: &'static str, action: String, target: Option<String>) {
    let recorded = site.run_blocking(move |site| append(site, face, action, target)).await;
    if let Err(error) = recorded {
        tracing::warn!("a decision could not be logged: {error}");
    }
}

fn append(site: &ServerContext, face: &str, action: String, target: Option<String>) -> Result<()> {
    let Some(accounts) = site.server.users.accounts() else { return Ok(()) };
    if site.user.is_none() && accounts.accounts()?.is_empty() {
        return Ok(());
    }
    accounts.append_audit(&AuditEntry {
        at: site.app.clock.now().timestamp(),
        who: site.user_name().map_or("@", |name| name.as_str()).to_owned(),
        face: face.to_owned(),
        action,
        vault: Some(site.config.vault_name().to_owned()),
        target,
    })
}
