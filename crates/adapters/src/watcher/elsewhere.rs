//! Systems other than Linux, by the library `notify`: one watch covers a root with all that is below it.
//!
//! Excluded folders are watched along, which costs nothing there, and their events are dropped.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use wellread_core::{Error, Kind, Result};

use super::Exclusion;
use super::gathered::Gathered;

/// Listens until it is dropped.
#[derive(Debug)]
pub struct Listener {
    _watcher: RecommendedWatcher,
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
        let mut watcher = notify::recommended_watcher(heard).map_err(|error| unavailable(&error))?;
        for (_, root) in &roots {
            if let Err(error) = watcher.watch(root, RecursiveMode::Recursive) {
                gathered.set_limit(Some(format!("`{}` is not watched: {error}", root.display())));
            }
        }
        Ok(Self { _watcher: watcher })
    }
}

fn take_in(event: &Event, roots: &[(usize, PathBuf)], excluded: &Exclusion, gathered: &Gathered) {
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
fn may_hold_more(path: &Path, moved: bool) -> bool {
    match std::fs::symlink_metadata(path) {
        Ok(meta) => meta.is_dir(),
        Err(_) => moved && path.extension().is_none(),
    }
}

fn unavailable(error: &notify::Error) -> Error {
    Error::new(Kind::Unavailable, format!("the system gives no file events: {error}"))
}
