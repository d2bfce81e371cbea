//! What the file held when it was last closed: damage that changes no structure shows here.
//!
//! A seal stands only beside a file that nobody has changed since: it is broken before the first change of every
//! transaction, and written again by the last one to leave. Reading the whole file takes time: while the system says that
//! nobody has touched it, once a day is enough, unless somebody asks for more.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use wellread_core::domain::corpus::Hasher;
use wellread_core::ports::IntegrityCheck;

use crate::platform::{self, FileFacts};

/// How long a file that nobody has touched is taken to hold what it held.
const READ_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

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

pub fn compare(index: &Path, check: IntegrityCheck) -> SealState {
    let open = fs::metadata(wal(index)).is_ok_and(|data| data.len() > 0);
    let opened = fs::File::open(path(index)).and_then(|file| Ok((io::read_to_string(&file)?, file)));
    let (false, Ok((seal, file))) = (open, opened) else { return SealState::Unsealed };
    let (sealed, sealed_stamp) = seal.trim_end().split_once(' ').unwrap_or_default();
    let is_due = check == IntegrityCheck::Whole || !was_read_lately(&file);
    if !is_due && stamp(index).is_ok_and(|now| now == sealed_stamp) {
        return SealState::Same;
    }
    match hash(index) {
        Ok(now) if now == sealed => {
            // By the open file: if it was broken meanwhile, this dates nothing that still stands.
            let _ = file.set_modified(SystemTime::now());
            SealState::Same
        }
        // Who began to change the file while it was read has broken the seal first.
        Ok(_) if fs::read_to_string(path(index)).is_ok_and(|now| now == seal) => SealState::Differs,
        Ok(_) => SealState::Unsealed,
        Err(_) => SealState::Unsealed,
    }
}

/// Whether a seal was written, or found to be right, within the last day. One of tomorrow was not.
fn was_read_lately(seal: &fs::File) -> bool {
    let read = seal.metadata().and_then(|data| data.modified());
    read.is_ok_and(|read| read.elapsed().is_ok_and(|age| age < READ_EVERY))
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
    let modified = data.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let FileFacts { volume, number, changed, .. } = platform::facts_at(index)?;
    let times = format!("{} {} {} {}", modified.as_secs(), modified.subsec_nanos(), changed.0, changed.1);
    Ok(format!("{} {times} {volume} {number}", data.len()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nobody_touched_is_read_once_a_day_and_any_other_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index.db");
        fs::write(&index, "content").unwrap();
        // A seal that is wrong about the content, so that reading it shows.
        let seal_as = |hash: &str, stamp: &str| fs::write(path(&index), format!("{hash} {stamp}\n")).unwrap();
        let date_seal = |age: u64| {
            let then = SystemTime::now() - Duration::from_secs(age);
            fs::File::options().write(true).open(path(&index)).unwrap().set_modified(then).unwrap();
        };
        let is_read = || matches!(compare(&index, IntegrityCheck::Daily), SealState::Differs);
        let now = stamp(&index).unwrap();
        seal_as("wrong", &now);
        assert!(!is_read());
        assert!(
            matches!(compare(&index, IntegrityCheck::Whole), SealState::Differs),
            "who asks for it has it read"
        );
        date_seal(25 * 60 * 60);
        assert!(is_read());
        seal_as(&hash(&index).unwrap(), &now);
        date_seal(25 * 60 * 60);
        assert!(matches!(compare(&index, IntegrityCheck::Daily), SealState::Same));
        assert!(was_read_lately(&fs::File::open(path(&index)).unwrap()), "it was read now");
        // The same size and the same date of the content, by a program that set it back.
        let modified = fs::metadata(&index).unwrap().modified().unwrap();
        seal_as("wrong", &now);
        fs::write(&index, "damaged").unwrap();
        fs::File::options().write(true).open(&index).unwrap().set_modified(modified).unwrap();
        assert!(is_read());
    }
}
