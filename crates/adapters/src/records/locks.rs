//! Who works on a run, who decides on a finding, and which workers are there: told by locks that end with their process.
//!
//! A file for each run or finding that somebody is at, locked as long as they are. Whoever leaves takes the file away; whoever
//! comes looks whether what it locked is still the file of that name. A worker's file stays when it goes: one that is there and
//! that nobody locks is of a worker that is gone.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use wellread_core::domain::id::{FindingId, RunId};
use wellread_core::ports::{LockGuard, RunHeader};
use wellread_core::{Error, Result};

const RUNS: &str = "under-way";
const FINDINGS: &str = "decided-on";
const WORKERS: &str = "at-work";

/// Held as long as it lives.
struct FileLock {
    path: PathBuf,
    _file: File,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Still locked: whoever waits for it sees that it is gone.
        let _ = fs::remove_file(&self.path);
    }
}

/// An error where somebody has it.
pub fn lock_run(data_folder: &Path, run: &RunId) -> Result<LockGuard> {
    match acquire_lock(&data_folder.join(RUNS), run.as_str(), FlockOperation::NonBlockingLockExclusive) {
        Ok(held) => Ok(Box::new(held)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(RunHeader::locked_error(run)),
        Err(error) => Err(Error::failed(format!("could not lock the run {run}: {error}"))),
    }
}

/// Waits for whoever has it.
pub fn lock_finding(data_folder: &Path, finding: &FindingId) -> Result<LockGuard> {
    match acquire_lock(&data_folder.join(FINDINGS), finding.as_str(), FlockOperation::LockExclusive) {
        Ok(held) => Ok(Box::new(held)),
        Err(error) => Err(Error::failed(format!("could not lock the finding {finding}: {error}"))),
    }
}

/// A worker is there.
pub fn register_worker(data_folder: &Path, worker: &str) -> Result<LockGuard> {
    match lock_file(&data_folder.join(WORKERS), worker, FlockOperation::LockExclusive) {
        Ok((_, file)) => Ok(Box::new(file)),
        Err(error) => Err(Error::failed(format!("could not register the worker: {error}"))),
    }
}

/// A worker that was there and is gone. As long as this lives, its file is locked, so that nobody can take its name meanwhile.
pub struct GoneWorker {
    pub worker: String,
    path: PathBuf,
    _file: File,
}

impl GoneWorker {
    /// Nobody needs to know of it any more.
    pub fn forget(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Every worker that is gone. What can't be looked at is left to its time.
pub fn find_gone_workers(data_folder: &Path) -> Vec<GoneWorker> {
    let entries = fs::read_dir(data_folder.join(WORKERS)).into_iter().flatten().flatten();
    let gone = |entry: fs::DirEntry| {
        let file = OpenOptions::new().write(true).open(entry.path()).ok()?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
        Some(GoneWorker { worker: entry.file_name().into_string().ok()?, path: entry.path(), _file: file })
    };
    entries.filter_map(gone).collect()
}

fn acquire_lock(folder: &Path, name: &str, how: FlockOperation) -> io::Result<FileLock> {
    lock_file(folder, name, how).map(|(path, file)| FileLock { path, _file: file })
}

fn lock_file(folder: &Path, name: &str, how: FlockOperation) -> io::Result<(PathBuf, File)> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let path = folder.join(name);
    // Each time that it goes round, somebody else has had it and left.
    loop {
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
        match flock(&file, how) {
            Err(Errno::INTR) => continue,
            locked => locked?,
        }
        let same =
            |there: fs::Metadata, ours: fs::Metadata| there.ino() == ours.ino() && there.dev() == ours.dev();
        if fs::metadata(&path).is_ok_and(|there| file.metadata().is_ok_and(|ours| same(there, ours))) {
            return Ok((path, file));
        }
    }
}
