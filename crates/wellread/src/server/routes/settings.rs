//! What is set, and what works. Only to look at: a setting is changed in its file, which no client of the server reaches.

use std::sync::Arc;

use axum::extract::State;

use crate::answers::{self, DoctorReport, SettingsAnswer};
use crate::server::ServerContext;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/settings",
            "The effective settings and where each was set, with secrets hidden",
            settings,
        )
        .answers::<SettingsAnswer>(),
        Route::get("/api/doctor", "What is configured, reachable or missing, and how to fix it", doctor)
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
    Ok(ApiAnswer(examined.with_services(&site.config, offline, false).await))
}
