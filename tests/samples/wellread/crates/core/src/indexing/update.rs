//! One pass over the files: what is new, changed or gone since the last.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::Library;
use super::prepare::{is_searched, prepared};
use crate::corpus::{CorpusName, VaultPath};
use crate::ports::{Corpus, Entry, FileState, IndexChange, KnownFile, Skipped, Stamp, Which};
use crate::{Kind, Result};

/// As much as one change of the index holds, so that another process never waits long and a crash loses little.
const FILES_AT_ONCE: usize = 2048;
/// How many files wait to be written at the most: memory stays small whatever the size of the vault.
const READ_AHEAD: usize = 64;
const BYTES_AT_ONCE: u64 = 4 * 1024 * 1024;

/// What an update did.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Updated {
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    pub unchanged: usize,
    /// Every file that could not be indexed, not only those of this time.
    pub skipped: Vec<Skipped>,
}

/// How far an update has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub done: usize,
    pub total: usize,
}

impl Library {
    /// Brings the index level with every file. With `full`, every file is read again, whatever its date.
    pub fn update(&self, full: bool, progress: &(dyn Fn(Progress) + Sync)) -> Result<Updated> {
        let mut updated = Updated::default();
        for (name, corpus) in &self.corpora {
            let pass = Pass { library: self, name, corpus: &**corpus, full, progress };
            pass.everything(&mut updated)?;
        }
        let names = self.corpora.iter().map(|(name, _)| name).chain(&self.away);
        self.index.tidy(&names.cloned().collect::<Vec<_>>())?;
        Ok(updated)
    }

    /// The same for one corpus.
    pub fn update_one(&self, name: &CorpusName) -> Result<Updated> {
        let mut updated = Updated::default();
        let pass =
            Pass { library: self, name, corpus: &**self.corpus(name)?, full: false, progress: &|_| {} };
        pass.everything(&mut updated)?;
        Ok(updated)
    }

    /// Brings the index level with these files alone.
    pub fn touch(&self, name: &CorpusName, paths: &[VaultPath]) -> Result<Updated> {
        let pass =
            Pass { library: self, name, corpus: &**self.corpus(name)?, full: false, progress: &|_| {} };
        pass.only(paths)
    }
}

struct Pass<'a> {
    library: &'a Library,
    name: &'a CorpusName,
    corpus: &'a dyn Corpus,
    full: bool,
    progress: &'a (dyn Fn(Progress) + Sync),
}

impl Pass<'_> {
    fn everything(&self, updated: &mut Updated) -> Result<()> {
        let listing = self.corpus.list()?;
        let known = self.library.index.known(self.name, Which::All)?;
        let listed: HashSet<&VaultPath> = listing.files.iter().map(|entry| &entry.path).collect();
        let gone: Vec<&KnownFile> = known.iter().filter(|file| !listed.contains(&file.path)).collect();
        self.apply_gone(&gone, updated)?;
        drop(listed);
        updated.skipped.extend(listing.skipped.into_iter().map(|skipped| self.named(skipped)));
        let known: HashMap<VaultPath, KnownFile> =
            known.into_iter().map(|file| (file.path.clone(), file)).collect();
        let mut to_read = Vec::new();
        for entry in listing.files {
            match known.get(&entry.path) {
                Some(file) if !self.full && file.stamp.holds(&entry) => {
                    updated.unchanged += 1;
                    if let FileState::Skipped(reason) = &file.state {
                        updated.skipped.push(self.skipped(&entry.path, reason));
                    }
                }
                file => to_read.push((entry, file.cloned())),
            }
        }
        self.read_all(&to_read, updated)?;
        updated.skipped.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(())
    }

    fn only(&self, paths: &[VaultPath]) -> Result<Updated> {
        let mut updated = Updated::default();
        // What is in the trash is not listed, and so it is not looked up by its path either.
        let listed = |path: &&VaultPath| !path.parts().any(|part| part.starts_with('.'));
        let mut wanted: Vec<&VaultPath> = paths.iter().filter(listed).collect();
        wanted.sort();
        wanted.dedup();
        let known = self.library.index.known(self.name, Which::These(&wanted))?;
        let known: HashMap<VaultPath, KnownFile> =
            known.into_iter().map(|file| (file.path.clone(), file)).collect();
        let (mut to_read, mut gone) = (Vec::new(), Vec::new());
        for path in wanted {
            match (self.corpus.find(path), known.get(path)) {
                (Ok(Some(entry)), Some(file)) if file.stamp.holds(&entry) => updated.unchanged += 1,
                (Ok(Some(entry)), file) => to_read.push((entry, file.cloned())),
                // A folder where a file was is as good as none.
                (_, Some(file)) => gone.push(file),
                (_, None) => {}
            }
        }
        self.apply_gone(&gone, &mut updated)?;
        self.read_all(&to_read, &mut updated)?;
        Ok(updated)
    }

    fn apply_gone(&self, gone: &[&KnownFile], updated: &mut Updated) -> Result<()> {
        for part in gone.chunks(FILES_AT_ONCE) {
            let changes: Vec<IndexChange> = part
                .iter()
                .map(|file| IndexChange::Gone { path: file.path.clone(), stamp: file.stamp })
                .collect();
            self.library.index.apply(self.name, &changes)?;
            updated.removed += part.len();
        }
        Ok(())
    }

    /// Reads and cuts up on every core; one thread at a time writes.
    fn read_all(&self, files: &[(Entry, Option<KnownFile>)], updated: &mut Updated) -> Result<()> {
        let total = files.len();
        let workers =
            std::thread::available_parallelism().map_or(1, NonZero::get).min(total.div_ceil(16)).min(8);
        if workers <= 1 {
            let mut batch = Batch::new(self, total);
            for (entry, known) in files {
                batch.add(self.outcome(entry, known.as_ref()), entry.size, updated)?;
            }
            return batch.flush();
        }
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            // No more is read ahead than two changes hold: memory stays small whatever the vault's size.
            let (send, receive) = mpsc::sync_channel(READ_AHEAD);
            for _ in 0..workers {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    while let Some((entry, known)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        // Nobody listens any more where writing failed.
                        if send.send((self.outcome(entry, known.as_ref()), entry.size)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(send);
            let mut batch = Batch::new(self, total);
            for (outcome, size) in receive {
                batch.add(outcome, size, updated)?;
            }
            batch.flush()
        })
    }

    /// What a file is now, compared with what is known of it.
    fn outcome(&self, entry: &Entry, known: Option<&KnownFile>) -> Outcome {
        let now = self.library.clock.now().timestamp();
        let path = entry.path.clone();
        let stamp = Stamp::of(entry, now);
        if !is_searched(self.name, &path) {
            let what = match known {
                Some(file) if file.state == FileState::Named => {
                    return Outcome {
                        what: What::Unchanged,
                        change: Some(IndexChange::Seen { path, stamp }),
                    };
                }
                Some(_) => What::Changed,
                None => What::Added,
            };
            return Outcome {
                what,
                change: Some(IndexChange::Note { path, stamp, state: FileState::Named }),
            };
        }
        let content = match self.corpus.read(&path) {
            Ok(content) => content,
            // It went away since it was listed.
            Err(error) if error.kind() == Kind::NotFound => {
                return match known {
                    Some(file) => Outcome {
                        what: What::Removed,
                        change: Some(IndexChange::Gone { path, stamp: file.stamp }),
                    },
                    None => Outcome { what: What::Nothing, change: None },
                };
            }
            Err(error) => {
                let state = FileState::Skipped(error.message().to_owned());
                // A disk may have failed this once: it is tried again, whatever the file's date.
                let stamp = Stamp { settled: false, ..stamp };
                return Outcome {
                    what: What::Skipped,
                    change: Some(IndexChange::Note { path, stamp, state }),
                };
            }
        };
        let stamp = Stamp::of(&content.entry, now);
        let same = known.is_some_and(|file| file.state == FileState::Indexed { hash: content.hash });
        if same && !self.full {
            return Outcome { what: What::Unchanged, change: Some(IndexChange::Seen { path, stamp }) };
        }
        let change = prepared(self.name, content, stamp);
        let what = match (&change, known) {
            (IndexChange::Note { .. }, _) => What::Skipped,
            (IndexChange::Put(file), _) if file.trouble.is_some() => What::Skipped,
            (_, Some(_)) if same => What::Unchanged,
            (_, Some(_)) => What::Changed,
            (_, None) => What::Added,
        };
        Outcome { what, change: Some(change) }
    }

    fn skipped(&self, path: &VaultPath, reason: &str) -> Skipped {
        self.named(Skipped { path: path.to_string(), reason: reason.to_owned() })
    }

    /// A repository's file is named with its repository.
    fn named(&self, skipped: Skipped) -> Skipped {
        match self.name {
            CorpusName::Vault => skipped,
            CorpusName::Repository(name) => Skipped { path: format!("{name}:{}", skipped.path), ..skipped },
        }
    }
}

fn trouble(change: &IndexChange) -> Option<(&VaultPath, &str)> {
    match change {
        IndexChange::Note { path, state: FileState::Skipped(reason), .. } => Some((path, reason)),
        IndexChange::Put(file) => file.trouble.as_deref().map(|reason| (&file.path, reason)),
        _ => None,
    }
}

enum What {
    Added,
    Changed,
    Removed,
    Unchanged,
    Skipped,
    /// It came and went between two updates.
    Nothing,
}

struct Outcome {
    what: What,
    change: Option<IndexChange>,
}

/// Changes on their way into the index.
struct Batch<'a> {
    pass: &'a Pass<'a>,
    changes: Vec<IndexChange>,
    bytes: u64,
    done: usize,
    total: usize,
}

impl<'a> Batch<'a> {
    fn new(pass: &'a Pass<'a>, total: usize) -> Self {
        Self { pass, changes: Vec::new(), bytes: 0, done: 0, total }
    }

    fn add(&mut self, outcome: Outcome, size: u64, updated: &mut Updated) -> Result<()> {
        match outcome.what {
            What::Added => updated.added += 1,
            What::Changed => updated.changed += 1,
            What::Removed => updated.removed += 1,
            What::Unchanged => updated.unchanged += 1,
            What::Nothing => {}
            What::Skipped => {
                let trouble = outcome.change.as_ref().and_then(trouble);
                updated.skipped.extend(trouble.map(|(path, reason)| self.pass.skipped(path, reason)));
            }
        }
        self.changes.extend(outcome.change);
        self.bytes += size;
        self.done += 1;
        if self.changes.len() >= FILES_AT_ONCE || self.bytes >= BYTES_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if !self.changes.is_empty() {
            self.pass.library.index.apply(self.pass.name, &self.changes)?;
            self.changes.clear();
            self.bytes = 0;
        }
        (self.pass.progress)(Progress { done: self.done, total: self.total });
        Ok(())
    }
}
