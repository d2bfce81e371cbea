//! How the knowledge base is.

use std::sync::{Arc, Mutex, PoisonError};

use wellread_core::Result;
use wellread_core::engine::log::notes_in_evidence;
use wellread_core::insight::health::{HealthExamination, HealthInputs, examine};

use crate::app::App;

pub fn examine_health(app: &App) -> Result<HealthExamination> {
    let drawn_on = notes_in_evidence(&*app.records, &app.ctx.vault)?;
    let ground = HealthInputs {
        vault: &app.ctx.vault,
        search: &app.ctx.search,
        drawn_on: &drawn_on,
        without_private: false,
    };
    app.retry_with_new_index(|| examine(&ground))
}

/// The last report: one that asks often is answered from it as long as nothing has changed.
#[derive(Default)]
pub struct HealthCache(Mutex<Option<(HealthCacheKey, Arc<HealthExamination>)>>);

/// What a report was made from: the index' version, how many runs and events there are, and the day.
type HealthCacheKey = (u64, usize, u64, String);

impl HealthCache {
    pub fn get_or_examine(&self, app: &App) -> Result<Arc<HealthExamination>> {
        // Held while it is made: who asks meanwhile waits for it and has it too.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let standing = cache_key(app)?;
        if let (Some(now), Some((then, examined))) = (&standing, last.as_ref())
            && now == then
        {
            return Ok(examined.clone());
        }
        let examined = Arc::new(examine_health(app)?);
        *last = standing.map(|standing| (standing, examined.clone()));
        Ok(examined)
    }
}

/// How things stand; none where nobody keeps the index level with the files, so that its version says nothing.
fn cache_key(app: &App) -> Result<Option<HealthCacheKey>> {
    if !app.following.hears_every_change() {
        return Ok(None);
    }
    app.catch_up();
    if app.following.misses_changes() {
        return Ok(None);
    }
    let runs = app.records.runs("", usize::MAX)?;
    let events = runs.iter().map(|run| run.events).sum();
    Ok(Some((
        app.library.index.read_state()?.version,
        runs.len(),
        events,
        app.clock.now().date().to_string(),
    )))
}
