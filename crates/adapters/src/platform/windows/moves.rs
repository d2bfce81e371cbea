//! A file takes the place of another, or a free name; and whether somebody is writing to it.

use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::Path;

use windows_sys::Win32::Foundation::{ERROR_SHARING_VIOLATION, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_SHARE_DELETE, FILE_SHARE_READ, MOVEFILE_WRITE_THROUGH, MoveFileExW, REPLACEFILE_IGNORE_MERGE_ERRORS,
    ReOpenFile, ReplaceFileW,
};

use super::{GENERIC_READ, check, to_wide};

/// Puts `new` in the place of `file`, and what stood there under the name `backup`. The access list, the streams and the creation
/// time of the file stay with its name.
pub(crate) fn replace_with_backup(file: &Path, new: &Path, backup: &Path) -> io::Result<()> {
    let (file, new) = (to_wide(file.as_os_str())?, to_wide(new.as_os_str())?);
    let backup = to_wide(backup.as_os_str())?;
    // SAFETY: the three paths end with a zero; the last two parameters are to be empty.
    let done = unsafe {
        ReplaceFileW(
            file.as_ptr(),
            new.as_ptr(),
            backup.as_ptr(),
            REPLACEFILE_IGNORE_MERGE_ERRORS,
            std::ptr::null(),
            std::ptr::null(),
        )
    };
    check(done)
}

/// Gives a file another name, where nothing stands yet.
pub(crate) fn move_to_free_name(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (to_wide(from.as_os_str())?, to_wide(to.as_os_str())?);
    // SAFETY: both paths end with a zero. Without a further flag it neither replaces nor copies.
    check(unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), MOVEFILE_WRITE_THROUGH) })
}

/// Whether some process has a file open for writing; nothing where the system does not tell.
///
/// It is opened once more in a way that allows no writer beside it, and closed at once: that fails while there is one. A program
/// that opens the file for writing in that instant is refused, as by every program that reads a file without sharing it.
pub(crate) fn has_writers(file: &File) -> Option<bool> {
    // SAFETY: the handle is open as long as the file is borrowed; what comes back is owned below.
    let again =
        unsafe { ReOpenFile(file.as_raw_handle(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, 0) };
    if again == INVALID_HANDLE_VALUE {
        let refused = io::Error::last_os_error().raw_os_error().map(i32::cast_unsigned);
        return (refused == Some(ERROR_SHARING_VIOLATION)).then_some(true);
    }
    // SAFETY: the call gave it to us, and nobody else closes it.
    drop(unsafe { OwnedHandle::from_raw_handle(again) });
    Some(false)
}
