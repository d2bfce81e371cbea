//! Paths in a repository: their parts, and how they are joined.

use wellread_text::Language;

use super::files::GraphFiles;
use crate::domain::corpus::VaultPath;

impl GraphFiles<'_> {
    /// The name by which others import a file: its own, or that of its folder for a file such as `mod.rs`.
    pub fn import_name(&self, file: usize) -> &str {
        let path = self.path(file);
        let stem = stem(path);
        let stem = stem.strip_suffix(".d").unwrap_or(stem);
        let speaks = Language::ALL.iter().any(|language| language.names.folder_files.contains(&stem));
        match path.folder().rsplit('/').next() {
            Some(folder) if speaks && !folder.is_empty() => folder,
            _ => stem,
        }
    }
}

/// A file's name without its extension.
pub(super) fn stem(path: &VaultPath) -> &str {
    path.name().rsplit_once('.').map_or(path.name(), |(stem, _)| stem)
}

/// The folder that contains a folder; empty at the top.
pub(super) fn parent_folder(folder: &str) -> &str {
    folder.rsplit_once('/').map_or("", |(above, _)| above)
}

/// Joins a folder and a path below it.
pub(super) fn join_path(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Resolves a relative path from a folder; `None` if it leaves the repository.
pub(super) fn resolve_relative(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
