//! Resolves links to files by Obsidian's rules.
//!
//! A link names a file by its base name or by the end of its path; the note that contains the link matters only if
//! several files match. Wikilinks and Markdown links resolve alike: a Markdown link relative to its note's folder
//! matches the end of a path, and files of that folder are preferred.

use std::collections::HashMap;
use std::sync::Arc;

use crate::fold;

/// The names of all files of a vault. Paths are relative to the vault's root, with `/` between folders.
#[derive(Debug, Clone, Default)]
pub struct FileNames {
    /// Files by folded base name: notes both with and without `.md`.
    by_name: HashMap<String, Vec<Arc<File>>>,
}

#[derive(Debug)]
struct File {
    /// The path on disk.
    path: String,
    folded: String,
}

/// The file that a link points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// Exactly one file matches; this is its path.
    Found(String),
    /// Several files match. Obsidian opens the chosen one.
    Ambiguous {
        /// The path of the file that Obsidian opens.
        chosen: String,
        /// The paths of the other files.
        others: Vec<String>,
    },
    /// No file matches.
    Missing,
}

impl Resolution {
    /// The path of the file that the link opens; `None` if there is none.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Found(path) | Self::Ambiguous { chosen: path, .. } => Some(path),
            Self::Missing => None,
        }
    }
}

impl FileNames {
    /// Collects the names of a vault's files.
    pub fn from_paths<I: IntoIterator<Item = S>, S: Into<String>>(paths: I) -> FileNames {
        let mut names = FileNames::default();
        for path in paths {
            names.insert(path);
        }
        names
    }

    /// Adds a file. Nothing changes if it is there already.
    pub fn insert(&mut self, path: impl Into<String>) {
        let path = path.into();
        if self.contains(&path) {
            return;
        }
        let file = Arc::new(File { folded: fold(&path), path });
        for key in keys(&file.folded) {
            self.by_name.entry(key.to_owned()).or_default().push(Arc::clone(&file));
        }
    }

    /// Adds the files of `others` that are not there yet.
    pub fn extend(&mut self, others: FileNames) {
        for file in others.by_name.into_values().flatten() {
            if !self.contains(&file.path) {
                self.insert(file.path.clone());
            }
        }
    }

    /// Removes the file with exactly this path.
    pub fn remove(&mut self, path: &str) {
        for key in keys(&fold(path)) {
            if let Some(files) = self.by_name.get_mut(key) {
                files.retain(|file| file.path != path);
                if files.is_empty() {
                    self.by_name.remove(key);
                }
            }
        }
    }

    /// Whether the vault has a file with exactly this path.
    pub fn contains(&self, path: &str) -> bool {
        self.files_named(&fold(path)).iter().any(|file| file.path == path)
    }

    /// Resolves `target`, a link path without its `#…`, for a link in the note `from`.
    pub fn resolve(&self, target: &str, from: &str) -> Resolution {
        let target = target.trim();
        if target.is_empty() {
            return Resolution::Found(from.to_owned());
        }
        if let Some(rooted) = target.strip_prefix('/') {
            return normalize_path(rooted, "")
                .map_or(Resolution::Missing, |path| self.resolve_path(&path, from));
        }
        if target.starts_with("./") || target.starts_with("../") {
            return normalize_path(target, folder(from))
                .map_or(Resolution::Missing, |path| self.resolve_path(&path, from));
        }
        let Some(path) = normalize_path(target, "") else { return Resolution::Missing };
        match self.resolve_path(&path, from) {
            Resolution::Missing => self.resolve_suffix(&path, from),
            found => found,
        }
    }

    /// The shortest link path that means this file and no other in the note `from`. The `.md` of a note is left out.
    pub fn shortest_link(&self, path: &str, from: &str) -> String {
        let means_it = |link: &str| self.resolve(link, from) == Resolution::Found(path.to_owned());
        let starts = path.rmatch_indices('/').map(|(at, _)| at + 1).chain([0]);
        for start in starts {
            let link = strip_md(&path[start..]);
            if means_it(link) {
                return link.to_owned();
            }
            if means_it(&path[start..]) {
                return path[start..].to_owned();
            }
        }
        let rooted = format!("/{}", strip_md(path));
        if means_it(&rooted) { rooted } else { format!("/{path}") }
    }

    /// The file at this path of the vault, with or without `.md`. It is ambiguous only by case and composition.
    fn resolve_path(&self, path: &str, from: &str) -> Resolution {
        let wanted = fold(path);
        let note = format!("{wanted}.md");
        let fits: Vec<&File> = self
            .files_named(&wanted)
            .iter()
            .filter(|file| file.folded == wanted || file.folded == note)
            .map(Arc::as_ref)
            .collect();
        let exact: Vec<&File> =
            fits.iter().copied().filter(|file| file.path == path || strip_md(&file.path) == path).collect();
        let fits = if exact.is_empty() { fits } else { exact };
        choose(prefer_full_names(fits, &wanted), from)
    }

    /// The files whose path ends with this path, at a folder boundary.
    fn resolve_suffix(&self, path: &str, from: &str) -> Resolution {
        let wanted = fold(path);
        let ends = |file: &File, end: &str| {
            file.folded.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let note = format!("{wanted}.md");
        let fits = self.files_named(&wanted).iter().map(Arc::as_ref);
        choose(
            prefer_full_names(
                fits.filter(|file| ends(file, &wanted) || ends(file, &note)).collect(),
                &wanted,
            ),
            from,
        )
    }

    /// The files whose base name is the last part of this folded path.
    fn files_named(&self, folded: &str) -> &[Arc<File>] {
        self.by_name.get(base_name(folded)).map_or(&[], Vec::as_slice)
    }
}

/// If some files have the full wanted name, drops notes that match only without their `.md`. A note takes precedence
/// over a file without any extension.
fn prefer_full_names<'a>(fits: Vec<&'a File>, wanted: &str) -> Vec<&'a File> {
    let (outright, notes): (Vec<&File>, Vec<&File>) =
        fits.into_iter().partition(|file| file.folded.ends_with(wanted));
    let has_extension = base_name(wanted).contains('.');
    if outright.is_empty() || (!has_extension && !notes.is_empty()) { notes } else { outright }
}

/// Chooses among matching files: those in the note's folder and below it first, then the least deep, then the
/// shortest path, then by name.
fn choose(mut fits: Vec<&File>, from: &str) -> Resolution {
    let home = folder(from);
    let away =
        |path: &str| !(home.is_empty() || path.strip_prefix(home).is_some_and(|rest| rest.starts_with('/')));
    fits.sort_by_key(|file| {
        (away(&file.path), file.path.matches('/').count(), file.path.chars().count(), file.path.as_str())
    });
    let mut paths = fits.into_iter().map(|file| file.path.clone());
    match (paths.next(), paths.collect::<Vec<_>>()) {
        (None, _) => Resolution::Missing,
        (Some(path), others) if others.is_empty() => Resolution::Found(path),
        (Some(chosen), others) => Resolution::Ambiguous { chosen, others },
    }
}

/// The key that a link shares with the file it points to, whatever path was written: the last part of the path,
/// folded and without `.md`. A link can only point to a file with the same key.
pub fn link_key(target: &str) -> String {
    strip_md(base_name(&fold(target.trim()))).to_owned()
}

/// The base names under which a file is found.
fn keys(folded: &str) -> impl Iterator<Item = &str> {
    let name = base_name(folded);
    let stem = strip_md(name);
    [name].into_iter().chain((stem != name).then_some(stem))
}

/// Like [`join_path`], but `None` also for the root.
fn normalize_path(path: &str, start: &str) -> Option<String> {
    join_path(path, start).filter(|path| !path.is_empty())
}

/// Joins a path to a folder and resolves `.` and `..`. Empty for the root, `None` if the path leaves the vault.
pub fn join_path(path: &str, start: &str) -> Option<String> {
    let mut parts: Vec<&str> = start.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a path; empty at the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path of a note without `.md` in any case; any other path unchanged.
pub(crate) fn strip_md(path: &str) -> &str {
    match path.len().checked_sub(3).and_then(|at| path.get(at..)) {
        Some(end) if end.eq_ignore_ascii_case(".md") && path.len() > 3 => &path[..path.len() - 3],
        _ => path,
    }
}

#[cfg(test)]
mod tests;
