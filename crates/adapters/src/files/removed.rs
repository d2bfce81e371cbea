//! What a change took away is looked at once more, a moment later.
//!
//! A program that saves in place looks its note up and then opens it. The machine can hold it up between the two for longer
//! than an edit takes, and until it goes on nothing tells that it is there. Then it writes to a file whose name is gone.
//! So a file that stood in a note's place stays open here for a moment, and what was written to it since is kept where the
//! note was.
//!
//! It asks the system itself and not a `Disk`: calls of a thread of its own would come between those that a test counts.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Seek as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wellread_core::domain::corpus::Hash;

use super::LARGEST_FILE;
use super::disk::{Dir, Disk as _, Writers};
use super::lease;
use super::swap::keep_beside;
use super::system::SystemDisk;
use crate::platform;

/// For how long a file is held, unless the vault is closed before.
const GRACE: Duration = Duration::from_millis(100);
/// For how long at the most, where a program has it open for writing; and when the vault is closed.
const PATIENCE: Duration = Duration::from_secs(5);
const PATIENCE_WHEN_CLOSING: Duration = Duration::from_millis(200);
/// How many are held open at the most: of a change of thousands of notes, the last.
const MOST_HELD: usize = 64;

/// A file without a name, and the note in whose place it stood.
#[derive(Debug)]
pub struct RemovedFile {
    pub file: File,
    /// What it held when it was judged to be nobody's newer text.
    pub content: Hash,
    pub dir: Dir,
    pub name: String,
}

/// The files that were taken away a moment ago. A thread of its own looks at them, as long as there are any.
#[derive(Debug, Default)]
pub struct RemovedFiles {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    held: VecDeque<(Instant, RemovedFile)>,
    /// Whether the thread runs.
    is_watched: bool,
    is_closing: bool,
}

impl RemovedFiles {
    pub fn watch(&self, removed: RemovedFile) {
        // It still has another name, or a new one: who writes to it writes to that.
        if !removed.is_nameless() {
            return;
        }
        let mut state = self.shared.lock();
        state.held.push_back((Instant::now(), removed));
        let one_too_many = if state.held.len() > MOST_HELD { state.held.pop_front() } else { None };
        if !state.is_watched {
            let shared = self.shared.clone();
            let thread = thread::Builder::new().name("removed files".to_owned());
            state.is_watched = thread.spawn(move || shared.run()).is_ok();
        }
        drop(state);
        if let Some((_, removed)) = one_too_many {
            removed.keep_late_save();
        }
    }

    /// Looks at everything that is still held, now.
    pub fn settle(&self) {
        let mut state = self.shared.lock();
        state.is_closing = true;
        self.shared.changed.notify_all();
        loop {
            if state.is_watched {
                state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else if state.held.is_empty() {
                break;
            } else {
                // No thread could be started.
                drop(state);
                self.shared.run();
                state = self.shared.lock();
            }
        }
        state.is_closing = false;
    }
}

impl Drop for RemovedFiles {
    fn drop(&mut self) {
        self.settle();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let _ended = EndedByPanic(self);
        let mut state = self.lock();
        while let Some((since, _)) = state.held.front() {
            let grace = if state.is_closing { Duration::ZERO } else { GRACE };
            let left = grace.saturating_sub(since.elapsed());
            if left.is_zero() {
                let Some((since, removed)) = state.held.pop_front() else { break };
                drop(state);
                self.wait_for_writers(since, &removed);
                removed.keep_late_save();
                state = self.lock();
            } else {
                state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        state.is_watched = false;
        self.changed.notify_all();
    }

    fn wait_for_writers(&self, since: Instant, removed: &RemovedFile) {
        let has_patience = || {
            let patience = if self.lock().is_closing { PATIENCE_WHEN_CLOSING } else { PATIENCE };
            since.elapsed() < patience
        };
        while lease::detect_writers(&removed.file) == Writers::Some && has_patience() {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Whoever waits for the thread must not wait for one that is gone.
struct EndedByPanic<'a>(&'a Shared);

impl Drop for EndedByPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().is_watched = false;
            self.0.changed.notify_all();
        }
    }
}

impl RemovedFile {
    fn is_nameless(&self) -> bool {
        platform::file_facts(&self.file).is_ok_and(|file| file.names == 0)
    }

    fn keep_late_save(&self) {
        match self.late_save().and_then(|late| late.map(|text| self.keep(&text)).transpose()) {
            Ok(None) => {}
            Ok(Some(copy)) => tracing::warn!(note = self.name, copy, "a save came too late and is kept"),
            Err(error) => tracing::warn!(%error, note = self.name, "a late save could not be kept"),
        }
    }

    /// What was written to it after it was taken away.
    fn late_save(&self) -> io::Result<Option<Vec<u8>>> {
        (&self.file).rewind()?;
        let bytes = SystemDisk.read(&self.file, LARGEST_FILE)?;
        let is_late = !bytes.is_empty() && Hash::compute(&bytes) != self.content && self.is_nameless();
        Ok(is_late.then_some(bytes))
    }

    fn keep(&self, text: &[u8]) -> io::Result<String> {
        keep_beside(&self.name, |copy| {
            let file = SystemDisk.create_like(&self.dir, copy, &self.file)?;
            let written = SystemDisk.write(&file, text).and_then(|()| SystemDisk.sync(&file));
            written.inspect_err(|_| drop(SystemDisk.unlink(&self.dir, copy)))?;
            SystemDisk.sync_dir(&self.dir)
        })
    }
}
