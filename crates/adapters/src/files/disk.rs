//! The calls to the file system that the vault makes, and nothing else makes.
//!
//! Every name is one part of a path, taken relative to an open folder, and no call follows a link. It is a trait
//! so that a test can make each single call fail, or be the last one of the process.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

/// An open folder.
#[derive(Debug, Clone)]
pub struct Dir(pub(super) Arc<OwnedFd>);

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

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

/// Whether a link stands where a file or a folder was expected.
pub fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP) || error.kind() == io::ErrorKind::NotADirectory
}

pub trait Disk: Send + Sync + std::fmt::Debug {
    fn open_root(&self, path: &Path) -> io::Result<Dir>;
    fn open_dir(&self, at: &Dir, name: &str) -> io::Result<Dir>;
    /// The names in a folder; one that is not Unicode comes as an error that shows it.
    fn names(&self, dir: &Dir) -> io::Result<Vec<Result<String, String>>>;
    fn stat(&self, at: &Dir, name: &str) -> io::Result<Stat>;
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
    /// Gives a file a new place, where nothing stands yet.
    fn rename_new(&self, from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<()>;
    /// Puts a file in the place of another of the same folder: only where there is no exchange.
    fn rename_over(&self, at: &Dir, from: &str, to: &str) -> io::Result<()>;
}
