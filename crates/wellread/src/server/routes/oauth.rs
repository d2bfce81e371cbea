//! What clients elsewhere ask of the authorization server: where everything is, an id, tokens, and their end.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use wellread_core::{Error, Result};

use crate::mcp::AccessScope;
use crate::server::ServerContext;
use crate::server::oauth::public_route::{AUTHORIZE, REGISTER, REVOKE, SERVER_METADATA, TOKEN};
use crate::server::oauth::{
    IssuedTokens, MCP_PATH, NewGrant, OAuthError, RESOURCE_METADATA, Redemption, RefreshRequest,
    RegisteredClient, RegistrationRequest, RemoteAccess,
};
use crate::server::problem::Problem;
use crate::server::route::Route;
use crate::server::{body, oauth};

/// In bytes.
const LARGEST_REGISTRATION: usize = 16 * 1024;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(RESOURCE_METADATA, "What the protocol's address wants", resource_metadata),
        Route::get(
            format!("{RESOURCE_METADATA}/{{*path}}"),
            "What an address of the protocol wants",
            resource_metadata,
        ),
        Route::get(SERVER_METADATA, "Where the parts of the authorization server are", server_metadata),
        Route::post(REGISTER, "Registers a client", register),
        Route::post(TOKEN, "Tokens for a code or a refresh token", exchange),
        Route::post(REVOKE, "Ends a grant", revoke),
    ]
}

/// What there is for clients elsewhere. These routes exist only where there is something.
pub fn remote(site: &ServerContext) -> Result<&RemoteAccess, Problem> {
    site.server.remote.as_ref().ok_or_else(Problem::not_found)
}

fn send_json(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn scope_names() -> [&'static str; 4] {
    AccessScope::ALL.map(AccessScope::name)
}

/// The same for a vault that there is and for one that there is not: nobody learns their names here.
async fn resource_metadata(State(site): State<Arc<ServerContext>>, uri: Uri) -> Result<Response, Problem> {
    let remote = remote(&site)?;
    let path = uri.path().strip_prefix(RESOURCE_METADATA).filter(|path| !path.is_empty()).unwrap_or(MCP_PATH);
    let vault = path.strip_suffix(MCP_PATH).and_then(|path| path.strip_prefix("/vaults/"));
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    if path != MCP_PATH && !vault.is_some_and(is_name) {
        return Err(Problem::not_found());
    }
    let about = json!({
        "resource": format!("{}{path}", remote.public.origin()),
        "resource_name": "Wellread",
        "authorization_servers": [remote.public.origin()],
        "scopes_supported": scope_names(),
        "bearer_methods_supported": ["header"],
    });
    Ok(send_json(StatusCode::OK, &about))
}

async fn server_metadata(State(site): State<Arc<ServerContext>>) -> Result<Response, Problem> {
    let issuer = remote(&site)?.public.origin();
    let at = |path: &str| format!("{issuer}{path}");
    let about = json!({
        "issuer": issuer,
        "authorization_endpoint": at(AUTHORIZE),
        "token_endpoint": at(TOKEN),
        "registration_endpoint": at(REGISTER),
        "revocation_endpoint": at(REVOKE),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "scopes_supported": scope_names(),
    });
    Ok(send_json(StatusCode::OK, &about))
}

async fn register(request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let bytes = body::read_json(&parts.headers, body).await?;
    let metadata = |why: String| Ok(OAuthError::new("invalid_client_metadata", why).into_response());
    if bytes.len() > LARGEST_REGISTRATION {
        return metadata(format!("a registration has at most {LARGEST_REGISTRATION} bytes"));
    }
    let Ok(request) = serde_json::from_slice::<RegistrationRequest>(&bytes) else {
        return metadata("a registration is a JSON object with `redirect_uris`".to_owned());
    };
    Ok(match RegisteredClient::register(request) {
        Err(error) => error.into_response(),
        Ok(client) => {
            let about = json!({
                "client_id": client.id(),
                "client_name": client.name,
                "redirect_uris": client.redirects,
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "token_endpoint_auth_method": "none",
            });
            send_json(StatusCode::CREATED, &about)
        }
    })
}

/// What a client sends for tokens. It may send more, which is not needed.
#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenForm {
    grant_type: String,
    client_id: String,
    code: String,
    redirect_uri: String,
    code_verifier: String,
    refresh_token: String,
    resource: Option<String>,
    scope: Option<String>,
}

async fn exchange(State(site): State<Arc<ServerContext>>, request: Request) -> Result<Response, Problem> {
    remote(&site)?;
    let (parts, body) = request.into_parts();
    let form: TokenForm = match body::read_form(&parts.headers, body).await {
        Ok(form) => form,
        Err(problem) if problem.is_bad_request() => {
            return Ok(OAuthError::invalid_request("the form does not fit: a field may stand in it once")
                .into_response());
        }
        Err(problem) => return Err(problem),
    };
    let tokens = site.run_blocking(move |site| Ok(issue_tokens(site, &form))).await?;
    Ok(match tokens {
        Err(error) => error.into_response(),
        Ok(tokens) => {
            let about = json!({
                "access_token": tokens.access,
                "token_type": "Bearer",
                "expires_in": tokens.expires_in,
                "refresh_token": tokens.refresh,
                "scope": tokens.scopes.to_string(),
            });
            send_json(StatusCode::OK, &about)
        }
    })
}

fn issue_tokens(site: &ServerContext, form: &TokenForm) -> Result<IssuedTokens, OAuthError> {
    let remote = remote(site).map_err(|_| OAuthError::invalid_grant())?;
    match form.grant_type.as_str() {
        "authorization_code" => redeem_code(site, remote, form),
        "refresh_token" => {
            let request = RefreshRequest {
                refresh: &form.refresh_token,
                client_id: &form.client_id,
                resource: form.resource.as_deref(),
                scope: form.scope.as_deref(),
                is_current: &|user| site.server.users.is_current(user),
            };
            remote.grants.refresh(&site.server.token, &request)
        }
        _ => Err(OAuthError::new(
            "unsupported_grant_type",
            "`grant_type` must be `authorization_code` or `refresh_token`",
        )),
    }
}

/// A code is used up by whatever is wrong with the request that shows it.
fn redeem_code(
    site: &ServerContext,
    remote: &RemoteAccess,
    form: &TokenForm,
) -> Result<IssuedTokens, OAuthError> {
    let failed = |error: Error| OAuthError::new("server_error", error.message());
    let terms = match remote.codes.redeem(&form.code) {
        Redemption::Terms(terms) => terms,
        Redemption::Replayed(grant) => {
            if let Some(grant) = grant {
                remote.grants.end_grant(&grant).map_err(failed)?;
            }
            return Err(OAuthError::invalid_grant());
        }
        Redemption::Unknown => return Err(OAuthError::invalid_grant()),
    };
    if terms.session.as_ref().is_some_and(|session| !site.server.sessions.is_open(session)) {
        return Err(OAuthError::invalid_grant());
    }
    if terms.user.as_ref().is_some_and(|user| !site.server.users.is_current(user)) {
        return Err(OAuthError::invalid_grant());
    }
    let is_same = terms.client_id == form.client_id && terms.redirect_uri == form.redirect_uri;
    if !is_same || !oauth::proves(&form.code_verifier, &terms.challenge) {
        return Err(OAuthError::invalid_grant());
    }
    if form.resource.as_ref().is_some_and(|resource| *resource != terms.resource) {
        return Err(OAuthError::new("invalid_target", "the user has allowed another `resource`"));
    }
    let new = NewGrant {
        client_id: terms.client_id,
        client_name: terms.client_name,
        resource: terms.resource,
        scopes: terms.scopes,
        vaults: terms.vaults,
        user: terms.user,
    };
    let tokens = remote.grants.begin(&site.server.token, new).map_err(failed)?;
    if remote.codes.note_grant(&form.code, &tokens.grant) {
        remote.grants.end_grant(&tokens.grant).map_err(failed)?;
        return Err(OAuthError::invalid_grant());
    }
    Ok(tokens)
}

#[derive(Deserialize)]
struct RevokeForm {
    token: String,
}

/// Says the same whether there was something to end or not.
async fn revoke(State(site): State<Arc<ServerContext>>, request: Request) -> Result<Response, Problem> {
    remote(&site)?;
    let (parts, body) = request.into_parts();
    let RevokeForm { token } = body::read_form(&parts.headers, body).await?;
    site.run_blocking(move |site| match &site.server.remote {
        Some(remote) => remote.grants.revoke(&site.server.token, &token),
        None => Ok(()),
    })
    .await?;
    Ok(send_json(StatusCode::OK, &json!({})))
}
