//! A file and its successor change places, and whoever saved in between wins.
//!
//! Looking first and replacing then loses a save that falls between the two. So the two files are exchanged in one
//! step, and what came out is looked at: if it is not what the new text was made from, it goes back.

use std::io;

use wellread_core::domain::corpus::Hash;

use super::disk::{Dir, Disk, Stat, Writers, is_link_error};
use super::{LARGEST_FILE, read_settled};

/// How often two parties may save into each other's exchange before we keep both versions. Each time takes a save
/// in a window of microseconds.
const ROUNDS: usize = 64;

/// A file and the one beside it that is to take its place.
#[derive(Debug, Clone, Copy)]
pub struct SwapSlot<'a> {
    pub disk: &'a dyn Disk,
    pub dir: &'a Dir,
    pub name: &'a str,
    pub temp: &'a str,
}

/// What stood in the file's place until the last exchange took it out.
enum PlacedText {
    Ours(Hash),
    /// Somebody's older version, by its properties: a text that they were still writing has no hash to know it by.
    Theirs(Option<Stat>),
}

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotContent {
    Text(Hash),
    /// A folder, a link, a file too large to be read: nothing that we put there.
    Strange,
}

impl PartialEq<Hash> for SlotContent {
    fn eq(&self, hash: &Hash) -> bool {
        *self == Self::Text(*hash)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum SwapOutcome {
    /// The new text is in place; `temp` holds the old file, or nothing where the system has no exchange.
    In,
    /// Somebody saved in between. Their text is in place; `temp` holds nothing of theirs.
    Changed { kept: Option<String> },
}

impl SwapSlot<'_> {
    /// Puts `temp`, which holds `new`, in the place of the file, provided that one holds `old`.
    pub fn swap_in(&self, old: Hash, new: Hash) -> io::Result<SwapOutcome> {
        // A save that is there already needs no exchange to be seen, and no reader to be disturbed.
        if !self.holds(self.name, old)? {
            return Ok(SwapOutcome::Changed { kept: None });
        }
        let ours = self.inode(self.temp);
        match self.disk.exchange(self.dir, self.name, self.temp) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(SwapOutcome::Changed { kept: None });
            }
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return self.rename_over(),
            Err(error) => return Err(error),
        }
        match self.holds(self.temp, old) {
            Ok(true) => Ok(SwapOutcome::In),
            Ok(false) => self.put_back(new, ours),
            Err(error) => self.put_back(new, ours).and(Err(error)),
        }
    }

    /// Puts back what came out, when it turns out to be somebody's newer text. `ours` is what we had put in, by its
    /// hash and, where it is known, its inode.
    ///
    /// Until it is back, a reader sees our text in place of theirs, and a program that writes in place writes to ours:
    /// so nothing that takes time is done before the exchange.
    pub fn put_back(&self, ours: Hash, our_inode: Option<u64>) -> io::Result<SwapOutcome> {
        let mut placed = PlacedText::Ours(ours);
        let mut known = vec![our_inode, self.inode(self.temp)];
        let mut replaced = our_inode.is_some();
        for _ in 0..ROUNDS {
            let theirs = self.disk.stat(self.dir, self.temp).ok();
            match self.disk.exchange(self.dir, self.name, self.temp) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match self.return_to_empty_place()? {
                        true => return Ok(SwapOutcome::Changed { kept: None }),
                        false => continue,
                    }
                }
                Err(error) => return Err(error),
            }
            match placed {
                PlacedText::Ours(ours) if self.hash_when_settled(self.temp)? == Some(ours) => {
                    // A program that has it open still may write to it: it must find its words again.
                    let open = !self.holds(self.temp, ours)?;
                    return Ok(SwapOutcome::Changed {
                        kept: if open { Some(self.keep_copy()?) } else { None },
                    });
                }
                PlacedText::Theirs(older) if older == self.disk.stat(self.dir, self.temp).ok() => break,
                // A save fell between two exchanges. What just came out is newer than what we put back: once more.
                _ => {
                    let newer = self.inode(self.temp);
                    replaced &= !known.contains(&newer);
                    known.push(newer);
                    placed = PlacedText::Theirs(theirs);
                }
            }
        }
        // A file that was put in the place of ours would have replaced the older one without us, too.
        if replaced {
            self.disk.unlink(self.dir, self.temp)?;
            return Ok(SwapOutcome::Changed { kept: None });
        }
        // Two versions, both written while we had our hands in: neither is dropped.
        Ok(SwapOutcome::Changed { kept: Some(self.keep_copy()?) })
    }

    /// Whether a file has exactly this content, and nobody is about to write to it.
    pub fn holds(&self, name: &str, expect: Hash) -> io::Result<bool> {
        let file = match self.disk.open(self.dir, name) {
            Ok(file) => file,
            // Somebody put a link or something stranger there.
            Err(error) if is_not_a_file(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        if self.disk.writers(&file) == Writers::Some {
            return Ok(false);
        }
        match self.disk.read(&file, LARGEST_FILE) {
            Ok(bytes) => Ok(Hash::compute(&bytes) == expect),
            Err(error) if is_not_a_file(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The content's hash, once nobody has the file open for writing any more, or after a short wait.
    fn hash_when_settled(&self, name: &str) -> io::Result<Option<Hash>> {
        match read_settled(self.disk, self.dir, name) {
            Ok(bytes) => Ok(Some(Hash::compute(&bytes))),
            Err(error) if is_not_a_file(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What stands there; nothing where there is no such file.
    pub fn read_content(&self, name: &str) -> io::Result<Option<SlotContent>> {
        match self.disk.open(self.dir, name).and_then(|file| self.disk.read(&file, LARGEST_FILE)) {
            Ok(bytes) => Ok(Some(SlotContent::Text(Hash::compute(&bytes)))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if is_not_a_file(&error) => Ok(Some(SlotContent::Strange)),
            Err(error) => Err(error),
        }
    }

    /// Gives `temp` a name of its own beside the file, since it holds words that may be nowhere else.
    pub fn keep_copy(&self) -> io::Result<String> {
        keep_beside(self.name, |copy| self.disk.rename_new((self.dir, self.temp), (self.dir, copy)))
    }

    fn inode(&self, name: &str) -> Option<u64> {
        self.disk.stat(self.dir, name).ok().map(|stat| stat.inode)
    }

    /// The file was taken away while its newer text was in our hands.
    fn return_to_empty_place(&self) -> io::Result<bool> {
        match self.disk.rename_new((self.dir, self.temp), (self.dir, self.name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The weaker way, for file systems without an exchange: it was looked at just now. `doctor` says where this is so.
    fn rename_over(&self) -> io::Result<SwapOutcome> {
        self.disk.rename_over(self.dir, self.temp, self.name)?;
        Ok(SwapOutcome::In)
    }
}

/// Puts a copy beside a file, under the first name that is free. `place` must not replace anything.
pub fn keep_beside(name: &str, mut place: impl FnMut(&str) -> io::Result<()>) -> io::Result<String> {
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    let (mut stem, mut n) = (stem.to_owned(), 1);
    loop {
        let copy = format!("{stem} (kept {n}){ending}");
        match place(&copy) {
            Ok(()) => return Ok(copy),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => n += 1,
            // How long a name may be is the file system's to say: the copy's gets shorter until it fits.
            Err(error) if is_too_long(&error) && stem.pop().is_some() => {}
            Err(error) => return Err(error),
        }
    }
}

fn is_too_long(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidFilename
}

fn is_not_a_file(error: &io::Error) -> bool {
    use io::ErrorKind as Is;
    is_link_error(error)
        || matches!(error.kind(), Is::NotFound | Is::InvalidInput | Is::FileTooLarge | Is::IsADirectory)
}
