//! Edits that were taken back.

use serde::Serialize;
use wellread_core::Result;
use wellread_core::faces::tools::UndoAnswer;

use crate::app::App;

/// How many edits were forgotten.
#[derive(Debug, Serialize)]
pub struct ForgottenEdits {
    pub forgotten: usize,
}

/// Removes the old text of the operation, batch or run of that name from the journal, or of every edit.
pub fn forget_edits(app: &App, which: Option<&str>) -> Result<ForgottenEdits> {
    let chosen = which.map(|which| app.ctx.vault.find_operations(which)).transpose()?;
    app.files.forget_operations(chosen.as_deref()).map(|forgotten| ForgottenEdits { forgotten })
}

/// Takes back the operation, batch or run of that name, or the last operation.
pub fn undo(app: &App, which: Option<&str>) -> Result<UndoAnswer> {
    app.ctx.vault.undo(which).map(UndoAnswer::from_reverted)
}
