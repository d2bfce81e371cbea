//! The folders of one root, each with a watch of its own, and what the kernel's words about them mean.
//!
//! A watch belongs to a folder, not to its path: a folder that is moved takes its watch along. So when one moves away, the
//! watches below it are taken off, and put on again where it arrives.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use super::file_system::reports_every_change;
use super::folder_entries::{FolderEntries, list_entries};
use super::mounts::list_mounts;
use super::pending_hints::PendingHints;
use super::{Exclusion, FolderIdentity, folder_identity};

/// What we want to be told: not that a file was read.
const WATCHED_EVENTS: WatchFlags = WatchFlags::ATTRIB
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::MOVE_SELF);
/// How: folders only, no link, and no word about files that were taken away already.
const WATCH_FLAGS: WatchFlags =
    WatchFlags::ONLYDIR.union(WatchFlags::DONT_FOLLOW).union(WatchFlags::EXCL_UNLINK);

/// Other programs want watches, too, and each takes a kilobyte of the kernel's memory.
const MOST_FOLDERS: usize = 50_000;
/// After so many events others get their turn.
const MOST_AT_ONCE: usize = 10_000;
/// Between two times that all watches are put on anew.
const BETWEEN_REFRESHES: Duration = Duration::from_secs(1);
/// When a folder that could not be looked into is tried again.
const AFTER_TROUBLE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct WatchTree {
    corpus: usize,
    root: PathBuf,
    /// Which folder the root was when it was last seen; nothing while it is missing.
    identity: Option<FolderIdentity>,
    inotify: Arc<OwnedFd>,
    by_number: HashMap<i32, String>,
    by_path: BTreeMap<String, i32>,
    excluded: Exclusion,
    most: usize,
    list_entries: fn(&Path) -> io::Result<FolderEntries>,
    is_full: bool,
    /// Whether something in it may change unheard, now or ever.
    is_deaf: bool,
    /// What was mounted in it when its folders were last looked through.
    mounts: Vec<String>,
    /// When all watches are to be put on anew, since the kernel lost count.
    refresh_due: Option<Instant>,
    refreshed: Option<(Instant, Duration)>,
    gathered: Arc<PendingHints>,
}

impl WatchTree {
    pub fn new(
        corpus: usize,
        root: PathBuf,
        excluded: Exclusion,
        gathered: Arc<PendingHints>,
    ) -> Result<Self, Errno> {
        Self::with_limit(MOST_FOLDERS, corpus, root, excluded, gathered)
    }

    fn with_limit(
        most: usize,
        corpus: usize,
        root: PathBuf,
        excluded: Exclusion,
        gathered: Arc<PendingHints>,
    ) -> Result<Self, Errno> {
        let inotify = Arc::new(inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?);
        let mut tree = Self {
            corpus,
            root,
            identity: None,
            inotify,
            by_number: HashMap::new(),
            by_path: BTreeMap::new(),
            excluded,
            most,
            list_entries,
            is_full: false,
            is_deaf: false,
            mounts: Vec::new(),
            refresh_due: None,
            refreshed: None,
            gathered,
        };
        tree.attach();
        Ok(tree)
    }

    pub fn corpus(&self) -> usize {
        self.corpus
    }

    pub fn event_fd(&self) -> Arc<OwnedFd> {
        self.inotify.clone()
    }

    /// Whether nothing can change in it without an event.
    pub fn hears_every_change(&self) -> bool {
        !self.is_deaf && !self.is_full && !self.is_missing() && self.refresh_due.is_none()
    }

    pub fn is_missing(&self) -> bool {
        self.identity.is_none()
    }

    pub fn refresh_due(&self) -> Option<Instant> {
        self.refresh_due
    }

    /// Takes in what the kernel has to say, or a part of it where that is much. Whether it was all.
    pub fn read_events(&mut self) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let inotify = self.inotify.clone();
        let mut reader = inotify::Reader::new(&*inotify, &mut buffer);
        for heard in 0.. {
            if heard >= MOST_AT_ONCE && reader.is_buffer_empty() {
                return false;
            }
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| name.to_str().map_err(|_| ()));
                    self.handle_event(event.wd(), event.events(), name);
                }
                Err(Errno::INTR) => {}
                Err(errno) => return errno == Errno::AGAIN,
            }
        }
        true
    }

    fn handle_event(&mut self, number: i32, what: ReadFlags, name: Option<Result<&str, ()>>) {
        if what.contains(ReadFlags::QUEUE_OVERFLOW) {
            return self.lose_count();
        }
        let Some(folder) = self.by_number.get(&number) else { return };
        let gone = ReadFlags::IGNORED | ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT;
        if what.intersects(gone) {
            if folder.is_empty() {
                self.lose_root();
            } else if what.contains(ReadFlags::IGNORED) {
                let folder = self.by_number.remove(&number).unwrap_or_default();
                if self.by_path.get(&folder) == Some(&number) {
                    self.by_path.remove(&folder);
                }
            } else if what.contains(ReadFlags::UNMOUNT) {
                // What it covered is there again.
                self.lose_count();
            }
            return;
        }
        // A name that is not Unicode is listed nowhere, and what happens to a folder itself its parent says.
        let Some(Ok(name)) = name else { return };
        let path = join_path(folder, name);
        if what.contains(ReadFlags::ISDIR) {
            self.handle_folder_event(&path, what);
        } else if !self.gathered.touch_again(self.corpus, &path) && !self.excludes(&path, false) {
            self.gathered.touch(self.corpus, path);
        }
    }

    fn handle_folder_event(&mut self, path: &str, what: ReadFlags) {
        if what.contains(ReadFlags::MOVED_FROM) {
            let was_watched = self.by_path.contains_key(path);
            self.unwatch(path);
            let is_excluded = self.excludes(path, true);
            if !is_excluded {
                // Where two folders changed places, the other one had come before this one left.
                self.watch_recursively(path);
            }
            if was_watched || !is_excluded {
                self.gathered.rescan();
            }
        } else if what.contains(ReadFlags::DELETE) {
            // It was empty then, and what happened to its files was said.
            self.unwatch(path);
            self.touch_folder(path);
        } else if !self.excludes(path, true) {
            // Files that came in before the watch stood were not heard of. Where there are none, nothing was missed.
            if self.watch_recursively(path) {
                self.gathered.rescan();
            } else {
                self.touch_folder(path);
            }
        }
    }

    fn touch_folder(&self, path: &str) {
        if !self.gathered.touch_again(self.corpus, path) && !self.excludes(path, true) {
            self.gathered.touch(self.corpus, path.to_owned());
        }
    }

    /// Puts a watch on a folder and on all below it. Whether everything has to be looked at: because there is anything else
    /// in them, or because that is not known.
    fn watch_recursively(&mut self, path: &str) -> bool {
        let mut found = false;
        let mut left = vec![path.to_owned()];
        while let Some(folder) = left.pop() {
            // Watched first and looked into afterwards: what comes in between is heard or seen.
            match self
                .watch(&folder)
                .map_err(io::Error::from)
                .and_then(|()| (self.list_entries)(&self.root.join(&folder)))
            {
                Ok(entries) => {
                    for (name, is_folder) in entries {
                        let path = join_path(&folder, &name);
                        match self.excludes(&path, is_folder) {
                            true => {}
                            false if is_folder => left.push(path),
                            false => found = true,
                        }
                    }
                }
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::NOSPC) => {
                        self.is_full = true;
                        self.gathered.set_limit(Some(self.too_many_message()));
                        // What is in it is not known.
                        return true;
                    }
                    // Gone again, or a link by now.
                    Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                    trouble => {
                        self.unwatch(&folder);
                        found = true;
                        // What is not ours to read is not listed, and the folder above says when that changes.
                        if trouble != Some(Errno::ACCESS) {
                            self.refresh_by(Instant::now() + AFTER_TROUBLE);
                        }
                    }
                },
            }
        }
        found
    }

    fn excludes(&self, path: &str, is_folder: bool) -> bool {
        self.excluded.covers(self.corpus, path, is_folder)
    }

    fn watch(&mut self, folder: &str) -> Result<(), Errno> {
        if self.by_path.len() >= self.most && !self.by_path.contains_key(folder) {
            return Err(Errno::NOSPC);
        }
        // The root may itself be a link: it ends in a slash then, and is followed.
        let number =
            inotify::add_watch(&*self.inotify, self.root.join(folder), WATCHED_EVENTS | WATCH_FLAGS)?;
        // A folder known by an older path, which no longer exists.
        if let Some(old) = self.by_number.insert(number, folder.to_owned()).filter(|old| old != folder) {
            self.by_path.remove(&old);
        }
        self.by_path.insert(folder.to_owned(), number);
        self.is_deaf = self.is_deaf || !reports_every_change(&self.root.join(folder));
        Ok(())
    }

    /// Takes the watches off a folder and all below it.
    fn unwatch(&mut self, folder: &str) {
        let inside = |path: &str| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let numbers: Vec<(String, i32)> = self
            .by_path
            .range(folder.to_owned()..)
            .take_while(|(path, _)| path.starts_with(folder))
            .filter(|(path, _)| folder.is_empty() || inside(path))
            .map(|(path, number)| (path.clone(), *number))
            .collect();
        for (path, number) in numbers {
            self.by_path.remove(&path);
            if self.by_number.get(&number) == Some(&path) {
                self.by_number.remove(&number);
                // It fails where the folder is gone, and the watch with it.
                let _ = inotify::remove_watch(&*self.inotify, number);
            }
        }
    }

    /// Something happened that the kernel did not tell: everything is to be looked at, and all watches put on anew.
    fn lose_count(&mut self) {
        self.gathered.rescan();
        let earliest = self.refreshed.map(|(at, took)| at + BETWEEN_REFRESHES.max(took * 10));
        self.refresh_by(earliest.unwrap_or_else(Instant::now));
    }

    fn refresh_by(&mut self, latest: Instant) {
        self.refresh_due = Some(self.refresh_due.map_or(latest, |due| due.min(latest)));
    }

    /// Looks whether something was mounted in it, or unmounted.
    pub fn check_mounts(&mut self) {
        let mounts = list_mounts(&self.root);
        if mounts != self.mounts {
            self.mounts = mounts;
            self.lose_count();
        }
    }

    pub fn refresh_if_due(&mut self) {
        if self.refresh_due.is_none_or(|due| due > Instant::now()) {
            return;
        }
        let begun = Instant::now();
        self.refresh_due = None;
        if self.identity.is_some() && self.refresh() {
            self.gathered.rescan();
        }
        self.refreshed = Some((Instant::now(), begun.elapsed()));
    }

    /// Puts all watches on anew: a folder that has one keeps it. Whether there were folders that had none.
    fn refresh(&mut self) -> bool {
        let before: HashSet<i32> = std::mem::take(&mut self.by_number).into_keys().collect();
        self.by_path.clear();
        let was_full = std::mem::take(&mut self.is_full);
        self.watch_recursively("");
        if was_full && !self.is_full {
            self.gathered.set_limit(None);
        }
        for number in before.iter().filter(|number| !self.by_number.contains_key(number)) {
            let _ = inotify::remove_watch(&*self.inotify, *number);
        }
        self.by_number.keys().any(|number| !before.contains(number))
    }

    /// Whether the root is still the folder that is watched: where it was moved with the folders above it, or is held open
    /// while it is deleted, the kernel says nothing.
    pub fn check_root(&mut self) {
        if folder_identity(&self.root) == self.identity {
            return;
        }
        if self.identity.is_some() {
            self.lose_root();
        } else if self.attach() {
            self.gathered.rescan();
        }
    }

    fn lose_root(&mut self) {
        // Whoever holds the old folder open is told about another one from now on.
        self.is_deaf = true;
        self.unwatch("");
        self.identity = None;
        self.attach();
        self.gathered.rescan();
    }

    fn attach(&mut self) -> bool {
        self.identity = folder_identity(&self.root);
        // Before the folders are looked through: what is mounted meanwhile is noticed afterwards.
        self.mounts = list_mounts(&self.root);
        if self.identity.is_some() {
            self.watch_recursively("");
            if self.by_path.is_empty() && !self.is_full {
                self.identity = None;
            }
        }
        self.identity.is_some()
    }

    fn too_many_message(&self) -> String {
        format!(
            "{} folders of `{}` are watched and no more can be; changes in the others are seen when the index is next brought \
             up to date (the system's limit is fs.inotify.max_user_watches)",
            self.by_path.len(),
            self.root.display()
        )
    }
}

fn join_path(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests;
