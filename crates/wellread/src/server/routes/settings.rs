//! What is set, and what works. Only to look at: a setting is changed in its file, which no client of the server reaches.

use std::sync::Arc;

use axum::extract::State;

use crate::answers::{self, DoctorReport, SettingsAnswer};
use crate::server::ServerContext;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/settings", "The merged settings and where each came from, secrets hidden", settings)
            .answers::<SettingsAnswer>(),
        Route::get("/api/doctor", "What is set up, reachable and missing, each with its remedy", doctor)
            .answers::<DoctorReport>(),
    ]
}

async fn settings(State(site): State<Arc<ServerContext>>) -> ApiAnswer<SettingsAnswer> {
    ApiAnswer(answers::list_settings(&site.config))
}

async fn doctor(State(site): State<Arc<ServerContext>>) -> ApiResult<DoctorReport> {
    let offline = site.app.ctx.reach.offline;
    let examined = site
        .run_blocking(move |site| Ok(DoctorReport::examine(&site.config, offline, || Some(site.app.clone()))))
        .await?;
    Ok(ApiAnswer(examined.with_model(&site.config, offline, false).await))
}
