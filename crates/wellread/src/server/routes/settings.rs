//! What is set, and what works. Only to look at: a setting is changed in its file, which no client of the server reaches.

use std::sync::Arc;

use axum::extract::State;

use crate::answers::{self, Doctor, Settings};
use crate::server::Site;
use crate::server::route::{Answer, Answered, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/settings", "The merged settings and where each came from, secrets hidden", settings)
            .answers::<Settings>(),
        Route::get("/api/doctor", "What is set up, reachable and missing, each with its remedy", doctor)
            .answers::<Doctor>(),
    ]
}

async fn settings(State(site): State<Arc<Site>>) -> Answer<Settings> {
    Answer(answers::settings(&site.config))
}

async fn doctor(State(site): State<Arc<Site>>) -> Answered<Doctor> {
    let offline = site.app.ctx.reach.offline;
    let examined =
        site.work(move |site| Ok(Doctor::examined(&site.config, Some(&site.app), offline))).await?;
    Ok(Answer(examined.with_model(&site.config, offline, false).await))
}
