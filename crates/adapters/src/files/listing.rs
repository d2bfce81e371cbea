//! Every file of the vault, found by walking its folders.

use wellread_core::corpus::{PathRules, VaultPath};
use wellread_core::ports::{Entry, Listing, Skipped};
use wellread_core::{Error, Result};

use super::births::Births;
use super::disk::{Dir, FileKind, Stat};
use super::walk::Walker;
use super::{TEMP_PREFIX, trouble};

/// Deeper than any vault, and shallow enough for the handles that are open at a time.
const DEEPEST: usize = 100;

pub fn list(walker: &Walker<'_>, births: &Births) -> Result<Listing> {
    let mut found = Listing::default();
    Search { walker, births, found: &mut found }.folder(walker.root, "", 0)?;
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.folders.sort();
    found.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

struct Search<'a> {
    walker: &'a Walker<'a>,
    births: &'a Births,
    found: &'a mut Listing,
}

impl Search<'_> {
    /// An error here means that the folder itself can't be read; below the root that is noted and passed over.
    fn folder(&mut self, dir: &Dir, folder: &str, depth: usize) -> Result<()> {
        let names = self.walker.disk.names(dir).map_err(|error| trouble(&error, "could not list", folder))?;
        for name in names {
            match name {
                Ok(name) => self.entry(dir, folder, &name, depth),
                Err(shown) => self.pass_over(&join(folder, &shown), "its name is not Unicode"),
            }
        }
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
            Ok(stat) => match stat.kind {
                FileKind::File => self.file(self.walker.rules, &path, &stat),
                FileKind::Link => self.link(&path),
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

    fn file(&mut self, rules: &PathRules, path: &str, stat: &Stat) {
        match rules.file(path) {
            Err(error) => self.pass_over(path, error.message()),
            Ok(path) => self.found.files.push(entry(path, stat, self.births)),
        }
    }

    /// A linked note is a note, where it leads to a file inside the vault.
    fn link(&mut self, written: &str) {
        let target = self.walker.rules.file(written).and_then(|path| {
            let (_, stat) = self.walker.existing(&path)?;
            Ok(entry(path, &stat, self.births))
        });
        match target {
            Ok(entry) => self.found.files.push(entry),
            Err(error) => self.pass_over(written, &because(&error)),
        }
    }

    fn pass_over(&mut self, path: &str, reason: &str) {
        let path = path.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        self.found.skipped.push(Skipped { path, reason: reason.to_owned() });
    }
}

pub fn entry(path: VaultPath, stat: &Stat, births: &Births) -> Entry {
    Entry {
        path,
        size: stat.size,
        modified: stat.modified,
        created: births.born(stat),
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

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
