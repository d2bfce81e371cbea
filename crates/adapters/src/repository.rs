//! A code repository: lists and reads its files. Nothing here writes, and nothing that is read is ever run.
//!
//! It stands on the vault's walk: beneath one open folder, part by part, never through a link. What git is told to
//! ignore is neither listed nor found nor read, since that is where people keep build output and secrets; nor is
//! what is no text by its name. A file that is ignored although git tracks it is left out too.
//!
//! | file | what |
//! | --- | --- |
//! | `ignores` | the rules in `.gitignore` and `.ignore` |
//! | `endings` | names that are never worth reading as text |
//! | `commit` | which commit is checked out |
//! | `history` | what files were called before, and which have changed |
//! | `git` | the one place where git is run, on a folder of our own that knows of the repository's objects alone |

mod endings;
mod git;
mod git_folder;
mod history;
mod ignores;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use wellread_core::domain::corpus::{DEFAULT_EXCLUDED, Hash, PathRules, VaultPath};
use wellread_core::ports::{
    Corpus, CorpusPaths, FileContent, FileEntry, FileIdentity, FileListing, SkippedFile,
};
use wellread_core::{Error, Result};

pub use self::git_folder::git_commit;
pub use self::history::GitHistory;
#[cfg(fuzzing)]
pub use self::history::Renames;
use self::ignores::{IgnoreCache, IgnoreLevel};
use crate::files::disk::{Dir, Disk, FileKind, Stat};
use crate::files::listing::{self, Selection};
use crate::files::walk::{ResolvedPath, Walker};
use crate::files::{SystemDisk, path_to_string, read_error, read_settled};

/// Left out besides what is left out of a vault: made by a machine, and often not in `.gitignore`.
const ALSO_EXCLUDED: &str = "__pycache__";

/// A repository, open as a folder handle.
#[derive(Debug)]
pub struct RepositoryFiles {
    disk: Arc<dyn Disk>,
    root: Dir,
    path: PathBuf,
    roots: Vec<String>,
    rules: PathRules,
    ignores: IgnoreCache,
}

impl RepositoryFiles {
    /// Opens the folder. Nothing is read yet.
    pub fn open(root: &Path) -> Result<Self> {
        let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
        let opened = disk.open_root(root).map_err(|error| open_repository_error(&error, root))?;
        let mut paths = vec![root.to_path_buf()];
        paths.extend(root.canonicalize());
        let roots: Vec<String> = paths.iter().filter_map(|root| path_to_string(root)).collect();
        let excluded: Vec<String> =
            DEFAULT_EXCLUDED.iter().chain([&ALSO_EXCLUDED]).map(|name| (*name).to_owned()).collect();
        let rules = PathRules::new(roots.clone(), &excluded);
        Ok(Self {
            disk,
            root: opened,
            path: root.to_path_buf(),
            roots,
            rules,
            ignores: IgnoreCache::default(),
        })
    }

    pub fn rules(&self) -> &PathRules {
        &self.rules
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this path, or a folder on the way to it, is left out: by the path rules, by its name or because git
    /// ignores it. It need not exist; `is_folder` says what it is or was.
    pub fn skips(&self, path: &str, is_folder: bool) -> bool {
        match self.rules.parse_file(path) {
            Ok(path) => self.skip_reason(&self.walker(), &path, is_folder).is_some(),
            Err(_) => true,
        }
    }

    fn skip_reason(&self, walker: &Walker<'_>, path: &VaultPath, is_folder: bool) -> Option<&'static str> {
        if !is_folder && !endings::may_be_text(path.name()) {
            return Some("is not read: its name says it is not hand-written text");
        }
        let parts: Vec<&str> = path.parts().collect();
        let mut levels = Vec::new();
        for count in 1..=parts.len() {
            let folder = parts[..count - 1].join("/");
            if let Ok(Some(dir)) = walker.open_folder(&folder) {
                levels.push(self.ignores.level(&*self.disk, &dir, &folder).0);
            }
            let folder_here = is_folder || count < parts.len();
            if ignores::is_ignored(&levels, &parts[..count].join("/"), folder_here) {
                return Some("is not read: git ignores it");
            }
        }
        None
    }

    /// The file's place, unless it is left out. What has a link in its path is left out as well.
    fn place(&self, walker: &Walker<'_>, path: &VaultPath) -> Result<Option<(ResolvedPath, Stat)>> {
        let Some(place) = walker.find_file(path)? else { return Ok(None) };
        let Some(stat) = place.stat.clone() else { return Ok(None) };
        let why = if place.real == *path {
            self.skip_reason(walker, path, false)
        } else {
            Some("is reached by a link, and links are not followed in a repository")
        };
        match why {
            Some(why) => Err(Error::refused(format!("`{path}` {why}")).with_path(path.as_str())),
            None => Ok(Some((place, stat))),
        }
    }

    fn walker(&self) -> Walker<'_> {
        Walker::new(&*self.disk, &self.root, &self.roots, &self.rules)
    }
}

impl CorpusPaths for RepositoryFiles {
    fn rules(&self) -> &PathRules {
        &self.rules
    }

    fn excludes(&self, path: &str, is_folder: bool) -> bool {
        self.skips(path, is_folder)
    }
}

impl Corpus for RepositoryFiles {
    fn list(&self) -> Result<FileListing> {
        self.ignores.forget_old();
        listing::list(&self.walker(), RepositorySelection { files: self, levels: Vec::new() })
    }

    /// What is left out is not found.
    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        match self.place(&self.walker(), path) {
            Ok(found) => {
                Ok(found.map(|(_, stat)| listing::entry_from_stat(path.clone(), path, &stat, stat.created)))
            }
            Err(error) if error.kind() == wellread_core::ErrorKind::Refused => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        let found = self.place(&self.walker(), path)?;
        let gone = || Error::not_found(format!("File not found: {path}")).with_path(path.as_str());
        let (place, stat) = found.ok_or_else(gone)?;
        let bytes =
            read_settled(&*self.disk, &place.dir, &place.name).map_err(|error| read_error(&error, path))?;
        let entry = listing::entry_from_stat(path.clone(), path, &stat, stat.created);
        Ok(FileContent { hash: Hash::compute(&bytes), entry, bytes })
    }

    /// Nothing in a repository is reached by a link, and all of it came from outside.
    fn identify(&self, _path: &VaultPath) -> Result<FileIdentity> {
        Ok(FileIdentity { other_paths: Vec::new(), in_nested_repository: true })
    }

    fn head_commit(&self) -> Option<String> {
        git_commit(&self.path)
    }
}

/// What of a repository is listed.
struct RepositorySelection<'a> {
    files: &'a RepositoryFiles,
    /// The rules of the folders that we are in, outermost first.
    levels: Vec<IgnoreLevel>,
}

impl Selection for RepositorySelection<'_> {
    fn enter(&mut self, dir: &Dir, folder: &str) -> Vec<SkippedFile> {
        let (level, wrong) = self.files.ignores.level(&*self.files.disk, dir, folder);
        self.levels.push(level);
        wrong
    }

    fn leave(&mut self) {
        self.levels.pop();
    }

    fn skips(&self, path: &str, kind: FileKind) -> bool {
        let is_folder = kind == FileKind::Folder;
        let name = path.rsplit('/').next().unwrap_or(path);
        (!is_folder && !endings::may_be_text(name)) || ignores::is_ignored(&self.levels, path, is_folder)
    }

    fn follows_links(&self) -> bool {
        false
    }

    fn created_at(&self, stat: &Stat) -> Option<Timestamp> {
        stat.created
    }
}

fn open_repository_error(error: &io::Error, root: &Path) -> Error {
    let shown = root.display();
    match error.kind() {
        io::ErrorKind::NotFound => Error::not_found(format!("there is no folder `{shown}`")),
        io::ErrorKind::NotADirectory => Error::invalid(format!("`{shown}` is not a folder")),
        _ => Error::failed(format!("could not open the repository at `{shown}`: {error}")),
    }
    .hint("`wellread repo list` shows the repositories; `wellread repo remove NAME` removes one")
}
