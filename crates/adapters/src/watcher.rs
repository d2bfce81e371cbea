//! Watches files for changes, and passes them on as hints. It reads no file and writes none.
//!
//! A hint says where to look, never what is there: whoever gets it reads the file and compares. Hints may come for files
//! that did not change. One may be missing where the system lost count; then a `rescan` says to look everywhere.
//! What no system reports (a file on another machine, a page of memory written back) is for the caller's timer.
//!
//! | file | what |
//! | --- | --- |
//! | `pending_hints` | what was heard and not passed on yet: never much |
//! | `inotify` `tree` `folder_entries` | Linux: folder by folder, so that excluded ones cost nothing |
//! | `file_system` `mounts` | which folders report every change; what is mounted in them, which no watch reports |
//! | `portable` | other systems, where one watch covers a whole tree |

#[cfg(target_os = "linux")]
mod file_system;
#[cfg(target_os = "linux")]
mod folder_entries;
#[cfg(target_os = "linux")]
mod inotify;
#[cfg(target_os = "linux")]
mod mounts;
mod pending_hints;
// In tests on Linux too: it is tried there.
#[cfg(any(not(target_os = "linux"), test))]
mod portable;
#[cfg(target_os = "linux")]
mod tree;

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use wellread_core::{Error, Result};

use crate::platform;

#[cfg(target_os = "linux")]
use self::inotify::Listener;
use self::pending_hints::PendingHints;
#[cfg(not(target_os = "linux"))]
use self::portable::Listener;

/// How often a root is looked at while nothing is heard: one that is moved with the folders above it says nothing.
const IDLE_INTERVAL: Duration = Duration::from_secs(5);
/// The interval while files are changing, or while a root is missing.
const BUSY_INTERVAL: Duration = Duration::from_millis(500);

/// Where to look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeHints {
    /// Which corpus, and the path in it; sorted, each once. Empty where everything is to be looked at.
    pub touched: Vec<(usize, String)>,
    /// More may have changed than is listed: look everywhere.
    pub rescan: bool,
}

/// Watches folders until it is dropped; the drop waits for a hint that is being handled.
#[derive(Debug)]
pub struct Watcher {
    gathered: Arc<PendingHints>,
    handler: Arc<HintHandler>,
    /// Both are there until the drop.
    listener: Option<Listener>,
    delivery: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Watches these roots, each with the number of its corpus. When this returns, every change from now on is heard.
    ///
    /// `is_excluded` gets a corpus, a path in it and whether that is a folder, and says whether it is, or is below, something
    /// to stay out of; dot-names and `node_modules` are excluded without asking. `on_hint` is called on a thread of its own, one call at a time;
    /// while it works, further changes gather. A root that does not exist is waited for.
    pub fn start(
        roots: Vec<(usize, PathBuf)>,
        is_excluded: impl Fn(usize, &str, bool) -> bool + Send + Sync + 'static,
        on_hint: impl Fn(ChangeHints) + Send + 'static,
    ) -> Result<Self> {
        let gathered = Arc::new(PendingHints::default());
        let listener = Listener::start(roots, &Exclusion(Arc::new(is_excluded)), &gathered)?;
        let handler = Arc::new(HintHandler(Mutex::new(Box::new(on_hint))));
        let (from, to) = (gathered.clone(), handler.clone());
        let deliver = move || {
            while from.wait() {
                to.pass_on(&from);
            }
        };
        let delivery = spawn_thread("hints", deliver)?;
        Ok(Self { gathered, handler, listener: Some(listener), delivery: Some(delivery) })
    }

    /// Passes on everything that happened in a corpus before this call, without waiting for quiet; when this returns,
    /// `on_hint` was called with it. No where some changes may not be heard of: on other systems than Linux, on file
    /// systems that other machines write to, where too many folders would have to be watched, and once the root has been
    /// another folder.
    pub fn catch_up(&self, corpus: usize) -> bool {
        let heard_all = self.listener.as_ref().is_some_and(|listener| listener.catch_up(corpus));
        self.handler.pass_on(&self.gathered);
        heard_all && self.gathered.limit().is_none()
    }

    /// Why not every folder is watched, where that is so: the caller's timer has to find what changes there.
    pub fn limit_reason(&self) -> Option<String> {
        self.gathered.limit()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.listener.take();
        self.gathered.end();
        let delivery = self.delivery.take();
        // Whoever drops it from within a hint can't wait for that hint to end.
        if let Some(delivery) = delivery.filter(|thread| thread.thread().id() != std::thread::current().id())
        {
            let _ = delivery.join();
        }
    }
}

/// Whoever wants the hints. One call at a time, whichever thread brings them.
struct HintHandler(Mutex<Box<dyn Fn(ChangeHints) + Send>>);

impl HintHandler {
    fn pass_on(&self, pending: &PendingHints) {
        let handle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hints) = pending.take() {
            handle(hints);
        }
    }
}

impl std::fmt::Debug for HintHandler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HintHandler")
    }
}

type IsExcluded = dyn Fn(usize, &str, bool) -> bool + Send + Sync;

/// What is not watched and gives no hints.
#[derive(Clone)]
struct Exclusion(Arc<IsExcluded>);

impl Exclusion {
    fn covers(&self, corpus: usize, path: &str, is_folder: bool) -> bool {
        let mut parts = path.split('/');
        parts.any(|part| part.starts_with('.') || part == "node_modules") || (self.0)(corpus, path, is_folder)
    }
}

impl std::fmt::Debug for Exclusion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Exclusion")
    }
}

/// Which folder it is, whatever its path. A number is given again when its folder is gone; its birth is not.
type FolderIdentity = (u64, u64, Option<SystemTime>);

fn folder_identity(root: &Path) -> Option<FolderIdentity> {
    let created = std::fs::metadata(root).ok().filter(Metadata::is_dir)?.created().ok();
    platform::facts_at(root).ok().map(|folder| (folder.volume, folder.number, created))
}

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map_err(|error| Error::failed(format!("could not start a thread: {error}")))
}
