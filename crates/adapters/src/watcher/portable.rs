//! Systems other than Linux, by the library `notify`: one watch covers a root with all that is below it.
//!
//! Excluded folders are watched along, which costs nothing there, and their events are dropped.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use wellread_core::{Error, Kind, Result};

use super::gathered::Gathered;
use super::{Exclusion, IDLE, Identity, SOON, identity, named_thread};

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
        gathered: &Arc<Gathered>,
    ) -> Result<Self> {
        // Events come with true paths.
        let roots: Vec<(usize, PathBuf)> =
            roots.into_iter().map(|(corpus, root)| (corpus, root.canonicalize().unwrap_or(root))).collect();
        let (known, excluded, to) = (roots.clone(), excluded.clone(), gathered.clone());
        let heard = move |event: notify::Result<Event>| match event {
            Ok(event) => take_in(&event, &known, &excluded, &to),
            Err(_) => to.rescan(),
        };
        let watcher = notify::recommended_watcher(heard).map_err(|error| unavailable(&error))?;
        let roots = roots.into_iter().map(|(_, root)| (root, None)).collect();
        let mut keeper = Keeper { watcher, roots, gathered: gathered.clone() };
        keeper.look();
        let (stop, stopped) = mpsc::channel();
        let thread = named_thread("file events", move || keeper.keep(&stopped))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
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
    roots: Vec<(PathBuf, Option<Identity>)>,
    gathered: Arc<Gathered>,
}

impl Keeper {
    fn run(mut self, stopped: &Receiver<()>) {
        loop {
            let missing = self.roots.iter().any(|(_, known)| known.is_none());
            match stopped.recv_timeout(if missing { SOON } else { IDLE }) {
                Err(RecvTimeoutError::Timeout) => {}
                _ => return,
            }
            if self.look() {
                self.gathered.rescan();
            }
        }
    }

    /// Whether a root is another than before.
    fn check_roots(&mut self) -> bool {
        let mut changed = false;
        for (root, known) in &mut self.roots {
            let now = identity(root);
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

fn handle_event(event: &Event, roots: &[(usize, PathBuf)], excluded: &Exclusion, gathered: &Gathered) {
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
            let Some(below) = below.to_str() else { continue };
            if below.is_empty() {
                gathered.rescan();
                continue;
            }
            if gathered.touch_again(*corpus, below) {
                continue;
            }
            let is_folder = may_hold_more(path, moved);
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
    Error::new(Kind::Unavailable, format!("the system provides no file events: {error}"))
}
