//! The vaults on this machine: those that Obsidian knows, and folders near by that Obsidian has opened before.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::platform;

/// The folder by which Obsidian marks a vault.
const MARK: &str = ".obsidian";
/// How far below a place a vault is looked for.
const DEPTH: usize = 2;
/// How many folders are looked at in all: a home folder may hold very many.
const MOST_FOLDERS: usize = 3000;
const LARGEST_LIST: u64 = 1 << 20;

/// Where Obsidian keeps its list, below the home folder: as installed by itself, by Flatpak, by Snap, on macOS and on Windows.
const OBSIDIAN_FOLDERS: [&str; 5] = [
    ".config/obsidian",
    ".var/app/md.obsidian.Obsidian/config/obsidian",
    "snap/obsidian/current/.config/obsidian",
    "Library/Application Support/obsidian",
    "AppData/Roaming/obsidian",
];

/// Where people keep their vaults, below the home folder.
const USUAL_PLACES: [&str; 7] = [
    "Documents",
    "Notes",
    "notes",
    "Obsidian",
    "Dropbox",
    "OneDrive",
    "Library/Mobile Documents/iCloud~md~obsidian/Documents",
];

/// A vault, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FoundVault {
    pub path: PathBuf,
    pub origin: VaultOrigin,
}

/// How a vault was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VaultOrigin {
    /// The settings name it.
    Settings,
    /// It is in Obsidian's list.
    Obsidian,
    /// It is a folder near by that has `.obsidian`.
    Nearby,
}

impl VaultOrigin {
    /// The origin in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Settings => "in your settings",
            Self::Obsidian => "in Obsidian's list",
            Self::Nearby => "has been opened in Obsidian",
        }
    }
}

/// The vaults that exist, the likeliest first. `set` is the one that the settings name.
pub fn find_vaults(set: Option<&Path>) -> Vec<FoundVault> {
    let mut found = Vec::new();
    let mut add = |path: &Path, origin| {
        let path = platform::canonicalize_existing(path);
        if path.is_dir() && !found.iter().any(|known: &FoundVault| known.path == path) {
            found.push(FoundVault { path, origin });
        }
    };
    if let Some(set) = set {
        add(set, VaultOrigin::Settings);
    }
    for path in read_obsidian_lists() {
        add(&path, VaultOrigin::Obsidian);
    }
    for path in find_nearby() {
        add(&path, VaultOrigin::Nearby);
    }
    found
}

/// The vaults of Obsidian's own lists.
fn read_obsidian_lists() -> Vec<PathBuf> {
    let home = platform::home().ok();
    let below_home = home.iter().flat_map(|home| OBSIDIAN_FOLDERS.map(|below| home.join(below)));
    let set = platform::app_settings_folder().ok().map(|folder| folder.join("obsidian"));
    let mut folders: Vec<PathBuf> = set.into_iter().chain(below_home).collect();
    folders.dedup();
    folders.iter().filter_map(|folder| read_list(&folder.join("obsidian.json"))).flatten().collect()
}

fn read_list(file: &Path) -> Option<Vec<PathBuf>> {
    let mut text = String::new();
    File::open(file).ok()?.take(LARGEST_LIST).read_to_string(&mut text).ok()?;
    Some(parse_list(&text))
}

/// The paths in such a list: the vault that is open first, then by when each was last used.
fn parse_list(text: &str) -> Vec<PathBuf> {
    let list: Value = serde_json::from_str(text).unwrap_or_default();
    let vaults = list["vaults"].as_object().into_iter().flat_map(|vaults| vaults.values());
    let mut rows: Vec<(bool, u64, &str)> = vaults
        .filter_map(|vault| {
            let path = vault["path"].as_str().filter(|path| Path::new(path).is_absolute())?;
            Some((vault["open"] == true, vault["ts"].as_u64().unwrap_or_default(), path))
        })
        .collect();
    rows.sort_by(|one, other| (other.0, other.1, one.2).cmp(&(one.0, one.1, other.2)));
    rows.into_iter().map(|(_, _, path)| PathBuf::from(path)).collect()
}

/// Folders with `.obsidian`: the current one or one that it is in, then those below it and below the usual places.
fn find_nearby() -> Vec<PathBuf> {
    let here = std::env::current_dir().ok();
    let mut found: Vec<PathBuf> = here
        .iter()
        .flat_map(|here| here.ancestors())
        .filter(|folder| is_vault(folder))
        .map(Path::to_owned)
        .collect();
    let home = platform::home().ok();
    let usual = home.iter().flat_map(|home| USUAL_PLACES.iter().map(|below| home.join(below)));
    let mut waiting: VecDeque<(PathBuf, usize)> =
        here.clone().into_iter().chain(usual).chain(home.clone()).map(|place| (place, DEPTH)).collect();
    let mut looked_at = 0;
    while let Some((folder, depth)) = waiting.pop_front() {
        for child in list_folders(&folder) {
            looked_at += 1;
            if looked_at > MOST_FOLDERS {
                return found;
            }
            if is_vault(&child) {
                found.push(child);
            } else if depth > 1 {
                waiting.push_back((child, depth - 1));
            }
        }
    }
    found
}

fn is_vault(folder: &Path) -> bool {
    folder.join(MARK).is_dir()
}

/// The folders in a folder, by name, without hidden ones and links.
fn list_folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<PathBuf> = real
        .filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vault_that_is_open_comes_first_and_then_the_one_used_last() {
        let text = r#"{"vaults": {
            "a": {"path": "/old", "ts": 1}, "b": {"path": "/new", "ts": 3}, "c": {"path": "/open", "ts": 2, "open": true},
            "d": {"path": "relative", "ts": 9}, "e": {"ts": 9}, "f": 3
        }}"#;
        assert_eq!(parse_list(text), ["/open", "/new", "/old"].map(PathBuf::from));
        for other in ["", "[]", "{\"vaults\": []}", "{\"vaults\": {\"a\": null}}"] {
            assert_eq!(parse_list(other), [""; 0].map(PathBuf::from), "{other}");
        }
    }
}
