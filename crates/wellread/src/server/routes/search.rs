//! Passages of notes and code.

use std::sync::Arc;

use axum::extract::State;

use crate::answers::{self, Found};
use crate::server::Site;
use crate::server::body::Asked;
use crate::server::route::{Answer, Answered, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/search", "Search notes and code, by words, by meaning, or both", search)
            .asks::<answers::Asked>()
            .answers::<Found>()
            .fails(&[404]),
    ]
}

async fn search(State(site): State<Arc<Site>>, Asked(asked): Asked<answers::Asked>) -> Answered<Found> {
    Ok(Answer(site.work(move |site| answers::search(&site.app, &asked, &|_| {})).await?))
}
