//! The gate on any text, and what became of what was cited.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use wellread_core::Error;

use crate::answers::{self, Judged, RecheckAnswer, RecheckRequest, SourceText, Verified};
use crate::server::Site;
use crate::server::body::Json;
use crate::server::route::{Answer, Answered, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/api/verify",
            "Each sentence of a run, a note or a text with its verdict and evidence",
            verify,
        )
        .takes::<VerifyRequest>()
        .answers::<Verified>()
        .fails(&[404]),
        Route::post(
            "/api/recheck",
            "Whether what was cited still holds, has moved, changed or gone",
            recheck,
        )
        .takes::<RecheckRequest>()
        .answers::<RecheckAnswer>()
        .fails(&[404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VerifyRequest {
    /// A run, whose answer is judged by its own evidence.
    run: Option<String>,
    /// A note of the vault.
    path: Option<String>,
    /// Any text.
    text: Option<String>,
    /// What a note or text is judged by; where left out, by the evidence that it cites.
    #[serde(default)]
    sources: Vec<SourceText>,
}

async fn verify(State(site): State<Arc<Site>>, Json(request): Json<VerifyRequest>) -> Answered<Verified> {
    let verified = site.work(move |site| {
        let VerifyRequest { run, path, text, sources } = request;
        let sources =
            sources.into_iter().map(|source| source.read(&site.app)).collect::<wellread_core::Result<_>>()?;
        let judged = match (run, path, text) {
            (Some(run), None, None) => Judged::Run(run),
            (None, Some(path), None) => {
                let (path, text) = SourceText::Path(path).read(&site.app)?;
                Judged::Text { text, path: Some(path), sources }
            }
            (None, None, Some(text)) => Judged::Text { text, path: None, sources },
            _ => return Err(Error::invalid("exactly one of `run`, `path` and `text` must be given")),
        };
        answers::verify(&site.app, &judged)
    });
    Ok(Answer(verified.await?))
}

async fn recheck(
    State(site): State<Arc<Site>>,
    Json(request): Json<RecheckRequest>,
) -> Answered<RecheckAnswer> {
    let rechecked = site.work(move |site| answers::recheck(&site.app, &site.config, &request, &|_, _| {}));
    Ok(Answer(RecheckAnswer::of(&rechecked.await?)))
}
