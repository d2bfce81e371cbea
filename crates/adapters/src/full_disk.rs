//! A full disk, in the same words wherever it is met: which disk it is, and what to do about it.

use std::io;
use std::path::Path;

use wellread_core::Error;

use crate::platform;

/// With less room than this, hardly anything can be written.
const LEAST_BYTES: u64 = 64 * 1024;

/// Whether an error means that there is no room left on the disk, or that the user may take no more of it.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Whether the disk that a folder is on has no room left. Where that can't be found out, it has.
pub(crate) fn has_no_room(folder: &Path) -> bool {
    platform::free_bytes(folder).is_ok_and(|free| free < LEAST_BYTES)
}

/// The error for something that could not be written into the data folder because its disk is full.
pub(crate) fn data_folder_error(what: &str, folder: &Path) -> Error {
    Error::failed(format!("{what}: the disk of the data folder `{}` is full", folder.display())).hint(
        "make room there by removing what you do not need from that disk (once there is a little, `wellread runs forget \
         --older 90` removes old runs), or choose another data folder with `wellread config set data.path DIR`",
    )
}

/// The error of the system for something in the data folder; `usual` makes it where the disk is not full.
pub(crate) fn explain_data_error(
    error: &io::Error,
    what: &str,
    folder: &Path,
    usual: impl FnOnce() -> Error,
) -> Error {
    if is_full(error) { data_folder_error(what, folder) } else { usual() }
}
