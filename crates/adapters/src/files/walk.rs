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

use super::disk::{Dir, Disk, FileKind, Stat, met_link};
use super::trouble;

const MOST_LINKS: usize = 40;
/// How many folders are held open at the most; what is beyond that is opened again each time.
const MOST_HELD: usize = 200;

/// Where a path leads: a name in an open folder. The folder is real; the file may not exist.
#[derive(Debug, Clone)]
pub struct Place {
    pub dir: Dir,
    pub name: String,
    /// The true path, links resolved.
    pub real: VaultPath,
    pub stat: Option<Stat>,
}

/// Where a path leads, or the first folder on its way that does not exist.
#[derive(Debug)]
pub enum Walked {
    At(Place),
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
}

impl<'a> Walker<'a> {
    pub fn new(disk: &'a dyn Disk, root: &'a Dir, roots: &'a [String], rules: &'a PathRules) -> Self {
        Self { disk, root, roots, rules, held: RefCell::default() }
    }

    /// From now on this folder is meant by its path, wherever it is moved and whatever is put in its place: a change that
    /// was planned in it is made in it.
    pub fn hold(&self, place: &Place) {
        let mut held = self.held.borrow_mut();
        if held.len() < MOST_HELD {
            held.insert(place.real.folder().to_owned(), place.dir.clone());
        }
    }

    /// The place of a file whose folders exist. A folder, a device or a FIFO there is an error.
    pub fn file(&self, path: &VaultPath) -> Result<Option<Place>> {
        match self.walk(path)? {
            Walked::At(place) => match &place.stat {
                None => Ok(Some(place)),
                Some(stat) => regular(path, stat).map(|()| Some(place)),
            },
            Walked::NoFolder { .. } => Ok(None),
        }
    }

    /// The place of a file that exists.
    pub fn existing(&self, path: &VaultPath) -> Result<(Place, Stat)> {
        match self.file(path)? {
            Some(Place { stat: Some(stat), dir, name, real }) => {
                Ok((Place { dir, name, real, stat: Some(stat.clone()) }, stat))
            }
            _ => Err(Error::not_found(format!("File not found: {path}")).at(path.as_str())),
        }
    }

    pub fn walk(&self, path: &VaultPath) -> Result<Walked> {
        let mut way = Way { walker: self, path, folders: Vec::new(), links: 0 };
        way.go(path.parts().map(str::to_owned).collect())
    }

    /// The folder and name of a path that was walked before and had no link in it. Nothing where a folder on the
    /// way is gone, or a link has taken its place: the file is not there any more.
    pub fn again(&self, real: &VaultPath) -> Result<Option<(Dir, String)>> {
        Ok(self.folder(real.folder())?.map(|dir| (dir, real.name().to_owned())))
    }

    /// An open folder, by its true path.
    pub fn folder(&self, folder: &str) -> Result<Option<Dir>> {
        if let Some(held) = self.held.borrow().get(folder) {
            return Ok(Some(held.clone()));
        }
        let mut dir = self.root.clone();
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            dir = match self.disk.open_dir(&dir, part) {
                Ok(dir) => dir,
                Err(error) if is_gone(&error) => return Ok(None),
                Err(error) => return Err(trouble(&error, "could not open the folder", folder)),
            };
        }
        Ok(Some(dir))
    }
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || met_link(error)
}

/// Refuses what is no ordinary file.
pub fn regular(path: &VaultPath, stat: &Stat) -> Result<()> {
    match stat.kind {
        FileKind::File => Ok(()),
        FileKind::Folder => {
            Err(Error::invalid(format!("`{path}` is a folder where a file is meant")).at(path.as_str()))
        }
        FileKind::Link | FileKind::Other => {
            Err(Error::refused(format!("`{path}` is not a regular file")).at(path.as_str()))
        }
    }
}

struct Way<'a> {
    walker: &'a Walker<'a>,
    path: &'a VaultPath,
    folders: Vec<(String, Dir)>,
    links: usize,
}

impl Way<'_> {
    fn go(&mut self, mut rest: VecDeque<String>) -> Result<Walked> {
        while let Some(part) = rest.pop_front() {
            if part == ".." {
                if self.folders.pop().is_none() {
                    return Err(self.leads_out());
                }
                continue;
            }
            let dir = self.here();
            let stat = match self.walker.disk.stat(&dir, &part) {
                Ok(stat) => Some(stat),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(trouble(&error, "could not look at", self.path.as_str())),
            };
            let last = rest.is_empty();
            match stat.as_ref().map(|stat| stat.kind) {
                Some(FileKind::Link) => {
                    let mut target = self.target(&dir, &part)?;
                    target.append(&mut rest);
                    rest = target;
                }
                _ if last => return Ok(Walked::At(self.place(dir, part, stat)?)),
                None => return self.no_folder(&part, &rest),
                Some(FileKind::Folder) => {
                    let opened = self.walker.disk.open_dir(&dir, &part);
                    let opened =
                        opened.map_err(|error| trouble(&error, "could not open", self.path.as_str()))?;
                    self.folders.push((part, opened));
                }
                Some(FileKind::File | FileKind::Other) => {
                    return Err(Error::invalid(format!("`{part}` in the path `{}` is no folder", self.path))
                        .at(self.path.as_str()));
                }
            }
        }
        // Only a link that leads to a folder by `..` or to the vault itself ends without a name.
        Err(Error::invalid(format!("`{}` is a folder where a file is meant", self.path))
            .at(self.path.as_str()))
    }

    fn here(&self) -> Dir {
        self.folders.last().map_or_else(|| self.walker.root.clone(), |(_, dir)| dir.clone())
    }

    fn place(&self, dir: Dir, name: String, stat: Option<Stat>) -> Result<Place> {
        let real = self.real(&self.below(&name))?;
        Ok(Place { dir, name, real, stat })
    }

    /// A path that went through no link was parsed already; where a link led is parsed now.
    fn real(&self, walked: &str) -> Result<VaultPath> {
        if self.links == 0 { Ok(self.path.clone()) } else { self.walker.rules.file(walked) }
    }

    /// The folders that would have to be made, each with its whole path, outermost first.
    fn no_folder(&self, first: &str, rest: &VecDeque<String>) -> Result<Walked> {
        let mut folder = self.below(first);
        let mut missing = vec![folder.clone()];
        for part in rest.iter().take(rest.len() - 1) {
            if part == ".." {
                return Err(self.leads_out());
            }
            folder = format!("{folder}/{part}");
            missing.push(folder.clone());
        }
        let name = rest.back().map_or(first, String::as_str);
        let real = self.real(&format!("{folder}/{name}"))?;
        Ok(Walked::NoFolder { missing, real })
    }

    fn below(&self, name: &str) -> String {
        self.folders.iter().map(|(part, _)| part.as_str()).chain([name]).collect::<Vec<_>>().join("/")
    }

    /// The parts that a link stands for. An absolute one starts again at the vault's root.
    fn target(&mut self, dir: &Dir, name: &str) -> Result<VecDeque<String>> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(
                Error::refused(format!("`{}` goes through too many links", self.path)).at(self.path.as_str())
            );
        }
        let target = self.walker.disk.link_target(dir, name);
        let target = target.map_err(|error| trouble(&error, "could not follow", self.path.as_str()))?;
        let mut beneath = target.as_str();
        if target.starts_with('/') {
            self.folders.clear();
            let inside = |root: &String| {
                target.strip_prefix(root.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            beneath = self.walker.roots.iter().find_map(inside).ok_or_else(|| self.leads_out())?;
        }
        let parts: VecDeque<String> =
            beneath.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect();
        match parts.iter().find(|part| *part != ".." && self.walker.rules.excludes(part)) {
            Some(part) => {
                Err(Error::refused(format!("`{}` is a link into an excluded folder (`{part}`)", self.path))
                    .at(self.path.as_str()))
            }
            None => Ok(parts),
        }
    }

    fn leads_out(&self) -> Error {
        Error::refused(format!("`{}` is a link that leads out of the vault", self.path))
            .at(self.path.as_str())
    }
}
