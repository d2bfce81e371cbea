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

use wellread_adapters::background::be_modest;
use wellread_adapters::watcher::{Hints, Watcher};
use wellread_core::domain::corpus::VaultPath;
use wellread_core::library::indexing::{Followed, Updated, embed_pending};
use wellread_core::{Kind, Result};

use crate::app::App;

/// How long to wait before trying again what failed.
const AFTER_TROUBLE: Duration = Duration::from_secs(30);
/// How often to look whether something can be put away.
const TICK: Duration = Duration::from_secs(60);

/// Follows the files until it is dropped.
pub struct Follower {
    stop: Arc<AtomicBool>,
    news: SyncSender<Hints>,
    app: Arc<App>,
    threads: Vec<JoinHandle<()>>,
}

impl Follower {
    /// Begins at once and returns at once. `told` hears of each change to the index.
    pub fn start(app: &Arc<App>, every: Duration, told: impl Fn(&Updated) + Send + 'static) -> Self {
        app.following.say(Followed::Behind);
        let stop = Arc::new(AtomicBool::default());
        // A few hints wait at the most: the watcher gathers what comes after them.
        let (news, heard) = mpsc::sync_channel(4);
        let (wake, woken) = mpsc::sync_channel(1);
        let follow = Follow { app: app.clone(), stop: stop.clone(), every, wake, watcher: Mutex::default() };
        let embed = Embed { app: app.clone(), stop: stop.clone() };
        let hints = news.clone();
        let threads = vec![
            std::thread::spawn(move || follow.run(&heard, hints, &told)),
            std::thread::spawn(move || embed.run(&woken)),
        ];
        Self { stop, news, app: app.clone(), threads }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.app.following.say(Followed::Nobody);
        let _ = self.news.try_send(Hints::default());
        // A batch that is being embedded is not waited for: the next process makes it again.
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1)
            && self.threads.iter().any(|thread| !thread.is_finished())
        {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

struct Follow {
    app: Arc<App>,
    stop: Arc<AtomicBool>,
    every: Duration,
    wake: SyncSender<()>,
    watcher: Mutex<Option<Watcher>>,
}

impl Follow {
    fn run(&self, heard: &Receiver<Hints>, news: SyncSender<Hints>, told: &dyn Fn(&Updated)) {
        be_modest();
        self.watch(news);
        let mut due = Some(Instant::now());
        let mut first = true;
        loop {
            if due.is_some_and(|due| due <= Instant::now()) {
                let done = if first { self.app.update(false, &|_| {}) } else { self.everything() };
                first = first && done.is_err();
                due = self.next(done, told);
            }
            let wait = due.map_or(TICK, |due| due.saturating_duration_since(Instant::now())).min(TICK);
            let hints = match heard.recv_timeout(wait) {
                Ok(hints) => hints,
                Err(RecvTimeoutError::Timeout) => {
                    self.app.embedder.rest();
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
                match self.these(hints) {
                    Ok(updated) => self.say(&updated, told),
                    Err(_) => due = Some(Instant::now() + AFTER_TROUBLE),
                }
            }
        }
    }

    fn watch(&self, news: SyncSender<Hints>) {
        let roots = self.app.roots.iter().cloned().enumerate().collect();
        let app = Arc::downgrade(&self.app);
        let excluded = move |corpus: usize, path: &str, is_folder: bool| {
            app.upgrade().is_none_or(|app| app.leaves_out(corpus, path, is_folder))
        };
        match Watcher::start(roots, excluded, move |hints| drop(news.send(hints))) {
            Ok(watcher) => {
                if let Some(limit) = watcher.limits() {
                    tracing::warn!("not every folder can be watched: {limit}");
                }
                *self.watcher.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher);
            }
            Err(error) => {
                tracing::warn!("changes are not heard of, and looked for from time to time: {error}");
            }
        }
    }

    fn is_watching(&self) -> bool {
        let watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        watcher.as_ref().is_some_and(|watcher| watcher.limits().is_none())
    }

    fn everything(&self) -> Result<Updated> {
        self.app.mended(|| self.app.library.update(false, &|_| {}))
    }

    fn these(&self, hints: Hints) -> Result<Updated> {
        let mut of_corpus: BTreeMap<usize, Vec<VaultPath>> = BTreeMap::new();
        for (corpus, path) in hints.touched {
            // What is no path of ours is nothing of ours.
            if let Ok(path) = self.app.rules_at(corpus).file(&path) {
                of_corpus.entry(corpus).or_default().push(path);
            }
        }
        let mut all = Updated::default();
        for (corpus, paths) in of_corpus {
            let Some((name, _)) = self.app.library.corpora.get(corpus) else { continue };
            let updated = self.app.mended(|| self.app.library.touch(name, &paths))?;
            all.added += updated.added;
            all.changed += updated.changed;
            all.removed += updated.removed;
            all.skipped.extend(updated.skipped);
        }
        Ok(all)
    }

    /// When to look at everything again.
    fn next(&self, done: Result<Updated>, told: &dyn Fn(&Updated)) -> Option<Instant> {
        match done {
            Ok(updated) => {
                // Without a watcher nobody can say that it stays level.
                let followed = if self.is_watching() { Followed::Level } else { Followed::Nobody };
                self.app.following.say(followed);
                self.say(&updated, told);
                (!self.every.is_zero()).then(|| Instant::now() + self.every)
            }
            Err(error) => {
                tracing::warn!("the index could not be brought up to date: {error}");
                Some(Instant::now() + AFTER_TROUBLE)
            }
        }
    }

    fn say(&self, updated: &Updated, told: &dyn Fn(&Updated)) {
        told(updated);
        let _ = self.wake.try_send(());
    }
}

struct Embed {
    app: Arc<App>,
    stop: Arc<AtomicBool>,
}

impl Embed {
    fn run(&self, woken: &Receiver<()>) {
        be_modest();
        while woken.recv().is_ok() {
            let go_on = |_| !self.stop.load(Ordering::Relaxed);
            match embed_pending(&self.app.library, &*self.app.embedder, &be_modest, &go_on) {
                Ok(_) => {}
                // No model is no trouble: words are searched.
                Err(error) if matches!(error.kind(), Kind::NotFound | Kind::Unavailable) => {
                    tracing::info!("no vectors are made: {error}");
                }
                Err(error) => tracing::warn!("vectors could not be made: {error}"),
            }
        }
    }
}
