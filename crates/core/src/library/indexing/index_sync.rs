//! Whether the index is level with the files, and what was heard of changes that are not in it yet.
//!
//! A background task watches the vault. What it hears is noted here for two: for the index, which reads the files that are
//! named, and for the list of files. Whoever asks takes over what was heard until then, so nobody waits for the background
//! task, and no file is looked at that did not change.
//!
//! What was heard leaves only when it is in the index: what could not be read or written is put back, and whoever could not
//! write it wakes the background task.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, mpsc};
use std::time::{Duration, Instant};

use super::{Library, UpdateSummary};
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::{Error, Result};

/// Whether a background task keeps the index up to date with the files.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum IndexSyncState {
    /// No background task runs: whoever needs an up-to-date index has to update it.
    #[default]
    Off,
    /// A background task is updating the index, and has not finished yet.
    Updating,
    /// A background task has finished: a change reaches the index a moment after it was made.
    UpToDate,
}

/// More paths than this are not listed: everything is looked at instead.
const MOST_PATHS: usize = 2000;
/// How long a call waits until what was heard is in the index, whoever writes it.
const LONGEST_WAIT: Duration = Duration::from_millis(200);
/// How long a call waits for a look at all files: to read all of them takes longer.
const LONGEST_LOOK: Duration = Duration::from_secs(5);

type CatchUp = dyn Fn() -> bool + Send + Sync;
type Wake = dyn Fn() + Send + Sync;

/// The shared state: set by the background task that watches the files, read by users of the index.
#[derive(Default)]
pub struct IndexSync {
    state: Mutex<IndexSyncState>,
    catch_up: Mutex<Option<Arc<CatchUp>>>,
    wake: Mutex<Option<Arc<Wake>>>,
    for_index: Mutex<HeardChanges>,
    for_listing: Mutex<HeardChanges>,
    /// What was written to the index from heard changes, for whoever reports it.
    written: Mutex<UpdateSummary>,
    /// Held while heard changes are written to the index.
    turn: Mutex<()>,
}

/// What was heard and is not taken over yet.
#[derive(Debug, Default)]
pub struct HeardChanges {
    /// The files, and the folders that came or went.
    pub touched: BTreeSet<VaultPath>,
    /// How many of them were taken over and are being written.
    taken: usize,
    /// More may have changed than is listed.
    pub everything: bool,
    /// Everything is being looked at.
    looking: bool,
    /// Everything is being looked at because more may have changed than was listed.
    recovering: bool,
}

impl HeardChanges {
    fn add(&mut self, paths: &[VaultPath]) {
        self.touched.extend(paths.iter().filter(|_| !self.everything).cloned());
        if self.touched.len() > MOST_PATHS {
            self.add_everything();
        }
    }

    fn add_everything(&mut self) {
        self.touched.clear();
        self.everything = true;
    }
}

impl std::fmt::Debug for IndexSync {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexSync").field("state", &self.state()).finish_non_exhaustive()
    }
}

impl IndexSync {
    /// The current state.
    pub fn state(&self) -> IndexSyncState {
        *lock(&self.state)
    }

    /// Sets the state.
    pub fn set_state(&self, state: IndexSyncState) {
        *lock(&self.state) = state;
    }

    /// Sets what notes every change that was made until it is called, and says whether none can have been missed.
    pub fn set_catch_up(&self, catch_up: Option<Arc<CatchUp>>) {
        *lock(&self.catch_up) = catch_up;
    }

    /// Sets what wakes the background task.
    pub fn set_wake(&self, wake: Option<Arc<Wake>>) {
        *lock(&self.wake) = wake;
    }

    fn wake(&self) {
        let wake = lock(&self.wake).clone();
        if let Some(wake) = wake {
            wake();
        }
    }

    /// Notes that something happened at these paths of the vault.
    pub fn note_changes(&self, paths: &[VaultPath]) {
        lock(&self.for_index).add(paths);
        lock(&self.for_listing).add(paths);
    }

    /// Notes that anything may have changed.
    pub fn note_any_change(&self) {
        lock(&self.for_index).add_everything();
        self.note_any_listing_change();
    }

    /// Notes that the list of files may have changed in any way.
    pub fn note_any_listing_change(&self) {
        lock(&self.for_listing).add_everything();
    }

    /// Hears of every change that was made until now. No where some may not have been heard of: then only the files
    /// themselves can tell.
    pub fn hears_every_change(&self) -> bool {
        if self.state() != IndexSyncState::UpToDate {
            return false;
        }
        let catch_up = lock(&self.catch_up).clone();
        catch_up.is_some_and(|catch_up| catch_up())
    }

    /// What was heard since this was last asked, for the list of files.
    pub fn take_listing_changes(&self) -> HeardChanges {
        std::mem::take(&mut lock(&self.for_listing))
    }

    /// Whether everything has to be looked at before the index is level again.
    pub fn is_far_behind(&self) -> bool {
        let heard = lock(&self.for_index);
        heard.everything || heard.looking
    }

    /// Whether an answer from the index may lack changes: known ones, or those from before a background task began.
    pub fn is_behind(&self) -> bool {
        match self.state() {
            IndexSyncState::Off => false,
            IndexSyncState::Updating => true,
            IndexSyncState::UpToDate => self.misses_changes(),
        }
    }

    /// Whether the index is known to miss changes at this moment.
    pub fn misses_changes(&self) -> bool {
        let heard = lock(&self.for_index);
        heard.everything || heard.recovering || heard.taken > 0 || !heard.touched.is_empty()
    }

    /// Writes to the index what was heard of changes, for a call that is about to use it; `unheard` are paths that may have
    /// changed without a word. No where that takes longer than a call may wait: more than `most` files, or everything, or
    /// another process is writing. What is left is then for the background task, which is woken; what has begun goes on.
    pub fn catch_up(
        self: &Arc<Self>,
        library: &Arc<Library>,
        unheard: &[VaultPath],
        most: usize,
    ) -> Result<bool> {
        // A look at everything that is only made from time to time does not make the index less level than it was.
        if unheard.is_empty() && !self.misses_changes() {
            return Ok(true);
        }
        let (sync, library, unheard) = (self.clone(), library.clone(), unheard.to_vec());
        let write = move || sync.write_for_call(&library, &unheard, most);
        run_within(LONGEST_WAIT, write).unwrap_or(Ok(false))
    }

    fn write_for_call(&self, library: &Library, unheard: &[VaultPath], most: usize) -> Result<bool> {
        let (left, has_written) = match self.wait_for_turn() {
            Some(_turn) => {
                let left = self.write_heard(library, unheard, most);
                (left, lock(&self.written).has_changes())
            }
            None => (Ok(None), false),
        };
        let done = match left {
            Ok(Some(0)) => Ok(true),
            // To wait does not help.
            Ok(Some(left)) => Err(Error::failed(format!("could not look at {left} changed files"))),
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        if has_written || done != Ok(true) {
            self.wake();
        }
        done
    }

    /// Writes to the index all that was heard of changes, for the background task. No where some is left: everything has to
    /// be looked at, or a file could not be.
    pub fn write_heard_changes(&self, library: &Library) -> Result<bool> {
        let _turn = lock(&self.turn);
        Ok(self.write_heard(library, &[], usize::MAX)? == Some(0))
    }

    /// How many files could not be looked at, which are still to be written; `None` where nothing was begun, because it is too
    /// much or everything has to be looked at. For whoever holds the turn.
    fn write_heard(&self, library: &Library, unheard: &[VaultPath], most: usize) -> Result<Option<usize>> {
        let mut taken = {
            let mut heard = lock(&self.for_index);
            if heard.everything || heard.looking || heard.touched.len() > most {
                return Ok(None);
            }
            let paths: Vec<VaultPath> = std::mem::take(&mut heard.touched).into_iter().collect();
            heard.taken = paths.len();
            TakenPaths { heard: &self.for_index, paths }
        };
        let paths = [&taken.paths, unheard].concat();
        let mut failed = Vec::new();
        if !paths.is_empty() {
            let updated = library.update_files(&CorpusName::Vault, &paths)?;
            failed = updated.failed.iter().map(|(_, path)| path.clone()).collect();
            if updated.has_changes() || !taken.paths.is_empty() {
                lock(&self.written).add(updated);
            }
        }
        taken.paths = failed;
        Ok(Some(taken.paths.len()))
    }

    /// What was written from heard changes since this was last asked.
    pub fn take_written(&self) -> UpdateSummary {
        std::mem::take(&mut lock(&self.written))
    }

    /// Runs an update of everything. Meanwhile nothing else is written from heard changes, and the index is not level: it may
    /// get what the update read of a file before a change that was heard of since.
    pub fn look_at_everything<T>(&self, update: impl FnOnce() -> Result<T>) -> Result<T> {
        let covers = {
            // What is being written was read before; the update begins after it.
            let _turn = lock(&self.turn);
            let mut heard = lock(&self.for_index);
            heard.looking = true;
            heard.recovering = heard.everything;
            std::mem::take(&mut heard.everything)
        };
        let done = update();
        let mut heard = lock(&self.for_index);
        (heard.looking, heard.recovering) = (false, false);
        if covers && done.is_err() {
            heard.add_everything();
        }
        drop(heard);
        // What no system reports may have been found.
        self.note_any_listing_change();
        done
    }

    /// Looks at all files of the vault, for a call that is about to use the index; meanwhile nothing is written from heard
    /// changes. No where that takes longer than a call may wait: then it goes on without being waited for.
    pub fn look_at_vault(self: &Arc<Self>, library: &Arc<Library>) -> Result<bool> {
        let (sync, library) = (self.clone(), library.clone());
        let look = move || {
            let Some(_turn) = sync.wait_for_turn() else { return Ok(false) };
            let failed = library.update_corpus(&CorpusName::Vault)?.failed;
            sync.note_changes(&failed.iter().map(|(_, path)| path.clone()).collect::<Vec<_>>());
            Ok(failed.is_empty())
        };
        run_within(LONGEST_LOOK, look).unwrap_or(Ok(false))
    }

    fn wait_for_turn(&self) -> Option<MutexGuard<'_, ()>> {
        let begun = Instant::now();
        loop {
            match self.turn.try_lock() {
                Ok(turn) => return Some(turn),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if begun.elapsed() > LONGEST_WAIT => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

/// Does this on a thread of its own. `None` if it takes longer: then it goes on without being waited for.
fn run_within<T: Send + 'static>(longest: Duration, act: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (send, done) = mpsc::sync_channel(1);
    // Whoever asked may have gone.
    let run = move || drop(send.send(act()));
    std::thread::Builder::new().spawn(run).ok()?;
    done.recv_timeout(longest).ok()
}

/// Paths that are being written to the index. Those that are left when this goes are put back.
struct TakenPaths<'a> {
    heard: &'a Mutex<HeardChanges>,
    paths: Vec<VaultPath>,
}

impl Drop for TakenPaths<'_> {
    fn drop(&mut self) {
        let mut heard = lock(self.heard);
        heard.taken = 0;
        heard.add(&self.paths);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn path(written: &str) -> VaultPath {
        VaultPath::from_index(written.to_owned())
    }

    #[test]
    fn while_everything_is_looked_at_the_index_is_behind_and_what_is_heard_waits() {
        let sync = IndexSync::default();
        assert!(!sync.is_far_behind());
        let done = sync.look_at_everything(|| {
            assert!(sync.is_far_behind(), "it may write what it read before a change");
            sync.note_changes(&[path("a.md")]);
            Ok(())
        });
        assert_eq!(done, Ok(()));
        assert!(!sync.is_far_behind());
        assert_eq!(lock(&sync.for_index).touched, BTreeSet::from([path("a.md")]));
    }

    #[test]
    fn who_has_the_turn_alone_does_not_say_that_changes_are_missing() {
        let sync = IndexSync::default();
        let _turn = sync.wait_for_turn().unwrap();
        assert!(!sync.misses_changes(), "there is nothing to write");
        sync.note_changes(&[path("a.md")]);
        assert!(sync.misses_changes());
    }

    #[test]
    fn everything_stays_to_be_looked_at_until_a_look_has_succeeded() {
        let sync = IndexSync::default();
        sync.note_any_change();
        assert!(sync.look_at_everything(|| Err::<(), _>(Error::failed("no disk"))).is_err());
        assert!(sync.is_far_behind());
        // What may have changed since it began is looked at again.
        let _ = sync.look_at_everything(|| {
            sync.note_any_change();
            Ok(())
        });
        assert!(sync.is_far_behind());
        let _ = sync.look_at_everything(|| Ok(()));
        assert!(!sync.is_far_behind());
    }
}
