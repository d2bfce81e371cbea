//! Edits that were taken back.

use schemars::JsonSchema;
use serde::Serialize;
use wellread_core::Result;

use crate::app::App;

#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoAnswer {
    pub undone: Vec<UndoneOperation>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoneOperation {
    pub undid: String,
    /// The id of the undo operation; undo it to redo the change.
    pub operation: String,
    pub label: String,
    pub paths: Vec<String>,
}

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
    let undone = app.ctx.vault.undo(which)?.into_iter().map(|one| UndoneOperation {
        undid: one.undid.to_string(),
        operation: one.operation.to_string(),
        label: one.label,
        paths: one.paths.iter().map(ToString::to_string).collect(),
    });
    Ok(UndoAnswer { undone: undone.collect() })
}
