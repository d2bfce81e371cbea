//! Where git keeps what it knows of a folder, and which commit is checked out, read from git's own files. No git is run.
//!
//! Knows branches, packed ones too, a detached HEAD, and a worktree or submodule, whose `.git` is a file that leads
//! elsewhere. Does not know the reftable format: there the answer is nothing.

use std::path::{Path, PathBuf};

use crate::files::SystemDisk;
use crate::files::disk::Disk as _;

const LARGEST: u64 = 64 * 1024;
/// A line for each branch and tag: large repositories have hundreds of thousands.
const LARGEST_PACKED: u64 = 64 * 1024 * 1024;
const MOST_HOPS: usize = 5;

/// The commit that HEAD names, as hexadecimal digits. Nothing where there is no git, no commit yet, or nothing that
/// looks like a commit.
pub fn git_commit(root: &Path) -> Option<String> {
    GitFolder::find(root)?.resolve_ref("HEAD")
}

/// Where git keeps what it knows.
#[derive(Debug, Clone)]
pub(super) struct GitFolder {
    /// Of this worktree: HEAD and the index.
    pub own: PathBuf,
    /// Of all worktrees: branches and objects.
    pub shared: PathBuf,
}

impl GitFolder {
    /// That of the folder itself, not of one above it.
    pub fn find(root: &Path) -> Option<Self> {
        let own = find_git_folder(root)?;
        let elsewhere = text(&own.join("commondir"), LARGEST).map(|to| own.join(to.trim()));
        Some(Self { shared: elsewhere.unwrap_or_else(|| own.clone()), own })
    }

    /// The commit that `HEAD`, or a name like `refs/heads/main`, stands for.
    pub fn resolve_ref(&self, name: &str) -> Option<String> {
        let mut said =
            if name == "HEAD" { text(&self.own.join(name), LARGEST)? } else { format!("ref: {name}") };
        for _ in 0..MOST_HOPS {
            let Some(name) = said.trim().strip_prefix("ref:").map(|name| name.trim().to_owned()) else {
                return parse_commit(&said);
            };
            // Somebody else's file says where to look: only ever among the references.
            if !name.starts_with("refs/") || name.split('/').any(|part| matches!(part, "" | "." | "..")) {
                return None;
            }
            let loose = text(&self.own.join(&name), LARGEST);
            match loose.or_else(|| text(&self.shared.join(&name), LARGEST)) {
                Some(next) => said = next,
                None => return find_packed_ref(&self.shared, &name),
            }
        }
        None
    }
}

fn find_git_folder(root: &Path) -> Option<PathBuf> {
    let at = root.join(".git");
    if std::fs::metadata(&at).ok()?.is_dir() {
        return Some(at);
    }
    let said = text(&at, LARGEST)?;
    Some(root.join(said.strip_prefix("gitdir:")?.trim()))
}

fn find_packed_ref(shared: &Path, name: &str) -> Option<String> {
    let lines = text(&shared.join("packed-refs"), LARGEST_PACKED)?;
    let named = |line: &str| {
        line.split_once(' ').filter(|(_, of)| of.trim() == name).map(|(hash, _)| hash.to_owned())
    };
    parse_commit(&lines.lines().find_map(named)?)
}

fn parse_commit(written: &str) -> Option<String> {
    let hash = written.trim();
    let is_hash = matches!(hash.len(), 40 | 64) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| hash.to_lowercase())
}

/// A small text file; a FIFO, a link or a folder in its place is none.
fn text(path: &Path, at_most: u64) -> Option<String> {
    let folder = SystemDisk.open_root(path.parent()?).ok()?;
    let file = SystemDisk.open(&folder, path.file_name()?.to_str()?).ok()?;
    String::from_utf8(SystemDisk.read(&file, at_most).ok()?).ok()
}
