//! Every file beneath a root, found by walking its folders. What is left out is for a [`Selection`] to say.

use jiff::Timestamp;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::ports::{FileEntry, FileListing, SkippedFile};
use wellread_core::{Error, Result};

use super::creation_times::CreationTimes;
use super::disk::{Dir, FileKind, Stat};
use super::walk::Walker;
use super::{TEMP_PREFIX, io_error};

/// Deeper than any vault, and shallow enough for the handles that are open at a time.
pub(super) const DEEPEST: usize = 100;

/// In what a vault and a repository of code differ. Names that the path rules exclude are never asked about.
pub(crate) trait Selection {
    /// A folder is about to be looked through. What is wrong there is answered as a path and a reason.
    fn enter(&mut self, _dir: &Dir, _folder: &str) -> Vec<SkippedFile> {
        Vec::new()
    }

    /// The folder that was entered last is done.
    fn leave(&mut self) {}

    /// Whether to pass over this without a word.
    fn skips(&self, _path: &str, _kind: FileKind) -> bool {
        false
    }

    /// Whether a link to a file inside the root counts as that file.
    fn follows_links(&self) -> bool;

    /// When the content was made whose file this is.
    fn created_at(&self, stat: &Stat) -> Option<Timestamp>;
}

/// Of a vault everything is listed.
impl Selection for &CreationTimes {
    fn follows_links(&self) -> bool {
        true
    }

    fn created_at(&self, stat: &Stat) -> Option<Timestamp> {
        CreationTimes::created_at(self, stat)
    }
}

pub(crate) fn list(walker: &Walker<'_>, selection: impl Selection) -> Result<FileListing> {
    let mut found = FileListing::default();
    ListingWalk { walker, selection, found: &mut found }.visit_folder(walker.root, "", 0)?;
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.folders.sort();
    found.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

struct ListingWalk<'a, S> {
    walker: &'a Walker<'a>,
    selection: S,
    found: &'a mut FileListing,
}

impl<S: Selection> ListingWalk<'_, S> {
    /// An error here means that the folder itself can't be read; below the root that is noted and passed over.
    fn visit_folder(&mut self, dir: &Dir, folder: &str, depth: usize) -> Result<()> {
        let names =
            self.walker.disk.names(dir).map_err(|error| io_error(&error, "could not list", folder))?;
        let wrong = self.selection.enter(dir, folder);
        self.found.skipped.extend(wrong);
        for name in names {
            match name {
                Ok(name) => self.visit_entry(dir, folder, &name, depth),
                Err(shown) => self.skip(&join_path(folder, &shown), "its name is not Unicode"),
            }
        }
        self.selection.leave();
        Ok(())
    }

    fn visit_entry(&mut self, dir: &Dir, folder: &str, name: &str, depth: usize) {
        let path = join_path(folder, name);
        if self.walker.rules.excludes(name) || self.walker.rules.excludes_path(&path) {
            if name.starts_with(TEMP_PREFIX) {
                self.skip(&path, "left behind by an edit that was interrupted");
            }
            return;
        }
        match self.walker.disk.stat(dir, name) {
            Err(error) => self.skip(&path, &format!("could not be inspected: {error}")),
            Ok(stat) if self.selection.skips(&path, stat.kind) => {}
            Ok(stat) => match stat.kind {
                FileKind::File => self.add_file(&path, &stat),
                FileKind::Link if self.selection.follows_links() => self.add_link(&path),
                FileKind::Link => self.skip(&path, "a link; links are not followed here"),
                FileKind::Other => self.skip(&path, "not a regular file"),
                FileKind::Folder if depth >= DEEPEST => {
                    self.skip(&path, "folders are nested too deeply");
                }
                FileKind::Folder => {
                    self.found.folders.push(path.clone());
                    let opened = self.walker.disk.open_dir(dir, name);
                    let opened = opened.map_err(|error| io_error(&error, "could not open", &path));
                    if let Err(error) = opened.and_then(|dir| self.visit_folder(&dir, &path, depth + 1)) {
                        self.skip(&path, error.message());
                    }
                }
            },
        }
    }

    fn add_file(&mut self, path: &str, stat: &Stat) {
        match self.walker.rules.parse_file(path) {
            Err(error) => self.skip(path, error.message()),
            Ok(path) => {
                let created = self.selection.created_at(stat);
                self.found.files.push(entry_from_stat(path.clone(), &path, stat, created));
            }
        }
    }

    /// A linked note is a note, where it leads to a file inside the vault.
    fn add_link(&mut self, written: &str) {
        let target = self.walker.rules.parse_file(written).and_then(|path| {
            let (place, stat) = self.walker.find_existing(&path)?;
            Ok(entry_from_stat(path, &place.real, &stat, self.selection.created_at(&stat)))
        });
        match target {
            Ok(entry) => self.found.files.push(entry),
            Err(error) => self.skip(written, &link_skip_reason(&error)),
        }
    }

    fn skip(&mut self, path: &str, reason: &str) {
        self.found.skipped.push(new_skipped(path, reason));
    }
}

pub(crate) fn new_skipped(path: &str, reason: &str) -> SkippedFile {
    let path = path.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    SkippedFile { path, reason: reason.to_owned() }
}

/// The entry of a file whose true path, links resolved, is this one.
pub(crate) fn entry_from_stat(
    path: VaultPath,
    real: &VaultPath,
    stat: &Stat,
    created: Option<Timestamp>,
) -> FileEntry {
    FileEntry {
        linked: stat.names > 1 || *real != path,
        path,
        size: stat.size,
        modified: stat.modified,
        created,
        changed: stat.changed,
        number: stat.inode,
    }
}

fn link_skip_reason(error: &Error) -> String {
    match error.kind() {
        wellread_core::ErrorKind::NotFound => "a dangling link".to_owned(),
        wellread_core::ErrorKind::Invalid => {
            "a link to a folder; files inside the vault are listed under their own path".to_owned()
        }
        _ => error.message().to_owned(),
    }
}

pub(crate) fn join_path(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
