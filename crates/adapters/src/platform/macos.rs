//! macOS: names as they stand on the disk, and threads that give way.
#![allow(unsafe_code, reason = "no safe wrapper offers the two calls; each is explained where it is made")]

use std::ffi::{CString, OsStr, c_void};
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd as _, BorrowedFd};

/// A name of 255 letters of up to three bytes, the lengths before it, and room to spare.
const BUFFER: usize = 1024;

/// Whether this is how the name is written on the disk. By default, file systems here find a file by a name in other
/// case, in another Unicode form, and with `ss` for `ß`.
pub(crate) fn is_true_name(folder: BorrowedFd<'_>, name: &str) -> io::Result<bool> {
    let written = CString::new(name).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut wanted = libc::attrlist {
        bitmapcount: libc::ATTR_BIT_MAP_COUNT,
        reserved: 0,
        commonattr: libc::ATTR_CMN_NAME,
        volattr: 0,
        dirattr: 0,
        fileattr: 0,
        forkattr: 0,
    };
    let mut found = [0_u8; BUFFER];
    // SAFETY: both pointers are to values that outlive the call, with their true sizes; the call writes no more than that.
    let status = unsafe {
        libc::getattrlistat(
            folder.as_raw_fd(),
            written.as_ptr(),
            (&raw mut wanted).cast::<c_void>(),
            found.as_mut_ptr().cast::<c_void>(),
            found.len(),
            libc::FSOPT_NOFOLLOW.into(),
        )
    };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(stored_name(&found).is_some_and(|stored| OsStr::new(name).as_encoded_bytes() == stored))
}

/// The name in an answer: its length, a reference (where the name begins, from the reference on, and how long it is with
/// the zero that ends it), and the name.
fn stored_name(answer: &[u8]) -> Option<&[u8]> {
    const REFERENCE: usize = size_of::<u32>();
    let number = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?) as usize);
    let (offset, length) = (number(REFERENCE)?, number(REFERENCE + 4)?);
    answer.get(REFERENCE.checked_add(offset)?..)?.get(..length.checked_sub(1)?)
}

/// From now on this thread runs only when nothing else wants to.
pub(crate) fn lower_thread_priority() {
    // SAFETY: it takes two numbers. Where the system refuses, the thread runs as before.
    let _ = unsafe { libc::pthread_set_qos_class_self_np(libc::qos_class_t::QOS_CLASS_UTILITY, 0) };
}
