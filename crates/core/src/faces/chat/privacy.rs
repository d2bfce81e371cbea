//! Whether an answer is about private notes.
//!
//! For a model on another machine they do not exist: its tools work on a view without them. What is here is a second
//! check of that, and tells which conversations may only go on on this machine.

use serde_json::{Value, json};

use crate::domain::corpus::VaultPath;
use crate::engine::run::operation_ids;
use crate::faces::tools::{AnswerOrigins, Ctx, ToolOutput};
use crate::{Error, Result};

/// What is told instead of an answer about a note that is private, such as one that was made private by this very edit.
pub fn withhold(answer: &ToolOutput) -> Result<Value> {
    // A resumed run has to know which changes it has made, and the model that they were made.
    match operation_ids(&answer.fields) {
        made if made.is_empty() => Err(Error::not_found("nothing was found")),
        made => Ok(json!({ "message": "it was done", "operations": made })),
    }
}

/// Whether an answer repeats words of private notes. A note that is gone may have been private, except where private
/// notes are hidden: there an answer is about such a note only if it names one that exists.
pub fn shows_private(ctx: &Ctx, shown: &AnswerOrigins) -> bool {
    if ctx.vault.hides_private() {
        return names_hidden_note(ctx, shown);
    }
    let is_private = |file: &str| {
        ctx.vault.rules.parse_file(file).map_or(true, |path| ctx.vault.whole().is_private(&path))
    };
    shown.files().into_iter().any(is_private)
}

/// Whether an answer names a private note that exists.
pub fn names_hidden_note(ctx: &Ctx, shown: &AnswerOrigins) -> bool {
    let whole = ctx.vault.whole();
    let is_hidden = |file: &str| {
        let Ok(path) = whole.rules.parse_file(file) else { return true };
        let is_gone = whole.files.find(&path).is_ok_and(|found| found.is_none());
        whole.find_private_place(&path).is_some() || !is_gone && whole.is_private(&path)
    };
    shown.files().into_iter().any(is_hidden)
}

/// The existing files of the vault that a message names between backticks, as in "did you mean `Bees.md`?".
pub fn find_mentions(ctx: &Ctx, message: &Value) -> Vec<VaultPath> {
    match message {
        Value::String(text) => text
            .split('`')
            .filter_map(|name| ctx.vault.rules.parse_file(name).ok())
            .filter(|path| ctx.vault.files.find(path).is_ok_and(|found| found.is_some()))
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| find_mentions(ctx, item)).collect(),
        Value::Object(fields) => fields.values().flat_map(|value| find_mentions(ctx, value)).collect(),
        _ => Vec::new(),
    }
}
