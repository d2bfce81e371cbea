//! Every file beneath a root, found by walking its folders. What is left out is for a [`Selection`] to say.

use jiff::Timestamp;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::ports::{Entry, Listing, Skipped};
use wellread_core::{Error, Result};

use super::creation_times::Births;
use super::disk::{Dir, FileKind, Stat};
use super::walk::Walker;
use super::{TEMP_PREFIX, trouble};

/// Deeper than any vault, and shallow enough for the handles that are open at a time.
const DEEPEST: usize = 100;

/// In what a vault and a repository of code differ. Names that the path rules exclude are never asked about.
pub(crate) trait Selection {
    /// A folder is about to be looked through. What is wrong there is answered as a path and a reason.
    fn enter(&mut self, _dir: &Dir, _folder: &str) -> Vec<Skipped> {
        Vec::new()
    }

    /// The folder that was entered last is done.
    fn leave(&mut self) {}

    /// Whether to pass over this without a word.
    fn leaves_out(&self, _path: &str, _kind: FileKind) -> bool {
        false
    }

    /// Whether a link to a file inside the root counts as that file.
    fn follows_links(&self) -> bool;

    /// When the content was made whose file this is.
    fn born(&self, stat: &Stat) -> Option<Timestamp>;
}

/// Of a vault everything is listed.
impl Selection for &Births {
    fn follows_links(&self) -> bool {
        true
    }

    fn born(&self, stat: &Stat) -> Option<Timestamp> {
        Births::born(self, stat)
    }
}

pub(crate) fn list(walker: &Walker<'_>, selection: impl Selection) -> Result<Listing> {
    let mut found = Listing::default();
    Search { walker, selection, found: &mut found }.folder(walker.root, "", 0)?;
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.folders.sort();
    found.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

struct Search<'a, S> {
    walker: &'a Walker<'a>,
    selection: S,
    found: &'a mut Listing,
}

impl<S: Selection> Search<'_, S> {
    /// An error here means that the folder itself can't be read; below the root that is noted and passed over.
    fn folder(&mut self, dir: &Dir, folder: &str, depth: usize) -> Result<()> {
        let names = self.walker.disk.names(dir).map_err(|error| trouble(&error, "could not list", folder))?;
        let wrong = self.selection.enter(dir, folder);
        self.found.skipped.extend(wrong);
        for name in names {
            match name {
                Ok(name) => self.entry(dir, folder, &name, depth),
                Err(shown) => self.pass_over(&join(folder, &shown), "its name is not Unicode"),
            }
        }
        self.selection.leave();
        Ok(())
    }

    fn entry(&mut self, dir: &Dir, folder: &str, name: &str, depth: usize) {
        let path = join(folder, name);
        if self.walker.rules.excludes(name) || self.walker.rules.excludes_path(&path) {
            if name.starts_with(TEMP_PREFIX) {
                self.pass_over(&path, "left behind by an edit that was interrupted");
            }
            return;
        }
        match self.walker.disk.stat(dir, name) {
            Err(error) => self.pass_over(&path, &format!("could not be looked at: {error}")),
            Ok(stat) if self.selection.leaves_out(&path, stat.kind) => {}
            Ok(stat) => match stat.kind {
                FileKind::File => self.file(&path, &stat),
                FileKind::Link if self.selection.follows_links() => self.link(&path),
                FileKind::Link => self.pass_over(&path, "a link; links are not followed here"),
                FileKind::Other => self.pass_over(&path, "not a regular file"),
                FileKind::Folder if depth >= DEEPEST => {
                    self.pass_over(&path, "too many folders in each other");
                }
                FileKind::Folder => {
                    self.found.folders.push(path.clone());
                    let opened = self.walker.disk.open_dir(dir, name);
                    let opened = opened.map_err(|error| trouble(&error, "could not open", &path));
                    if let Err(error) = opened.and_then(|dir| self.folder(&dir, &path, depth + 1)) {
                        self.pass_over(&path, error.message());
                    }
                }
            },
        }
    }

    fn file(&mut self, path: &str, stat: &Stat) {
        match self.walker.rules.file(path) {
            Err(error) => self.pass_over(path, error.message()),
            Ok(path) => self.found.files.push(entry(path, stat, self.selection.born(stat))),
        }
    }

    /// A linked note is a note, where it leads to a file inside the vault.
    fn link(&mut self, written: &str) {
        let target = self.walker.rules.file(written).and_then(|path| {
            let (_, stat) = self.walker.existing(&path)?;
            Ok(entry(path, &stat, self.selection.born(&stat)))
        });
        match target {
            Ok(entry) => self.found.files.push(entry),
            Err(error) => self.pass_over(written, &because(&error)),
        }
    }

    fn pass_over(&mut self, path: &str, reason: &str) {
        self.found.skipped.push(passed_over(path, reason));
    }
}

pub(crate) fn passed_over(path: &str, reason: &str) -> Skipped {
    let path = path.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    Skipped { path, reason: reason.to_owned() }
}

pub(crate) fn entry(path: VaultPath, stat: &Stat, created: Option<Timestamp>) -> Entry {
    Entry {
        path,
        size: stat.size,
        modified: stat.modified,
        created,
        changed: stat.changed,
        number: stat.inode,
    }
}

fn because(error: &Error) -> String {
    match error.kind() {
        wellread_core::Kind::NotFound => "a link to nothing".to_owned(),
        wellread_core::Kind::Invalid => {
            "a link to a folder; what is inside the vault is listed in its place".to_owned()
        }
        _ => error.message().to_owned(),
    }
}

pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
