//! The one way in which notes are changed.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use wellread_text::{splice, unified};

use super::{NoteText, Vault};
use crate::corpus::{Action, ChangeSet, Splice, VaultPath};
use crate::id::OperationId;
use crate::{Error, Kind, Result};

/// How often a change is planned anew because somebody saved in between. Edits that a client asks for side by side
/// meet here too, and each of them can come in between once.
const ATTEMPTS: u64 = 100;
const LONGEST_PAUSE: u64 = 10;
/// A program that keeps a note open for writing is not waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(3);

/// How a change is to be made.
#[derive(Debug, Clone, Copy)]
pub struct How<'a> {
    /// What the journal calls it: the tool's name.
    pub label: &'a str,
    /// Changes of one group are undone together.
    pub group: Option<&'a str>,
    /// Show the difference and change nothing.
    pub dry_run: bool,
}

impl<'a> How<'a> {
    pub fn new(label: &'a str, dry_run: bool) -> Self {
        Self { label, group: None, dry_run }
    }
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Written {
        operation: OperationId,
        /// Copies of text that met with ours and could not be merged.
        kept: Vec<String>,
    },
    /// A dry run: the unified difference.
    Shown { diff: String },
    /// All was as wanted already.
    Unchanged,
}

impl Vault {
    /// Plans a change on what is there now and makes it. Where somebody saved in between, it is planned anew on
    /// what they saved; the user's typing is never overwritten.
    ///
    /// A plan may know more than its actions; what the last one knew comes with the outcome.
    pub fn change<T>(
        &self,
        how: How<'_>,
        plan: impl Fn() -> Result<(Vec<Action>, T)>,
    ) -> Result<(Outcome, T)> {
        let mut kept = BTreeSet::new();
        let mut attempt = 0;
        let start = Instant::now();
        loop {
            let (actions, known) = plan()?;
            match self.attempt(how, actions) {
                // A file that is gone may have been needed or not: the next plan knows, and says so better.
                Err(error)
                    if matches!(error.kind(), Kind::Changed | Kind::NotFound)
                        && attempt < ATTEMPTS
                        && start.elapsed() < PATIENCE =>
                {
                    kept.extend(kept_copies(&error));
                    attempt += 1;
                    thread::sleep(Duration::from_millis(attempt.min(LONGEST_PAUSE)));
                }
                Err(error) if error.kind() == Kind::Changed => return Err(restless(&error)),
                Ok(Outcome::Written { operation, .. }) => {
                    return Ok((Outcome::Written { operation, kept: kept.into_iter().collect() }, known));
                }
                outcome => return Ok((outcome?, known)),
            }
        }
    }

    /// Changes byte ranges of one note. What is there already is not written again.
    pub fn edit(
        &self,
        how: How<'_>,
        path: &VaultPath,
        splices: impl Fn(&NoteText) -> Result<Vec<Splice>>,
    ) -> Result<Outcome> {
        self.edit_knowing(how, path, |note| Ok((splices(note)?, ()))).map(|(outcome, ())| outcome)
    }

    /// The same, where the edit knows something besides.
    pub fn edit_knowing<T>(
        &self,
        how: How<'_>,
        path: &VaultPath,
        edit: impl Fn(&NoteText) -> Result<(Vec<Splice>, T)>,
    ) -> Result<(Outcome, T)> {
        self.change(how, || {
            let note = self.read_for_edit(path)?;
            let (mut splices, known) = edit(&note).map_err(|error| error.at(path.as_str()))?;
            splices.retain(|splice| note.text.get(splice.span.clone()) != Some(splice.text.as_str()));
            let edit = (!splices.is_empty()).then(|| Action::Edit {
                path: path.clone(),
                expect: note.hash,
                splices,
            });
            Ok((edit.into_iter().collect(), known))
        })
    }

    pub fn create(&self, how: How<'_>, path: &VaultPath, text: &str) -> Result<Outcome> {
        let create = || {
            self.vacant(path)?;
            Ok((vec![Action::Create { path: path.clone(), text: text.to_owned() }], ()))
        };
        self.change(how, create).map(|(outcome, ())| outcome)
    }

    /// An error where a file is in the way.
    pub(super) fn vacant(&self, path: &VaultPath) -> Result<()> {
        match self.files.find(path)? {
            None => Ok(()),
            Some(_) => Err(Error::conflict(format!("there is a file at `{path}` already"))
                .at(path.as_str())
                .hint("nothing was changed; choose another name")),
        }
    }

    fn attempt(&self, how: How<'_>, actions: Vec<Action>) -> Result<Outcome> {
        if actions.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        if self.edits.guarded {
            self.spares_instructions(&actions)?;
        }
        if how.dry_run {
            return Ok(Outcome::Shown { diff: self.difference(&actions)? });
        }
        let change = ChangeSet::new(how.label, actions).in_group(self.edits.group.as_deref().or(how.group));
        let operation = self.files.commit(&change)?;
        Ok(Outcome::Written { operation, kept: Vec::new() })
    }

    fn difference(&self, actions: &[Action]) -> Result<String> {
        let mut diff = String::new();
        for action in actions {
            match action {
                Action::Create { path, text } => {
                    diff += &unified("/dev/null", &format!("b/{path}"), "", text);
                    if text.is_empty() {
                        diff += &format!("diff --git a/{path} b/{path}\nnew file mode 100644\n");
                    }
                }
                Action::Edit { path, expect, splices } => {
                    let note = self.read_for_edit(path)?;
                    if note.hash != *expect {
                        return Err(Error::changed(format!("`{path}` changed while it was being read")));
                    }
                    let new =
                        splice(&note.text, splices).map_err(|error| Error::failed(error.to_string()))?;
                    diff += &unified(&format!("a/{path}"), &format!("b/{path}"), &note.text, &new);
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

fn restless(error: &Error) -> Error {
    let mut restless = Error::conflict(format!("{error}, again and again"))
        .hint("nothing was written; another program keeps saving this note, or has it open for writing: try again when it has let go");
    for (name, value) in error.details() {
        restless = restless.with(name, value.clone());
    }
    restless
}
