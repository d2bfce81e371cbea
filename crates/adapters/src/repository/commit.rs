//! Which commit is checked out, read from git's own files. No git is run.
//!
//! Knows branches, packed ones too, a detached HEAD, and a worktree or submodule, whose `.git` is a file that leads
//! elsewhere. Does not know the reftable format: there the answer is nothing.

use std::path::{Path, PathBuf};

use crate::files::System;
use crate::files::disk::Disk as _;

const LARGEST: u64 = 64 * 1024;
/// A line for each branch and tag: large repositories have hundreds of thousands.
const LARGEST_PACKED: u64 = 64 * 1024 * 1024;
const MOST_HOPS: usize = 5;

/// The commit that HEAD names, as hexadecimal digits. Nothing where there is no git, no commit yet, or nothing that
/// looks like a commit.
pub fn git_commit(root: &Path) -> Option<String> {
    let git = git_folder(root)?;
    // A worktree has a HEAD of its own and shares the branches.
    let shared = text(&git.join("commondir"), LARGEST).map_or_else(|| git.clone(), |to| git.join(to.trim()));
    let mut said = text(&git.join("HEAD"), LARGEST)?;
    for _ in 0..MOST_HOPS {
        let Some(name) = said.trim().strip_prefix("ref:").map(|name| name.trim().to_owned()) else {
            return commit(&said);
        };
        // Somebody else's file says where to look: only ever among the references.
        if !name.starts_with("refs/") || name.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return None;
        }
        let loose = text(&git.join(&name), LARGEST).or_else(|| text(&shared.join(&name), LARGEST));
        match loose {
            Some(next) => said = next,
            None => return packed(&shared, &name),
        }
    }
    None
}

fn git_folder(root: &Path) -> Option<PathBuf> {
    let at = root.join(".git");
    if std::fs::metadata(&at).ok()?.is_dir() {
        return Some(at);
    }
    let said = text(&at, LARGEST)?;
    Some(root.join(said.strip_prefix("gitdir:")?.trim()))
}

fn packed(shared: &Path, name: &str) -> Option<String> {
    let lines = text(&shared.join("packed-refs"), LARGEST_PACKED)?;
    let named = |line: &str| {
        line.split_once(' ').filter(|(_, of)| of.trim() == name).map(|(hash, _)| hash.to_owned())
    };
    commit(&lines.lines().find_map(named)?)
}

fn commit(written: &str) -> Option<String> {
    let hash = written.trim();
    let is_hash = matches!(hash.len(), 40 | 64) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| hash.to_lowercase())
}

/// A small text file; a FIFO, a link or a folder in its place is none.
fn text(path: &Path, at_most: u64) -> Option<String> {
    let folder = System.open_root(path.parent()?).ok()?;
    let file = System.open(&folder, path.file_name()?.to_str()?).ok()?;
    String::from_utf8(System.read(&file, at_most).ok()?).ok()
}
