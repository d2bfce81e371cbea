//! Whether an answer is about private notes.
//!
//! For a model on another machine they do not exist: its tools work on a view without them. What is here is a second
//! check of that, and tells which conversations may only go on on this machine.

use serde_json::{Value, json};

use super::{Attachment, Chat, Session};
use crate::domain::corpus::VaultPath;
use crate::engine::log::{drew_on_private_notes, shown_files};
use crate::engine::run::{Run, operation_ids};
use crate::faces::tools::{AnswerOrigins, Ctx, ToolOutput};
use crate::{Error, Result};

/// What is said of a conversation that was begun because the one before it stays on this machine.
pub const BEGUN_APART: &str = "the last conversation contains private notes, which are never sent to a model on another machine: this is a new one";

impl Chat {
    /// Whether a conversation goes on only with a model on this machine: it contained something private, or was shown a note
    /// that is private by now.
    pub(super) fn stays_here(&self, session: &Session) -> bool {
        let vault = &self.tool_runner.ctx().vault;
        let has_private_note = match &session.files {
            Some(files) => files.iter().any(|file| vault.is_private_by_now(file) != Some(false)),
            None => session.notes,
        };
        session.private || has_private_note
    }

    /// `Err` if the model is on another machine, and must not be sent this conversation or what is attached to the message.
    pub(super) fn check_may_leave(&self, session: &Session, attached: &[Attachment]) -> Result<()> {
        if !self.has_remote_model() {
            return Ok(());
        }
        if self.stays_here(session) {
            return Err(private_notes_error("this conversation contains private notes")
                .hint("start a new one, or continue with a model on this machine"));
        }
        match attached.iter().find(|attached| attached.private) {
            None => Ok(()),
            Some(attachment) => {
                Err(private_notes_error(&format!("`{}` contains private notes", attachment.name))
                    .hint("leave it out, or use a model on this machine"))
            }
        }
    }

    /// `Err` if a turn that was cut off must not go on with this model: what it was shown so far is sent again.
    pub(super) fn check_may_resume(&self, run: &Run, session: &Session) -> Result<()> {
        self.check_may_leave(session, &[])?;
        let vault = &self.tool_runner.ctx().vault;
        if !self.has_remote_model() {
            return Ok(());
        }
        let events = self.runs.records.events(run.id())?;
        if drew_on_private_notes(vault, run.ledger().entries(), &events) {
            return Err(private_notes_error("this turn was shown private notes")
                .hint("continue it with a model on this machine, or send the message again"));
        }
        Ok(())
    }

    /// Remembers which files a turn was shown. If the log can't be read, nobody knows.
    pub(super) fn remember_files(&self, run: &Run, session: &mut Session) {
        let vault = &self.tool_runner.ctx().vault;
        let seen = if self.has_remote_model() { vault.without_private() } else { (**vault).clone() };
        let is_there = |file: &String| {
            let found = seen.rules.parse_file(file).and_then(|path| seen.files.find(&path));
            found.is_ok_and(|found| found.is_some())
        };
        let events = self.runs.records.events(run.id());
        session.files = session.files.take().and_then(|mut known| {
            known.extend(shown_files(&events.ok()?).into_iter().filter(is_there));
            Some(known)
        });
    }
}

pub fn private_notes_error(what: &str) -> Error {
    Error::refused(format!("{what}, which are never sent to a model on another machine"))
}

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
