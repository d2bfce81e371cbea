//! The page, and how a browser gets to it: by a link, or with the token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, HeaderName, SET_COOKIE, USER_AGENT};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{Html, IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_core::domain::rights::Right;

use crate::server::body::{Json, PathParam, QueryParams};
use crate::server::browser::LINK_LASTS;
use crate::server::oauth::RemoteAccess;
use crate::server::page::PageFile;
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};
use crate::server::state::ServerState;
use crate::server::user_token::ShownSecret;
use crate::server::users::UserRef;
use crate::server::{ServerContext, body, guard, page};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/", "The page", async || Html(page::INDEX))
            .answers_as("text/html", &json!({ "type": "string" })),
        Route::get("/page/{*file}", "A file of the page", page_file)
            .answers_as("text/javascript", &json!({ "type": "string" }))
            .fails(&[404]),
        Route::get(guard::LINK, "Begins a browser's session with the code of a one-time link", open)
            .with_query::<OpenQuery>()
            .answers_as("text/html", &json!({ "type": "string" }))
            .fails(&[401, 429])
            .without_token(),
        Route::post(guard::LINK, "Begins a browser's session with the token, from a form", enter_token)
            .with_form::<TokenForm>()
            .answers_as("text/html", &json!({ "type": "string" }))
            .fails(&[401, 429])
            .without_token(),
        Route::post("/api/link", "A new one-time link for a browser", new_link)
            .needs(&[Right::Read])
            .with_body::<LinkRequest>()
            .answers::<LinkAnswer>(),
    ]
}

async fn page_file(PathParam(name): PathParam) -> Result<Response, Problem> {
    if name == page::ENGINE_LABELS {
        let script = [(CONTENT_TYPE, "text/javascript; charset=utf-8")];
        return Ok((script, page::engine_labels()).into_response());
    }
    let file = PageFile::find(&name)?;
    Ok(([(CONTENT_TYPE, file.media_type())], file.text).into_response())
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OpenQuery {
    /// The code from the link.
    code: Option<String>,
}

/// What the form on the door sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TokenForm {
    /// The token.
    token: String,
}

async fn open(
    State(site): State<Arc<ServerContext>>,
    QueryParams(opening): QueryParams<OpenQuery>,
    request: Request,
) -> Result<Response, Problem> {
    // Who only asks what would come does not use it up.
    if request.method() != Method::GET {
        return Err(Problem::method_not_allowed());
    }
    let problem = match opening.code {
        Some(code) => match site.server.links.redeem(&code) {
            Some(user) => return begin_session(&site, request.headers(), user),
            None => guard::reject_token(&site, "this link was used, or is too old"),
        },
        None => Problem::new(StatusCode::UNAUTHORIZED, "sign in", "open a link that works once"),
    };
    let is_visit = guard::is_page_visit(request.method(), request.uri(), request.headers());
    if is_visit { Ok(problem.into_page()) } else { Err(problem) }
}

async fn enter_token(State(site): State<Arc<ServerContext>>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let TokenForm { token } = body::read_form(&parts.headers, body).await?;
    let token = token.trim().as_bytes();
    if site.server.token.matches(token) {
        return begin_session(&site, &parts.headers, None);
    }
    if let Some(shown) = ShownSecret::parse_token(token)
        && let Some(account) = site.server.users.resolve(shown.into()).await?
    {
        return begin_session(&site, &parts.headers, Some(UserRef::new(&account)));
    }
    let problem = guard::reject_token(&site, "wrong token");
    if guard::accepts_html(&parts.headers) { Ok(problem.into_page()) } else { Err(problem) }
}

/// The page that takes the key over and leads on to the page itself. It comes with the cookie; a redirect would do that too, but
/// a browser that was sent here by another site keeps the cookie back while it is redirected.
fn begin_session(
    site: &ServerContext,
    headers: &HeaderMap,
    user: Option<UserRef>,
) -> Result<Response, Problem> {
    begin_session_with(site, headers, user, include_str!("opened.html"))
}

/// The same with another page, which has the key in place of `{key}`.
pub fn begin_session_with(
    site: &ServerContext,
    headers: &HeaderMap,
    user: Option<UserRef>,
    page: &str,
) -> Result<Response, Problem> {
    let ServerState { sessions, token, place, .. } = &*site.server;
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let new = sessions.begin(token, place, text(HOST), text(USER_AGENT), user)?;
    let html = page.replace("{key}", &new.key);
    let is_secure = |remote: &RemoteAccess| remote.public.is_secure() && remote.public.is_host(text(HOST));
    let secure = if site.server.remote.as_ref().is_some_and(is_secure) { "; Secure" } else { "" };
    Ok(([(SET_COOKIE, new.cookie + secure)], Html(html)).into_response())
}

/// It says nothing, and says so in JSON: that is what a page of another site can't send.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinkRequest {}

#[derive(Debug, Serialize, JsonSchema)]
struct LinkAnswer {
    /// The link; it works once.
    url: String,
    expires_in_s: u64,
}

async fn new_link(State(site): State<Arc<ServerContext>>, _: Json<LinkRequest>) -> ApiResult<LinkAnswer> {
    let url = site.server.links.issue(&site.server.place, site.user.as_deref().map(UserRef::new))?;
    Ok(ApiAnswer(LinkAnswer { url, expires_in_s: LINK_LASTS.as_secs() }))
}
