//! When notes were made, for those that an edit has given a new file.
//!
//! An exchange puts a new file in the note's place, with a birth time of its own. What the old file said is kept here, one
//! line an edit. It is known by the new file's inode, so it follows a move; and by that file's own birth time, so it is not
//! taken for another file that gets the same inode later. To lose a line does no harm beyond a later date.

use std::collections::HashMap;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use jiff::Timestamp;

use super::disk::Stat;

#[derive(Debug)]
pub struct CreationTimes {
    file: PathBuf,
    known: Mutex<CreationTable>,
}

#[derive(Debug, Default)]
struct CreationTable {
    /// How much of the file was read: other processes add to it too.
    read: u64,
    by_inode: HashMap<u64, CreationRecord>,
}

#[derive(Debug, Clone, Copy)]
struct CreationRecord {
    file_born: Timestamp,
    born: Timestamp,
}

impl CreationTimes {
    pub fn new(data: &Path) -> Self {
        Self { file: data.join("births"), known: Mutex::default() }
    }

    /// When the note was made whose file this is.
    pub fn created_at(&self, stat: &Stat) -> Option<Timestamp> {
        let known = self.known.lock().ok()?;
        match known.by_inode.get(&stat.inode) {
            Some(line) if stat.created == Some(line.file_born) => Some(line.born),
            _ => stat.created,
        }
    }

    /// Learns what was written since the last look, by this process or another.
    pub fn refresh(&self) {
        let Ok(mut known) = self.known.lock() else { return };
        let mut added = Vec::new();
        let read = fs::File::open(&self.file).and_then(|mut file| {
            if file.metadata()?.len() < known.read {
                known.read = 0;
            }
            file.seek(SeekFrom::Start(known.read))?;
            file.read_to_end(&mut added)
        });
        if read.is_err() {
            return;
        }
        let whole = added.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        known.read += whole as u64;
        // A line that is garbage costs itself alone.
        for (inode, line) in String::from_utf8_lossy(&added[..whole]).lines().filter_map(parse) {
            known.by_inode.insert(inode, line);
        }
    }

    /// The note that was made then has a new file now.
    pub fn record(&self, born: Option<Timestamp>, now: &Stat) {
        if let (Some(born), Some(file_born)) = (born, now.created) {
            let line = format!("{} {file_born} {born}\n", now.inode);
            let file = fs::OpenOptions::new().create(true).append(true).open(&self.file);
            let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
        }
    }
}

fn parse(line: &str) -> Option<(u64, CreationRecord)> {
    let mut words = line.split(' ');
    let inode = words.next()?.parse().ok()?;
    let (file_born, born) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some((inode, CreationRecord { file_born, born }))
}
