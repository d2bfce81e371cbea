//! Windows: a folder is held open, and its files are named by its full path.
//!
//! A folder that is open without sharing its removal can be neither renamed nor removed, nor can those above it, and a folder
//! that is not empty can't be made a junction. So the path of an open folder leads to that folder for as long as it is open.
//! Paths are in the form that the system takes literally (`\\?\C:\…`): no device names, no dots that are cut off, no drive of
//! its own for a name. Junctions, symbolic links and whatever else a driver would resolve are opened as themselves, and looked
//! at before anything is read.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wellread_core::domain::corpus::windows_name_problem;
use windows_sys::Win32::Foundation::{
    ERROR_INVALID_FUNCTION, ERROR_INVALID_PARAMETER, ERROR_NOT_SUPPORTED, GENERIC_READ,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES,
    FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE,
};

use super::super::backup_exchange;
use super::super::disk::{Disk, FileKind, Stat, Writers};
use super::super::lease;
use super::to_timestamp;
use crate::platform::{self, HandleStat};

/// An open folder, and its true path.
#[derive(Debug, Clone)]
pub struct Dir(Arc<OpenFolder>);

#[derive(Debug)]
struct OpenFolder {
    /// Keeps the path true.
    _handle: File,
    path: PathBuf,
}

impl Dir {
    fn open(path: PathBuf) -> io::Result<Self> {
        let handle = OpenOptions::new()
            .access_mode(FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES)
            .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
            .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
            .open(&path)?;
        let stat = platform::handle_stat(&handle)?;
        if stat.is_reparse_point() || !stat.is_folder() {
            return Err(not_a_folder());
        }
        Ok(Self(Arc::new(OpenFolder { _handle: handle, path })))
    }

    /// The path of a name in it. What Windows would read as something else than a name is refused.
    fn path(&self, name: &str) -> io::Result<PathBuf> {
        match windows_name_problem(name) {
            Some(problem) => Err(io::Error::new(io::ErrorKind::InvalidInput, problem)),
            None => Ok(self.0.path.join(name)),
        }
    }

    /// Whether the folder lists this very name: NTFS finds a file in other case too, and by its short name.
    fn lists(&self, name: &str, is_link: bool) -> io::Result<bool> {
        let path = self.path(name)?;
        if !is_link && fs::canonicalize(&path)?.as_os_str() == path.as_os_str() {
            return Ok(true);
        }
        // What is open under several names may answer with another, and a link answers with its target.
        Ok(fs::read_dir(&self.0.path)?.flatten().any(|entry| entry.file_name() == *name))
    }
}

/// Whether a link stands where a file or a folder was expected.
pub fn is_link_error(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory
}

/// Whether the target of a link, with `/` between its parts, begins at a drive or at the root of one.
pub fn is_absolute_target(target: &str) -> bool {
    target.starts_with('/') || target.as_bytes().get(1) == Some(&b':')
}

#[derive(Debug, Default, Clone, Copy)]
pub struct SystemDisk;

impl SystemDisk {
    /// Makes a file for the user alone.
    pub fn create_like(&self, at: &Dir, name: &str, _like: &File) -> io::Result<File> {
        platform::create_private_file(&at.path(name)?)
    }
}

impl Disk for SystemDisk {
    fn open_root(&self, path: &Path) -> io::Result<Dir> {
        // The user may have named it by a link.
        Dir::open(fs::canonicalize(path)?)
    }

    fn open_dir(&self, at: &Dir, name: &str) -> io::Result<Dir> {
        let opened = Dir::open(at.path(name)?)?;
        if at.lists(name, false)? { Ok(opened) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn names(&self, dir: &Dir) -> io::Result<Vec<Result<String, String>>> {
        let name = |entry: io::Result<fs::DirEntry>| {
            let name = entry?.file_name();
            Ok(name.into_string().map_err(|name| name.to_string_lossy().into_owned()))
        };
        fs::read_dir(&dir.0.path)?.map(name).collect()
    }

    fn stat(&self, at: &Dir, name: &str) -> io::Result<Stat> {
        let handle = OpenOptions::new()
            .access_mode(FILE_READ_ATTRIBUTES)
            .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
            .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
            .open(at.path(name)?)?;
        let found = platform::handle_stat(&handle)?;
        if !at.lists(name, found.is_reparse_point())? {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(to_stat(&found))
    }

    fn link_target(&self, at: &Dir, name: &str) -> io::Result<String> {
        let target = platform::without_verbatim_prefix(&fs::read_link(at.path(name)?)?);
        target
            .to_str()
            .map(|target| target.replace('\\', "/"))
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the link's target is not Unicode"))
    }

    fn open(&self, at: &Dir, name: &str) -> io::Result<File> {
        let file = OpenOptions::new()
            .access_mode(GENERIC_READ)
            .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
            .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
            .open(at.path(name)?)?;
        if platform::handle_stat(&file)?.is_reparse_point() {
            return Err(not_a_folder());
        }
        Ok(file)
    }

    fn read(&self, file: &File, at_most: u64) -> io::Result<Vec<u8>> {
        super::read(file, at_most)
    }

    fn writers(&self, file: &File) -> Writers {
        lease::detect_writers(file)
    }

    /// With another's access list only once it has taken that one's place: until then it is the user's alone.
    fn create(&self, at: &Dir, name: &str, like: Option<&Stat>) -> io::Result<File> {
        let path = at.path(name)?;
        match like {
            Some(_) => platform::create_private_file(&path),
            None => OpenOptions::new().write(true).create_new(true).open(path),
        }
    }

    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        super::write(file, bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        platform::sync_folder(&dir.0.path)
    }

    fn make_dir(&self, at: &Dir, name: &str) -> io::Result<()> {
        fs::create_dir(at.path(name)?)
    }

    fn remove_dir(&self, at: &Dir, name: &str) -> io::Result<()> {
        fs::remove_dir(at.path(name)?)
    }

    fn unlink(&self, at: &Dir, name: &str) -> io::Result<()> {
        fs::remove_file(at.path(name)?)
    }

    fn exchange(&self, at: &Dir, one: &str, other: &str) -> io::Result<()> {
        let (file, new) = (at.path(one)?, at.path(other)?);
        let replace = |backup: &str| match platform::replace_with_backup(&file, &new, &at.path(backup)?) {
            Err(error) if is_unsupported(&error) => Err(io::ErrorKind::Unsupported.into()),
            replaced => replaced,
        };
        backup_exchange::exchange(self, at, (one, other), replace)
    }

    fn finish_exchange(&self, at: &Dir, one: &str, other: &str) -> io::Result<Option<String>> {
        backup_exchange::finish(self, at, one, other)
    }

    fn rename_new(&self, from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<()> {
        platform::move_to_free_name(&from.0.path(from.1)?, &to.0.path(to.1)?)
    }

    fn rename_over(&self, at: &Dir, from: &str, to: &str) -> io::Result<()> {
        fs::rename(at.path(from)?, at.path(to)?)
    }
}

fn not_a_folder() -> io::Error {
    io::Error::new(io::ErrorKind::NotADirectory, "a link, or not a folder")
}

fn is_unsupported(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(i32::cast_unsigned);
    matches!(code, Some(ERROR_INVALID_FUNCTION | ERROR_INVALID_PARAMETER | ERROR_NOT_SUPPORTED))
}

fn to_stat(found: &HandleStat) -> Stat {
    let kind = match found {
        found if found.is_link() => FileKind::Link,
        // What a driver would resolve in some other way is nothing that we know how to read.
        found if found.is_reparse_point() => FileKind::Other,
        found if found.is_folder() => FileKind::Folder,
        _ => FileKind::File,
    };
    Stat {
        kind,
        size: found.size,
        modified: to_timestamp(found.modified.0, found.modified.1),
        changed: to_timestamp(found.facts.changed.0, found.facts.changed.1),
        created: Some(to_timestamp(found.created.0, found.created.1)),
        inode: found.facts.number,
        names: found.facts.names,
        // There are no modes: only whether it may be written counts.
        mode: if found.is_read_only() { 0o444 } else { 0o666 },
        owner: (0, 0),
    }
}
