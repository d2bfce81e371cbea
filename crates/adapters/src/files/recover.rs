//! Completes a change that was interrupted, or takes it back.
//!
//! It looks at what is there rather than at notes about progress, so it can be interrupted itself at any moment
//! and simply starts again. Text that nobody can account for is never dropped: it goes back into its place, or
//! is kept beside it.

use std::io;

use wellread_core::domain::corpus::{Hash, VaultPath};
use wellread_core::ports::RecoveryReport;
use wellread_core::{Error, Result};

use super::disk::{Dir, Stat};
use super::intent::{Intent, IntentStep};
use super::io_error;
use super::journal::Journal;
use super::staging::{prune, remove_if_present, remove_replaced, remove_staged, sync_folders, write_staged};
use super::swap::{SlotContent, SwapOutcome, SwapSlot};
use super::walk::Walker;

/// For how many milliseconds a program that has a file open for writing is waited for.
const PATIENCE: usize = 50;

/// How far a step had come.
#[derive(Debug, PartialEq, Eq)]
enum StepState {
    Nowhere,
    AllTheWay,
    /// Somebody's newer text is in our hands and must go back.
    TooFar,
    /// The user changed the file since; it tells nothing.
    Unclear,
}

/// Call it with the journal's lock held: then whatever is pending was left by a process that is gone.
pub fn recover_pending(walker: &Walker<'_>, journal: &Journal) -> Result<RecoveryReport> {
    let (intents, set_aside) = journal.read_pending()?;
    let mut recovered = RecoveryReport { set_aside, ..RecoveryReport::default() };
    for intent in intents {
        recovered.kept.extend(finish_exchanges(walker, &intent)?);
        let sites = (0..intent.steps.len())
            .map(|n| StepSite::locate(walker, &intent, n))
            .collect::<Result<Vec<_>>>()?;
        // The user moved a folder away, or the vault is not the one that it was: a disk that is not mounted looks so.
        // A folder that the change had yet to make is not gone.
        let own = |step: &IntentStep| intent.folders.iter().any(|folder| folder == step.path().folder());
        let folder_gone = sites.iter().zip(&intent.steps).any(|(site, step)| site.is_none() && !own(step));
        let states = sites.iter().map(|site| site.as_ref().map_or(Ok(StepState::Unclear), StepSite::state));
        let states = states.collect::<Result<Vec<_>>>()?;
        let complete = states.contains(&StepState::AllTheWay)
            && states.iter().all(|state| matches!(state, StepState::AllTheWay | StepState::Unclear));
        if complete {
            sync_folders(walker, &intent)?;
            remove_staged(walker, &intent)?;
            journal.finish(intent.id)?;
            recovered.completed += 1;
        } else {
            recovered.kept.extend(roll_back(walker, &intent)?);
            if folder_gone {
                journal.set_aside_intent(intent.id)?;
                recovered.set_aside += 1;
            } else {
                journal.abandon(intent.id)?;
                recovered.taken_back += 1;
            }
        }
    }
    Ok(recovered)
}

/// Takes back whatever was done of a change, last step first. Answers with the copies that had to be kept.
pub fn roll_back(walker: &Walker<'_>, intent: &Intent) -> Result<Vec<String>> {
    let mut kept = finish_exchanges(walker, intent)?;
    for n in (0..intent.steps.len()).rev() {
        if let Some(site) = StepSite::locate(walker, intent, n)? {
            let copy = site.undo()?;
            kept.extend(copy.map(|name| site.path_of(name)));
        }
    }
    sync_folders(walker, intent)?;
    prune(walker, &intent.folders);
    Ok(kept)
}

/// Where an exchange takes several steps, one may have been cut off between them. Answers with the copies that had to be kept.
fn finish_exchanges(walker: &Walker<'_>, intent: &Intent) -> Result<Vec<String>> {
    let mut kept = Vec::new();
    for (n, step) in intent.steps.iter().enumerate() {
        if !matches!(step, IntentStep::Edit { .. }) {
            continue;
        }
        let Some(site) = StepSite::locate(walker, intent, n)? else { continue };
        let finished = walker.disk.finish_exchange(&site.dir, &site.name, &site.temp);
        kept.extend(finished.map_err(|error| site.recovery_error(&error))?.map(|copy| site.path_of(copy)));
    }
    Ok(kept)
}

/// The place where a step works.
struct StepSite<'a> {
    walker: &'a Walker<'a>,
    step: &'a IntentStep,
    dir: Dir,
    name: String,
    temp: String,
    part: String,
}

impl<'a> StepSite<'a> {
    /// Nothing where the folder is gone: the user took the file elsewhere, and it is theirs as it is.
    fn locate(walker: &'a Walker<'a>, intent: &'a Intent, n: usize) -> Result<Option<Self>> {
        let Some(step) = intent.steps.get(n) else { return Ok(None) };
        let spot = walker.reopen(step.path())?;
        let site = |(dir, name)| Self {
            walker,
            step,
            dir,
            name,
            temp: intent.temp_name(n),
            part: intent.part_name(n),
        };
        Ok(spot.map(site))
    }

    /// The path in the vault of a file beside the step's own.
    fn path_of(&self, name: String) -> String {
        let folder = self.step.path().folder();
        if folder.is_empty() { name } else { format!("{folder}/{name}") }
    }

    fn slot(&self) -> SwapSlot<'_> {
        SwapSlot { disk: self.walker.disk, dir: &self.dir, name: &self.name, temp: &self.temp }
    }

    fn read_content(&self, name: &str) -> Result<Option<SlotContent>> {
        self.slot().read_content(name).map_err(|error| self.recovery_error(&error))
    }

    /// Whether what came out is the old text, and no program that has it open since is about to write to it.
    fn is_old_text_in_temp(&self, old: Hash) -> Result<bool> {
        self.slot().holds(&self.temp, old).map_err(|error| self.recovery_error(&error))
    }

    /// Whether two names of the folder are one file: where a rename is a link and an unlink, it may have come half way.
    fn is_one_file(&self, name: &str, other: &str) -> io::Result<bool> {
        self.is_same((&self.dir, name), (&self.dir, other))
    }

    /// By all that is known of them: some file systems give an inode's number twice.
    fn is_same(&self, one: (&Dir, &str), other: (&Dir, &str)) -> io::Result<bool> {
        let stat = self.stat_at(one.0, one.1)?;
        Ok(stat.is_some() && stat == self.stat_at(other.0, other.1)?)
    }

    fn stat_at(&self, dir: &Dir, name: &str) -> io::Result<Option<Stat>> {
        match self.walker.disk.stat(dir, name) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn recovery_error(&self, error: &io::Error) -> Error {
        io_error(error, "could not recover", self.step.path().as_str())
    }

    fn state(&self) -> Result<StepState> {
        match self.step {
            IntentStep::Create { new, .. } => self.create_state(*new),
            IntentStep::Edit { old, new, .. } => self.edit_state(*old, *new),
            IntentStep::Move { to, inode, .. } => self.move_state(to, *inode),
            IntentStep::Remove { .. } if self.is_half_removed()? => Ok(StepState::Nowhere),
            IntentStep::Remove { old, .. } => {
                Ok(match (self.read_content(&self.temp)?, self.read_content(&self.name)?) {
                    (Some(_), _) if self.is_old_text_in_temp(*old)? => StepState::AllTheWay,
                    (Some(_), _) => StepState::TooFar,
                    (None, None) => StepState::AllTheWay,
                    (None, Some(_)) => StepState::Nowhere,
                })
            }
        }
    }

    fn is_half_removed(&self) -> Result<bool> {
        self.is_one_file(&self.name, &self.temp).map_err(|error| self.recovery_error(&error))
    }

    fn create_state(&self, new: Hash) -> Result<StepState> {
        let aside = self.read_content(&self.temp)?.is_some();
        let file = self.read_content(&self.name)?;
        Ok(match file {
            _ if aside => StepState::Nowhere,
            Some(file) if file == new => StepState::AllTheWay,
            Some(_) if self.read_content(&self.part)?.is_none() => StepState::Unclear,
            _ => StepState::Nowhere,
        })
    }

    fn edit_state(&self, old: Hash, new: Hash) -> Result<StepState> {
        let (file, temp) = (self.read_content(&self.name)?, self.read_content(&self.temp)?);
        Ok(match (temp, file) {
            (Some(temp), _) if temp == new => StepState::Nowhere,
            (Some(_), _) if self.is_old_text_in_temp(old)? => StepState::AllTheWay,
            (Some(_), _) => StepState::TooFar,
            (None, Some(file)) if file == new => StepState::AllTheWay,
            (None, Some(file)) if file == old => StepState::Nowhere,
            (None, _) => StepState::Unclear,
        })
    }

    fn move_state(&self, to: &VaultPath, inode: u64) -> Result<StepState> {
        let inode_at = |dir: &Dir, name: &str| match self.stat_at(dir, name) {
            Ok(stat) => Ok(stat.map(|stat| stat.inode)),
            Err(error) => Err(self.recovery_error(&error)),
        };
        let source = inode_at(&self.dir, &self.name)?;
        let target = match self.walker.reopen(to)? {
            Some((dir, name)) => inode_at(&dir, &name)?,
            None => None,
        };
        Ok(match (source, target) {
            (Some(source), _) if source == inode => StepState::Nowhere,
            (None, Some(_)) => StepState::AllTheWay,
            (Some(_), Some(target)) if target == inode => StepState::AllTheWay,
            (Some(_), _) => StepState::Nowhere,
            (None, None) => StepState::Unclear,
        })
    }

    /// Takes the step back. Answers with the name of a copy, where one had to be kept.
    fn undo(&self) -> Result<Option<String>> {
        let undone = match self.step {
            IntentStep::Create { new, .. } => self.uncreate(*new).map(|()| None),
            IntentStep::Edit { old, new, old_text, .. } => self.unedit(*old, *new, old_text),
            IntentStep::Move { to, inode, .. } => return self.unmove(to, *inode).map(|()| None),
            IntentStep::Remove { old_text, .. } => self.unremove(old_text),
        };
        undone.map_err(|error| self.recovery_error(&error))
    }

    fn uncreate(&self, new: Hash) -> io::Result<()> {
        let slot = self.slot();
        // Ours stands aside still: what is in its place is somebody's own file, even where it says the same.
        let ours =
            self.stat_at(&self.dir, &self.part)?.is_none() || self.is_one_file(&self.part, &self.name)?;
        self.remove_if_present(&self.part)?;
        let in_place = slot.read_content(&self.name)?.is_some_and(|file| file == new);
        if self.is_one_file(&self.name, &self.temp)? {
            self.remove_if_present(&self.name)?;
        } else if ours && in_place && slot.read_content(&self.temp)?.is_none() {
            self.walker.disk.rename_new((&self.dir, &self.name), (&self.dir, &self.temp))?;
        }
        match slot.read_content(&self.temp)? {
            None => Ok(()),
            Some(_) if self.is_still_ours(&slot, new)? => self.remove_replaced(Some(new)),
            // It was edited the moment before: it is the user's now.
            Some(_) => self.walker.disk.rename_new((&self.dir, &self.temp), (&self.dir, &self.name)),
        }
    }

    /// Whether what was taken aside is what we wrote, with nobody about to write to it. A child that this process is just
    /// starting holds our own open file for a moment, and counts as a writer until then.
    fn is_still_ours(&self, slot: &SwapSlot<'_>, new: Hash) -> io::Result<bool> {
        for _ in 0..PATIENCE {
            if slot.holds(&self.temp, new)? {
                return Ok(true);
            }
            if slot.read_content(&self.temp)?.is_none_or(|file| file != new) {
                return Ok(false);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Ok(false)
    }

    fn unedit(&self, old: Hash, new: Hash, old_text: &str) -> io::Result<Option<String>> {
        let slot = self.slot();
        self.remove_if_present(&self.part)?;
        let file = slot.read_content(&self.name)?;
        let mut temp = slot.read_content(&self.temp)?;
        if temp.is_none() && file.is_some_and(|file| file == new) {
            let like = self.walker.disk.stat(&self.dir, &self.name)?;
            write_staged(self.walker, &self.dir, &self.part, old_text, Some(&like))?;
            self.walker.disk.rename_new((&self.dir, &self.part), (&self.dir, &self.temp))?;
            temp = Some(SlotContent::Text(old));
        }
        let Some(temp) = temp else { return Ok(None) };
        let mut judged = None;
        let swapped = match file {
            Some(file) if file == new && temp == old => {
                let swapped = self.swap_back(&slot, new, old)?;
                judged = (swapped == SwapOutcome::In).then_some(new);
                swapped
            }
            Some(file) if file == new && temp != new => slot.put_back(new, None)?,
            _ if temp == old || temp == new => {
                judged = Some(if temp == old { old } else { new });
                SwapOutcome::In
            }
            Some(_) => SwapOutcome::Changed { kept: Some(slot.keep_copy()?) },
            None => {
                self.walker.disk.rename_new((&self.dir, &self.temp), (&self.dir, &self.name))?;
                SwapOutcome::In
            }
        };
        self.remove_replaced(judged)?;
        Ok(match swapped {
            SwapOutcome::In => None,
            SwapOutcome::Changed { kept } => kept,
        })
    }

    /// Exchanges the old text back in. A program that has the note open for writing gets time to finish.
    fn swap_back(&self, slot: &SwapSlot<'_>, new: Hash, old: Hash) -> io::Result<SwapOutcome> {
        for _ in 0..PATIENCE {
            let swapped = slot.swap_in(new, old)?;
            let is_ours = slot.read_content(&self.name)?.is_some_and(|file| file == new);
            if swapped != (SwapOutcome::Changed { kept: None }) || !is_ours {
                return Ok(swapped);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // It keeps the note open, and our text stays in it. The journal forgets the old text now: it must not be lost.
        let has_old = slot.read_content(&self.temp)?.is_some();
        Ok(SwapOutcome::Changed { kept: if has_old { Some(slot.keep_copy()?) } else { None } })
    }

    fn unmove(&self, to: &VaultPath, inode: u64) -> Result<()> {
        let Some((dir, name)) = self.walker.reopen(to)? else { return Ok(()) };
        let failed = |error: io::Error| self.recovery_error(&error);
        if self.is_same((&self.dir, &self.name), (&dir, &name)).map_err(failed)? {
            return remove_if_present(self.walker, &dir, &name).map_err(failed);
        }
        if self.move_state(to, inode)? != StepState::AllTheWay {
            return Ok(());
        }
        match self.walker.disk.rename_new((&dir, &name), (&self.dir, &self.name)) {
            // Somebody made a new file where it was: both stay where they are.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            done => done.map_err(|error| self.recovery_error(&error)),
        }
    }

    fn unremove(&self, old_text: &str) -> io::Result<Option<String>> {
        let slot = self.slot();
        self.remove_if_present(&self.part)?;
        if self.is_one_file(&self.name, &self.temp)? {
            return self.remove_if_present(&self.temp).map(|()| None);
        }
        let back = |from: &str| self.walker.disk.rename_new((&self.dir, from), (&self.dir, &self.name));
        if slot.read_content(&self.temp)?.is_some() {
            return match back(&self.temp) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => slot.keep_copy().map(Some),
                done => done.map(|()| None),
            };
        }
        if slot.read_content(&self.name)?.is_none() {
            write_staged(self.walker, &self.dir, &self.part, old_text, None)?;
            back(&self.part)?;
        }
        Ok(None)
    }

    fn remove_replaced(&self, content: Option<Hash>) -> io::Result<()> {
        remove_replaced(self.walker, &self.dir, (&self.temp, &self.name), content)
    }

    fn remove_if_present(&self, name: &str) -> io::Result<()> {
        remove_if_present(self.walker, &self.dir, name)
    }
}
