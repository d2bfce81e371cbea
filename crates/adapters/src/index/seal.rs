//! What the file held when it was last closed: damage that changes no structure shows here.
//!
//! A seal stands only beside a file that nobody has changed since: it is broken before the first change of every
//! transaction, and written again by the last one to leave.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use wellread_core::domain::corpus::Hasher;

pub enum SealState {
    Same,
    Differs,
    /// Nobody closed it after the last change, or somebody has it open.
    Unsealed,
}

/// What a file holds that nobody has open, to be written once nobody can open it.
pub struct Seal {
    stamp: String,
    text: String,
}

impl Seal {
    pub fn prepare(index: &Path) -> io::Result<Self> {
        let stamp = stamp(index)?;
        Ok(Self { text: format!("{} {stamp}\n", hash(index)?), stamp })
    }

    /// For a caller whose turn at the file is its own alone. Where somebody has opened the file meanwhile, nothing is
    /// written; where writing fails, the file counts as never closed.
    pub fn write(&self, index: &Path) {
        let unchanged = stamp(index).is_ok_and(|now| now == self.stamp);
        if wal(index).exists() || !unchanged {
            return;
        }
        if fs::write(path(index), &self.text).is_err() {
            break_seal(index);
        }
    }
}

/// For a caller that has the file open and is about to change it.
pub fn break_seal(index: &Path) {
    let _ = fs::remove_file(path(index));
}

pub fn exists(index: &Path) -> bool {
    path(index).exists()
}

pub fn compare(index: &Path) -> SealState {
    let open = fs::metadata(wal(index)).is_ok_and(|data| data.len() > 0);
    let (false, Ok(seal)) = (open, fs::read_to_string(path(index))) else { return SealState::Unsealed };
    let sealed = seal.split(' ').next().unwrap_or_default();
    match hash(index) {
        Ok(now) if now == sealed => SealState::Same,
        // Who began to change the file while it was read has broken the seal first.
        Ok(_) if fs::read_to_string(path(index)).is_ok_and(|now| now == seal) => SealState::Differs,
        Ok(_) => SealState::Unsealed,
        Err(_) => SealState::Unsealed,
    }
}

/// Whether a file that was sealed has lost its end. The cheapest of looks.
pub fn is_truncated(index: &Path) -> bool {
    let sealed = fs::read_to_string(path(index)).ok();
    let size = sealed.and_then(|seal| seal.split(' ').nth(1)?.parse::<u64>().ok());
    let now = fs::metadata(index).map(|data| data.len());
    matches!((size, now), (Some(size), Ok(now)) if now < size && !wal(index).exists())
}

fn path(index: &Path) -> PathBuf {
    index.with_extension("db.seal")
}

fn wal(index: &Path) -> PathBuf {
    index.with_extension("db-wal")
}

fn stamp(index: &Path) -> io::Result<String> {
    let data = fs::metadata(index)?;
    Ok(format!("{} {} {}", data.len(), data.mtime(), data.mtime_nsec()))
}

fn hash(index: &Path) -> io::Result<String> {
    let mut file = fs::File::open(index)?;
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finish().to_string()),
            read => hasher.add(&buffer[..read]),
        }
    }
}
