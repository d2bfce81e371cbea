//! Keeps the index level with the files while a server runs, behind everything else.
//!
//! What is heard of changes are hints: the files that they name are read and compared. Where hints were lost, everything
//! is looked at, and so it is from time to time in any case. Vectors are made when there is nothing else to do. Whoever
//! needs the vault as it is at this moment does not wait for this: it takes over what was heard (`IndexSync`).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wellread_adapters::background::lower_priority;
use wellread_adapters::watcher::{ChangeHints, Watcher};
use wellread_core::domain::corpus::{CorpusName, VaultPath};
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
    news: SyncSender<()>,
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
        let (news, heard) = mpsc::sync_channel(1);
        let (wake, woken) = mpsc::sync_channel(1);
        let follow = FollowLoop { app: app.clone(), stop: stop.clone(), every, wake, inbox: Arc::default() };
        let embed = EmbedLoop { app: app.clone(), stop: stop.clone() };
        let signal = news.clone();
        let woken_by_calls = news.clone();
        app.following.set_wake(Some(Arc::new(move || {
            let _ = woken_by_calls.try_send(());
        })));
        let threads = vec![
            std::thread::spawn(move || follow.run(&heard, signal, &on_update)),
            std::thread::spawn(move || embed.run(&woken)),
        ];
        Self { stop, news, app: app.clone(), threads }
    }
}

impl IndexFollower {
    /// Follows the files for an index of this machine; one that others share, they keep.
    pub fn start_own(app: &Arc<App>, every: Duration) -> Option<Self> {
        (!app.shares_index).then(|| Self::start(app, every, |_| {}))
    }
}

impl Drop for IndexFollower {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.app.following.set_state(IndexSyncState::Off);
        self.app.following.set_catch_up(None);
        self.app.following.set_wake(None);
        let _ = self.news.try_send(());
        // A batch that is being embedded is not waited for: the next process makes it again.
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1)
            && self.threads.iter().any(|thread| !thread.is_finished())
        {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The place of the vault among the corpora.
const VAULT: usize = 0;
/// More paths than this are not listed: everything is looked at instead.
const MOST_PATHS: usize = 2000;

struct FollowLoop {
    app: Arc<App>,
    stop: Arc<AtomicBool>,
    every: Duration,
    wake: SyncSender<()>,
    inbox: Arc<Mutex<ChangeHints>>,
}

/// Without this thread, nobody keeps the index level: also where it ends by a fault of ours.
impl Drop for FollowLoop {
    fn drop(&mut self) {
        if !self.stop.load(Ordering::Relaxed) {
            self.app.following.set_state(IndexSyncState::Off);
        }
    }
}

impl FollowLoop {
    fn run(&self, heard: &Receiver<()>, news: SyncSender<()>, on_update: &dyn Fn(&UpdateSummary)) {
        // In this order: the watcher's threads begin with the priority of this one, and calls wait for them.
        let watcher = self.start_watcher(news);
        lower_priority();
        let is_watching = || watcher.as_ref().is_some_and(|watcher| watcher.catch_up(VAULT));
        let mut due = Some(Instant::now());
        let (mut first, mut has_failed) = (true, false);
        loop {
            if due.is_some_and(|due| due <= Instant::now()) {
                let done = self.app.following.look_at_everything(|| match first {
                    true => self.app.update(false, &|_| {}),
                    false => self.app.retry_with_new_index(|| self.app.library.update(false, &|_| {})),
                });
                has_failed = done.is_err();
                first = first && has_failed;
                due = self.next_update(done, is_watching(), on_update);
            }
            let tick = if self.has_left() { AFTER_TROUBLE } else { TICK };
            let wait = due.map_or(tick, |due| due.saturating_duration_since(Instant::now())).min(tick);
            match heard.recv_timeout(wait) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.app.embedder.unload_if_idle();
                    if !self.has_left() {
                        continue;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let hints = std::mem::take(&mut *self.lock_inbox());
            let next = match hints.rescan {
                true => Some(Duration::ZERO),
                // The look that is due covers everything.
                false if first => None,
                false => self.take_over(hints, has_failed, on_update),
            };
            if let Some(next) = next.map(|wait| Instant::now() + wait) {
                due = Some(due.map_or(next, |due| due.min(next)));
            }
        }
    }

    /// Writes what was heard to the index. In how long everything has to be looked at, where that is not enough.
    fn take_over(
        &self,
        hints: ChangeHints,
        has_failed: bool,
        on_update: &dyn Fn(&UpdateSummary),
    ) -> Option<Duration> {
        match self.update_touched(hints) {
            Ok(updated) => {
                self.report_update(&updated, on_update);
                // More was heard than could be listed. After a look that failed the next one is set already.
                (self.app.following.is_far_behind() && !has_failed).then_some(Duration::ZERO)
            }
            Err(error) => {
                tracing::warn!("changes could not be written to the index: {error}");
                Some(AFTER_TROUBLE)
            }
        }
    }

    fn start_watcher(&self, news: SyncSender<()>) -> Option<Arc<Watcher>> {
        let roots = self.app.roots.iter().cloned().enumerate().collect();
        let app = Arc::downgrade(&self.app);
        let excluded = move |corpus: usize, path: &str, is_folder: bool| {
            app.upgrade().is_none_or(|app| app.is_excluded(corpus, path, is_folder))
        };
        let (app, inbox) = (Arc::downgrade(&self.app), self.inbox.clone());
        let on_hint = move |hints: ChangeHints| {
            if let Some(app) = app.upgrade() {
                note_hints(&app, &inbox, hints);
            }
            // One that is waiting is enough.
            let _ = news.try_send(());
        };
        match Watcher::start(roots, excluded, on_hint) {
            Ok(watcher) => {
                if let Some(limit) = watcher.limit_reason() {
                    tracing::warn!("not every folder can be watched: {limit}");
                }
                let watcher = Arc::new(watcher);
                let listening = Arc::downgrade(&watcher);
                let catch_up = move || listening.upgrade().is_some_and(|watcher| watcher.catch_up(VAULT));
                self.app.following.set_catch_up(Some(Arc::new(catch_up)));
                Some(watcher)
            }
            Err(error) => {
                tracing::warn!(
                    "changes are not reported by the system, and are checked for from time to time: {error}"
                );
                None
            }
        }
    }

    fn update_touched(&self, hints: ChangeHints) -> Result<UpdateSummary> {
        let following = &self.app.following;
        self.app.retry_with_new_index(|| following.write_heard_changes(&self.app.library))?;
        let mut all = following.take_written();
        let mut of_corpus: BTreeMap<usize, Vec<VaultPath>> = BTreeMap::new();
        for (corpus, path) in hints.touched {
            // What is no path of ours is nothing of ours.
            if let Ok(path) = self.app.rules_at(corpus).parse_file(&path) {
                of_corpus.entry(corpus).or_default().push(path);
            }
        }
        for (corpus, paths) in of_corpus {
            let Some((name, _)) = self.app.library.corpora.get(corpus) else { continue };
            all.add(self.app.retry_with_new_index(|| self.app.library.update_files(name, &paths))?);
        }
        Ok(all)
    }

    /// What could not be looked at is taken for heard: it is tried again.
    fn keep_failed(&self, failed: &[(CorpusName, VaultPath)]) {
        if let Some((name, path)) = failed.first() {
            tracing::warn!("{} files could not be looked at, such as {path} ({name})", failed.len());
        }
        let place = |name: &CorpusName| self.app.library.corpora.iter().position(|(known, _)| known == name);
        let touched = failed.iter().filter_map(|(name, path)| Some((place(name)?, path.to_string())));
        let hints = ChangeHints { touched: touched.collect(), rescan: false };
        note_hints(&self.app, &self.inbox, hints);
    }

    /// When to look at everything again.
    fn next_update(
        &self,
        done: Result<UpdateSummary>,
        is_watching: bool,
        on_update: &dyn Fn(&UpdateSummary),
    ) -> Option<Instant> {
        match done {
            Ok(updated) => {
                // Where not every change is heard of, nobody can say that it stays level.
                let followed = if is_watching { IndexSyncState::UpToDate } else { IndexSyncState::Off };
                self.app.following.set_state(followed);
                self.report_update(&updated, on_update);
                (!self.every.is_zero()).then(|| Instant::now() + self.every)
            }
            Err(error) => {
                tracing::warn!("the index could not be brought up to date: {error}");
                // Nobody waits for this loop then: a call looks at the index itself, and hears what is wrong with it.
                self.app.following.set_state(IndexSyncState::Off);
                Some(Instant::now() + AFTER_TROUBLE)
            }
        }
    }

    /// Whether something was heard and could not be written to the index.
    fn has_left(&self) -> bool {
        self.app.following.misses_changes() || !self.lock_inbox().touched.is_empty()
    }

    fn lock_inbox(&self) -> MutexGuard<'_, ChangeHints> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report_update(&self, updated: &UpdateSummary, on_update: &dyn Fn(&UpdateSummary)) {
        self.keep_failed(&updated.failed);
        on_update(updated);
        let _ = self.wake.try_send(());
    }
}

/// Notes what was heard: of the vault for whoever asks next, of the repositories for the loop.
fn note_hints(app: &App, inbox: &Mutex<ChangeHints>, hints: ChangeHints) {
    let following = &app.following;
    let mut of_vault = Vec::new();
    let mut waiting = inbox.lock().unwrap_or_else(PoisonError::into_inner);
    for (corpus, path) in hints.touched {
        if corpus != VAULT {
            waiting.touched.push((corpus, path));
            continue;
        }
        match app.rules_at(VAULT).parse_file(&path) {
            Ok(path) => of_vault.push(path),
            // No path of ours; it may be listed as one that can't be read.
            Err(_) => following.note_any_listing_change(),
        }
    }
    following.note_changes(&of_vault);
    if hints.rescan || waiting.touched.len() > MOST_PATHS {
        waiting.touched.clear();
        waiting.rescan = true;
        following.note_any_change();
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
