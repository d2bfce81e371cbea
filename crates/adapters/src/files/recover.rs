//! Completes a change that was interrupted, or takes it back.
//!
//! It looks at what is there rather than at notes about progress, so it can be interrupted itself at any moment
//! and simply starts again. Text that nobody can account for is never dropped: it goes back into its place, or
//! is kept beside it.

use std::io;

use wellread_core::domain::corpus::{Hash, VaultPath};
use wellread_core::{Error, Result};

use super::disk::{Dir, Stat};
use super::intent::{Intent, Step};
use super::journal::Journal;
use super::staging::{clear_away, prune, sync_folders, take_away, write_beside};
use super::swap::{Found, Slot, Swapped};
use super::trouble;
use super::walk::Walker;

/// For how many milliseconds a program that has a file open for writing is waited for.
const PATIENCE: usize = 50;

/// What recovery found and did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Changes that had been made and only lacked their mark.
    pub completed: usize,
    pub taken_back: usize,
    /// Records that could not be followed to their end: damaged ones, and those whose folders are gone. They are in the
    /// journal's `damaged` folder, with the old text in them.
    pub set_aside: usize,
    /// Copies that were made of text which belonged to neither version.
    pub kept: Vec<String>,
}

/// How far a step had come.
#[derive(Debug, PartialEq, Eq)]
enum Came {
    Nowhere,
    AllTheWay,
    /// Somebody's newer text is in our hands and must go back.
    TooFar,
    /// The user changed the file since; it tells nothing.
    Unclear,
}

/// Call it with the journal's lock held: then whatever is pending was left by a process that is gone.
pub fn pending(walker: &Walker<'_>, journal: &Journal) -> Result<Recovered> {
    let (intents, set_aside) = journal.pending()?;
    let mut recovered = Recovered { set_aside, ..Recovered::default() };
    for intent in intents {
        let sites =
            (0..intent.steps.len()).map(|n| Site::of(walker, &intent, n)).collect::<Result<Vec<_>>>()?;
        // The user moved a folder away, or the vault is not the one that it was: a disk that is not mounted looks so.
        // A folder that the change had yet to make is not gone.
        let own = |step: &Step| intent.folders.iter().any(|folder| folder == step.path().folder());
        let folder_gone = sites.iter().zip(&intent.steps).any(|(site, step)| site.is_none() && !own(step));
        let states = sites.iter().map(|site| site.as_ref().map_or(Ok(Came::Unclear), Site::state));
        let states = states.collect::<Result<Vec<_>>>()?;
        let complete = states.contains(&Came::AllTheWay)
            && states.iter().all(|state| matches!(state, Came::AllTheWay | Came::Unclear));
        if complete {
            sync_folders(walker, &intent)?;
            clear_away(walker, &intent)?;
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
    let mut kept = Vec::new();
    for n in (0..intent.steps.len()).rev() {
        if let Some(site) = Site::of(walker, intent, n)? {
            let folder = site.step.path().folder();
            let copy = site.undo()?;
            kept.extend(copy.map(|name| if folder.is_empty() { name } else { format!("{folder}/{name}") }));
        }
    }
    sync_folders(walker, intent)?;
    prune(walker, &intent.folders);
    Ok(kept)
}

/// The place where a step works.
struct Site<'a> {
    walker: &'a Walker<'a>,
    step: &'a Step,
    dir: Dir,
    name: String,
    temp: String,
    part: String,
}

impl<'a> Site<'a> {
    /// Nothing where the folder is gone: the user took the file elsewhere, and it is theirs as it is.
    fn of(walker: &'a Walker<'a>, intent: &'a Intent, n: usize) -> Result<Option<Self>> {
        let Some(step) = intent.steps.get(n) else { return Ok(None) };
        let spot = walker.again(step.path())?;
        let site = |(dir, name)| Self { walker, step, dir, name, temp: intent.temp(n), part: intent.part(n) };
        Ok(spot.map(site))
    }

    fn slot(&self) -> Slot<'_> {
        Slot { disk: self.walker.disk, dir: &self.dir, name: &self.name, temp: &self.temp }
    }

    fn found(&self, name: &str) -> Result<Option<Found>> {
        self.slot().found(name).map_err(|error| self.failed(&error))
    }

    /// Whether what came out is the old text, and no program that has it open since is about to write to it.
    fn is_out(&self, old: Hash) -> Result<bool> {
        self.slot().holds(&self.temp, old).map_err(|error| self.failed(&error))
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

    fn failed(&self, error: &io::Error) -> Error {
        trouble(error, "could not recover", self.step.path().as_str())
    }

    fn state(&self) -> Result<Came> {
        match self.step {
            Step::Create { new, .. } => self.created(*new),
            Step::Edit { old, new, .. } => self.edited(*old, *new),
            Step::Move { to, inode, .. } => self.moved(to, *inode),
            Step::Remove { .. } if self.is_half_removed()? => Ok(Came::Nowhere),
            Step::Remove { old, .. } => Ok(match (self.found(&self.temp)?, self.found(&self.name)?) {
                (Some(_), _) if self.is_out(*old)? => Came::AllTheWay,
                (Some(_), _) => Came::TooFar,
                (None, None) => Came::AllTheWay,
                (None, Some(_)) => Came::Nowhere,
            }),
        }
    }

    fn is_half_removed(&self) -> Result<bool> {
        self.is_one_file(&self.name, &self.temp).map_err(|error| self.failed(&error))
    }

    fn created(&self, new: Hash) -> Result<Came> {
        let aside = self.found(&self.temp)?.is_some();
        let file = self.found(&self.name)?;
        Ok(match file {
            _ if aside => Came::Nowhere,
            Some(file) if file == new => Came::AllTheWay,
            Some(_) if self.found(&self.part)?.is_none() => Came::Unclear,
            _ => Came::Nowhere,
        })
    }

    fn edited(&self, old: Hash, new: Hash) -> Result<Came> {
        let (file, temp) = (self.found(&self.name)?, self.found(&self.temp)?);
        Ok(match (temp, file) {
            (Some(temp), _) if temp == new => Came::Nowhere,
            (Some(_), _) if self.is_out(old)? => Came::AllTheWay,
            (Some(_), _) => Came::TooFar,
            (None, Some(file)) if file == new => Came::AllTheWay,
            (None, Some(file)) if file == old => Came::Nowhere,
            (None, _) => Came::Unclear,
        })
    }

    fn moved(&self, to: &VaultPath, inode: u64) -> Result<Came> {
        let inode_at = |dir: &Dir, name: &str| match self.stat_at(dir, name) {
            Ok(stat) => Ok(stat.map(|stat| stat.inode)),
            Err(error) => Err(self.failed(&error)),
        };
        let source = inode_at(&self.dir, &self.name)?;
        let target = match self.walker.again(to)? {
            Some((dir, name)) => inode_at(&dir, &name)?,
            None => None,
        };
        Ok(match (source, target) {
            (Some(source), _) if source == inode => Came::Nowhere,
            (None, Some(_)) => Came::AllTheWay,
            (Some(_), Some(target)) if target == inode => Came::AllTheWay,
            (Some(_), _) => Came::Nowhere,
            (None, None) => Came::Unclear,
        })
    }

    /// Takes the step back. Answers with the name of a copy, where one had to be kept.
    fn undo(&self) -> Result<Option<String>> {
        let undone = match self.step {
            Step::Create { new, .. } => self.uncreate(*new).map(|()| None),
            Step::Edit { old, new, old_text, .. } => self.unedit(*old, *new, old_text),
            Step::Move { to, inode, .. } => return self.unmove(to, *inode).map(|()| None),
            Step::Remove { old_text, .. } => self.unremove(old_text),
        };
        undone.map_err(|error| self.failed(&error))
    }

    fn uncreate(&self, new: Hash) -> io::Result<()> {
        let slot = self.slot();
        // Ours stands aside still: what is in its place is somebody's own file, even where it says the same.
        let ours =
            self.stat_at(&self.dir, &self.part)?.is_none() || self.is_one_file(&self.part, &self.name)?;
        self.take_away(&self.part)?;
        let in_place = slot.found(&self.name)?.is_some_and(|file| file == new);
        if self.is_one_file(&self.name, &self.temp)? {
            self.take_away(&self.name)?;
        } else if ours && in_place && slot.found(&self.temp)?.is_none() {
            self.walker.disk.rename_new((&self.dir, &self.name), (&self.dir, &self.temp))?;
        }
        match slot.found(&self.temp)? {
            None => Ok(()),
            Some(_) if self.is_still_ours(&slot, new)? => self.take_away(&self.temp),
            // It was edited the moment before: it is the user's now.
            Some(_) => self.walker.disk.rename_new((&self.dir, &self.temp), (&self.dir, &self.name)),
        }
    }

    /// Whether what was taken aside is what we wrote, with nobody about to write to it. A child that this process is just
    /// starting holds our own open file for a moment, and counts as a writer until then.
    fn is_still_ours(&self, slot: &Slot<'_>, new: Hash) -> io::Result<bool> {
        for _ in 0..PATIENCE {
            if slot.holds(&self.temp, new)? {
                return Ok(true);
            }
            if slot.found(&self.temp)?.is_none_or(|file| file != new) {
                return Ok(false);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Ok(false)
    }

    fn unedit(&self, old: Hash, new: Hash, old_text: &str) -> io::Result<Option<String>> {
        let slot = self.slot();
        self.take_away(&self.part)?;
        let file = slot.found(&self.name)?;
        let mut temp = slot.found(&self.temp)?;
        if temp.is_none() && file.is_some_and(|file| file == new) {
            let like = self.walker.disk.stat(&self.dir, &self.name)?;
            write_beside(self.walker, &self.dir, &self.part, old_text, Some(&like))?;
            self.walker.disk.rename_new((&self.dir, &self.part), (&self.dir, &self.temp))?;
            temp = Some(Found::Text(old));
        }
        let Some(temp) = temp else { return Ok(None) };
        let swapped = match file {
            Some(file) if file == new && temp == old => self.swap_back(&slot, new, old)?,
            Some(file) if file == new && temp != new => slot.put_back(new, None)?,
            _ if temp == old || temp == new => Swapped::In,
            Some(_) => Swapped::Changed { kept: Some(slot.keep_copy()?) },
            None => {
                self.walker.disk.rename_new((&self.dir, &self.temp), (&self.dir, &self.name))?;
                Swapped::In
            }
        };
        self.take_away(&self.temp)?;
        Ok(match swapped {
            Swapped::In => None,
            Swapped::Changed { kept } => kept,
        })
    }

    /// Exchanges the old text back in. A program that has the note open for writing gets time to finish.
    fn swap_back(&self, slot: &Slot<'_>, new: Hash, old: Hash) -> io::Result<Swapped> {
        for _ in 0..PATIENCE {
            let swapped = slot.swap_in(new, old)?;
            let is_ours = slot.found(&self.name)?.is_some_and(|file| file == new);
            if swapped != (Swapped::Changed { kept: None }) || !is_ours {
                return Ok(swapped);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // It keeps the note open, and our text stays in it. The journal forgets the old text now: it must not be lost.
        let has_old = slot.found(&self.temp)?.is_some();
        Ok(Swapped::Changed { kept: if has_old { Some(slot.keep_copy()?) } else { None } })
    }

    fn unmove(&self, to: &VaultPath, inode: u64) -> Result<()> {
        let Some((dir, name)) = self.walker.again(to)? else { return Ok(()) };
        let failed = |error: io::Error| self.failed(&error);
        if self.is_same((&self.dir, &self.name), (&dir, &name)).map_err(failed)? {
            return take_away(self.walker, &dir, &name).map_err(failed);
        }
        if self.moved(to, inode)? != Came::AllTheWay {
            return Ok(());
        }
        match self.walker.disk.rename_new((&dir, &name), (&self.dir, &self.name)) {
            // Somebody made a new file where it was: both stay where they are.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            done => done.map_err(|error| self.failed(&error)),
        }
    }

    fn unremove(&self, old_text: &str) -> io::Result<Option<String>> {
        let slot = self.slot();
        self.take_away(&self.part)?;
        if self.is_one_file(&self.name, &self.temp)? {
            return self.take_away(&self.temp).map(|()| None);
        }
        let back = |from: &str| self.walker.disk.rename_new((&self.dir, from), (&self.dir, &self.name));
        if slot.found(&self.temp)?.is_some() {
            return match back(&self.temp) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => slot.keep_copy().map(Some),
                done => done.map(|()| None),
            };
        }
        if slot.found(&self.name)?.is_none() {
            write_beside(self.walker, &self.dir, &self.part, old_text, None)?;
            back(&self.part)?;
        }
        Ok(None)
    }

    fn take_away(&self, name: &str) -> io::Result<()> {
        take_away(self.walker, &self.dir, name)
    }
}
