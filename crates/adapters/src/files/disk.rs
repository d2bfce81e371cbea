//! The calls to the file system that the vault makes, and nothing else makes.
//!
//! Every name is one part of a path, taken relative to an open folder, and no call follows a link. It is a trait
//! so that a test can make each single call fail, or be the last one of the process.

use std::fs::File;
use std::io;
use std::path::Path;

use jiff::Timestamp;

pub use super::system::{Dir, is_link_error};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    File,
    Folder,
    Link,
    /// A device, a FIFO, a socket.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    pub kind: FileKind,
    pub size: u64,
    pub modified: Timestamp,
    pub changed: Timestamp,
    pub created: Option<Timestamp>,
    pub inode: u64,
    /// How many names the file has.
    pub names: u64,
    pub mode: u32,
    pub owner: (u32, u32),
}

/// Whether some process has a file open for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writers {
    None,
    Some,
    /// The system does not tell.
    Unknown,
}

pub trait Disk: Send + Sync + std::fmt::Debug {
    fn open_root(&self, path: &Path) -> io::Result<Dir>;
    fn open_dir(&self, at: &Dir, name: &str) -> io::Result<Dir>;
    /// The names in a folder; one that is not Unicode comes as an error that shows it.
    fn names(&self, dir: &Dir) -> io::Result<Vec<Result<String, String>>>;
    /// What stands under a name, if the folder lists it by that very spelling. A link is not followed.
    fn stat(&self, at: &Dir, name: &str) -> io::Result<Stat>;
    /// The names in a folder that are Unicode, each with what stands under it.
    fn kinds(&self, dir: &Dir) -> io::Result<Vec<(String, FileKind)>> {
        let names = self.names(dir)?.into_iter().flatten();
        // What is gone by now is nothing.
        Ok(names
            .filter_map(|name| Some((self.stat(dir, &name).ok()?.kind, name)))
            .map(|(kind, name)| (name, kind))
            .collect())
    }
    /// Where a link leads, with `/` between the parts.
    fn link_target(&self, at: &Dir, name: &str) -> io::Result<String>;

    fn open(&self, at: &Dir, name: &str) -> io::Result<File>;
    fn read(&self, file: &File, at_most: u64) -> io::Result<Vec<u8>>;
    fn writers(&self, file: &File) -> Writers;

    /// Makes a file that was not there, with the mode and the owner of another where one is given.
    fn create(&self, at: &Dir, name: &str, like: Option<&Stat>) -> io::Result<File>;
    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()>;
    fn sync(&self, file: &File) -> io::Result<()>;
    fn sync_dir(&self, dir: &Dir) -> io::Result<()>;

    fn make_dir(&self, at: &Dir, name: &str) -> io::Result<()>;
    fn remove_dir(&self, at: &Dir, name: &str) -> io::Result<()>;
    fn unlink(&self, at: &Dir, name: &str) -> io::Result<()>;
    /// Swaps two files of a folder in one step. `Unsupported` where the system can't.
    fn exchange(&self, at: &Dir, one: &str, other: &str) -> io::Result<()>;
    /// Completes an exchange that was cut off, or takes it back, where it is made in several steps. Answers with the name of a
    /// copy, where one had to be kept.
    fn finish_exchange(&self, _at: &Dir, _one: &str, _other: &str) -> io::Result<Option<String>> {
        Ok(None)
    }
    /// Gives a file a new place, where nothing stands yet.
    fn rename_new(&self, from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<()>;
    /// Puts a file in the place of another of the same folder: only where there is no exchange.
    fn rename_over(&self, at: &Dir, from: &str, to: &str) -> io::Result<()>;
}
