//! Systems other than Linux, by the library `notify`: one watch covers a root with all that is below it.
//!
//! Excluded folders are watched along, which costs nothing there, and their events are dropped.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use wellread_core::{Error, ErrorKind, Result};

use super::pending_hints::PendingHints;
use crate::platform::to_corpus_path;

use super::{BUSY_INTERVAL, Exclusion, FolderIdentity, IDLE_INTERVAL, folder_identity, spawn_thread};

/// Listens until it is dropped.
#[derive(Debug)]
pub struct Listener {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    pub fn start(
        roots: Vec<(usize, PathBuf)>,
        excluded: &Exclusion,
        gathered: &Arc<PendingHints>,
    ) -> Result<Self> {
        // Events come with true paths.
        let roots: Vec<(usize, PathBuf)> =
            roots.into_iter().map(|(corpus, root)| (corpus, root.canonicalize().unwrap_or(root))).collect();
        let (known, excluded, to) = (roots.clone(), excluded.clone(), gathered.clone());
        let heard = move |event: notify::Result<Event>| match event {
            Ok(event) => handle_event(&event, &known, &excluded, &to),
            Err(_) => to.rescan(),
        };
        let watcher = notify::recommended_watcher(heard).map_err(|error| unavailable_error(&error))?;
        let roots = roots.into_iter().map(|(_, root)| (root, None)).collect();
        let mut keeper = RootKeeper { watcher, roots, gathered: gathered.clone() };
        keeper.check_roots();
        let (stop, stopped) = mpsc::channel();
        let thread = spawn_thread("file events", move || keeper.run(&stopped))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }

    /// Whether every change of a corpus has been heard of: here nobody can tell.
    pub fn catch_up(&self, _: usize) -> bool {
        false
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Puts the watches on roots that come, and come back.
struct RootKeeper {
    watcher: RecommendedWatcher,
    /// Each with which folder it was when it was last seen.
    roots: Vec<(PathBuf, Option<FolderIdentity>)>,
    gathered: Arc<PendingHints>,
}

impl RootKeeper {
    fn run(mut self, stopped: &Receiver<()>) {
        loop {
            let missing = self.roots.iter().any(|(_, known)| known.is_none());
            match stopped.recv_timeout(if missing { BUSY_INTERVAL } else { IDLE_INTERVAL }) {
                Err(RecvTimeoutError::Timeout) => {}
                _ => return,
            }
            if self.check_roots() {
                self.gathered.rescan();
            }
        }
    }

    /// Whether a root is another than before.
    fn check_roots(&mut self) -> bool {
        let mut changed = false;
        for (root, known) in &mut self.roots {
            let now = folder_identity(root);
            if now == *known {
                continue;
            }
            // It fails where the watch went with the folder.
            let _ = self.watcher.unwatch(root);
            *known = now.filter(|_| match self.watcher.watch(root, RecursiveMode::Recursive) {
                Ok(()) => true,
                Err(error) => {
                    let limit = format!("`{}` is not watched: {error}", root.display());
                    self.gathered.set_limit(Some(limit));
                    false
                }
            });
            changed |= *known == now;
        }
        changed
    }
}

fn handle_event(event: &Event, roots: &[(usize, PathBuf)], excluded: &Exclusion, gathered: &PendingHints) {
    if event.need_rescan() {
        return gathered.rescan();
    }
    // That a file was read is no news.
    let read = matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
    if read {
        return;
    }
    let moved = matches!(event.kind, EventKind::Modify(ModifyKind::Name(_)));
    for path in &event.paths {
        for (corpus, root) in roots {
            let Ok(below) = path.strip_prefix(root) else { continue };
            let Some(below) = to_corpus_path(below) else { continue };
            let below = below.as_str();
            if below.is_empty() {
                gathered.rescan();
                continue;
            }
            if gathered.touch_again(*corpus, below) {
                continue;
            }
            let is_folder = is_or_was_folder(path, moved);
            match excluded.covers(*corpus, below, is_folder) {
                true => {}
                false if is_folder => gathered.rescan(),
                false => gathered.touch(*corpus, below.to_owned()),
            }
        }
    }
}

/// Whether it is a folder, or was one. Of something that was moved away only the name is left to tell: one without an
/// ending is taken for a folder's.
fn is_or_was_folder(path: &Path, moved: bool) -> bool {
    match std::fs::symlink_metadata(path) {
        Ok(meta) => meta.is_dir(),
        Err(_) => moved && path.extension().is_none(),
    }
}

fn unavailable_error(error: &notify::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("the system provides no file events: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hears what Linux says through the library, too: this is how the module is tried here.
    #[test]
    fn a_changed_file_is_a_hint_and_an_excluded_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".obsidian")).unwrap();
        let hints = Arc::new(PendingHints::default());
        let exclusion = Exclusion(Arc::new(|_, path, _| path.ends_with(".tmp")));
        let listener = Listener::start(vec![(7, folder.path().to_owned())], &exclusion, &hints).unwrap();
        for name in ["x.tmp", ".obsidian/workspace.json", "Bees.md"] {
            std::fs::write(folder.path().join(name), "text").unwrap();
        }
        let heard = hints.next().unwrap();
        assert_eq!((heard.touched, heard.rescan), (vec![(7, "Bees.md".to_owned())], false));
        assert_eq!(hints.limit(), None);
        assert!(!listener.catch_up(7));
        drop(listener);
        hints.end();
        assert_eq!(hints.next(), None);
    }

    #[test]
    fn a_root_that_comes_later_is_watched_then() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("vault");
        let hints = Arc::new(PendingHints::default());
        let _listener =
            Listener::start(vec![(0, root.clone())], &Exclusion(Arc::new(|_, _, _| false)), &hints).unwrap();
        std::fs::create_dir(&root).unwrap();
        assert!(hints.next().unwrap().rescan, "everything is new in it");
        std::fs::write(root.join("Bees.md"), "text").unwrap();
        while hints.next().unwrap().touched != [(0, "Bees.md".to_owned())] {}
    }
}
