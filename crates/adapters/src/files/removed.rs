//! What a change took away is looked at once more, a moment later.
//!
//! A program that saves in place looks its note up and then opens it. The machine can hold it up between the two for longer
//! than an edit takes, and until it goes on nothing tells that it is there. Then it writes to a file whose name is gone.
//! So a file that stood in a note's place stays open here for a moment, and what was written to it since is kept beside
//! the note.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wellread_core::domain::corpus::Hash;

use super::LARGEST_FILE;
use super::disk::{Dir, Disk as _, Writers};
use super::lease;
use super::swap::keep_beside;
use super::system::SystemDisk;

/// For how long a file is held, unless the vault is closed before.
const GRACE: Duration = Duration::from_millis(100);
/// For how long at the most, where a program has it open for writing.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many are held open at the most: of a change of thousands of notes, the last.
const MOST_HELD: usize = 64;

/// A file without a name, and the note in whose place it stood.
#[derive(Debug)]
pub struct RemovedFile {
    pub file: File,
    /// What it held when it was taken away.
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
        // A network's file system keeps a removed file under another name for as long as it is open.
        if !lease::is_local(&removed.file) {
            return;
        }
        let mut state = self.shared.lock();
        state.held.push_back((Instant::now(), removed));
        if state.held.len() > MOST_HELD {
            state.held.pop_front();
        }
        if !state.is_watched {
            let shared = self.shared.clone();
            let thread = thread::Builder::new().name("removed files".to_owned());
            state.is_watched = thread.spawn(move || shared.run()).is_ok();
        }
    }
}

impl Drop for RemovedFiles {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_closing = true;
        self.shared.changed.notify_all();
        while state.is_watched {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        while let Some((since, _)) = state.held.front() {
            let grace = if state.is_closing { Duration::ZERO } else { GRACE };
            let left = grace.saturating_sub(since.elapsed());
            if left.is_zero() {
                let Some((_, removed)) = state.held.pop_front() else { break };
                drop(state);
                removed.keep_late_save();
                state = self.lock();
            } else {
                state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        state.is_watched = false;
        self.changed.notify_all();
    }
}

impl RemovedFile {
    fn keep_late_save(&self) {
        let start = Instant::now();
        while lease::detect_writers(&self.file) == Writers::Some && start.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(5));
        }
        match self.late_save().and_then(|late| late.map(|text| self.keep(&text)).transpose()) {
            Ok(None) => {}
            Ok(Some(copy)) => tracing::warn!(note = self.name, copy, "a save came too late and is kept"),
            Err(error) => tracing::warn!(%error, note = self.name, "a late save could not be kept"),
        }
    }

    /// What was written to it after it was taken away.
    fn late_save(&self) -> io::Result<Option<Vec<u8>>> {
        let bytes = SystemDisk.read(&self.file, LARGEST_FILE)?;
        Ok((!bytes.is_empty() && Hash::compute(&bytes) != self.content).then_some(bytes))
    }

    fn keep(&self, text: &[u8]) -> io::Result<String> {
        keep_beside(&self.name, |copy| {
            let file = SystemDisk.create(&self.dir, copy, None)?;
            SystemDisk.write(&file, text)?;
            SystemDisk.sync(&file)
        })
    }
}
