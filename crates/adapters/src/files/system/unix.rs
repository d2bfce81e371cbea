//! Unix: every call is relative to an open folder, and follows no link.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, RawMode, RenameFlags, Uid};
use rustix::io::Errno;

use super::super::disk::{Disk, FileKind, Stat, Writers};
use super::super::lease;
use super::to_timestamp;

/// An open folder.
#[derive(Debug, Clone)]
pub struct Dir(Arc<OwnedFd>);

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Whether a link stands where a file or a folder was expected.
pub fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP) || error.kind() == io::ErrorKind::NotADirectory
}

/// Whether the target of a link begins at the root of the file system.
pub fn is_absolute_target(target: &str) -> bool {
    target.starts_with('/')
}

#[derive(Debug, Default, Clone, Copy)]
pub struct SystemDisk;

impl SystemDisk {
    /// Makes a file that nobody may read who may not read `like`. Where it can't be given to that one's owner, it is the
    /// user's alone.
    pub fn create_like(&self, at: &Dir, name: &str, like: &File) -> io::Result<File> {
        use std::os::unix::fs::MetadataExt;

        let (like, flags) = (like.metadata()?, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL);
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = File::from(rustix::fs::openat(&at.0, name, flags, Mode::from_raw_mode(0o600))?);
        let (owner, group) = (Uid::from_raw(like.uid()), Gid::from_raw(like.gid()));
        if rustix::fs::fchown(&file, Some(owner), Some(group)).is_ok() {
            rustix::fs::fchmod(&file, Mode::from_raw_mode((like.mode() & 0o777) as RawMode))?;
        }
        Ok(file)
    }
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Disk for SystemDisk {
    fn open_root(&self, path: &Path) -> io::Result<Dir> {
        let fd = rustix::fs::open(path, FOLDER, Mode::empty())?;
        Ok(Dir(Arc::new(fd)))
    }

    fn open_dir(&self, at: &Dir, name: &str) -> io::Result<Dir> {
        let fd = rustix::fs::openat(&at.0, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
        Ok(Dir(Arc::new(fd)))
    }

    fn names(&self, dir: &Dir) -> io::Result<Vec<Result<String, String>>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&dir.0)? {
            let entry = entry?;
            match entry.file_name().to_bytes() {
                b"." | b".." => {}
                _ => names.push(to_unicode(entry.file_name())),
            }
        }
        Ok(names)
    }

    fn stat(&self, at: &Dir, name: &str) -> io::Result<Stat> {
        stat(at, name)
    }

    /// As the folder itself has them. What it does not say of a file is looked up.
    fn kinds(&self, dir: &Dir) -> io::Result<Vec<(String, FileKind)>> {
        let mut kinds = Vec::new();
        for entry in rustix::fs::Dir::read_from(&dir.0)? {
            let entry = entry?;
            let Ok(name) = to_unicode(entry.file_name()) else { continue };
            let kind = match entry.file_type() {
                FileType::Unknown => self.stat(dir, &name).map(|stat| stat.kind),
                known => Ok(kind_of(known)),
            };
            if let Ok(kind) = kind
                && name != "."
                && name != ".."
            {
                kinds.push((name, kind));
            }
        }
        Ok(kinds)
    }

    fn link_target(&self, at: &Dir, name: &str) -> io::Result<String> {
        let target = rustix::fs::readlinkat(&at.0, name, Vec::new())?;
        to_unicode(&target)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the link's target is not Unicode"))
    }

    fn open(&self, at: &Dir, name: &str) -> io::Result<File> {
        // Not blocking, so that a FIFO that was put in the place of a file can't hold us up.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(File::from(rustix::fs::openat(&at.0, name, flags, Mode::empty())?))
    }

    fn read(&self, file: &File, at_most: u64) -> io::Result<Vec<u8>> {
        super::read(file, at_most)
    }

    fn writers(&self, file: &File) -> Writers {
        lease::detect_writers(file)
    }

    fn create(&self, at: &Dir, name: &str, like: Option<&Stat>) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        // Only the user until it is known who may see it.
        let mode = if like.is_some() { 0o600 } else { 0o666 };
        let file = File::from(rustix::fs::openat(&at.0, name, flags, Mode::from_raw_mode(mode))?);
        if let Some(like) = like {
            let made = file.metadata()?;
            let owner = std::os::unix::fs::MetadataExt::uid(&made);
            let group = std::os::unix::fs::MetadataExt::gid(&made);
            if (owner, group) != like.owner {
                let (owner, group) = (Uid::from_raw(like.owner.0), Gid::from_raw(like.owner.1));
                rustix::fs::fchown(&file, Some(owner), Some(group))?;
            }
            rustix::fs::fchmod(&file, Mode::from_raw_mode((like.mode & 0o7777) as RawMode))?;
        }
        Ok(file)
    }

    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        super::write(file, bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        sync_folder(dir)
    }

    fn make_dir(&self, at: &Dir, name: &str) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&at.0, name, Mode::from_raw_mode(0o777))?)
    }

    fn remove_dir(&self, at: &Dir, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&at.0, name, AtFlags::REMOVEDIR)?)
    }

    fn unlink(&self, at: &Dir, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&at.0, name, AtFlags::empty())?)
    }

    fn exchange(&self, at: &Dir, one: &str, other: &str) -> io::Result<()> {
        match rustix::fs::renameat_with(&at.0, one, &at.0, other, RenameFlags::EXCHANGE) {
            Err(errno) if is_unsupported(errno) => Err(io::ErrorKind::Unsupported.into()),
            done => Ok(done?),
        }
    }

    fn rename_new(&self, from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<()> {
        match rustix::fs::renameat_with(&from.0.0, from.1, &to.0.0, to.1, RenameFlags::NOREPLACE) {
            Err(errno) if is_unsupported(errno) => {
                // A hard link never replaces either. Where the old name can't be taken away, the new one goes again.
                rustix::fs::linkat(&from.0.0, from.1, &to.0.0, to.1, AtFlags::empty())?;
                self.unlink(from.0, from.1).inspect_err(|_| drop(self.unlink(to.0, to.1)))
            }
            done => Ok(done?),
        }
    }

    fn rename_over(&self, at: &Dir, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&at.0, from, &at.0, to)?)
    }
}

fn is_unsupported(errno: Errno) -> bool {
    errno == Errno::INVAL || errno == Errno::NOSYS || errno == Errno::NOTSUP || errno == Errno::OPNOTSUPP
}

fn to_unicode(name: &CStr) -> Result<String, String> {
    name.to_str().map(str::to_owned).map_err(|_| name.to_string_lossy().into_owned())
}

fn kind(mode: u32) -> FileKind {
    kind_of(FileType::from_raw_mode(mode as RawMode))
}

fn kind_of(found: FileType) -> FileKind {
    match found {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Folder,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}

/// The file's own properties: a link is not followed.
#[cfg(target_os = "linux")]
fn stat(at: &Dir, name: &str) -> io::Result<Stat> {
    use rustix::fs::StatxFlags;

    let flags = AtFlags::SYMLINK_NOFOLLOW;
    let found = rustix::fs::statx(at.0.as_fd(), name, flags, StatxFlags::BASIC_STATS | StatxFlags::BTIME)?;
    let has_birth = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
    Ok(Stat {
        kind: kind(found.stx_mode.into()),
        size: found.stx_size,
        modified: to_timestamp(found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec.into()),
        changed: to_timestamp(found.stx_ctime.tv_sec, found.stx_ctime.tv_nsec.into()),
        created: has_birth.then(|| to_timestamp(found.stx_btime.tv_sec, found.stx_btime.tv_nsec.into())),
        inode: found.stx_ino,
        names: found.stx_nlink.into(),
        mode: found.stx_mode.into(),
        owner: (found.stx_uid, found.stx_gid),
    })
}

/// The file's own properties, if this is how its name is written: a link is not followed.
#[cfg(not(target_os = "linux"))]
fn stat(at: &Dir, name: &str) -> io::Result<Stat> {
    let found = rustix::fs::statat(at.0.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW)?;
    if !is_listed(at, name)? {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(Stat {
        kind: kind(found.st_mode.into()),
        size: found.st_size as u64,
        modified: to_timestamp(found.st_mtime, found.st_mtime_nsec as i64),
        changed: to_timestamp(found.st_ctime, found.st_ctime_nsec as i64),
        created: Some(to_timestamp(found.st_birthtime, found.st_birthtime_nsec as i64)),
        inode: found.st_ino,
        names: found.st_nlink as u64,
        mode: found.st_mode.into(),
        owner: (found.st_uid, found.st_gid),
    })
}

/// Whether the folder has this name as it is written here. A file of several names may answer with another of them: then the
/// folder is looked through.
#[cfg(not(target_os = "linux"))]
fn is_listed(at: &Dir, name: &str) -> io::Result<bool> {
    if crate::platform::is_true_name(at.as_fd(), name)? {
        return Ok(true);
    }
    Ok(SystemDisk.names(at)?.iter().any(|listed| listed.as_deref() == Ok(name)))
}

#[cfg(target_os = "linux")]
fn sync_folder(dir: &Dir) -> io::Result<()> {
    Ok(rustix::fs::fsync(&dir.0)?)
}

/// Through the disk's own cache, as the standard library does it for files. A disk that can't do that is synced as usual.
#[cfg(not(target_os = "linux"))]
fn sync_folder(dir: &Dir) -> io::Result<()> {
    rustix::fs::fcntl_fullfsync(&dir.0).or_else(|_| rustix::fs::fsync(&dir.0))?;
    Ok(())
}
