//! Which file an open handle is, and what is known of it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_READONLY,
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_ATTRIBUTE_TAG_INFO, FILE_BASIC_INFO, FILE_FLAG_BACKUP_SEMANTICS,
    FILE_ID_INFO, FILE_INFO_BY_HANDLE_CLASS, FILE_STANDARD_INFO, FileAttributeTagInfo, FileBasicInfo,
    FileIdInfo, FileStandardInfo, GetFileInformationByHandle, GetFileInformationByHandleEx,
};

use super::check;
use crate::platform::FileFacts;

/// Seconds from 1601, where the system begins to count, to 1970.
const EPOCH: i64 = 11_644_473_600;
/// The system counts in tenths of a microsecond.
const TICKS: i64 = 10_000_000;
/// The bit of a reparse tag that says that it stands for another file or folder: symbolic links and junctions.
const NAME_SURROGATE: u32 = 0x2000_0000;

/// What the system says of an open file or folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HandleStat {
    pub facts: FileFacts,
    pub size: u64,
    /// In seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
    pub created: (i64, i64),
    attributes: u32,
    tag: u32,
}

impl HandleStat {
    pub(crate) fn is_folder(&self) -> bool {
        self.attributes & FILE_ATTRIBUTE_DIRECTORY != 0
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.attributes & FILE_ATTRIBUTE_READONLY != 0
    }

    /// Whether opening it by its name would have a driver decide what is opened.
    pub(crate) fn is_reparse_point(&self) -> bool {
        self.attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0
    }

    /// Whether it is a symbolic link or a junction.
    pub(crate) fn is_link(&self) -> bool {
        self.is_reparse_point() && self.tag & NAME_SURROGATE != 0
    }
}

/// The facts of an open file.
pub(crate) fn file_facts(file: &File) -> io::Result<FileFacts> {
    handle_stat(file).map(|stat| stat.facts)
}

/// The facts of what stands at a path; a link is followed.
pub fn facts_at(path: &Path) -> io::Result<FileFacts> {
    // Without access to the content, nobody's sharing is in the way. The flag is what opens folders.
    let file = OpenOptions::new().access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
    file_facts(&file)
}

/// Everything that is known of an open file or folder.
pub(crate) fn handle_stat(file: &File) -> io::Result<HandleStat> {
    let basic: FILE_BASIC_INFO = query(file, FileBasicInfo)?;
    let standard: FILE_STANDARD_INFO = query(file, FileStandardInfo)?;
    let tag: FILE_ATTRIBUTE_TAG_INFO = query(file, FileAttributeTagInfo)?;
    let (volume, number) = file_number(file)?;
    let facts = FileFacts {
        volume,
        number,
        names: standard.NumberOfLinks.into(),
        changed: to_unix_time(basic.ChangeTime),
    };
    Ok(HandleStat {
        facts,
        size: standard.EndOfFile.cast_unsigned(),
        modified: to_unix_time(basic.LastWriteTime),
        created: to_unix_time(basic.CreationTime),
        attributes: basic.FileAttributes,
        tag: tag.ReparseTag,
    })
}

/// The volume that a file is on, and its number there. Long numbers, which only some file systems have, are folded.
fn file_number(file: &File) -> io::Result<(u64, u64)> {
    if let Ok(id) = query::<FILE_ID_INFO>(file, FileIdInfo) {
        let number = u128::from_le_bytes(id.FileId.Identifier);
        return Ok((id.VolumeSerialNumber, (number as u64) ^ ((number >> 64) as u64)));
    }
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the structure is the call's own; the handle is open as long as the file is borrowed.
    check(unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) })?;
    let number = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    Ok((found.dwVolumeSerialNumber.into(), number))
}

fn query<T: Default>(file: &File, class: FILE_INFO_BY_HANDLE_CLASS) -> io::Result<T> {
    let mut answer = T::default();
    // SAFETY: the class belongs to the type, whose size is given; the handle is open as long as the file is borrowed.
    let done = unsafe {
        GetFileInformationByHandleEx(
            file.as_raw_handle(),
            class,
            (&raw mut answer).cast(),
            size_of::<T>() as u32,
        )
    };
    check(done).map(|()| answer)
}

fn to_unix_time(ticks: i64) -> (i64, i64) {
    (ticks.div_euclid(TICKS) - EPOCH, ticks.rem_euclid(TICKS) * 100)
}
