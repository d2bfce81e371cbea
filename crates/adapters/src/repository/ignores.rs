//! What git is told to ignore: the rules in `.gitignore`, `.ignore` and `.git/info/exclude`.
//!
//! Only files beneath the repository's root count. The user's own list and the folders above the root say nothing
//! here, so that two machines with the same files list the same files. Rules are read by folder handle, as everything is:
//! a FIFO called `.gitignore` holds nobody up, and one of many megabytes is not compiled.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use jiff::Timestamp;
use wellread_core::ports::SkippedFile;

use crate::files::disk::{Dir, Disk, FileKind, Stat};
use crate::files::listing::{join_path, new_skipped};

/// Far more than anybody writes by hand.
const LARGEST: u64 = 256 * 1024;

/// The rules of one folder.
#[derive(Debug)]
pub struct IgnoreLevel {
    folder: String,
    /// In order of weight: `.ignore`, `.gitignore`, `.git/info/exclude`.
    rules: [Option<Arc<Gitignore>>; 3],
}

/// Whether the rules of these folders, outermost first, say to ignore the path. What counts is the heaviest sort of rule
/// that speaks of it, and of that sort the innermost.
pub fn is_ignored(levels: &[IgnoreLevel], path: &str, is_folder: bool) -> bool {
    for sort in 0..3 {
        for level in levels.iter().rev() {
            let Some(rules) = &level.rules[sort] else { continue };
            let below = path.strip_prefix(level.folder.as_str()).unwrap_or(path).trim_start_matches('/');
            match rules.matched(Path::new(below), is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
    }
    false
}

/// Rules that were compiled before, by the path of their file: compiling is the dear part, and a path is asked about with
/// every read.
#[derive(Debug, Default)]
pub struct IgnoreCache {
    compiled: Mutex<HashMap<String, CompiledRules>>,
}

#[derive(Debug, Clone)]
struct CompiledRules {
    stamp: (Timestamp, u64, u64),
    rules: Result<Arc<Gitignore>, String>,
}

/// More files of rules than this are compiled again and again rather than kept.
const MOST_KEPT: usize = 2000;

impl IgnoreCache {
    /// The rules in a folder, and which of its files could not be understood.
    pub fn level(&self, disk: &dyn Disk, dir: &Dir, folder: &str) -> (IgnoreLevel, Vec<SkippedFile>) {
        let mut wrong = Vec::new();
        let mut rules = |dir: &Dir, name: &str, shown: &str| match self.rules(disk, dir, name, shown)? {
            Ok(rules) => Some(rules),
            Err(reason) => {
                wrong.push(new_skipped(shown, &reason));
                None
            }
        };
        let own = rules(dir, ".ignore", &join_path(folder, ".ignore"));
        let git = rules(dir, ".gitignore", &join_path(folder, ".gitignore"));
        let local = if folder.is_empty() {
            let info = disk.open_dir(dir, ".git").and_then(|git| disk.open_dir(&git, "info"));
            info.ok().and_then(|info| rules(&info, "exclude", ".git/info/exclude"))
        } else {
            None
        };
        (IgnoreLevel { folder: folder.to_owned(), rules: [own, git, local] }, wrong)
    }

    /// Drops what was compiled where there is too much of it: files of rules that are gone stay here otherwise.
    pub fn forget_old(&self) {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if compiled.len() >= MOST_KEPT {
            compiled.clear();
        }
    }

    fn rules(
        &self,
        disk: &dyn Disk,
        dir: &Dir,
        name: &str,
        shown: &str,
    ) -> Option<Result<Arc<Gitignore>, String>> {
        let stat = disk.stat(dir, name).ok()?;
        let stamp = (stat.changed, stat.inode, stat.size);
        let known = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(shown).filter(|found| found.stamp == stamp) {
            return Some(found.rules.clone());
        }
        let rules = compile_rules(disk, dir, name, &stat);
        if rules.as_ref().is_err_and(|reason| reason == GONE) {
            return None;
        }
        let mut known = known();
        if known.len() < MOST_KEPT {
            known.insert(shown.to_owned(), CompiledRules { stamp, rules: rules.clone() });
        }
        Some(rules)
    }
}

const GONE: &str = "gone";

fn compile_rules(disk: &dyn Disk, dir: &Dir, name: &str, stat: &Stat) -> Result<Arc<Gitignore>, String> {
    if stat.kind != FileKind::File {
        return Err("its rules are not applied: not a regular file".to_owned());
    }
    let bytes =
        disk.open(dir, name).and_then(|file| disk.read(&file, LARGEST)).map_err(|error| {
            match error.kind() {
                io::ErrorKind::NotFound => GONE.to_owned(),
                io::ErrorKind::FileTooLarge => {
                    format!("its rules are not applied: larger than {} KiB", LARGEST / 1024)
                }
                _ => format!("its rules are not applied: {error}"),
            }
        })?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A line that is no pattern costs itself alone, as with git.
        let _ = builder.add_line(None, line);
    }
    builder.build().map(Arc::new).map_err(|error| format!("its rules are not applied: {error}"))
}
