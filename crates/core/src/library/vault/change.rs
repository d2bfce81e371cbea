//! The only way in which notes are changed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wellread_text::{apply_splices, unified_diff};

use super::{NoteText, Vault};
use crate::domain::corpus::{Action, ChangeSet, Splice, VaultPath};
use crate::domain::id::OperationId;
use crate::{Error, ErrorKind, Result};

/// How many times a change is planned again because somebody saved in between.
const ATTEMPTS: u64 = 100;
const LONGEST_PAUSE: u64 = 10;
/// How long to wait for a program that keeps a note open for writing.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// How a change is made.
#[derive(Debug, Clone, Copy)]
pub struct ChangeOptions<'a> {
    /// The label in the journal: the tool's name.
    pub label: &'a str,
    /// Changes of one group are undone together.
    pub group: Option<&'a str>,
    /// Whether to show the diff and change nothing.
    pub dry_run: bool,
}

impl<'a> ChangeOptions<'a> {
    /// Options without a group.
    pub fn new(label: &'a str, dry_run: bool) -> Self {
        Self { label, group: None, dry_run }
    }
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeOutcome {
    /// The change was made.
    Written {
        /// The operation in the journal.
        operation: OperationId,
        /// Copies of concurrent changes that could not be merged with ours.
        kept: Vec<String>,
    },
    /// A dry run: nothing was changed.
    Shown {
        /// The unified diff of the change.
        diff: String,
    },
    /// Nothing had to be changed.
    Unchanged,
}

/// Changes that one process makes in a vault wait for each other, so that none of them has to be planned again because of another.
/// All views of the vault share it.
#[derive(Debug, Clone, Default)]
pub struct Turns(Arc<Mutex<()>>);

impl Turns {
    fn wait(&self) -> MutexGuard<'_, ()> {
        // There is nothing in it that could be half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Vault {
    /// Plans a change against the current text and makes it. If somebody saved in between, it is planned again on the
    /// new text; what the user typed is never overwritten.
    ///
    /// A plan may return a value besides its actions; that of the last plan is returned with the outcome.
    pub fn change<T>(
        &self,
        how: ChangeOptions<'_>,
        plan: impl Fn() -> Result<(Vec<Action>, T)>,
    ) -> Result<(ChangeOutcome, T)> {
        let mut kept = BTreeSet::new();
        let mut attempt = 0;
        let mut turn = self.turns.wait();
        let mut deadline = Instant::now() + MAX_WAIT;
        loop {
            let (actions, known) = plan()?;
            let changed = self.try_change(how, &actions);
            match changed.map_err(|error| self.hide_private_names(error, &actions)) {
                // Whether a missing file was needed is for the next plan to decide, which has a better error message.
                Err(error)
                    if matches!(error.kind(), ErrorKind::Changed | ErrorKind::NotFound)
                        && attempt < ATTEMPTS
                        && Instant::now() < deadline =>
                {
                    kept.extend(kept_copies(&error));
                    attempt += 1;
                    drop(turn);
                    thread::sleep(Duration::from_millis(attempt.min(LONGEST_PAUSE)));
                    let paused = Instant::now();
                    turn = self.turns.wait();
                    deadline += paused.elapsed();
                }
                Err(error) if error.kind() == ErrorKind::Changed => return Err(keeps_changing_error(&error)),
                Ok(ChangeOutcome::Written { operation, .. }) => {
                    return Ok((
                        ChangeOutcome::Written { operation, kept: kept.into_iter().collect() },
                        known,
                    ));
                }
                outcome => return Ok((outcome?, known)),
            }
        }
    }

    /// Changes byte ranges of one note. An edit that changes nothing is not written.
    pub fn edit(
        &self,
        how: ChangeOptions<'_>,
        path: &VaultPath,
        splices: impl Fn(&NoteText) -> Result<Vec<Splice>>,
    ) -> Result<ChangeOutcome> {
        self.edit_with_result(how, path, |note| Ok((splices(note)?, ()))).map(|(outcome, ())| outcome)
    }

    /// Changes byte ranges of one note; the edit returns a value besides.
    pub fn edit_with_result<T>(
        &self,
        how: ChangeOptions<'_>,
        path: &VaultPath,
        edit: impl Fn(&NoteText) -> Result<(Vec<Splice>, T)>,
    ) -> Result<(ChangeOutcome, T)> {
        self.change(how, || {
            let note = self.read_for_edit(path)?;
            let (mut splices, known) = edit(&note).map_err(|error| error.with_path(path.as_str()))?;
            splices.retain(|splice| note.text.get(splice.span.clone()) != Some(splice.text.as_str()));
            let edit = (!splices.is_empty()).then(|| Action::Edit {
                path: path.clone(),
                expect: note.hash,
                splices,
            });
            Ok((edit.into_iter().collect(), known))
        })
    }

    /// Creates a file with this text.
    pub fn create(&self, how: ChangeOptions<'_>, path: &VaultPath, text: &str) -> Result<ChangeOutcome> {
        let create = || {
            self.check_vacant(path)?;
            Ok((vec![Action::Create { path: path.clone(), text: text.to_owned() }], ()))
        };
        self.change(how, create).map(|(outcome, ())| outcome)
    }

    /// Returns an error if there is a file at the path.
    pub(super) fn check_vacant(&self, path: &VaultPath) -> Result<()> {
        match self.files.find(path)? {
            None => Ok(()),
            Some(_) => Err(Error::conflict(format!("a file already exists at `{path}`"))
                .with_path(path.as_str())
                .hint("nothing was changed; choose another name")),
        }
    }

    fn try_change(&self, how: ChangeOptions<'_>, actions: &[Action]) -> Result<ChangeOutcome> {
        if actions.is_empty() {
            return Ok(ChangeOutcome::Unchanged);
        }
        if self.edits.origin.is_outside() {
            self.check_instructions_untouched(actions)?;
        }
        if how.dry_run {
            return Ok(ChangeOutcome::Shown { diff: self.render_diff(actions)? });
        }
        self.remember_outside(actions)?;
        let change =
            ChangeSet::new(how.label, actions.to_vec()).in_group(self.edits.group.as_deref().or(how.group));
        let operation = self.files.commit(&change)?;
        Ok(ChangeOutcome::Written { operation, kept: Vec::new() })
    }

    pub(super) fn render_diff(&self, actions: &[Action]) -> Result<String> {
        let mut diff = String::new();
        for action in actions {
            match action {
                Action::Create { path, text } => {
                    diff += &unified_diff("/dev/null", &format!("b/{path}"), "", text);
                    if text.is_empty() {
                        diff += &format!("diff --git a/{path} b/{path}\nnew file mode 100644\n");
                    }
                }
                // What this view hides is not shown.
                Action::Edit { path, .. } if !self.is_visible(path) => {}
                Action::Edit { path, expect, splices } => {
                    let note = self.read_for_edit(path)?;
                    if note.hash != *expect {
                        return Err(Error::changed(format!("`{path}` changed while it was being read")));
                    }
                    let new = apply_splices(&note.text, splices)
                        .map_err(|error| Error::failed(error.to_string()))?;
                    diff += &unified_diff(&format!("a/{path}"), &format!("b/{path}"), &note.text, &new);
                }
                Action::Move { from, to } => {
                    diff += &format!(
                        "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
                    );
                }
                Action::Remove { path, .. } => diff += &format!("--- a/{path}\n+++ /dev/null\n"),
            }
        }
        Ok(diff)
    }
}

fn kept_copies(error: &Error) -> Vec<String> {
    let kept = error.details().get("kept").and_then(|kept| kept.as_array());
    kept.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn keeps_changing_error(error: &Error) -> Error {
    let mut restless = Error::conflict(format!("{error}, repeatedly"))
        .hint("nothing was written; another program keeps saving this note, or has it open for writing: try again later");
    for (name, value) in error.details() {
        restless = restless.with_detail(name, value.clone());
    }
    restless
}
