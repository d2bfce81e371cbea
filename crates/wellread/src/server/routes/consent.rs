//! The page on which the user allows a client elsewhere something, or denies it.
//!
//! Anybody can open it, and it shows nothing of the user's: what it shows and what it decides goes through the user's session, with
//! its cookie and its key, which no other site's page can send.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State};
use axum::http::header::REFERRER_POLICY;
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::domain::rights::Right;
use wellread_core::{Error, Result};

use super::oauth::remote;
use crate::mcp::{AccessScope, AccessScopes};
use crate::server::ServerContext;
use crate::server::body::Json;
use crate::server::guard::Credentials;
use crate::server::headers::OPENER_POLICY;
use crate::server::oauth::public_route::{AUTHORIZE, CONSENT, CONSENT_REQUEST};
use crate::server::oauth::{AuthorizationRequest, CheckedRequest, CodeTerms, OAuthError, VaultRef};
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};
use crate::server::users::UserRef;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(AUTHORIZE, "The page on which the user allows a client something", authorize),
        Route::post(CONSENT_REQUEST, "What a client asks for", describe).needs(&[Right::Read]),
        Route::post(CONSENT, "What the user says to it", decide).needs(&[Right::Read]),
    ]
}

/// What stands in the address after the question mark.
fn check(query: &str) -> Result<CheckedRequest, OAuthError> {
    let unfit = || OAuthError::invalid_request("its parameters do not fit: each may stand in it once");
    let uri: Uri = format!("/?{query}").parse().map_err(|_| unfit())?;
    let Query(request) = Query::<AuthorizationRequest>::try_from_uri(&uri).map_err(|_| unfit())?;
    request.check()
}

/// Never sends the browser on: it stays here until the user has looked.
async fn authorize(uri: Uri) -> Response {
    if let Err(error) = check(uri.query().unwrap_or_default()) {
        return error.into_page();
    }
    // A form without this would not say that it comes from us; and the window may have been opened by the client's page.
    let headers = [(REFERRER_POLICY, "same-origin"), (OPENER_POLICY, "unsafe-none")];
    (headers, Html(include_str!("authorize.html"))).into_response()
}

/// A client's request, as it stands in the address of the page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConsentQuestion {
    query: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ConsentTerms {
    /// What the client calls itself. Nobody has checked that.
    client: String,
    /// Who gets the answer.
    redirect: String,
    /// Whether that is a program on the user's own computer.
    is_local: bool,
    scopes: Vec<ScopeChoice>,
    /// The vaults at the address that the client asks for.
    vaults: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ScopeChoice {
    name: AccessScope,
    about: &'static str,
    /// Whether it is chosen unless the user says otherwise.
    chosen: bool,
}

/// A request that can be allowed, with the vaults that it is about.
fn resolve(site: &ServerContext, query: &str) -> Result<(CheckedRequest, Vec<VaultRef>), Problem> {
    let refuse = |error: OAuthError| {
        Problem::new(
            StatusCode::BAD_REQUEST,
            error.description,
            "close this page, and connect again from the program",
        )
    };
    let mut request = check(query).map_err(refuse)?;
    // Nobody can allow a client more than they may do themselves.
    request.scopes = request.scopes.intersection(&site.user_scopes());
    let vaults = remote(site)?.vaults_at(&request.resource, &site.vaults).ok_or_else(|| {
        refuse(OAuthError::new("invalid_target", "there is no such vault, or it is at another address"))
    })?;
    Ok((request, vaults))
}

async fn describe(
    State(site): State<Arc<ServerContext>>,
    Json(asked): Json<ConsentQuestion>,
) -> ApiResult<ConsentTerms> {
    let (request, vaults) = resolve(&site, &asked.query)?;
    let choice =
        |name: AccessScope| ScopeChoice { name, about: name.about(), chosen: name.changes_nothing() };
    Ok(ApiAnswer(ConsentTerms {
        redirect: request.redirect_host(),
        is_local: request.is_local(),
        scopes: request.scopes.iter().map(choice).collect(),
        vaults: vaults.into_iter().map(|vault| vault.name).collect(),
        client: request.client.name,
    }))
}

/// What the user says to a client's request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConsentDecision {
    query: String,
    allow: bool,
    /// Those of the scopes that the client asks for which the user allows.
    #[serde(default)]
    scopes: AccessScopes,
    /// The vaults that the user allows.
    #[serde(default)]
    vaults: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ConsentAnswer {
    /// Where the browser takes the answer.
    redirect: String,
}

async fn decide(
    State(site): State<Arc<ServerContext>>,
    Extension(credentials): Extension<Credentials>,
    Json(said): Json<ConsentDecision>,
) -> ApiResult<ConsentAnswer> {
    let (request, vaults) = resolve(&site, &said.query)?;
    let remote = remote(&site)?;
    let issuer = remote.public.origin();
    if !said.allow {
        return Ok(ApiAnswer(ConsentAnswer {
            redirect: request.answer(issuer, &[("error", "access_denied")]),
        }));
    }
    if said.scopes.is_empty() || !request.scopes.covers(&said.scopes) {
        return Err(Error::invalid("choose at least one of the scopes that the client asks for").into());
    }
    if !said.scopes.contains(AccessScope::Read) {
        return Err(Error::invalid("every other scope needs `read`").hint("choose `read`, too").into());
    }
    let allowed: Vec<VaultRef> =
        vaults.iter().filter(|vault| said.vaults.contains(&vault.name)).cloned().collect();
    if allowed.is_empty() || allowed.len() != said.vaults.len() {
        return Err(Error::invalid("choose at least one of the vaults at this address").into());
    }
    let code = remote.codes.issue(CodeTerms {
        client_id: request.client_id.clone(),
        client_name: request.client.name.clone(),
        redirect_uri: request.redirect_uri.clone(),
        challenge: request.challenge.clone(),
        resource: request.resource.clone(),
        scopes: said.scopes,
        vaults: allowed,
        session: credentials.session().cloned(),
        user: site.user.as_deref().map(UserRef::new),
    })?;
    Ok(ApiAnswer(ConsentAnswer { redirect: request.answer(issuer, &[("code", &code)]) }))
}
