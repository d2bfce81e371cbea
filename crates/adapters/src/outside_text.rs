//! The lines that came from outside, in a file of their own that only grows.
//!
//! Fulfils `ports::OutsideText`. The file is a row of numbers, eight bytes each. It is in the data folder beside the
//! journal and not in the index, which can be rebuilt: what came from outside is remembered for good.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wellread_core::ports::{LineDigest, OutsideText};
use wellread_core::{Error, Result};

const WIDTH: u64 = 8;

/// The remembered lines of one vault. Several processes may share the file: each reads what the others added.
#[derive(Debug)]
pub struct OutsideTextFile {
    path: PathBuf,
    known: Mutex<KnownLines>,
}

#[derive(Debug, Default)]
struct KnownLines {
    lines: HashSet<u64>,
    /// How many bytes of the file were read.
    read: u64,
}

impl OutsideTextFile {
    /// The file in this folder. Nothing is opened before it is used.
    pub fn new(data: &Path) -> Self {
        Self { path: data.join("outside-text"), known: Mutex::default() }
    }

    /// The lines, with those that other processes added since.
    fn current(&self) -> Result<MutexGuard<'_, KnownLines>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.read_on(&self.path).map_err(|error| self.failure("read", &error))?;
        Ok(known)
    }

    fn append(&self, lines: &[u64]) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path)?;
        // What a crash left of a number is completed, so that the numbers after it are read right.
        let torn = file.metadata()?.len() % WIDTH;
        let mut bytes = vec![0; if torn == 0 { 0 } else { (WIDTH - torn) as usize }];
        bytes.extend(lines.iter().flat_map(|line| line.to_le_bytes()));
        file.write_all(&bytes)?;
        file.sync_data()
    }

    fn failure(&self, what: &str, error: &io::Error) -> Error {
        let error = match error.kind() {
            io::ErrorKind::StorageFull => "the disk is full".to_owned(),
            _ => error.to_string(),
        };
        Error::failed(format!("could not {what} `{}`: {error}", self.path.display()))
            .hint("it records which text came from outside; nothing was changed")
    }
}

impl KnownLines {
    fn read_on(&mut self, path: &Path) -> io::Result<()> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        if length < self.read + WIDTH {
            return Ok(());
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut bytes = Vec::new();
        file.take(length - self.read).read_to_end(&mut bytes)?;
        let numbers = bytes.chunks_exact(WIDTH as usize);
        self.read += numbers.len() as u64 * WIDTH;
        self.lines.extend(numbers.filter_map(|number| Some(u64::from_le_bytes(number.try_into().ok()?))));
        Ok(())
    }
}

impl OutsideText for OutsideTextFile {
    fn remember(&self, lines: &[LineDigest]) -> Result<()> {
        let known = self.current()?;
        let mut new: Vec<u64> =
            lines.iter().map(|line| line.0).filter(|line| !known.lines.contains(line)).collect();
        drop(known);
        new.sort_unstable();
        new.dedup();
        if new.is_empty() {
            return Ok(());
        }
        self.append(&new).map_err(|error| self.failure("write", &error))
    }

    fn are_known(&self, lines: &[LineDigest]) -> Result<Vec<bool>> {
        let known = self.current()?;
        Ok(lines.iter().map(|line| known.lines.contains(&line.0)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(file: &OutsideTextFile, line: u64) -> bool {
        file.are_known(&[LineDigest(line)]).unwrap()[0]
    }

    #[test]
    fn what_is_remembered_is_known_to_every_process_and_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let (one, other) = (OutsideTextFile::new(&data), OutsideTextFile::new(&data));
        assert!(!known(&one, 1));
        one.remember(&[LineDigest(1), LineDigest(2), LineDigest(1)]).unwrap();
        assert!(known(&one, 1) && known(&other, 2) && !known(&other, 3));
        other.remember(&[LineDigest(3), LineDigest(1)]).unwrap();
        assert!(known(&one, 3));
        assert_eq!(fs::metadata(data.join("outside-text")).unwrap().len(), 3 * WIDTH, "each once");
        assert!(known(&OutsideTextFile::new(&data), 1));
    }

    #[test]
    fn a_torn_number_does_not_spoil_those_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = OutsideTextFile::new(folder.path());
        file.remember(&[LineDigest(7)]).unwrap();
        let mut bytes = fs::read(folder.path().join("outside-text")).unwrap();
        bytes.extend([1, 2, 3]);
        fs::write(folder.path().join("outside-text"), bytes).unwrap();
        file.remember(&[LineDigest(9)]).unwrap();
        let again = OutsideTextFile::new(folder.path());
        assert!(known(&again, 7) && known(&again, 9) && known(&file, 9));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("outside-text")).unwrap();
        let file = OutsideTextFile::new(folder.path());
        assert!(file.are_known(&[LineDigest(1)]).is_err() && file.remember(&[LineDigest(1)]).is_err());
    }
}
