//! Lists edits and undoes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::agendas::inbox;
use crate::library::vault::{HistoryEntry, RevertedOperation, UndoPreview};
use crate::{Error, Result};

#[derive(Debug)]
pub struct ListEdits;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEditsArgs {
    /// Maximum number to return, newest first.
    #[serde(default = "twenty")]
    limit: usize,
}

fn twenty() -> usize {
    20
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct EditList {
    operations: Vec<EditEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EditEntry {
    /// The edit's id, which `undo` accepts.
    operation: String,
    at: String,
    /// The tool that made the edit.
    label: String,
    /// The id of the batch or run that it belongs to, by which `undo` takes all of that back.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    paths: Vec<String>,
    /// The operation that this one undid.
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    undone: bool,
}

impl EditEntry {
    fn new(entry: HistoryEntry) -> Self {
        Self {
            operation: entry.operation.to_string(),
            at: entry.at.to_string(),
            label: entry.label,
            group: entry.group,
            paths: entry.paths.iter().map(ToString::to_string).collect(),
            undoes: entry.undoes.map(|id| id.to_string()),
            undone: entry.undone,
        }
    }
}

impl Tool for ListEdits {
    const NAME: &'static str = "list_edits";
    const ABOUT: &'static str = "Lists the latest edits that were made through Wellread, newest first, each with the id by \
                                 which `undo` takes it back.";
    const EFFECT: Effect = Effect::Reads;
    type Args = ListEditsArgs;
    type Output = EditList;
    const STUB: &'static [&'static str] = &["operations.operation", "operations.label", "operations.paths"];

    fn answer_origins(output: &EditList) -> AnswerOrigins {
        AnswerOrigins::Files(output.operations.iter().flat_map(|entry| entry.paths.clone()).collect())
    }

    async fn call(&self, ctx: &Ctx, args: ListEditsArgs) -> Result<EditList> {
        let operations = ctx.vault.history(args.limit)?.into_iter().map(EditEntry::new);
        Ok(EditList { operations: operations.collect() })
    }
}

#[derive(Debug)]
pub struct Undo;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoArgs {
    /// The id of an edit (or the end of it), or of a batch or a run; by default, the last edit.
    #[serde(default)]
    operation: Option<String>,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

/// The edits that were undone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoAnswer {
    /// The edits, newest first.
    pub undone: Vec<UndoneOperation>,
    /// True if nothing was changed because `dry_run` was set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The unified diff that the call would have applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// An edit that was undone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoneOperation {
    /// The id of the edit.
    pub undid: String,
    /// The id of the undo operation; undo it to redo the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The tool that made the edit.
    pub label: String,
    /// The files that were restored.
    pub paths: Vec<String>,
}

impl UndoAnswer {
    /// The answer for edits that were undone.
    pub fn from_reverted(reverted: Vec<RevertedOperation>) -> Self {
        let undone = reverted.into_iter().map(|one| UndoneOperation {
            undid: one.undid.to_string(),
            operation: Some(one.operation.to_string()),
            label: one.label,
            paths: one.paths.iter().map(ToString::to_string).collect(),
        });
        Self { undone: undone.collect(), dry_run: false, diff: None }
    }

    fn from_preview(previewed: Vec<UndoPreview>) -> Self {
        let diff = previewed.iter().map(|one| one.diff.as_str()).collect();
        let undone = previewed.into_iter().map(|one| UndoneOperation {
            undid: one.undid.to_string(),
            operation: None,
            label: one.label,
            paths: one.paths.iter().map(ToString::to_string).collect(),
        });
        Self { undone: undone.collect(), dry_run: true, diff: Some(diff) }
    }
}

impl Tool for Undo {
    const NAME: &'static str = "undo";
    const ABOUT: &'static str = "Undoes the last edit that was made through Wellread, or the given one, to the exact bytes. \
                                 What was changed since is not overwritten.";
    const EFFECT: Effect = Effect::Writes;
    type Args = UndoArgs;
    type Output = UndoAnswer;
    const STUB: &'static [&'static str] = &["undone.undid", "undone.operation", "undone.paths"];

    fn answer_origins(output: &UndoAnswer) -> AnswerOrigins {
        AnswerOrigins::Files(output.undone.iter().flat_map(|one| one.paths.clone()).collect())
    }

    fn needs_decision(ctx: &Ctx, args: &UndoArgs) -> Result<bool> {
        if args.dry_run {
            return Ok(false);
        }
        let previewed = ctx.vault.preview_undo(args.operation.as_deref())?;
        Ok(previewed.iter().any(|one| check_not_decided_by_user(one).is_err()))
    }

    fn question(ctx: &Ctx, args: &UndoArgs) -> Result<String> {
        let previewed = ctx.vault.preview_undo(args.operation.as_deref())?;
        let edit = |one: &UndoPreview| format!("{} {}\n{}", one.undid, one.label, one.diff);
        Ok(format!("Undo what you decided?\n{}", previewed.iter().map(edit).collect::<String>()))
    }

    /// The edit that was the last one when it was shown.
    fn pin(args: &Value, shown: &Value) -> Value {
        let mut pinned = args.clone();
        if args.get("operation").is_none_or(Value::is_null)
            && let Some([last]) = shown["undone"].as_array().map(Vec::as_slice)
        {
            pinned["operation"] = last["undid"].clone();
        }
        pinned
    }

    async fn call(&self, ctx: &Ctx, args: UndoArgs) -> Result<UndoAnswer> {
        let previewed = ctx.vault.preview_undo(args.operation.as_deref())?;
        if ctx.user_decision().is_err() {
            previewed.iter().try_for_each(check_not_decided_by_user)?;
        }
        if args.dry_run {
            return Ok(UndoAnswer::from_preview(previewed));
        }
        // Exactly what was checked: another edit may have become the last one since.
        ctx.vault.undo_previewed(&previewed).map(UndoAnswer::from_reverted)
    }
}

/// Returns an error if the edit is the user's acceptance of a finding, or took one back or restored it.
fn check_not_decided_by_user(one: &UndoPreview) -> Result<()> {
    let (message, hint) = match one.root_label.as_deref() {
        Some(inbox::LABEL) if one.label == inbox::LABEL => (
            "the user accepted this note; only the user takes that back",
            "nothing was undone; `undo_accept` asks the user",
        ),
        Some(inbox::LABEL) => (
            "this edit is about a note that the user accepted; only the user undoes it",
            "nothing was undone; `accept_finding` and `undo_accept` ask the user",
        ),
        Some(_) => return Ok(()),
        None => (
            "the journal no longer has the edit that this one undid, so only the user undoes it",
            "nothing was undone; the user can do it with `wellread undo`",
        ),
    };
    Err(Error::refused(message).hint(hint))
}
