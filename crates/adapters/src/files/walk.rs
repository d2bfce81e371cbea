//! From a path to an open folder and a name in it, without ever leaving the vault.
//!
//! Each part is opened relative to the folder before it, and never through a link. A link is read and its target
//! walked by the same rules, so one that is swapped in during the call is either walked the same way or stops us.
//! What a link leads to must be inside the vault and in no excluded folder.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::io;

use wellread_core::domain::corpus::{PathRules, VaultPath};
use wellread_core::{Error, Result};

use super::disk::{Dir, Disk, FileKind, Stat, is_link_error};
use super::io_error;
use super::removed::RemovedFiles;
use super::system::is_absolute_target;

const MOST_LINKS: usize = 40;
/// How many folders are held open at the most; what is beyond that is opened again each time.
const MOST_HELD: usize = 200;

/// Where a path leads: a name in an open folder. The folder is real; the file may not exist.
#[derive(Debug, Clone)]
pub struct ResolvedPath {
    pub dir: Dir,
    pub name: String,
    /// The true path, links resolved.
    pub real: VaultPath,
    pub stat: Option<Stat>,
}

/// Where a path leads, or the first folder on its way that does not exist.
#[derive(Debug)]
pub enum WalkOutcome {
    At(ResolvedPath),
    NoFolder { missing: Vec<String>, real: VaultPath },
}

#[derive(Debug)]
pub struct Walker<'a> {
    pub disk: &'a dyn Disk,
    pub root: &'a Dir,
    /// The absolute paths under which the root is known: an absolute link may lead back into it.
    pub roots: &'a [String],
    pub rules: &'a PathRules,
    held: RefCell<HashMap<String, Dir>>,
    /// Where files can be taken away: what watches those that were.
    pub removed: Option<&'a RemovedFiles>,
}

impl<'a> Walker<'a> {
    pub fn new(disk: &'a dyn Disk, root: &'a Dir, roots: &'a [String], rules: &'a PathRules) -> Self {
        Self { disk, root, roots, rules, held: RefCell::default(), removed: None }
    }

    /// From now on this folder is meant by its path, wherever it is moved and whatever is put in its place: a change that
    /// was planned in it is made in it.
    pub fn pin_folder(&self, place: &ResolvedPath) {
        let mut held = self.held.borrow_mut();
        if held.len() < MOST_HELD {
            held.insert(place.real.folder().to_owned(), place.dir.clone());
        }
    }

    /// The place of a file whose folders exist. A folder, a device or a FIFO there is an error.
    pub fn find_file(&self, path: &VaultPath) -> Result<Option<ResolvedPath>> {
        match self.walk(path)? {
            WalkOutcome::At(place) => match &place.stat {
                None => Ok(Some(place)),
                Some(stat) => check_regular(path, stat).map(|()| Some(place)),
            },
            WalkOutcome::NoFolder { .. } => Ok(None),
        }
    }

    /// The place of a file that exists.
    pub fn find_existing(&self, path: &VaultPath) -> Result<(ResolvedPath, Stat)> {
        match self.find_file(path)? {
            Some(ResolvedPath { stat: Some(stat), dir, name, real }) => {
                Ok((ResolvedPath { dir, name, real, stat: Some(stat.clone()) }, stat))
            }
            _ => Err(Error::not_found(format!("File not found: {path}")).with_path(path.as_str())),
        }
    }

    pub fn walk(&self, path: &VaultPath) -> Result<WalkOutcome> {
        let mut way = PathWalk { walker: self, path, folders: Vec::new(), links: 0 };
        way.follow(path.parts().map(str::to_owned).collect())
    }

    /// The folder and name of a path that was walked before and had no link in it. Nothing where a folder on the
    /// way is gone, or a link has taken its place: the file is not there any more.
    pub fn reopen(&self, real: &VaultPath) -> Result<Option<(Dir, String)>> {
        Ok(self.open_folder(real.folder())?.map(|dir| (dir, real.name().to_owned())))
    }

    /// An open folder, by its true path.
    pub fn open_folder(&self, folder: &str) -> Result<Option<Dir>> {
        if let Some(held) = self.held.borrow().get(folder) {
            return Ok(Some(held.clone()));
        }
        let mut dir = self.root.clone();
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            dir = match self.disk.open_dir(&dir, part) {
                Ok(dir) => dir,
                Err(error) if is_gone(&error) => return Ok(None),
                Err(error) => return Err(io_error(&error, "could not open the folder", folder)),
            };
        }
        Ok(Some(dir))
    }
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || is_link_error(error)
}

/// Refuses what is no ordinary file.
pub fn check_regular(path: &VaultPath, stat: &Stat) -> Result<()> {
    match stat.kind {
        FileKind::File => Ok(()),
        FileKind::Folder => {
            Err(Error::invalid(format!("`{path}` is a folder, not a file")).with_path(path.as_str()))
        }
        FileKind::Link | FileKind::Other => {
            Err(Error::refused(format!("`{path}` is not a regular file")).with_path(path.as_str()))
        }
    }
}

struct PathWalk<'a> {
    walker: &'a Walker<'a>,
    path: &'a VaultPath,
    folders: Vec<(String, Dir)>,
    links: usize,
}

impl PathWalk<'_> {
    fn follow(&mut self, mut rest: VecDeque<String>) -> Result<WalkOutcome> {
        while let Some(part) = rest.pop_front() {
            if part == ".." {
                if self.folders.pop().is_none() {
                    return Err(self.leads_out_error());
                }
                continue;
            }
            let dir = self.current_dir();
            let stat = match self.walker.disk.stat(&dir, &part) {
                Ok(stat) => Some(stat),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(io_error(&error, "could not inspect", self.path.as_str())),
            };
            let last = rest.is_empty();
            match stat.as_ref().map(|stat| stat.kind) {
                Some(FileKind::Link) => {
                    let mut target = self.read_link(&dir, &part)?;
                    target.append(&mut rest);
                    rest = target;
                }
                _ if last => return Ok(WalkOutcome::At(self.resolve_path(dir, part, stat)?)),
                None => return self.missing_folders(&part, &rest),
                Some(FileKind::Folder) => {
                    let opened = self.walker.disk.open_dir(&dir, &part);
                    let opened =
                        opened.map_err(|error| io_error(&error, "could not open", self.path.as_str()))?;
                    self.folders.push((part, opened));
                }
                Some(FileKind::File | FileKind::Other) => {
                    return Err(Error::invalid(format!(
                        "`{part}` in the path `{}` is not a folder",
                        self.path
                    ))
                    .with_path(self.path.as_str()));
                }
            }
        }
        // Only a link that leads to a folder by `..` or to the vault itself ends without a name.
        Err(Error::invalid(format!("`{}` is a folder, not a file", self.path)).with_path(self.path.as_str()))
    }

    fn current_dir(&self) -> Dir {
        self.folders.last().map_or_else(|| self.walker.root.clone(), |(_, dir)| dir.clone())
    }

    fn resolve_path(&self, dir: Dir, name: String, stat: Option<Stat>) -> Result<ResolvedPath> {
        let real = self.real_path(&self.path_below(&name))?;
        Ok(ResolvedPath { dir, name, real, stat })
    }

    /// A path that went through no link was parsed already; where a link led is parsed now.
    fn real_path(&self, walked: &str) -> Result<VaultPath> {
        if self.links == 0 { Ok(self.path.clone()) } else { self.walker.rules.parse_file(walked) }
    }

    /// The folders that would have to be made, each with its whole path, outermost first.
    fn missing_folders(&self, first: &str, rest: &VecDeque<String>) -> Result<WalkOutcome> {
        let mut folder = self.path_below(first);
        let mut missing = vec![folder.clone()];
        for part in rest.iter().take(rest.len() - 1) {
            if part == ".." {
                return Err(self.leads_out_error());
            }
            folder = format!("{folder}/{part}");
            missing.push(folder.clone());
        }
        let name = rest.back().map_or(first, String::as_str);
        let real = self.real_path(&format!("{folder}/{name}"))?;
        Ok(WalkOutcome::NoFolder { missing, real })
    }

    fn path_below(&self, name: &str) -> String {
        self.folders.iter().map(|(part, _)| part.as_str()).chain([name]).collect::<Vec<_>>().join("/")
    }

    /// The parts that a link stands for. An absolute one starts again at the vault's root.
    fn read_link(&mut self, dir: &Dir, name: &str) -> Result<VecDeque<String>> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(Error::refused(format!("`{}` goes through too many links", self.path))
                .with_path(self.path.as_str()));
        }
        let target = self.walker.disk.link_target(dir, name);
        let target = target.map_err(|error| io_error(&error, "could not follow", self.path.as_str()))?;
        let mut beneath = target.as_str();
        if is_absolute_target(&target) {
            self.folders.clear();
            let inside = |root: &String| {
                target.strip_prefix(root.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            beneath = self.walker.roots.iter().find_map(inside).ok_or_else(|| self.leads_out_error())?;
        }
        let parts: VecDeque<String> =
            beneath.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect();
        match parts.iter().find(|part| *part != ".." && self.walker.rules.excludes(part)) {
            Some(part) => {
                Err(Error::refused(format!("`{}` is a link into an excluded folder (`{part}`)", self.path))
                    .with_path(self.path.as_str()))
            }
            None => Ok(parts),
        }
    }

    fn leads_out_error(&self) -> Error {
        Error::refused(format!("`{}` is a link that leads out of the vault", self.path))
            .with_path(self.path.as_str())
    }
}
