//! A note by its path.

use std::sync::Arc;

use axum::extract::State;

use crate::answers::{self, Note};
use crate::server::Site;
use crate::server::body::Named;
use crate::server::route::{Answer, Answered, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/notes/{*path}", "A note's text, frontmatter and hash", note)
            .answers::<Note>()
            .fails(&[400, 404]),
    ]
}

async fn note(State(site): State<Arc<Site>>, Named(path): Named) -> Answered<Note> {
    Ok(Answer(site.work(move |site| answers::note(&site.app, &path)).await?))
}
