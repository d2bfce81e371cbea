//! The write protocol: plan, journal, stage, exchange, check, done.
//!
//! 1. Read every file, compare it with what the change expects, and build the new text.
//! 2. Journal the intent with the old text, and sync.
//! 3. Write each new text beside its file, with that file's mode and owner, and sync.
//! 4. Exchange; look at what came out; put it back where somebody had saved in between. Sync the folders.
//! 5. Look at what came out once more, take it away, mark the change as done.
//!
//! Whatever fails on the way, the steps that were taken are taken back. Whatever ends the process on the way,
//! recovery does the same or completes it.

use std::collections::BTreeSet;
use std::io;

use jiff::Timestamp;
use wellread_core::domain::corpus::{ChangeSet, VaultPath};
use wellread_core::domain::id::OperationId;
use wellread_core::{Error, Result};

use super::creation_times::CreationTimes;
use super::disk::Dir;
use super::intent::{Intent, IntentStep};
use super::io_error;
use super::journal::Journal;
use super::plan::{PlannedStep, changed_error, plan};
use super::recover;
use super::staging::{make_folders, prune, remove_staged, sync_folders, write_staged};
use super::swap::{SwapOutcome, SwapSlot};
use super::walk::Walker;

pub fn commit(
    walker: &Walker<'_>,
    journal: &Journal,
    births: &CreationTimes,
    change: &ChangeSet,
) -> Result<OperationId> {
    let mut folders = BTreeSet::new();
    let planned =
        change.actions.iter().map(|action| plan(walker, action, &mut folders)).collect::<Result<Vec<_>>>()?;
    let planned = dedup_edits(planned)?;
    let intent = Intent {
        id: journal.next_id()?,
        at: Timestamp::now(),
        label: change.label.clone(),
        group: change.group.clone(),
        undoes: change.undoes,
        folders: folders.into_iter().collect(),
        steps: planned.iter().map(|planned| planned.step.clone()).collect(),
    };
    journal.begin(&intent)?;
    let made =
        ChangeExecutor { walker, intent: &intent }.execute(&planned).and_then(|()| journal.finish(intent.id));
    match made {
        Ok(()) => {
            prune(walker, &change.prune);
            record_creation_times(walker, births, &planned);
            Ok(intent.id)
        }
        Err(error) => Err(undo_failed_change(walker, journal, &intent, error)),
    }
}

/// A note and a link to it are one file: the same edit of both is made once.
fn dedup_edits(planned: Vec<PlannedStep>) -> Result<Vec<PlannedStep>> {
    let mut kept: Vec<PlannedStep> = Vec::new();
    for next in planned {
        let same_file = |earlier: &&PlannedStep| matches!((&earlier.step, &next.step), (IntentStep::Edit { path: one, .. }, IntentStep::Edit { path: other, .. }) if one == other);
        match kept.iter().find(same_file) {
            None => kept.push(next),
            Some(earlier) if earlier.text == next.text => {}
            Some(_) => {
                let path = next.step.path();
                return Err(Error::conflict(format!(
                    "`{path}` and a link to it would be edited in two different ways"
                ))
                .with_path(path.as_str()));
            }
        }
    }
    Ok(kept)
}

/// An edited note has a new file: when the old one was made is not to be forgotten with it.
fn record_creation_times(walker: &Walker<'_>, births: &CreationTimes, planned: &[PlannedStep]) {
    let stands_at = |path: &VaultPath| {
        let moved = planned.iter().find_map(|planned| match &planned.step {
            IntentStep::Move { from, to, .. } if from == path => Some(to.clone()),
            _ => None,
        });
        moved.unwrap_or_else(|| path.clone())
    };
    for PlannedStep { step, like, .. } in planned {
        if let (IntentStep::Edit { path, .. }, Some(like)) = (step, like)
            && let Ok((_, now)) = walker.find_existing(&stands_at(path))
        {
            births.record(births.created_at(like), &now);
        }
    }
}

/// Undoes what was done of a change that failed. Where even that fails, the intent stays for the next start.
fn undo_failed_change(walker: &Walker<'_>, journal: &Journal, intent: &Intent, error: Error) -> Error {
    let undone =
        recover::roll_back(walker, intent).and_then(|kept| journal.abandon(intent.id).map(|()| kept));
    match undone {
        Ok(kept) if kept.is_empty() => error,
        Ok(more) => {
            let mut kept =
                error.details().get("kept").and_then(|kept| kept.as_array()).cloned().unwrap_or_default();
            kept.extend(more.into_iter().map(Into::into));
            error.with_detail("kept", kept)
        }
        Err(second) => error.hint(format!(
            "undoing the change failed too ({second}); the next start completes or undoes it from the journal"
        )),
    }
}

struct ChangeExecutor<'a> {
    walker: &'a Walker<'a>,
    intent: &'a Intent,
}

impl ChangeExecutor<'_> {
    fn execute(&self, planned: &[PlannedStep]) -> Result<()> {
        make_folders(self.walker, &self.intent.folders)?;
        for (n, planned) in planned.iter().enumerate() {
            self.stage(n, planned)?;
        }
        for (n, planned) in planned.iter().enumerate() {
            self.apply_step(n, &planned.step)?;
        }
        sync_folders(self.walker, self.intent)?;
        for (n, planned) in planned.iter().enumerate() {
            self.recheck_step(n, &planned.step)?;
        }
        remove_staged(self.walker, self.intent)
    }

    /// Writes the new text beside its place.
    fn stage(&self, n: usize, planned: &PlannedStep) -> Result<()> {
        let path = planned.step.path();
        let (part, whole) = (self.intent.part_name(n), self.intent.temp_name(n));
        match &planned.step {
            IntentStep::Create { .. } | IntentStep::Edit { .. } => {
                let (dir, _) = self.locate(path)?;
                let failed = |error: io::Error| io_error(&error, "could not write", path.as_str());
                write_staged(self.walker, &dir, &part, &planned.text, planned.like.as_ref())
                    .map_err(failed)?;
                if matches!(planned.step, IntentStep::Edit { .. }) {
                    self.walker.disk.rename_new((&dir, &part), (&dir, &whole)).map_err(failed)?;
                }
                Ok(())
            }
            IntentStep::Move { .. } | IntentStep::Remove { .. } => Ok(()),
        }
    }

    fn apply_step(&self, n: usize, step: &IntentStep) -> Result<()> {
        let disk = self.walker.disk;
        let (dir, name) = self.locate(step.path())?;
        let temp = self.intent.temp_name(n);
        let slot = SwapSlot { disk, dir: &dir, name: &name, temp: &temp };
        let failed = |error: io::Error| io_error(&error, "could not write", step.path().as_str());
        match step {
            IntentStep::Create { path, .. } => disk
                .rename_new((&dir, &self.intent.part_name(n)), (&dir, &name))
                .map_err(|error| occupied_error(&error, path)),
            IntentStep::Edit { path, old, new, .. } => match slot.swap_in(*old, *new).map_err(failed)? {
                SwapOutcome::In => Ok(()),
                SwapOutcome::Changed { kept } => Err(with_kept_copy(changed_error(path), path, kept)),
            },
            IntentStep::Move { to, .. } => {
                let (to_dir, to_name) = self.locate(to)?;
                disk.rename_new((&dir, &name), (&to_dir, &to_name))
                    .map_err(|error| occupied_error(&error, to))
            }
            IntentStep::Remove { path, old, .. } => {
                disk.rename_new((&dir, &name), (&dir, &temp)).map_err(failed)?;
                if slot.holds(&temp, *old).map_err(failed)? { Ok(()) } else { Err(changed_error(path)) }
            }
        }
    }

    /// A program that had a file open before the exchange writes to what came out of it, and one
    /// that had a note open before it was taken away, to that. The sync has given it time.
    fn recheck_step(&self, n: usize, step: &IntentStep) -> Result<()> {
        let (path, old) = match step {
            IntentStep::Edit { path, old, .. } | IntentStep::Remove { path, old, .. } => (path, old),
            IntentStep::Create { .. } | IntentStep::Move { .. } => return Ok(()),
        };
        let (dir, name) = self.locate(path)?;
        let temp = self.intent.temp_name(n);
        let slot = SwapSlot { disk: self.walker.disk, dir: &dir, name: &name, temp: &temp };
        let failed = |error: io::Error| io_error(&error, "could not write", path.as_str());
        // Without an exchange nothing came out.
        if slot.read_content(&temp).map_err(failed)?.is_none() || slot.holds(&temp, *old).map_err(failed)? {
            return Ok(());
        }
        let IntentStep::Edit { new, .. } = step else { return Err(changed_error(path)) };
        match slot.put_back(*new, None).map_err(failed)? {
            SwapOutcome::Changed { kept } => Err(with_kept_copy(changed_error(path), path, kept)),
            SwapOutcome::In => Err(changed_error(path)),
        }
    }

    fn locate(&self, path: &VaultPath) -> Result<(Dir, String)> {
        self.walker.reopen(path)?.ok_or_else(|| changed_error(path))
    }
}

fn occupied_error(error: &io::Error, path: &VaultPath) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Error::conflict(format!("a file already exists at `{path}`")).with_path(path.as_str())
        }
        io::ErrorKind::NotFound => changed_error(path),
        _ => io_error(error, "could not write", path.as_str()),
    }
}

fn with_kept_copy(error: Error, path: &VaultPath, kept: Option<String>) -> Error {
    match kept {
        None => error,
        Some(name) if path.folder().is_empty() => error.with_detail("kept", vec![name]),
        Some(name) => error.with_detail("kept", vec![format!("{}/{name}", path.folder())]),
    }
}
