//! A file and its successor change places, and whoever saved in between wins.
//!
//! Looking first and replacing then loses a save that falls between the two. So the two files are exchanged in one
//! step, and what came out is looked at: if it is not what the new text was made from, it goes back.

use std::io;

use wellread_core::corpus::Hash;

use super::LARGEST_FILE;
use super::disk::{Dir, Disk, Writers, met_link};

/// How often two parties may save into each other's exchange before we keep both versions. Each time takes a save
/// in a window of microseconds.
const ROUNDS: usize = 64;

/// A file and the one beside it that is to take its place.
#[derive(Debug, Clone, Copy)]
pub struct Slot<'a> {
    pub disk: &'a dyn Disk,
    pub dir: &'a Dir,
    pub name: &'a str,
    pub temp: &'a str,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Swapped {
    /// The new text is in place; `temp` holds the old file, or nothing where the system has no exchange.
    In,
    /// Somebody saved in between. Their text is in place; `temp` holds nothing of theirs.
    Changed { kept: Option<String> },
}

impl Slot<'_> {
    /// Puts `temp`, which holds `new`, in the place of the file, provided that one holds `old`.
    pub fn swap_in(&self, old: Hash, new: Hash) -> io::Result<Swapped> {
        match self.disk.exchange(self.dir, self.name, self.temp) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Swapped::Changed { kept: None }),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return self.check_and_rename(old),
            Err(error) => return Err(error),
        }
        match self.holds(self.temp, Some(old)) {
            Ok(true) => Ok(Swapped::In),
            Ok(false) => self.put_back(new),
            Err(error) => self.put_back(new).and(Err(error)),
        }
    }

    /// Puts back what came out, when it turns out to be somebody's newer text. `placed` is what we had put in.
    pub fn put_back(&self, placed: Hash) -> io::Result<Swapped> {
        let mut expect = Some(placed);
        for round in 0..ROUNDS {
            let held = self.hash(self.temp).unwrap_or_default();
            match self.disk.exchange(self.dir, self.name, self.temp) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => match self.return_to_empty_place()? {
                    true => return Ok(Swapped::Changed { kept: None }),
                    false => continue,
                },
                Err(error) => return Err(error),
            }
            if self.holds(self.temp, expect)? {
                let kept = if round == 0 { None } else { Some(self.keep_copy()?) };
                return Ok(Swapped::Changed { kept });
            }
            // A save fell between the two exchanges. What just came out is newer than what we put back: once more.
            expect = held;
        }
        Ok(Swapped::Changed { kept: Some(self.keep_copy()?) })
    }

    /// Whether a file has exactly this content (any, where none is given) and nobody is about to write to it.
    pub fn holds(&self, name: &str, expect: Option<Hash>) -> io::Result<bool> {
        let file = match self.disk.open(self.dir, name) {
            Ok(file) => file,
            // Somebody put a link or something stranger there.
            Err(error) if is_no_file(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        if self.disk.writers(&file) == Writers::Some {
            return Ok(false);
        }
        match self.disk.read(&file, LARGEST_FILE) {
            Ok(bytes) => Ok(expect.is_none_or(|expect| Hash::of(&bytes) == expect)),
            Err(error) if is_no_file(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The content's hash; nothing where there is no such file.
    pub fn hash(&self, name: &str) -> io::Result<Option<Hash>> {
        match self.disk.open(self.dir, name).and_then(|file| self.disk.read(&file, LARGEST_FILE)) {
            Ok(bytes) => Ok(Some(Hash::of(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives `temp` a name of its own beside the file, since it holds words that may be nowhere else.
    pub fn keep_copy(&self) -> io::Result<String> {
        let (stem, ending) = match self.name.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
            _ => (self.name, String::new()),
        };
        let mut n = 1;
        loop {
            let copy = format!("{stem} (kept {n}){ending}");
            match self.disk.rename_new((self.dir, self.temp), (self.dir, &copy)) {
                Ok(()) => return Ok(copy),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => n += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// The file was taken away while its newer text was in our hands.
    fn return_to_empty_place(&self) -> io::Result<bool> {
        match self.disk.rename_new((self.dir, self.temp), (self.dir, self.name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The weaker way, for file systems without an exchange. `doctor` says where this one is in use.
    fn check_and_rename(&self, old: Hash) -> io::Result<Swapped> {
        if !self.holds(self.name, Some(old))? {
            return Ok(Swapped::Changed { kept: None });
        }
        self.disk.rename_over(self.dir, self.temp, self.name)?;
        Ok(Swapped::In)
    }
}

fn is_no_file(error: &io::Error) -> bool {
    use io::ErrorKind as Is;
    met_link(error) || matches!(error.kind(), Is::NotFound | Is::InvalidInput | Is::FileTooLarge | Is::IsADirectory)
}
