//! The symbolic links of the vault, by what they lead to.
//!
//! To make, move or change a link is a change of the folder that it is in. So each folder is read once, and after that only
//! those that changed. Files are not looked at.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use wellread_core::domain::corpus::VaultPath;
use wellread_core::{Error, Result};

use super::disk::{Dir, FileKind, Stat};
use super::io_error;
use super::listing::{DEEPEST, join_path};
use super::walk::{WalkOutcome, Walker};

/// The coarsest resolution of file times.
pub const COARSEST_CLOCK: SignedDuration = SignedDuration::from_secs(2);
/// What was seen is believed for so many times as long as it took to look: many questions in a row do not cost a look each.
const BELIEVED: u32 = 4;
/// Links that lead into each other give a file more names than anybody could judge.
const MOST_NAMES: usize = 1000;

/// The links of the vault, as they were when its folders were last looked at.
#[derive(Debug, Default)]
pub struct SymbolicLinks(Mutex<KnownLinks>);

#[derive(Debug, Default)]
struct KnownLinks {
    folders: HashMap<String, KnownFolder>,
    /// When the last look ended, and how long it took.
    looked: Option<(Instant, Duration)>,
    targets: Arc<LinkTargets>,
}

/// What was read of a folder.
#[derive(Debug)]
struct KnownFolder {
    /// `None` if a change of it could go unnoticed.
    stamp: Option<FolderStamp>,
    links: Vec<String>,
    folders: Vec<String>,
}

type FolderStamp = (u64, Timestamp, Timestamp);

/// Links by the true path of the file or folder that they lead to; that of the vault itself is empty.
#[derive(Debug, Default)]
pub struct LinkTargets(HashMap<String, Vec<String>>);

impl SymbolicLinks {
    /// The links as they are now, or were a moment ago.
    pub fn find(&self, walker: &Walker<'_>) -> Result<Arc<LinkTargets>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_believed = |(ended, took): (Instant, Duration)| ended.elapsed() <= took * BELIEVED;
        if !known.looked.is_some_and(is_believed) {
            known.look(walker)?;
        }
        Ok(known.targets.clone())
    }

    /// Whether anybody asked for the links since the vault was opened.
    pub fn were_asked_for(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).folders.is_empty()
    }

    /// From now on, nothing is believed that was seen before: the vault was changed.
    pub fn expire(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).looked = None;
    }
}

impl KnownLinks {
    fn look(&mut self, walker: &Walker<'_>) -> Result<()> {
        let begun = Instant::now();
        let mut look = FolderLook {
            walker,
            now: Timestamp::now(),
            before: std::mem::take(&mut self.folders),
            seen: HashMap::new(),
            is_changed: false,
        };
        let stat = walker.disk.stat(walker.root, ".").ok();
        look.visit(walker.root, "", stat.as_ref(), 0)
            .map_err(|error| io_error(&error, "could not list", ""))?;
        // A folder that is gone may have had links, or links may have led into it.
        let is_changed = look.is_changed || !look.before.is_empty();
        self.folders = look.seen;
        if is_changed {
            self.targets = Arc::new(LinkTargets::resolve(walker, &self.folders));
        }
        self.looked = Some((Instant::now(), begun.elapsed()));
        Ok(())
    }
}

struct FolderLook<'a> {
    walker: &'a Walker<'a>,
    now: Timestamp,
    before: HashMap<String, KnownFolder>,
    seen: HashMap<String, KnownFolder>,
    /// Whether a folder was read again.
    is_changed: bool,
}

impl FolderLook<'_> {
    fn visit(&mut self, dir: &Dir, path: &str, stat: Option<&Stat>, depth: usize) -> std::io::Result<()> {
        let stamp = stat.map(|stat| (stat.inode, stat.modified, stat.changed));
        let known = self.before.remove(path).filter(|known| stamp.is_some() && known.stamp == stamp);
        let folder = match known {
            Some(known) => known,
            None => self.read(dir, path, stamp)?,
        };
        for name in &folder.folders {
            // What can't be opened has no names that anybody could use.
            let _ = self.visit_below(dir, &join_path(path, name), name, depth + 1);
        }
        self.seen.insert(path.to_owned(), folder);
        Ok(())
    }

    fn visit_below(&mut self, dir: &Dir, path: &str, name: &str, depth: usize) -> std::io::Result<()> {
        let stat = self.walker.disk.stat(dir, name)?;
        let stamp = Some((stat.inode, stat.modified, stat.changed));
        // A folder without folders that is as it was need not be opened.
        if let Some(known) = self.before.remove(path) {
            if known.stamp == stamp && known.folders.is_empty() {
                self.seen.insert(path.to_owned(), known);
                return Ok(());
            }
            self.before.insert(path.to_owned(), known);
        }
        if depth >= DEEPEST {
            return Ok(());
        }
        self.visit(&self.walker.disk.open_dir(dir, name)?, path, Some(&stat), depth)
    }

    fn read(&mut self, dir: &Dir, path: &str, stamp: Option<FolderStamp>) -> std::io::Result<KnownFolder> {
        self.is_changed = true;
        let is_settled = |stamp: &FolderStamp| self.now.duration_since(stamp.2) > COARSEST_CLOCK;
        let mut folder =
            KnownFolder { stamp: stamp.filter(is_settled), links: Vec::new(), folders: Vec::new() };
        let rules = self.walker.rules;
        for (name, kind) in self.walker.disk.kinds(dir)? {
            let path = join_path(path, &name);
            match kind {
                FileKind::Link | FileKind::Folder if rules.excludes(&name) || rules.excludes_path(&path) => {}
                FileKind::Link => folder.links.push(name),
                FileKind::Folder => folder.folders.push(name),
                FileKind::File | FileKind::Other => {}
            }
        }
        Ok(folder)
    }
}

impl LinkTargets {
    fn resolve(walker: &Walker<'_>, folders: &HashMap<String, KnownFolder>) -> Self {
        let mut targets: HashMap<String, Vec<String>> = HashMap::new();
        for (folder, known) in folders {
            for link in known.links.iter().map(|name| join_path(folder, name)) {
                if let Some(target) = resolve_link(walker, &link) {
                    targets.entry(target).or_default().push(link);
                }
            }
        }
        Self(targets)
    }

    /// Whether a link leads to a file, or to a folder above it.
    pub fn lead_to(&self, path: &VaultPath) -> bool {
        !self.0.is_empty() && self.leading_to(path.as_str()).next().is_some()
    }

    /// Adds the paths by which links lead to these files, and links to those again.
    pub fn extend(&self, paths: &mut Vec<VaultPath>, walker: &Walker<'_>) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        // Each with the links that it goes through: a link in the folder that it leads to is gone through once.
        let mut left: Vec<(VaultPath, Vec<&str>)> =
            paths.iter().map(|path| (path.clone(), Vec::new())).collect();
        while let Some((path, through)) = left.pop() {
            for (link, rest) in self.leading_to(path.as_str()).filter(|(link, _)| !through.contains(link)) {
                let name = if rest.is_empty() { link.to_owned() } else { join_path(link, rest) };
                // A path that nobody may ask for is no name.
                let Ok(name) = walker.rules.parse_file(&name) else { continue };
                if paths.contains(&name) {
                    continue;
                }
                if paths.len() == MOST_NAMES {
                    return Err(Error::refused(format!("too many links lead to `{path}`")));
                }
                paths.push(name.clone());
                left.push((name, through.iter().copied().chain([link]).collect()));
            }
        }
        Ok(())
    }

    /// The links that lead to a path or to a folder above it, each with the rest of the path below that.
    fn leading_to<'a, 'p>(&'a self, path: &'p str) -> impl Iterator<Item = (&'a str, &'p str)> {
        let folders = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
        let parts = folders.chain([("", path), (path, "")]);
        let links = parts.filter_map(|(target, rest)| Some((self.0.get(target)?, rest)));
        links.flat_map(|(links, rest)| links.iter().map(move |link| (link.as_str(), rest)))
    }
}

/// The true path that a link leads to, whether there is something or not; `None` if it leads nowhere in the vault.
fn resolve_link(walker: &Walker<'_>, link: &str) -> Option<String> {
    let behind = |path: &str| match walker.walk(&walker.rules.parse_file(path).ok()?).ok()? {
        WalkOutcome::At(place) => Some(place.real),
        WalkOutcome::NoFolder { real, .. } => Some(real),
    };
    match behind(link) {
        Some(real) => Some(real.as_str().to_owned()),
        // Only the vault itself and a folder by `..` have no name at the end: then something below it is asked for.
        None => behind(&format!("{link}/x")).map(|real| real.folder().to_owned()),
    }
}
