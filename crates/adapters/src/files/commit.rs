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

use super::creation_times::Births;
use super::disk::Dir;
use super::intent::{Intent, Step};
use super::journal::Journal;
use super::plan::{Planned, changed, plan};
use super::recover;
use super::staging::{clear_away, make_folders, prune, sync_folders, write_beside};
use super::swap::{Slot, Swapped};
use super::trouble;
use super::walk::Walker;

pub fn commit(
    walker: &Walker<'_>,
    journal: &Journal,
    births: &Births,
    change: &ChangeSet,
) -> Result<OperationId> {
    let mut folders = BTreeSet::new();
    let planned =
        change.actions.iter().map(|action| plan(walker, action, &mut folders)).collect::<Result<Vec<_>>>()?;
    let planned = each_once(planned)?;
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
    let made = Making { walker, intent: &intent }.make(&planned).and_then(|()| journal.finish(intent.id));
    match made {
        Ok(()) => {
            prune(walker, &change.prune);
            remember_births(walker, births, &planned);
            Ok(intent.id)
        }
        Err(error) => Err(take_back(walker, journal, &intent, error)),
    }
}

/// A note and a link to it are one file: the same edit of both is made once.
fn each_once(planned: Vec<Planned>) -> Result<Vec<Planned>> {
    let mut kept: Vec<Planned> = Vec::new();
    for next in planned {
        let same_file = |earlier: &&Planned| matches!((&earlier.step, &next.step), (Step::Edit { path: one, .. }, Step::Edit { path: other, .. }) if one == other);
        match kept.iter().find(same_file) {
            None => kept.push(next),
            Some(earlier) if earlier.text == next.text => {}
            Some(_) => {
                let path = next.step.path();
                return Err(Error::conflict(format!(
                    "`{path}` and a link to it would be edited in two ways"
                ))
                .at(path.as_str()));
            }
        }
    }
    Ok(kept)
}

/// An edited note has a new file: when the old one was made is not to be forgotten with it.
fn remember_births(walker: &Walker<'_>, births: &Births, planned: &[Planned]) {
    let stands_at = |path: &VaultPath| {
        let moved = planned.iter().find_map(|planned| match &planned.step {
            Step::Move { from, to, .. } if from == path => Some(to.clone()),
            _ => None,
        });
        moved.unwrap_or_else(|| path.clone())
    };
    for Planned { step, like, .. } in planned {
        if let (Step::Edit { path, .. }, Some(like)) = (step, like)
            && let Ok((_, now)) = walker.existing(&stands_at(path))
        {
            births.note(births.born(like), &now);
        }
    }
}

/// Undoes what was done of a change that failed. Where even that fails, the intent stays for the next start.
fn take_back(walker: &Walker<'_>, journal: &Journal, intent: &Intent, error: Error) -> Error {
    let undone =
        recover::roll_back(walker, intent).and_then(|kept| journal.abandon(intent.id).map(|()| kept));
    match undone {
        Ok(kept) if kept.is_empty() => error,
        Ok(more) => {
            let mut kept = error.details().get("kept").and_then(|kept| kept.as_array()).cloned().unwrap_or_default();
            kept.extend(more.into_iter().map(Into::into));
            error.with("kept", kept)
        }
        Err(second) => error.hint(format!(
            "taking the change back failed too ({second}); the next start completes or undoes it from the journal"
        )),
    }
}

struct Making<'a> {
    walker: &'a Walker<'a>,
    intent: &'a Intent,
}

impl Making<'_> {
    fn make(&self, planned: &[Planned]) -> Result<()> {
        make_folders(self.walker, &self.intent.folders)?;
        for (n, planned) in planned.iter().enumerate() {
            self.stage(n, planned)?;
        }
        for (n, planned) in planned.iter().enumerate() {
            self.take(n, &planned.step)?;
        }
        sync_folders(self.walker, self.intent)?;
        for (n, planned) in planned.iter().enumerate() {
            self.look_again(n, &planned.step)?;
        }
        clear_away(self.walker, self.intent)
    }

    /// Writes the new text beside its place.
    fn stage(&self, n: usize, planned: &Planned) -> Result<()> {
        let path = planned.step.path();
        let (part, whole) = (self.intent.part(n), self.intent.temp(n));
        match &planned.step {
            Step::Create { .. } | Step::Edit { .. } => {
                let (dir, _) = self.spot(path)?;
                let failed = |error: io::Error| trouble(&error, "could not write", path.as_str());
                write_beside(self.walker, &dir, &part, &planned.text, planned.like.as_ref())
                    .map_err(failed)?;
                if matches!(planned.step, Step::Edit { .. }) {
                    self.walker.disk.rename_new((&dir, &part), (&dir, &whole)).map_err(failed)?;
                }
                Ok(())
            }
            Step::Move { .. } | Step::Remove { .. } => Ok(()),
        }
    }

    fn take(&self, n: usize, step: &Step) -> Result<()> {
        let disk = self.walker.disk;
        let (dir, name) = self.spot(step.path())?;
        let temp = self.intent.temp(n);
        let slot = Slot { disk, dir: &dir, name: &name, temp: &temp };
        let failed = |error: io::Error| trouble(&error, "could not write", step.path().as_str());
        match step {
            Step::Create { path, .. } => disk
                .rename_new((&dir, &self.intent.part(n)), (&dir, &name))
                .map_err(|error| occupied(&error, path)),
            Step::Edit { path, old, new, .. } => match slot.swap_in(*old, *new).map_err(failed)? {
                Swapped::In => Ok(()),
                Swapped::Changed { kept } => Err(with_kept(changed(path), path, kept)),
            },
            Step::Move { to, .. } => {
                let (to_dir, to_name) = self.spot(to)?;
                disk.rename_new((&dir, &name), (&to_dir, &to_name)).map_err(|error| occupied(&error, to))
            }
            Step::Remove { path, old, .. } => {
                disk.rename_new((&dir, &name), (&dir, &temp)).map_err(failed)?;
                if slot.holds(&temp, *old).map_err(failed)? { Ok(()) } else { Err(changed(path)) }
            }
        }
    }

    /// A program that had a file open before the exchange writes to what came out of it, and one
    /// that had a note open before it was taken away, to that. The sync has given it time.
    fn look_again(&self, n: usize, step: &Step) -> Result<()> {
        let (path, old) = match step {
            Step::Edit { path, old, .. } | Step::Remove { path, old, .. } => (path, old),
            Step::Create { .. } | Step::Move { .. } => return Ok(()),
        };
        let (dir, name) = self.spot(path)?;
        let temp = self.intent.temp(n);
        let slot = Slot { disk: self.walker.disk, dir: &dir, name: &name, temp: &temp };
        let failed = |error: io::Error| trouble(&error, "could not write", path.as_str());
        // Without an exchange nothing came out.
        if slot.found(&temp).map_err(failed)?.is_none() || slot.holds(&temp, *old).map_err(failed)? {
            return Ok(());
        }
        let Step::Edit { new, .. } = step else { return Err(changed(path)) };
        match slot.put_back(*new, None).map_err(failed)? {
            Swapped::Changed { kept } => Err(with_kept(changed(path), path, kept)),
            Swapped::In => Err(changed(path)),
        }
    }

    fn spot(&self, path: &VaultPath) -> Result<(Dir, String)> {
        self.walker.again(path)?.ok_or_else(|| changed(path))
    }
}

fn occupied(error: &io::Error, path: &VaultPath) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Error::conflict(format!("there is a file at `{path}` already")).at(path.as_str())
        }
        io::ErrorKind::NotFound => changed(path),
        _ => trouble(error, "could not write", path.as_str()),
    }
}

fn with_kept(error: Error, path: &VaultPath, kept: Option<String>) -> Error {
    match kept {
        None => error,
        Some(name) if path.folder().is_empty() => error.with("kept", vec![name]),
        Some(name) => error.with("kept", vec![format!("{}/{name}", path.folder())]),
    }
}
