//! Asks the kernel whether some process has a file open for writing.
//!
//! A program that opened a note before we exchanged it goes on writing to the file that came out. Comparing that
//! file's content once can't tell that a write is still to come; the kernel can. A read lease is granted only on
//! a file that nobody has open for writing. It is asked for and given back at once.

use std::fs::File;

use super::disk::Writers;

#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "no safe wrapper offers F_SETLEASE; the calls take integers and an open file alone"
)]
pub fn detect_writers(file: &File) -> Writers {
    use std::io;
    use std::os::fd::AsRawFd;

    /// Linux's number for it; the `libc` crate does not name it.
    const F_SETSIG: libc::c_int = 10;

    let fd = file.as_raw_fd();
    // Should another process open the file in the instant that we hold the lease, the kernel tells us by a signal.
    // The usual one ends a process; this one is ignored unless somebody asked for it.
    let quiet = unsafe { libc::fcntl(fd, F_SETSIG, libc::SIGURG) };
    if quiet == -1 {
        return Writers::Unknown;
    }
    if unsafe { libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK) } == 0 {
        unsafe { libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK) };
        return Writers::None;
    }
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::EAGAIN) if is_local(file) => Writers::Some,
        _ => Writers::Unknown,
    }
}

/// NFS and SMB refuse a lease by the same error whenever the server has not handed the file over to this machine: taken
/// for a writer, that would hold up every edit for ever.
#[cfg(target_os = "linux")]
fn is_local(file: &File) -> bool {
    rustix::fs::fstatfs(file).is_ok() && !is_on_one_of(file, &NFS_AND_SMB)
}

/// Whether a file that is open and removed stands in its folder under another name until it is closed: so it is on NFS and
/// SMB, FUSE, 9P, Ceph and AFS.
#[cfg(target_os = "linux")]
pub fn keeps_removed_files(file: &File) -> bool {
    is_on_one_of(file, &NFS_AND_SMB)
        || is_on_one_of(file, &[0x6573_5546, 0x0102_1997, 0x00c3_6400, 0x5346_414f, 0x6b41_4653])
}

#[cfg(target_os = "linux")]
const NFS_AND_SMB: [u32; 4] = [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42];

/// By the numbers that the kernel gives to kinds of file systems.
#[cfg(target_os = "linux")]
fn is_on_one_of(file: &File, kinds: &[u32]) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|system| kinds.contains(&(system.f_type as u32)))
}

/// Windows has no leases: see [`crate::platform`] for what is asked there instead.
#[cfg(windows)]
pub fn detect_writers(file: &File) -> Writers {
    match crate::platform::has_writers(file) {
        Some(true) => Writers::Some,
        Some(false) => Writers::None,
        None => Writers::Unknown,
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
pub fn detect_writers(_file: &File) -> Writers {
    Writers::Unknown
}

#[cfg(not(target_os = "linux"))]
pub fn keeps_removed_files(_file: &File) -> bool {
    true
}
