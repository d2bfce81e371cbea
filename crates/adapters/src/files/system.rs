//! The real file system: by folder handles on Unix, by folders that are held open on Windows.
//!
//! A file is found only under the name that its folder lists. Where the file system would find it by another spelling as well
//! (other case, another Unicode form, a short name of DOS), that spelling leads nowhere: rules about names hold for all
//! ways to a file.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::File;
use std::io::{self, Read, Write};

use jiff::Timestamp;

#[cfg(unix)]
pub use unix::{Dir, SystemDisk, is_absolute_target, is_link_error};
#[cfg(windows)]
pub use windows::{Dir, SystemDisk, is_absolute_target, is_link_error};

/// Reads a whole file, no more than this.
fn read(mut file: &File, at_most: u64) -> io::Result<Vec<u8>> {
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::with_capacity(meta.len().min(at_most) as usize + 1);
    (&mut file).take(at_most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > at_most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

fn write(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)
}

/// A file's time as a moment; one that no calendar holds counts as the epoch.
fn to_timestamp(seconds: i64, nanoseconds: i64) -> Timestamp {
    Timestamp::new(seconds, i32::try_from(nanoseconds).unwrap_or_default()).unwrap_or_default()
}
