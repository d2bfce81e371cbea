//! How the knowledge base is.

use std::sync::{Arc, Mutex, PoisonError};

use wellread_core::Result;
use wellread_core::insight::health::{Examined, Ground, examine};
use wellread_core::library::indexing::Followed;
use wellread_core::ports::{Clock as _, Index as _, Records as _};

use crate::app::App;

pub fn health(app: &App) -> Result<Examined> {
    let ground = Ground {
        vault: &app.ctx.vault,
        search: &app.ctx.search,
        records: &*app.records,
        without_private: false,
    };
    app.mended(|| examine(&ground))
}

/// The last report: one that asks often is answered from it as long as nothing has changed.
#[derive(Default)]
pub struct LastHealth(Mutex<Option<(Standing, Arc<Examined>)>>);

/// What a report was made from: the index' version, how many runs and events there are, and the day.
type Standing = (u64, usize, u64, String);

impl LastHealth {
    pub fn now(&self, app: &App) -> Result<Arc<Examined>> {
        // Held while it is made: who asks meanwhile waits for it and has it too.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let standing = standing(app)?;
        if let (Some(now), Some((then, examined))) = (&standing, last.as_ref())
            && now == then
        {
            return Ok(examined.clone());
        }
        let examined = Arc::new(health(app)?);
        *last = standing.map(|standing| (standing, examined.clone()));
        Ok(examined)
    }
}

/// How things stand; none where nobody keeps the index level with the files, so that its version says nothing.
fn standing(app: &App) -> Result<Option<Standing>> {
    if app.following.now() != Followed::Level {
        return Ok(None);
    }
    let runs = app.records.runs("", usize::MAX)?;
    let events = runs.iter().map(|run| run.events).sum();
    Ok(Some((app.index.standing()?.version, runs.len(), events, app.clock.now().date().to_string())))
}
