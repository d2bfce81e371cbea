//! Which file systems report every change: those of this machine alone.
//!
//! Where another machine, or a program behind FUSE, can change a file, the kernel hears nothing of it. What is not listed
//! here may well report everything; it is then looked at file by file, as before.

use std::path::Path;

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

/// Whether each change of a file in this folder is reported.
pub fn reports_every_change(folder: &Path) -> bool {
    rustix::fs::statfs(folder).is_ok_and(|found| REPORTS_EVERY_CHANGE.contains(&(found.f_type as u32)))
}
