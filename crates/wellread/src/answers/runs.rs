//! Runs as they are listed.

use wellread_core::Result;
use wellread_core::ports::RunHeader;
use wellread_core::ports::event::RunKind;

use crate::app::App;

/// The newest runs, of one kind where it is given.
pub fn list_runs(app: &App, kind: Option<RunKind>, limit: usize) -> Result<Vec<RunHeader>> {
    // A kind is looked for in all of them.
    let looked_at = if kind.is_some() { usize::MAX } else { limit };
    let mut all = app.records.runs("", looked_at)?;
    all.retain(|run| kind.is_none_or(|kind| run.kind == kind));
    all.truncate(limit);
    Ok(all)
}
