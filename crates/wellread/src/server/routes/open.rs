//! The page, and the link by which a browser gets to it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{Html, IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::server::body::{Json, PathParam, QueryParams};
use crate::server::browser::{LINK_LASTS, make_cookie};
use crate::server::page::PageFile;
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};
use crate::server::{ServerContext, guard, page};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/", "The page", async || Html(page::INDEX))
            .answers_as("text/html", &json!({ "type": "string" })),
        Route::get("/page/{*file}", "A file of the page", page_file)
            .answers_as("text/javascript", &json!({ "type": "string" }))
            .fails(&[404]),
        Route::get(guard::LINK, "Exchanges the code of a one-time link for a cookie", open)
            .with_query::<OpenQuery>()
            .answers_status("303", "To the page, with the cookie")
            .answers_as("text/html", &json!({ "type": "string" }))
            .fails(&[401, 429])
            .without_token(),
        Route::post("/api/link", "A new one-time link for a browser", new_link)
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
    code: String,
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
    if !site.links.redeem(&opening.code) {
        let problem = guard::reject_token(&site, "this link was used, or is too old");
        let is_visit = guard::is_page_visit(request.method(), request.uri(), request.headers());
        return if is_visit { Ok(problem.into_page()) } else { Err(problem) };
    }
    let cookie = [(SET_COOKIE, make_cookie(&site.token, &site.place))];
    Ok(if is_cross_site(request.headers()) {
        // A browser that was sent here by another site keeps the cookie back while it is redirected. A page of our own
        // that leads on is ours.
        (cookie, Html(include_str!("opened.html"))).into_response()
    } else {
        (StatusCode::SEE_OTHER, cookie, [(LOCATION, "/")]).into_response()
    })
}

fn is_cross_site(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site != "none" && site != "same-origin")
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
    let url = site.links.issue(&site.place)?;
    Ok(ApiAnswer(LinkAnswer { url, expires_in_s: LINK_LASTS.as_secs() }))
}
