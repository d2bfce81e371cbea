//! The gate on any text, and what became of what was cited.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use wellread_core::domain::rights::Right;
use wellread_core::faces::tools::{CheckClaimsArgs, ClaimReport, ClaimSource, RecheckAnswer, RecheckArgs};
use wellread_core::{Error, Result};

use crate::answers::{self, VerifyTarget};
use crate::server::body::Json;
use crate::server::route::{ApiAnswer, ApiResult, Route};
use crate::server::{BY_REQUEST, ServerContext};

pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/api/verify",
            "Checks each sentence of a run, a note or a text against its evidence",
            verify,
        )
        .needs(&[Right::Research])
        .with_body::<VerifyRequest>()
        .answers::<ClaimReport>()
        .fails(&[404]),
        Route::post(
            "/api/recheck",
            "Checks whether cited text is unchanged, moved, changed or gone",
            recheck,
        )
        .needs(&[Right::Research])
        .with_body::<RecheckArgs>()
        .answers::<RecheckAnswer>()
        .fails(&[404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VerifyRequest {
    /// A run; its answer is checked against its own evidence.
    run: Option<String>,
    /// A note in the vault.
    path: Option<String>,
    /// Any text.
    text: Option<String>,
    /// What a note or text is checked against; by default, what it cites.
    #[serde(default)]
    sources: Vec<ClaimSource>,
    /// Whether the pages that the text cites are fetched.
    #[serde(default)]
    fetch: bool,
}

async fn verify(
    State(site): State<Arc<ServerContext>>,
    Json(request): Json<VerifyRequest>,
) -> ApiResult<ClaimReport> {
    let target = request.into_target()?;
    let ctx = site.app.ctx.with_decision(BY_REQUEST);
    let _turn = site.server.work.acquire().await;
    Ok(ApiAnswer(answers::verify(&site.app, ctx, target).await?))
}

impl VerifyRequest {
    fn into_target(self) -> Result<VerifyTarget> {
        let Self { run, path, text, sources, fetch } = self;
        match (run, path, text) {
            (Some(_), None, None) if !sources.is_empty() || fetch => {
                Err(Error::invalid("a run is judged by its own evidence")
                    .hint("leave out `sources` and `fetch`"))
            }
            (Some(run), None, None) => Ok(VerifyTarget::Run(run)),
            (None, path, text) if path.is_some() != text.is_some() => {
                Ok(VerifyTarget::Text(CheckClaimsArgs { text, path, sources, fetch }))
            }
            _ => Err(Error::invalid("exactly one of `run`, `path` and `text` must be given")),
        }
    }
}

async fn recheck(
    State(site): State<Arc<ServerContext>>,
    Json(request): Json<RecheckArgs>,
) -> ApiResult<RecheckAnswer> {
    let answer = site.run_blocking(move |site| {
        let rechecked = answers::recheck(&site.app, &request, &|_, _| {})?;
        Ok(RecheckAnswer::from_citations(&rechecked, &request))
    });
    Ok(ApiAnswer(answer.await?))
}
