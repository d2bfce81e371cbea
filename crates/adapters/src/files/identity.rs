//! What a path really leads to: the place behind its links, the other names of the file, the links that lead to it, and
//! whether it is in a repository inside the vault.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use wellread_core::Result;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::ports::{FileIdentity, FileListing};

use super::disk::Stat;
use super::links::{COARSEST_CLOCK, SymbolicLinks};
use super::walk::{WalkOutcome, Walker};

/// The names of files that have several, from the last list of the vault.
#[derive(Debug, Default)]
pub struct HardLinks(Mutex<Option<ListedNames>>);

/// The paths of each inode in a list of the vault, and when it was made.
#[derive(Debug)]
struct ListedNames {
    begun: Timestamp,
    ended: Instant,
    took: Duration,
    paths: HashMap<u64, Vec<VaultPath>>,
}

impl HardLinks {
    /// All names of a file in the vault. The vault is listed again where the last list may not have them all.
    fn names(
        &self,
        walker: &Walker<'_>,
        stat: &Stat,
        list: impl FnOnce() -> Result<FileListing>,
    ) -> Result<Vec<VaultPath>> {
        if stat.names < 2 {
            return Ok(Vec::new());
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.as_ref().is_some_and(|listed| listed.has_all_names(walker, stat)) {
            *known = Some(ListedNames::list(list)?);
        }
        Ok(known.as_ref().map(|listed| listed.paths_of(stat).to_vec()).unwrap_or_default())
    }
}

impl ListedNames {
    fn list(list: impl FnOnce() -> Result<FileListing>) -> Result<Self> {
        let (begun, start) = (Timestamp::now(), Instant::now());
        let mut paths: HashMap<u64, Vec<VaultPath>> = HashMap::new();
        for entry in list()?.files {
            paths.entry(entry.number).or_default().push(entry.path);
        }
        Ok(Self { begun, ended: Instant::now(), took: start.elapsed(), paths })
    }

    fn paths_of(&self, stat: &Stat) -> &[VaultPath] {
        self.paths.get(&stat.inode).map_or(&[], Vec::as_slice)
    }

    /// Whether these are still all names of a file. To give it a name is a change of the file; to move a folder with a name of
    /// it is none.
    fn has_all_names(&self, walker: &Walker<'_>, stat: &Stat) -> bool {
        if self.begun.duration_since(stat.changed) <= COARSEST_CLOCK {
            return false;
        }
        let mut names = 0;
        for path in self.paths_of(stat) {
            let Ok(WalkOutcome::At(place)) = walker.walk(path) else { return false };
            if place.stat.is_none_or(|there| there.inode != stat.inode) {
                return false;
            }
            // A symbolic link is no name.
            names += u64::from(place.real == *path);
        }
        // A name that is missing is outside the vault, unless it was moved into it since. Nothing is believed for longer than
        // it takes to look: so many such files do not cost a list each.
        names >= stat.names || self.ended.elapsed() <= self.took
    }
}

/// Identifies what a path leads to.
pub fn identify(
    walker: &Walker<'_>,
    (hard_links, links): (&HardLinks, &SymbolicLinks),
    list: impl FnOnce() -> Result<FileListing>,
    path: &VaultPath,
) -> Result<FileIdentity> {
    let (real, stat) = match walker.walk(path)? {
        WalkOutcome::At(place) => (place.real, place.stat),
        WalkOutcome::NoFolder { real, .. } => (real, None),
    };
    let mut other_paths = match &stat {
        Some(stat) => hard_links.names(walker, stat, list)?,
        None => Vec::new(),
    };
    other_paths.push(real);
    other_paths.push(path.clone());
    links.find(walker)?.extend(&mut other_paths, walker)?;
    let mut in_nested_repository = false;
    for other in &other_paths {
        in_nested_repository |= is_in_repository(walker, other)?;
    }
    other_paths.retain(|other| other != path);
    other_paths.sort();
    other_paths.dedup();
    Ok(FileIdentity { other_paths, in_nested_repository })
}

/// Whether a folder above a file, other than the vault itself, has a `.git`.
fn is_in_repository(walker: &Walker<'_>, path: &VaultPath) -> Result<bool> {
    let folders = path.as_str().match_indices('/').map(|(at, _)| &path.as_str()[..at]);
    for folder in folders {
        let Some(dir) = walker.open_folder(folder)? else { break };
        if walker.disk.stat(&dir, ".git").is_ok() {
            return Ok(true);
        }
    }
    Ok(false)
}
