//! File locks that end with their process: who works on a run, who decides on a finding, and which workers exist.
//!
//! There is one locked file per run or finding in use. Its owner removes it when done, so whoever gets a lock checks
//! that the locked file is still the one of that name. A worker's file stays when the worker ends: an unlocked one
//! belongs to a worker that is gone.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use wellread_core::domain::id::{FindingId, RunId};
use wellread_core::ports::{LockGuard, RunHeader};
use wellread_core::{Error, Result};

use crate::file_lock::{self, LockMode};
use crate::platform;

const RUNS: &str = "under-way";
const FINDINGS: &str = "decided-on";
const WORKERS: &str = "at-work";

/// A lock that is held until it is dropped.
struct FileLock {
    path: PathBuf,
    _file: File,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // The file is removed while locked, so that waiting processes notice.
        let _ = fs::remove_file(&self.path);
    }
}

/// Locks a run; `Err` if it is locked already.
pub fn lock_run(data_folder: &Path, run: &RunId) -> Result<LockGuard> {
    match acquire_lock(&data_folder.join(RUNS), run.as_str(), LockMode::ExclusiveNow) {
        Ok(held) => Ok(Box::new(held)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(RunHeader::locked_error(run)),
        Err(error) => Err(Error::failed(format!("could not lock the run {run}: {error}"))),
    }
}

/// Locks a finding, waiting until it is free.
pub fn lock_finding(data_folder: &Path, finding: &FindingId) -> Result<LockGuard> {
    match acquire_lock(&data_folder.join(FINDINGS), finding.as_str(), LockMode::Exclusive) {
        Ok(held) => Ok(Box::new(held)),
        Err(error) => Err(Error::failed(format!("could not lock the finding {finding}: {error}"))),
    }
}

/// Registers a worker until the guard is dropped.
pub fn register_worker(data_folder: &Path, worker: &str) -> Result<LockGuard> {
    match lock_file(&data_folder.join(WORKERS), worker, LockMode::Exclusive) {
        Ok((_, file)) => Ok(Box::new(file)),
        Err(error) => Err(Error::failed(format!("could not register the worker: {error}"))),
    }
}

/// A worker that is gone. Its file stays locked while this lives, so that nobody can take its name.
pub struct GoneWorker {
    pub worker: String,
    path: PathBuf,
    _file: File,
}

impl GoneWorker {
    /// Removes the worker's file.
    pub fn forget(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// All workers that are gone. Files that can't be checked are skipped.
pub fn find_gone_workers(data_folder: &Path) -> Vec<GoneWorker> {
    let entries = fs::read_dir(data_folder.join(WORKERS)).into_iter().flatten().flatten();
    let gone = |entry: fs::DirEntry| {
        let file = OpenOptions::new().write(true).open(entry.path()).ok()?;
        file_lock::lock_file(&file, LockMode::ExclusiveNow).ok()?;
        Some(GoneWorker { worker: entry.file_name().into_string().ok()?, path: entry.path(), _file: file })
    };
    entries.filter_map(gone).collect()
}

fn acquire_lock(folder: &Path, name: &str, how: LockMode) -> io::Result<FileLock> {
    lock_file(folder, name, how).map(|(path, file)| FileLock { path, _file: file })
}

fn lock_file(folder: &Path, name: &str, how: LockMode) -> io::Result<(PathBuf, File)> {
    platform::create_private_folders(folder)?;
    let path = folder.join(name);
    // Another round means that the previous owner has removed the file.
    loop {
        let file = platform::open_private_file(&path, false)?;
        file_lock::lock_file(&file, how)?;
        let ours = platform::file_facts(&file)?;
        if platform::facts_at(&path).is_ok_and(|there| there.is_same_file(&ours)) {
            return Ok((path, file));
        }
    }
}
