//! Windows: each concern in a file of its own, by the system's own calls.
//!
//! | file | what |
//! | --- | --- |
//! | `facts` | which file an open handle is, and what is known of it |
//! | `moves` | a file takes the place of another, or a free name; who is writing to it |
//! | `private` | files and folders for the user alone, by access lists |
//! | `processes` | a child with its children, and limits, by job objects |
//! | `network` | this machine's own addresses |
#![allow(
    unsafe_code,
    reason = "the calls have no safe wrapper; each gets pointers to values that outlive it, with their true sizes"
)]

mod facts;
mod moves;
mod network;
mod private;
mod processes;

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, GetDiskFreeSpaceExW, READ_CONTROL, WRITE_DAC,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL,
};

pub use self::facts::facts_at;
pub(crate) use self::facts::{HandleStat, file_facts, handle_stat};
pub(crate) use self::moves::{has_writers, move_to_free_name, replace_with_backup};
pub(crate) use self::network::own_addresses;
pub use self::private::{create_private_file, is_owned_by_user, restrict_to_user};
pub(crate) use self::private::{
    create_private_folder, create_private_folders, open_private_file, set_private,
};
pub(crate) use self::processes::{ProcessTree, limit_this_process, start_process_tree};

const GENERIC_READ: u32 = 0x8000_0000;

/// Opens a file for reading, but nothing that a link leads to. Its access list can be changed by the handle.
pub fn open_without_following(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .access_mode(GENERIC_READ | READ_CONTROL | WRITE_DAC)
        .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)?;
    if handle_stat(&file)?.is_reparse_point() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link"));
    }
    Ok(file)
}

/// Users have no numbers here; only Linux asks.
pub(crate) fn user_number() -> u32 {
    0
}

/// Every file that is one can be run; what its ending says is for [`program_names`].
pub(crate) fn is_executable(_: &Metadata) -> bool {
    true
}

/// The file names that a program's name stands for: with the endings of programs, unless it has one.
pub fn program_names(program: &str) -> Vec<String> {
    const ENDINGS: [&str; 4] = ["exe", "com", "cmd", "bat"];
    let ending = Path::new(program).extension().and_then(OsStr::to_str).unwrap_or_default();
    if ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)) {
        return vec![program.to_owned()];
    }
    ENDINGS.iter().map(|ending| format!("{program}.{ending}")).collect()
}

/// Fills the buffer from this offset on.
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match file.seek_read(buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Has the entries of a folder on disk when this returns. A file system that can't flush folders (the error is one of
/// these) writes them in order by itself, as NTFS does.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    let opened = OpenOptions::new().write(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(folder);
    match opened.and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => Ok(()),
        synced => synced,
    }
}

/// Two folders change places, by way of a third name: there is no exchange of folders here. Where the second step fails, the
/// first is taken back.
pub(crate) fn swap_folders(one: &Path, other: &Path) -> io::Result<()> {
    let aside = beside(one);
    std::fs::rename(other, &aside)?;
    if let Err(error) = std::fs::rename(one, other) {
        let _ = std::fs::rename(&aside, other);
        return Err(error);
    }
    std::fs::rename(&aside, one)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".swapped");
    PathBuf::from(name)
}

/// From now on this thread runs only when nothing else wants to.
pub(crate) fn lower_thread_priority() {
    // SAFETY: the handle stands for this thread and needs no closing. Where the system refuses, it runs as before.
    let _ = unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL) };
}

/// How many bytes the user may still write to the disk that a folder is on.
pub(crate) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let (folder, mut free) = (to_wide(folder.as_os_str())?, 0);
    // SAFETY: the path ends with a zero; two answers are not asked for.
    let done = unsafe {
        GetDiskFreeSpaceExW(folder.as_ptr(), &raw mut free, std::ptr::null_mut(), std::ptr::null_mut())
    };
    check(done).map(|()| free)
}

/// The name of this machine.
pub fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "localhost".to_owned())
}

/// A text as the system's calls take it. One with a zero inside would mean another.
fn to_wide(text: &OsStr) -> io::Result<Vec<u16>> {
    let mut wide: Vec<u16> = text.encode_wide().collect();
    if wide.contains(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a name with a zero in it"));
    }
    wide.push(0);
    Ok(wide)
}

/// The error of the call that was just made, where it says no.
fn check(done: i32) -> io::Result<()> {
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
