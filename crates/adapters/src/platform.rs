//! What each operating system does in its own way: one set of functions, with a file for Unix and a folder for Windows.
//!
//! | concern | Unix | Windows |
//! | --- | --- | --- |
//! | which file it is, and its names | `stat` | information by handle |
//! | files for the user alone | modes | an access list for the owner and the system |
//! | who is writing | a lease, on Linux alone | opened once more without sharing writes |
//! | a child and its children | a process group | a job object |
//! | limits of a process | `setrlimit` | a job object |
//! | this machine's addresses | `getifaddrs` | `GetAdaptersAddresses` |
//!
//! Files of the vault have a place of their own: `files/system`. Locks need none, since the standard library has them.

use std::path::{Path, PathBuf};

#[cfg(target_os = "macos")]
mod macos;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "macos")]
pub(crate) use macos::{is_true_name, lower_thread_priority};
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

#[cfg(not(target_os = "macos"))]
pub(crate) use system::lower_thread_priority;
#[cfg(windows)]
pub(crate) use system::{HandleStat, handle_stat, has_writers, move_to_free_name, replace_with_backup};
pub(crate) use system::{
    ProcessTree, create_private_folder, create_private_folders, file_facts, free_bytes, limit_this_process,
    open_private_file, own_addresses, read_exact_at, set_private, start_process_tree, swap_folders,
    sync_folder, user_number,
};
pub use system::{
    create_private_file, facts_at, host_name, is_owned_by_user, open_without_following, program_names,
    restrict_to_user,
};

/// What tells a file from every other, and whether it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFacts {
    /// The volume that it is on.
    pub volume: u64,
    /// Its number there. It is given again once the file is gone.
    pub number: u64,
    /// How many names it has.
    pub names: u64,
    /// When it was changed in any way, in seconds and nanoseconds since 1970.
    pub changed: (i64, i64),
}

impl FileFacts {
    /// Whether these are of one file.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.volume, self.number) == (other.volume, other.number)
    }
}

/// How much a process may use: bytes of memory and seconds of computing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessLimits {
    pub memory: u64,
    pub seconds: u64,
}

/// Whether a file stands there that can be run.
pub fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && system::is_executable(&found))
}

/// A path in the form that other programs understand. Windows resolves paths to a form of its own (`\\?\C:\notes`), which git and
/// language servers do not know.
pub fn without_verbatim_prefix(path: &Path) -> PathBuf {
    match path.to_str().and_then(strip_verbatim) {
        Some(plain) if cfg!(windows) => PathBuf::from(plain),
        _ => path.to_owned(),
    }
}

/// A path relative to a root as corpora write it, with `/` between its parts.
pub fn to_corpus_path(relative: &Path) -> Option<String> {
    let text = relative.to_str()?;
    Some(if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() })
}

fn strip_verbatim(path: &str) -> Option<String> {
    let rest = path.strip_prefix(r"\\?\")?;
    match rest.strip_prefix(r"UNC\") {
        Some(share) => Some(format!(r"\\{share}")),
        // Only what begins with a drive means the same without the prefix.
        None => (rest.as_bytes().get(1..3) == Some(br":\")).then(|| rest.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resolved_path_of_windows_is_written_as_programs_know_it() {
        for (path, plain) in [
            (r"\\?\C:\notes\a", Some(r"C:\notes\a")),
            (r"\\?\UNC\server\share\a", Some(r"\\server\share\a")),
            (r"\\?\Volume{1}\a", None),
            (r"C:\notes", None),
        ] {
            assert_eq!(strip_verbatim(path).as_deref(), plain, "{path}");
        }
    }
}
