//! The gate on any text, and what became of what was cited.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use wellread_core::Error;

use crate::answers::{self, RecheckAnswer, RecheckRequest, SourceText, VerifyAnswer, VerifyTarget};
use crate::server::ServerContext;
use crate::server::body::Json;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/api/verify",
            "Checks each sentence of a run, a note or a text against its evidence",
            verify,
        )
        .with_body::<VerifyRequest>()
        .answers::<VerifyAnswer>()
        .fails(&[404]),
        Route::post(
            "/api/recheck",
            "Checks whether cited text is unchanged, moved, changed or gone",
            recheck,
        )
        .with_body::<RecheckRequest>()
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
    /// What a note or text is checked against; by default, the evidence that it cites.
    #[serde(default)]
    sources: Vec<SourceText>,
}

async fn verify(
    State(site): State<Arc<ServerContext>>,
    Json(request): Json<VerifyRequest>,
) -> ApiResult<VerifyAnswer> {
    let verified = site.run_blocking(move |site| {
        let VerifyRequest { run, path, text, sources } = request;
        let sources =
            sources.into_iter().map(|source| source.read(&site.app)).collect::<wellread_core::Result<_>>()?;
        let judged = match (run, path, text) {
            (Some(run), None, None) => VerifyTarget::Run(run),
            (None, Some(path), None) => {
                let (path, text) = SourceText::Path(path).read(&site.app)?;
                VerifyTarget::Text { text, path: Some(path), sources }
            }
            (None, None, Some(text)) => VerifyTarget::Text { text, path: None, sources },
            _ => return Err(Error::invalid("exactly one of `run`, `path` and `text` must be given")),
        };
        answers::verify(&site.app, &judged)
    });
    Ok(ApiAnswer(verified.await?))
}

async fn recheck(
    State(site): State<Arc<ServerContext>>,
    Json(request): Json<RecheckRequest>,
) -> ApiResult<RecheckAnswer> {
    let rechecked =
        site.run_blocking(move |site| answers::recheck(&site.app, &site.config, &request, &|_, _| {}));
    Ok(ApiAnswer(RecheckAnswer::from_citations(&rechecked.await?)))
}
