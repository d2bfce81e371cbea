//! The page, and the link by which a browser gets to it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{Html, IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::server::body::{Asked, Json, Named};
use crate::server::browser::{LINK_LASTS, cookie};
use crate::server::page::PageFile;
use crate::server::problem::Problem;
use crate::server::route::{Answer, Answered, Route};
use crate::server::{Site, guard, page};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/", "The page", async || Html(page::INDEX))
            .answers_as("text/html", &json!({ "type": "string" })),
        Route::get("/page/{*file}", "A file of the page", file)
            .answers_as("text/javascript", &json!({ "type": "string" }))
            .fails(&[404]),
        Route::get(guard::LINK, "Exchanges the code of a one-time link for a cookie", open)
            .asks::<Opening>()
            .leads("303", "To the page, with the cookie")
            .answers_as("text/html", &json!({ "type": "string" }))
            .fails(&[401, 429])
            .open(),
        Route::post("/api/link", "A new one-time link for a browser", link)
            .takes::<LinkRequest>()
            .answers::<Link>(),
    ]
}

async fn file(Named(name): Named) -> Result<Response, Problem> {
    let file = PageFile::named(&name)?;
    Ok(([(CONTENT_TYPE, file.media_type())], file.text).into_response())
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Opening {
    /// As the link has it.
    code: String,
}

async fn open(
    State(site): State<Arc<Site>>,
    Asked(opening): Asked<Opening>,
    request: Request,
) -> Result<Response, Problem> {
    // Who only asks what would come does not use it up.
    if request.method() != Method::GET {
        return Err(Problem::wrong_method());
    }
    if !site.links.redeem(&opening.code) {
        let problem = guard::wrong(&site, "this link was used, or is too old");
        let is_visit = guard::is_visit(request.method(), request.uri(), request.headers());
        return if is_visit { Ok(problem.page()) } else { Err(problem) };
    }
    let cookie = [(SET_COOKIE, cookie(&site.token, &site.place))];
    Ok(if comes_from_elsewhere(request.headers()) {
        // A browser that was sent here by another site keeps the cookie back while it is redirected. A page of our own
        // that leads on is ours.
        (cookie, Html(include_str!("opened.html"))).into_response()
    } else {
        (StatusCode::SEE_OTHER, cookie, [(LOCATION, "/")]).into_response()
    })
}

fn comes_from_elsewhere(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site != "none" && site != "same-origin")
}

/// It says nothing, and says so in JSON: that is what a page of another site can't send.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinkRequest {}

#[derive(Debug, Serialize, JsonSchema)]
struct Link {
    /// Works once.
    url: String,
    expires_in_s: u64,
}

async fn link(State(site): State<Arc<Site>>, _: Json<LinkRequest>) -> Answered<Link> {
    let url = site.links.hand_out(&site.place)?;
    Ok(Answer(Link { url, expires_in_s: LINK_LASTS.as_secs() }))
}
