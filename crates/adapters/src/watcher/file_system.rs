//! Which folders report every change: those on file systems of this machine alone, with names that mean one file.
//!
//! Where another machine, or a program behind FUSE, can change a file, the kernel hears nothing of it. Where case does not
//! count, a file is found by a name that it no longer has. What is not listed here may well report everything; it is then
//! looked at file by file, as before.

use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// The magic numbers of `statfs(2)`.
const REPORTS_EVERY_CHANGE: [u32; 11] = [
    0x0000_ef53, // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0xf2f5_2010, // F2FS
    0xca45_1a4e, // bcachefs
    0x2fc1_2fc1, // ZFS
    0x3153_464a, // JFS
    0x3434,      // NILFS
    0x0102_1994, // tmpfs
    0x8584_58f6, // ramfs
    0x794c_7630, // overlayfs
];

/// The flag of a folder in which case does not count (`FS_CASEFOLD_FL`).
const CASEFOLD: u32 = 0x4000_0000;

/// Whether each change of a file in this folder is reported. Of one that is gone nothing is missed.
pub fn reports_every_change(folder: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOATIME;
    let opened = rustix::fs::open(folder, flags, Mode::empty())
        .or_else(|_| rustix::fs::open(folder, flags - OFlags::NOATIME, Mode::empty()));
    let opened = match opened {
        Ok(opened) => opened,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return true,
        Err(_) => return false,
    };
    // Not every file system has flags.
    let ignores_case = rustix::fs::ioctl_getflags(&opened).is_ok_and(|flags| flags.bits() & CASEFOLD != 0);
    let kind = rustix::fs::fstatfs(&opened).map(|found| found.f_type as u32);
    !ignores_case && kind.is_ok_and(|kind| REPORTS_EVERY_CHANGE.contains(&kind))
}
