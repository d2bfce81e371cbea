//! How somebody who was invited comes in: a link leads to a page, the page's button uses the invitation up, and the answer shows
//! their token, once. To look at the link uses nothing up: mail programs do that, too.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::REFERRER_POLICY;
use axum::response::{Html, IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_core::Result;
use wellread_core::ports::{Account, AuditEntry, invitation_error};

use super::open::begin_session_with;
use crate::server::body::QueryParams;
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, Route};
use crate::server::user_token::{ShownSecret, UserSecret};
use crate::server::users::UserRef;
use crate::server::{ServerContext, body, guard};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(guard::INVITATION, "The page of an invitation", show)
            .with_query::<JoinQuery>()
            .answers_as("text/html", &json!({ "type": "string" }))
            .fails(&[401, 429])
            .without_token(),
        Route::post(guard::INVITATION, "Uses an invitation up, and shows the new user's token", join)
            .with_form::<JoinForm>()
            .answers::<JoinAnswer>()
            .fails(&[401, 429])
            .without_token(),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JoinQuery {
    /// The code from the link.
    code: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JoinForm {
    /// The code from the link.
    code: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct JoinAnswer {
    /// The user's name.
    name: String,
    /// The user's token; it is shown this once.
    token: String,
}

/// Says the same of every code that could be one.
async fn show(
    State(site): State<Arc<ServerContext>>,
    QueryParams(query): QueryParams<JoinQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let refused = || {
        let problem = refuse(&site);
        if guard::accepts_html(&headers) { Ok(problem.into_page()) } else { Err(problem) }
    };
    let Some(shown) = ShownSecret::parse_invitation(&query.code) else { return refused() };
    // A name and hexadecimal digits: what `parse_invitation` lets through of a code may be anything, so only what is plain goes in.
    let is_plain = query.code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !is_plain {
        return refused();
    }
    let html =
        include_str!("join.html").replace("{name}", shown.name.as_str()).replace("{code}", &query.code);
    // A form without this would not say that it comes from us.
    Ok(([(REFERRER_POLICY, "same-origin")], Html(html)).into_response())
}

fn refuse(site: &ServerContext) -> Problem {
    guard::reject_token(site, invitation_error().message())
}

async fn join(State(site): State<Arc<ServerContext>>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let JoinForm { code } = body::read_form(&parts.headers, body).await?;
    let is_page = guard::accepts_html(&parts.headers);
    let face = if is_page { "page" } else { "api" };
    let accepted = match ShownSecret::parse_invitation(code.trim()) {
        Some(shown) => site.run_blocking(move |site| accept(site, &shown, face)).await?,
        None => None,
    };
    let Some((account, token)) = accepted else {
        let problem = refuse(&site);
        return if is_page { Ok(problem.into_page()) } else { Err(problem) };
    };
    let name = account.name.to_string();
    if !is_page {
        return Ok(ApiAnswer(JoinAnswer { name, token: token.text }).into_response());
    }
    let html = include_str!("joined.html").replace("{name}", &name).replace("{token}", &token.text);
    begin_session_with(&site, &parts.headers, Some(UserRef::new(&account)), &html)
}

/// The account with its new token; `None` if the invitation is worth nothing.
fn accept(site: &ServerContext, shown: &ShownSecret, face: &str) -> Result<Option<(Account, UserSecret)>> {
    let Some(accounts) = site.server.users.accounts() else { return Ok(None) };
    // Who guesses does not make the store write.
    if accounts.account(&shown.name)?.is_none() {
        return Ok(None);
    }
    let (token, now) = (UserSecret::new_token(&shown.name)?, site.app.clock.now().timestamp());
    let mut refused = false;
    let changed = accounts.change_account(&shown.name, &mut |known| {
        let account = known.ok_or_else(invitation_error)?.accept_invitation(shown.hash, token.hash, now);
        refused = account.is_err();
        let entry = AuditEntry {
            at: now,
            who: shown.name.to_string(),
            face: face.to_owned(),
            action: "users join".to_owned(),
            vault: None,
            target: Some(shown.name.to_string()),
        };
        Ok((account?, entry))
    });
    match changed {
        Ok(account) => Ok(Some((account, token))),
        Err(_) if refused => Ok(None),
        Err(error) => Err(error),
    }
}
