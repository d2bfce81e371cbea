//! Whether an answer is about private notes.
//!
//! For a model on another machine they do not exist: its tools work on a view without them. What is here is a second
//! check of that, and tells which conversations may only go on on this machine.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::session::SeenFile;
use super::{Attachment, Chat, Session};
use crate::domain::corpus::VaultPath;
use crate::engine::log::{drew_on_private_notes, files_of_evidence, read_period, shown_files};
use crate::engine::run::{Run, operation_ids};
use crate::faces::tools::{AnswerOrigins, Ctx, ToolOutput};
use crate::library::public_view::{NoteFate, ReadPeriod};
use crate::{Error, Result};

/// What is said of a conversation that was begun because the one before it stays on this machine.
pub const BEGUN_APART: &str = "the last conversation contains private notes, which are never sent to a model on another machine: this is a new one";

impl Chat {
    /// Whether a conversation goes on only with a model on this machine: it contained something private, or was shown a note
    /// that is private by now.
    pub(super) fn stays_here(&self, session: &Session) -> bool {
        let vault = &self.tool_runner.ctx().vault;
        let past = vault.past_names();
        let has_private_note = match &session.files {
            Some(files) => files.iter().any(|SeenFile { path, read }| {
                let path = vault.rules.parse_file(path);
                path.map_or(true, |path| past.trace(&path, *read) != NoteFate::Public)
            }),
            None => session.notes,
        };
        session.private || has_private_note
    }

    /// Whether what a turn begins with has something private: the conversation so far, what is attached to the message, the
    /// note that is open, or the preferences. A model on another machine is not told of the last two.
    pub(super) fn begins_private(&self, session: &Session, attached: &[Attachment]) -> bool {
        let vault = &self.tool_runner.ctx().vault;
        let open = session.active_file.as_deref().and_then(|file| vault.rules.parse_file(file).ok());
        let is_there = |path: &VaultPath| vault.files.find(path).map_or(true, |found| found.is_some());
        let mut given = open.into_iter().chain(vault.preferences_note().ok()).filter(is_there);
        self.stays_here(session)
            || attached.iter().any(|attached| attached.private)
            || !self.has_remote_model() && given.any(|path| vault.is_private(&path))
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
        let events = self.runs.records.events(run.id());
        session.files = session.files.take().and_then(|mut known| {
            let events = events.ok()?;
            let read = read_period(&events);
            let vault = &self.tool_runner.ctx().vault;
            let ledger = run.ledger();
            let cited = ledger.entries().iter().flat_map(|entry| files_of_evidence(vault, entry));
            let mut seen: BTreeSet<String> = cited.map(|path| path.to_string()).collect();
            seen.extend(shown_files(vault, &events).into_iter().filter(|file| self.was_there(file, read)));
            for path in seen {
                if !known.iter().any(|file| file.path == path) {
                    known.insert(SeenFile { path, read });
                }
            }
            Some(known)
        });
    }

    /// Whether what looks like a path is that of a file which the model could see, or of one that left during the turn.
    fn was_there(&self, file: &str, read: ReadPeriod) -> bool {
        let vault = &self.tool_runner.ctx().vault;
        let Ok(path) = vault.rules.parse_file(file) else { return false };
        if vault.whole().files.find(&path).is_ok_and(|found| found.is_none()) {
            return vault.past_names().trace(&path, read) != NoteFate::Lost;
        }
        !self.has_remote_model() || vault.without_private().is_visible(&path)
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
