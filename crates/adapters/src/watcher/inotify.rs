//! Linux: one thread that waits for what the kernel says about each root, and keeps the watches on its folders.
//!
//! Asked directly rather than through a library, because the libraries also want to be told of every file that is opened:
//! an index that reads its files would then wake itself, and could fill the kernel's queue by reading.

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use wellread_core::{Error, ErrorKind, Result};

use super::mounts::MountTable;
use super::pending_hints::PendingHints;
use super::tree::WatchTree;
use super::{BUSY_INTERVAL, Exclusion, IDLE_INTERVAL, spawn_thread};

/// So long after the last event something is going on.
const BUSY: Duration = Duration::from_secs(2);
/// As long as whoever asks waits while many folders are being watched.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct Listener {
    trees: Arc<SharedTrees>,
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    pub fn start(
        roots: Vec<(usize, PathBuf)>,
        excluded: &Exclusion,
        gathered: &Arc<PendingHints>,
    ) -> Result<Self> {
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).map_err(unavailable_error)?);
        let mounts = MountTable::open();
        let mut trees = Vec::new();
        for (corpus, root) in roots {
            trees.push(
                WatchTree::new(corpus, root, excluded.clone(), gathered.clone())
                    .map_err(unavailable_error)?,
            );
        }
        let trees = Arc::new(SharedTrees(Mutex::new(WatchedTrees { trees, mounts })));
        let (until, watched) = (stop.clone(), trees.clone());
        let thread = spawn_thread("file events", move || listen(&watched, &until))?;
        Ok(Self { trees, stop, thread: Some(thread) })
    }

    /// Takes in what the kernel has to say about a corpus. Whether that is every change of it.
    pub fn catch_up(&self, corpus: usize) -> bool {
        let Some(mut watched) = self.trees.lock_within(LONGEST_WAIT) else { return false };
        watched.check_mounts();
        let mut heard_all = false;
        for tree in watched.trees.iter_mut().filter(|tree| tree.corpus() == corpus) {
            tree.check_root();
            heard_all = tree.read_events() && tree.hears_every_change();
        }
        heard_all && watched.mounts.is_some()
    }
}

/// The trees of all roots: the thread reads what is said about them, and so does whoever can't wait for it.
#[derive(Debug)]
struct SharedTrees(Mutex<WatchedTrees>);

impl SharedTrees {
    fn lock(&self) -> MutexGuard<'_, WatchedTrees> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` if the thread is at work for longer than that.
    fn lock_within(&self, longest: Duration) -> Option<MutexGuard<'_, WatchedTrees>> {
        let begun = Instant::now();
        loop {
            match self.0.try_lock() {
                Ok(watched) => return Some(watched),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if begun.elapsed() > longest => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

#[derive(Debug)]
struct WatchedTrees {
    trees: Vec<WatchTree>,
    mounts: Option<MountTable>,
}

impl WatchedTrees {
    fn check_mounts(&mut self) {
        if self.mounts.as_ref().is_some_and(MountTable::has_changed) {
            self.trees.iter_mut().for_each(WatchTree::check_mounts);
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn listen(shared: &SharedTrees, stop: &OwnedFd) {
    let mut looked = Instant::now();
    let mut heard: Option<Instant> = None;
    let events: Vec<Arc<OwnedFd>> = shared.lock().trees.iter().map(WatchTree::event_fd).collect();
    // One of its own: whoever asks takes the answer.
    let mounts = MountTable::open();
    loop {
        let (every, next) = {
            let trees = &shared.lock().trees;
            let missing = trees.iter().any(WatchTree::is_missing);
            let busy = heard.is_some_and(|at| at.elapsed() < BUSY);
            let every = if busy || missing { BUSY_INTERVAL } else { IDLE_INTERVAL };
            (every, trees.iter().filter_map(WatchTree::refresh_due).fold(looked + every, Instant::min))
        };
        let (stopped, ready) =
            match wait(&events, mounts.as_ref(), stop, next.saturating_duration_since(Instant::now())) {
                Ok(answer) => answer,
                Err(Errno::INTR) => continue,
                // Nothing that could go wrong here passes; the caller's timer goes on.
                Err(_) => return,
            };
        if stopped {
            return;
        }
        let mut watched = shared.lock();
        watched.check_mounts();
        for (tree, ready) in watched.trees.iter_mut().zip(ready) {
            if ready {
                heard = Some(Instant::now());
                tree.read_events();
            }
            tree.refresh_if_due();
        }
        if looked.elapsed() >= every {
            looked = Instant::now();
            watched.trees.iter_mut().for_each(WatchTree::check_root);
        }
    }
}

/// Whether to stop, and which trees have something to say.
fn wait(
    events: &[Arc<OwnedFd>],
    mounts: Option<&MountTable>,
    stop: &OwnedFd,
    at_most: Duration,
) -> Result<(bool, Vec<bool>), Errno> {
    let mut waiting: Vec<PollFd<'_>> = [stop.as_fd()]
        .into_iter()
        .chain(events.iter().map(|fd| fd.as_fd()))
        .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
        .collect();
    // It wakes whoever waits, and is asked afterwards.
    waiting.extend(mounts.map(|table| PollFd::new(table, PollFlags::PRI)));
    // A moment more, so that it is due when we wake.
    let at_most = Timespec::try_from(at_most + Duration::from_millis(1)).ok();
    poll(&mut waiting, at_most.as_ref())?;
    let said: Vec<bool> = waiting.iter().map(|one| !one.revents().is_empty()).collect();
    Ok((said[0], said[1..=events.len()].to_vec()))
}

fn unavailable_error(errno: Errno) -> Error {
    let error = std::io::Error::from(errno);
    Error::new(ErrorKind::Unavailable, format!("the system provides no file events: {error}"))
        .hint("too many programs may be watching files; raise fs.inotify.max_user_instances")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_does_not_wait_for_many_folders_to_be_watched() {
        let root = tempfile::tempdir().unwrap();
        let (excluded, gathered) = (Exclusion(Arc::new(|_, _, _| false)), Arc::new(PendingHints::default()));
        let roots = vec![(0, root.path().to_path_buf())];
        let listener = Listener::start(roots, &excluded, &gathered).unwrap();
        let at_work = listener.trees.lock();
        assert!(!listener.catch_up(0));
        drop(at_work);
    }
}
