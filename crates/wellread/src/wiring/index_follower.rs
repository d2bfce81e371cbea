//! Keeps the index level with the files while a server runs, behind everything else.
//!
//! What is heard of changes are hints: the files that they name are read and compared. Where hints were lost, everything
//! is looked at, and so it is from time to time in any case. Vectors are made when there is nothing else to do.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wellread_adapters::background::lower_priority;
use wellread_adapters::watcher::{ChangeHints, Watcher};
use wellread_core::domain::corpus::VaultPath;
use wellread_core::library::indexing::{IndexSyncState, UpdateSummary, embed_pending};
use wellread_core::{ErrorKind, Result};

use crate::app::App;

/// How long to wait before trying again what failed.
const AFTER_TROUBLE: Duration = Duration::from_secs(30);
/// How often to look whether something can be put away.
const TICK: Duration = Duration::from_secs(60);

/// Follows the files until it is dropped.
pub struct IndexFollower {
    stop: Arc<AtomicBool>,
    news: SyncSender<ChangeHints>,
    app: Arc<App>,
    threads: Vec<JoinHandle<()>>,
}

impl IndexFollower {
    /// Begins at once and returns at once. `told` hears of each change to the index.
    pub fn start(
        app: &Arc<App>,
        every: Duration,
        on_update: impl Fn(&UpdateSummary) + Send + 'static,
    ) -> Self {
        app.following.set_state(IndexSyncState::Updating);
        let stop = Arc::new(AtomicBool::default());
        // A few hints wait at the most: the watcher gathers what comes after them.
        let (news, heard) = mpsc::sync_channel(4);
        let (wake, woken) = mpsc::sync_channel(1);
        let follow =
            FollowLoop { app: app.clone(), stop: stop.clone(), every, wake, watcher: Mutex::default() };
        let embed = EmbedLoop { app: app.clone(), stop: stop.clone() };
        let hints = news.clone();
        let threads = vec![
            std::thread::spawn(move || follow.run(&heard, hints, &on_update)),
            std::thread::spawn(move || embed.run(&woken)),
        ];
        Self { stop, news, app: app.clone(), threads }
    }
}

impl Drop for IndexFollower {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.app.following.set_state(IndexSyncState::Off);
        let _ = self.news.try_send(ChangeHints::default());
        // A batch that is being embedded is not waited for: the next process makes it again.
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1)
            && self.threads.iter().any(|thread| !thread.is_finished())
        {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

struct FollowLoop {
    app: Arc<App>,
    stop: Arc<AtomicBool>,
    every: Duration,
    wake: SyncSender<()>,
    watcher: Mutex<Option<Watcher>>,
}

impl FollowLoop {
    fn run(
        &self,
        heard: &Receiver<ChangeHints>,
        news: SyncSender<ChangeHints>,
        on_update: &dyn Fn(&UpdateSummary),
    ) {
        lower_priority();
        self.start_watcher(news);
        let mut due = Some(Instant::now());
        let mut first = true;
        loop {
            if due.is_some_and(|due| due <= Instant::now()) {
                let done = if first { self.app.update(false, &|_| {}) } else { self.update_all() };
                first = first && done.is_err();
                due = self.next_update(done, on_update);
            }
            let wait = due.map_or(TICK, |due| due.saturating_duration_since(Instant::now())).min(TICK);
            let hints = match heard.recv_timeout(wait) {
                Ok(hints) => hints,
                Err(RecvTimeoutError::Timeout) => {
                    self.app.embedder.unload_if_idle();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if hints.rescan {
                due = Some(Instant::now());
            } else if !first {
                match self.update_touched(hints) {
                    Ok(updated) => self.report_update(&updated, on_update),
                    Err(_) => due = Some(Instant::now() + AFTER_TROUBLE),
                }
            }
        }
    }

    fn start_watcher(&self, news: SyncSender<ChangeHints>) {
        let roots = self.app.roots.iter().cloned().enumerate().collect();
        let app = Arc::downgrade(&self.app);
        let excluded = move |corpus: usize, path: &str, is_folder: bool| {
            app.upgrade().is_none_or(|app| app.is_excluded(corpus, path, is_folder))
        };
        match Watcher::start(roots, excluded, move |hints| drop(news.send(hints))) {
            Ok(watcher) => {
                if let Some(limit) = watcher.limit_reason() {
                    tracing::warn!("not every folder can be watched: {limit}");
                }
                *self.watcher.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher);
            }
            Err(error) => {
                tracing::warn!(
                    "changes are not reported by the system, and are checked for from time to time: {error}"
                );
            }
        }
    }

    fn is_watching(&self) -> bool {
        let watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        watcher.as_ref().is_some_and(|watcher| watcher.limit_reason().is_none())
    }

    fn update_all(&self) -> Result<UpdateSummary> {
        self.app.retry_with_new_index(|| self.app.library.update(false, &|_| {}))
    }

    fn update_touched(&self, hints: ChangeHints) -> Result<UpdateSummary> {
        let mut of_corpus: BTreeMap<usize, Vec<VaultPath>> = BTreeMap::new();
        for (corpus, path) in hints.touched {
            // What is no path of ours is nothing of ours.
            if let Ok(path) = self.app.rules_at(corpus).parse_file(&path) {
                of_corpus.entry(corpus).or_default().push(path);
            }
        }
        let mut all = UpdateSummary::default();
        for (corpus, paths) in of_corpus {
            let Some((name, _)) = self.app.library.corpora.get(corpus) else { continue };
            let updated = self.app.retry_with_new_index(|| self.app.library.update_files(name, &paths))?;
            all.added += updated.added;
            all.changed += updated.changed;
            all.removed += updated.removed;
            all.skipped.extend(updated.skipped);
        }
        Ok(all)
    }

    /// When to look at everything again.
    fn next_update(
        &self,
        done: Result<UpdateSummary>,
        on_update: &dyn Fn(&UpdateSummary),
    ) -> Option<Instant> {
        match done {
            Ok(updated) => {
                // Without a watcher nobody can say that it stays level.
                let followed =
                    if self.is_watching() { IndexSyncState::UpToDate } else { IndexSyncState::Off };
                self.app.following.set_state(followed);
                self.report_update(&updated, on_update);
                (!self.every.is_zero()).then(|| Instant::now() + self.every)
            }
            Err(error) => {
                tracing::warn!("the index could not be brought up to date: {error}");
                Some(Instant::now() + AFTER_TROUBLE)
            }
        }
    }

    fn report_update(&self, updated: &UpdateSummary, on_update: &dyn Fn(&UpdateSummary)) {
        on_update(updated);
        let _ = self.wake.try_send(());
    }
}

struct EmbedLoop {
    app: Arc<App>,
    stop: Arc<AtomicBool>,
}

impl EmbedLoop {
    fn run(&self, woken: &Receiver<()>) {
        lower_priority();
        while woken.recv().is_ok() {
            let go_on = |_| !self.stop.load(Ordering::Relaxed);
            match embed_pending(&self.app.library, &*self.app.embedder, &lower_priority, &go_on) {
                Ok(_) => {}
                // No model is no trouble: words are searched.
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Unavailable) => {
                    tracing::info!("no vectors are created: {error}");
                }
                Err(error) => tracing::warn!("vectors could not be created: {error}"),
            }
        }
    }
}
