//! What a path really leads to: the place behind its links, the other names of the file, and whether it is in a
//! repository inside the vault.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use wellread_core::Result;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::ports::{FileIdentity, FileListing};

use super::disk::Stat;
use super::walk::{WalkOutcome, Walker};

/// The coarsest resolution of file times.
const COARSEST_CLOCK: SignedDuration = SignedDuration::from_secs(2);

/// The names of files that have several, by inode.
#[derive(Debug, Default)]
pub struct HardLinks(Mutex<Option<ListedNames>>);

/// When the vault was listed, and the paths of each inode.
type ListedNames = (Timestamp, HashMap<u64, Vec<VaultPath>>);

impl HardLinks {
    /// All names of a file in the vault. The vault is listed again if the file changed since: a new name is a change.
    fn names(&self, stat: &Stat, list: impl FnOnce() -> Result<FileListing>) -> Result<Vec<VaultPath>> {
        if stat.names < 2 {
            return Ok(Vec::new());
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current =
            known.as_ref().is_some_and(|(at, _)| at.duration_since(stat.changed) > COARSEST_CLOCK);
        if !is_current {
            let at = Timestamp::now();
            let mut names: HashMap<u64, Vec<VaultPath>> = HashMap::new();
            for entry in list()?.files {
                names.entry(entry.number).or_default().push(entry.path);
            }
            *known = Some((at, names));
        }
        let names = known.as_ref().and_then(|(_, names)| names.get(&stat.inode));
        Ok(names.cloned().unwrap_or_default())
    }
}

/// Identifies what a path leads to.
pub fn identify(
    walker: &Walker<'_>,
    hard_links: &HardLinks,
    list: impl FnOnce() -> Result<FileListing>,
    path: &VaultPath,
) -> Result<FileIdentity> {
    let (real, stat) = match walker.walk(path)? {
        WalkOutcome::At(place) => (place.real, place.stat),
        WalkOutcome::NoFolder { real, .. } => (real, None),
    };
    let mut other_paths = match &stat {
        Some(stat) => hard_links.names(stat, list)?,
        None => Vec::new(),
    };
    other_paths.push(real);
    let mut in_nested_repository = false;
    for other in &other_paths {
        in_nested_repository |= is_in_repository(walker, other)?;
    }
    other_paths.retain(|other| other != path);
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
