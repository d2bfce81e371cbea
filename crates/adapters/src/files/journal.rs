//! Intents on disk: `pending` while a change is made, `done` once it is, one file each.
//!
//! A file in `pending` is whole: it is written under another name, synced and renamed. Moving it to `done` is what
//! makes a change final, so that needs no sync of its own: should it be lost, recovery finds every step done
//! and moves it again. It lives in the data folder, never in the vault.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wellread_core::domain::corpus::{Hash, Operation};
use wellread_core::domain::id::OperationId;
use wellread_core::{Error, Result};

use super::disk::{Dir, Disk};
use super::intent::Intent;
use super::io_error;
use super::known_operations::KnownOperations;
use crate::file_lock::{LockMode, lock_file};
use crate::{full_disk, platform};

/// How many finished operations can be undone; older ones leave.
const KEPT: usize = 2000;
/// How long a change waits for another process to finish its own.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a start waits. A process that was just forked holds the lock of its parent for an instant.
const MOMENT: Duration = Duration::from_millis(100);
/// An intent holds the old text of every note that it changes.
const LARGEST_INTENT: u64 = 1024 * 1024 * 1024;

#[derive(Debug)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    folder: std::path::PathBuf,
    pending: Dir,
    done: Dir,
    damaged: Dir,
    known: KnownOperations,
}

/// While it lives, no other process and no other thread changes the vault by this journal.
#[derive(Debug)]
pub struct JournalLock {
    _file: std::fs::File,
}

impl Journal {
    pub fn open(disk: Arc<dyn Disk>, data: &Path) -> Result<Self> {
        let folder = data.join("journal");
        let made: Vec<_> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
        for name in ["pending", "done", "damaged"] {
            // For the user's eyes only: it holds what notes said, whoever may read those.
            platform::create_private_folders(&folder.join(name)).map_err(|error| {
                full_disk::explain_data_error(&error, "the journal could not be created", &folder, || {
                    Error::failed(format!("could not create the journal in `{}`: {error}", folder.display()))
                })
            })?;
        }
        // The first intent is no safer than the folders that it stands in. One that can't be read can't be synced.
        let first = made.last().and_then(|first| first.parent());
        for folder in first.into_iter().chain(made.iter().copied()) {
            if let Ok(opened) = std::fs::File::open(folder) {
                opened.sync_all().map_err(|error| {
                    io_error(&error, "could not sync the folder", &folder.to_string_lossy())
                })?;
            }
        }
        let open = |name| {
            disk.open_root(&folder.join(name))
                .map_err(|error| io_error(&error, "could not open the journal in", &folder.to_string_lossy()))
        };
        let (pending, done, damaged) = (open("pending")?, open("done")?, open("damaged")?);
        Ok(Self { disk, folder, pending, done, damaged, known: KnownOperations::default() })
    }

    /// Whether there is nothing to recover. Cheap, and right unless another process is at work just now.
    pub fn is_clean(&self) -> Result<bool> {
        Ok(self.names(&self.pending)?.is_empty())
    }

    pub fn lock(&self) -> Result<JournalLock> {
        self.lock_with_timeout(PATIENCE)?.ok_or_else(|| {
            Error::conflict("another Wellread process is changing this vault")
                .hint("nothing was written; try again when it is done")
        })
    }

    /// The lock, unless somebody has it for longer than a moment.
    pub fn try_lock(&self) -> Result<Option<JournalLock>> {
        self.lock_with_timeout(MOMENT)
    }

    fn lock_with_timeout(&self, patience: Duration) -> Result<Option<JournalLock>> {
        let path = self.folder.join("lock");
        let file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| io_error(&error, "could not open", &path.to_string_lossy()))?;
        let start = Instant::now();
        loop {
            match lock_file(&file, LockMode::ExclusiveNow) {
                Ok(()) => return Ok(Some(JournalLock { _file: file })),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && start.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(io_error(&error, "could not lock", &path.to_string_lossy())),
            }
        }
    }

    /// An id that comes after every one in the journal, whatever the clock says: `undo` goes by their order. Call it
    /// with the lock held.
    pub fn next_id(&self) -> Result<OperationId> {
        let fresh = OperationId::fresh();
        let names = self.names(&self.done)?;
        let known = |file: &String| OperationId::parse(file.strip_suffix(".json")?).ok();
        Ok(match names.iter().rev().find_map(known) {
            Some(last) if last >= fresh => next_operation_id(last).unwrap_or(fresh),
            _ => fresh,
        })
    }

    /// Makes the intent last, before anything is done about it.
    pub fn begin(&self, intent: &Intent) -> Result<()> {
        let record = encode(intent)?;
        // One that is too large to be read again could never be recovered, and would block every change to come.
        if record.len() as u64 > LARGEST_INTENT {
            return Err(Error::refused("the change is too large: the notes it touches exceed 1 GiB")
                .hint("nothing was changed; split it into parts"));
        }
        let part = format!("{}.part", intent.id);
        let write = || {
            let file = self.disk.create(&self.pending, &part, None)?;
            self.disk.write(&file, &record)?;
            self.disk.sync(&file)?;
            drop(file);
            self.disk.rename_new((&self.pending, &part), (&self.pending, &record_name(intent.id)))?;
            self.disk.sync_dir(&self.pending)
        };
        write().map_err(|error| {
            // Whatever of it is there is harmless: no step was taken, and recovery clears it away.
            let _ = self.disk.unlink(&self.pending, &part);
            let _ = self.disk.unlink(&self.pending, &record_name(intent.id));
            let what = "could not write to the journal in";
            full_disk::explain_data_error(&error, "the change could not be journaled", &self.folder, || {
                io_error(&error, what, &self.folder.to_string_lossy()).hint("nothing was changed")
            })
        })
    }

    /// The change is made.
    pub fn finish(&self, id: OperationId) -> Result<()> {
        self.move_record(&record_name(id), &self.done)
            .map_err(|error| io_error(&error, "could not complete", &record_name(id)))?;
        self.forget_oldest();
        Ok(())
    }

    /// The change was taken back: as if it had never been meant.
    pub fn abandon(&self, id: OperationId) -> Result<()> {
        let gone =
            |error: io::Error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) };
        self.disk
            .unlink(&self.pending, &record_name(id))
            .or_else(gone)
            .and_then(|()| self.disk.sync_dir(&self.pending))
            .map_err(|error| io_error(&error, "could not clear", &record_name(id)))
    }

    /// What was begun and never finished, oldest first, and how many records had to be set aside. Call it with the lock
    /// held.
    pub fn read_pending(&self) -> Result<(Vec<Intent>, usize)> {
        let (mut intents, mut set_aside) = (Vec::new(), 0);
        for file in self.names(&self.pending)? {
            if !file.ends_with(".json") {
                self.disk
                    .unlink(&self.pending, &file)
                    .map_err(|error| io_error(&error, "could not clear", &file))?;
                continue;
            }
            match self.load(&self.pending, &file) {
                Ok(intent) => intents.push(intent),
                Err(UnreadableIntent::Io(error)) => {
                    return Err(io_error(&error, "could not read the journal's", &file));
                }
                Err(UnreadableIntent::Damaged) => {
                    self.set_aside(&file)?;
                    set_aside += 1;
                }
            }
        }
        Ok((intents, set_aside))
    }

    /// An intent that can't be followed, or not to its end, is kept for a person to look at: the old text is in it. It does
    /// not block every edit to come.
    fn set_aside(&self, file: &str) -> Result<()> {
        self.move_record(file, &self.damaged).map_err(|error| io_error(&error, "could not move away", file))
    }

    pub fn set_aside_intent(&self, id: OperationId) -> Result<()> {
        self.set_aside(&record_name(id))
    }

    pub fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        let mut files = self.names(&self.done)?;
        files.reverse();
        let mut operations = Vec::new();
        for file in files.iter().filter(|file| file.ends_with(".json")) {
            if operations.len() == at_most {
                break;
            }
            // One that was pruned by another process, or is damaged, can't be undone; the others can.
            let read = || self.load(&self.done, file).ok().map(Intent::into_operation);
            if let Ok(stat) = self.disk.stat(&self.done, file)
                && let Some(operation) = self.known.get_or_read(file, &stat, read)
            {
                operations.push(operation);
            }
        }
        self.known.retain(&files);
        Ok(operations)
    }

    /// Removes these finished changes, or all and the damaged ones. Call it with the lock held.
    pub fn forget(&self, which: Option<&[OperationId]>) -> Result<usize> {
        let is_chosen = |file: &String| match which {
            None => true,
            Some(ids) => ids.iter().any(|id| *file == record_name(*id)),
        };
        let mut removed = 0;
        for dir in [&self.done, &self.damaged].into_iter().take(if which.is_some() { 1 } else { 2 }) {
            for file in self.names(dir)?.iter().filter(|file| is_chosen(file)) {
                self.disk.unlink(dir, file).map_err(|error| io_error(&error, "could not remove", file))?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Moves a record out of `pending`. Where a move is a link and an unlink, an earlier try may have come half way.
    fn move_record(&self, file: &str, to: &Dir) -> io::Result<()> {
        match self.disk.rename_new((&self.pending, file), (to, file)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.disk.unlink(&self.pending, file)
            }
            done => done,
        }
    }

    fn load(&self, dir: &Dir, file: &str) -> Result<Intent, UnreadableIntent> {
        let opened = self.disk.open(dir, file).map_err(UnreadableIntent::Io)?;
        let record = self.disk.read(&opened, LARGEST_INTENT).map_err(UnreadableIntent::Io)?;
        decode(&record).ok_or(UnreadableIntent::Damaged)
    }

    fn names(&self, dir: &Dir) -> Result<Vec<String>> {
        let names = self.disk.names(dir);
        let names = names.map_err(|error| {
            io_error(&error, "could not list the journal in", &self.folder.to_string_lossy())
        })?;
        let mut names: Vec<String> = names.into_iter().flatten().collect();
        names.sort();
        Ok(names)
    }

    /// Ids are in order of time, so the first names are the oldest. Keeping too many does no harm.
    fn forget_oldest(&self) {
        let Ok(files) = self.names(&self.done) else { return };
        for file in files.iter().take(files.len().saturating_sub(KEPT)) {
            let _ = self.disk.unlink(&self.done, file);
        }
    }
}

enum UnreadableIntent {
    Io(io::Error),
    Damaged,
}

fn record_name(id: OperationId) -> String {
    format!("{id}.json")
}

/// The next id in order.
fn next_operation_id(id: OperationId) -> Option<OperationId> {
    let number = u128::from_str_radix(&id.to_string().replace('-', ""), 16).ok()?;
    OperationId::parse(&format!("{:032x}", number.checked_add(1)?)).ok()
}

/// The record's hash on a line of its own, then the record.
fn encode(intent: &Intent) -> Result<Vec<u8>> {
    let record =
        serde_json::to_vec(intent).map_err(|error| Error::failed(format!("could not journal: {error}")))?;
    let mut bytes = format!("{}\n", Hash::compute(&record)).into_bytes();
    bytes.extend(record);
    Ok(bytes)
}

fn decode(bytes: &[u8]) -> Option<Intent> {
    let cut = bytes.iter().position(|byte| *byte == b'\n')?;
    let (hash, record) = (bytes.get(..cut)?, bytes.get(cut + 1..)?);
    let is_whole = Hash::compute(record).to_string().as_bytes() == hash;
    let intent: Option<Intent> = is_whole.then(|| serde_json::from_slice(record).ok())?;
    intent.filter(Intent::stays_in_vault)
}
