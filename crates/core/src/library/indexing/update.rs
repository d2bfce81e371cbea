//! One pass over the files: what is new, changed or gone since the last one.

mod change_batch;

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use wellread_text::Note;

use self::change_batch::{ChangeBatch, FileChangeKind, FileOutcome};
use super::Library;
use super::prepare::{is_searchable, prepare_change};
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::library::judge::fingerprint_lines;
use crate::ports::{
    Corpus, FileContent, FileEntry, FileStamp, FileState, IndexChange, KnownFile, KnownFileFilter,
    LineDigest, SkippedFile,
};
use crate::{Error, ErrorKind, Result};

/// The most files in one transaction, so that another process never waits long and a crash loses little.
const FILES_AT_ONCE: usize = 2048;
/// The most files that wait to be written, so that memory use does not depend on the size of the vault.
const READ_AHEAD: usize = 64;
const BYTES_AT_ONCE: u64 = 4 * 1024 * 1024;

/// What an update did.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct UpdateSummary {
    /// Files that are new in the index.
    pub added: usize,
    /// Files whose content changed.
    pub changed: usize,
    /// Files that were removed from the index.
    pub removed: usize,
    /// Files that did not change.
    pub unchanged: usize,
    /// All files that could not be indexed, not only those of this update.
    pub skipped: Vec<SkippedFile>,
    /// Files that could not be looked at because the system failed: they have to be looked at again.
    #[serde(skip)]
    pub failed: Vec<(CorpusName, VaultPath)>,
}

impl UpdateSummary {
    /// Whether the index holds something else than before.
    pub fn has_changes(&self) -> bool {
        self.added + self.changed + self.removed > 0
    }

    /// Adds what another update did. What it skipped is added as it is.
    pub fn add(&mut self, other: Self) {
        self.added += other.added;
        self.changed += other.changed;
        self.removed += other.removed;
        self.unchanged += other.unchanged;
        self.skipped.extend(other.skipped);
        self.failed.extend(other.failed);
    }
}

/// The progress of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexProgress {
    /// Files done so far.
    pub done: usize,
    /// Files in all.
    pub total: usize,
}

impl Library {
    /// Updates the index from every file of every corpus. With `full`, every file is read again, whatever its date.
    pub fn update(&self, full: bool, progress: &(dyn Fn(IndexProgress) + Sync)) -> Result<UpdateSummary> {
        if let Some(whole) = &self.whole {
            return whole.update(full, progress);
        }
        let mut updated = UpdateSummary::default();
        let rules = self.rules.fingerprint();
        // Whether a file is private is stored with it: under other rules every file is judged again.
        let state = self.index.read_state()?;
        let full = full || (state.complete && state.rules != rules);
        for (name, corpus) in &self.corpora {
            let pass = UpdatePass { library: self, name, corpus: &**corpus, full, progress };
            pass.update_all(&mut updated)?;
        }
        let names = self.corpora.iter().map(|(name, _)| name).chain(&self.away);
        self.index.tidy(&names.cloned().collect::<Vec<_>>(), rules)?;
        Ok(updated)
    }

    /// Updates the index from the files of one corpus.
    pub fn update_corpus(&self, name: &CorpusName) -> Result<UpdateSummary> {
        if let Some(whole) = &self.whole {
            return whole.update_corpus(name);
        }
        let mut updated = UpdateSummary::default();
        let pass =
            UpdatePass { library: self, name, corpus: &**self.corpus(name)?, full: false, progress: &|_| {} };
        pass.update_all(&mut updated)?;
        Ok(updated)
    }

    /// Updates the index from these files only.
    pub fn update_files(&self, name: &CorpusName, paths: &[VaultPath]) -> Result<UpdateSummary> {
        if let Some(whole) = &self.whole {
            return whole.update_files(name, paths);
        }
        let pass =
            UpdatePass { library: self, name, corpus: &**self.corpus(name)?, full: false, progress: &|_| {} };
        pass.update_paths(paths)
    }
}

struct UpdatePass<'a> {
    library: &'a Library,
    name: &'a CorpusName,
    corpus: &'a dyn Corpus,
    full: bool,
    progress: &'a (dyn Fn(IndexProgress) + Sync),
}

impl UpdatePass<'_> {
    fn update_all(&self, updated: &mut UpdateSummary) -> Result<()> {
        // In this order: a file that comes and is indexed in between is not taken for one that has gone.
        let known = self.library.index.known_files(self.name, KnownFileFilter::All)?;
        let listing = self.corpus.list()?;
        let listed: HashSet<&VaultPath> = listing.files.iter().map(|entry| &entry.path).collect();
        let fails = |file: &&KnownFile| self.corpus.find(&file.path).is_err_and(|error| is_failure(&error));
        let unlisted = known.iter().filter(|file| !listed.contains(&file.path));
        // What can't be looked at just now has not gone.
        let (failed, gone): (Vec<&KnownFile>, Vec<&KnownFile>) = unlisted.partition(fails);
        updated.failed.extend(failed.iter().map(|file| (self.name.clone(), file.path.clone())));
        self.apply_removals(&gone, updated)?;
        drop(listed);
        updated.skipped.extend(listing.skipped.into_iter().map(|skipped| self.with_repository_name(skipped)));
        let known: HashMap<VaultPath, KnownFile> =
            known.into_iter().map(|file| (file.path.clone(), file)).collect();
        let mut to_read = Vec::new();
        for entry in listing.files {
            match known.get(&entry.path) {
                Some(file) if !self.full && self.is_current(file, &entry) => {
                    updated.unchanged += 1;
                    if let FileState::Skipped(reason) = &file.state {
                        updated.skipped.push(self.skipped_file(&entry.path, reason));
                    }
                }
                file => to_read.push((entry, file.cloned())),
            }
        }
        self.read_all(&to_read, updated)?;
        updated.skipped.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(())
    }

    fn update_paths(&self, paths: &[VaultPath]) -> Result<UpdateSummary> {
        let mut updated = UpdateSummary::default();
        // Files in the trash are not listed, so they are not looked up by path either.
        let listed = |path: &&VaultPath| !path.parts().any(|part| part.starts_with('.'));
        let mut wanted: Vec<&VaultPath> = paths.iter().filter(listed).collect();
        wanted.sort();
        wanted.dedup();
        let known = self.library.index.known_files(self.name, KnownFileFilter::These(&wanted))?;
        let known: HashMap<VaultPath, KnownFile> =
            known.into_iter().map(|file| (file.path.clone(), file)).collect();
        let (mut to_read, mut gone) = (Vec::new(), Vec::new());
        for path in wanted {
            match (self.corpus.find(path), known.get(path)) {
                (Ok(Some(entry)), Some(file)) if self.is_current(file, &entry) => updated.unchanged += 1,
                (Ok(Some(entry)), file) => to_read.push((entry, file.cloned())),
                (Err(error), _) if is_failure(&error) => {
                    updated.failed.push((self.name.clone(), path.clone()));
                }
                (_, Some(file)) => gone.push(file),
                (_, None) => {}
            }
        }
        self.apply_removals(&gone, &mut updated)?;
        self.read_all(&to_read, &mut updated)?;
        Ok(updated)
    }

    /// Whether the index has a file as it is. One with several paths can become private, or public again, by what happens at
    /// another of them.
    fn is_current(&self, file: &KnownFile, entry: &FileEntry) -> bool {
        let is_judged = matches!(file.state, FileState::Indexed { .. }) && *self.name == CorpusName::Vault;
        file.stamp.matches(entry)
            && (!entry.linked || !is_judged || self.is_in_private_place(&file.path) == file.private)
    }

    fn is_in_private_place(&self, path: &VaultPath) -> bool {
        self.library.rules.judge(self.corpus).find_private_place(path).is_some()
    }

    fn apply_removals(&self, gone: &[&KnownFile], updated: &mut UpdateSummary) -> Result<()> {
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

    /// Reads and splits files on all cores; one thread writes.
    fn read_all(&self, files: &[(FileEntry, Option<KnownFile>)], updated: &mut UpdateSummary) -> Result<()> {
        let total = files.len();
        let workers =
            std::thread::available_parallelism().map_or(1, NonZero::get).min(total.div_ceil(16)).min(8);
        if workers <= 1 {
            let mut batch = ChangeBatch::new(self, total);
            for (entry, known) in files {
                batch.add(self.plan_file_change(entry, known.as_ref()), entry.size, updated)?;
            }
            return batch.flush();
        }
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            // At most `READ_AHEAD` files are read ahead, so that memory use stays small.
            let (send, receive) = mpsc::sync_channel(READ_AHEAD);
            for _ in 0..workers {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    while let Some((entry, known)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        // The receiver is gone if writing failed.
                        if send.send((self.plan_file_change(entry, known.as_ref()), entry.size)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(send);
            let mut batch = ChangeBatch::new(self, total);
            for (outcome, size) in receive {
                batch.add(outcome, size, updated)?;
            }
            batch.flush()
        })
    }

    /// The change to make for a file. Where it is older than the one that the index has, another file has taken its
    /// place, or a clock was set back: the known one has to go first.
    fn plan_file_change(&self, entry: &FileEntry, known: Option<&KnownFile>) -> FileOutcome {
        let mut outcome = self.compare_file(entry, known);
        let is_replacing = |change: &IndexChange, file: &KnownFile| {
            !matches!(change, IndexChange::Gone { .. }) && is_older(change.stamp(), file)
        };
        outcome.replaced = known
            .filter(|file| outcome.change.as_ref().is_some_and(|change| is_replacing(change, file)))
            .map(|file| IndexChange::Gone { path: file.path.clone(), stamp: file.stamp });
        outcome
    }

    /// Compares a file with its entry in the index, reads it if necessary, and returns what that comes to.
    fn compare_file(&self, entry: &FileEntry, known: Option<&KnownFile>) -> FileOutcome {
        let now = self.library.clock.now().timestamp();
        let path = entry.path.clone();
        let stamp = FileStamp::from_entry(entry, now);
        if !is_searchable(self.name, &path) {
            let what = match known {
                Some(file) if file.state == FileState::Named && !is_older(&stamp, file) => {
                    let seen = IndexChange::Seen { path, stamp };
                    return FileOutcome::new(FileChangeKind::Unchanged, Some(seen));
                }
                Some(_) => FileChangeKind::Changed,
                None => FileChangeKind::Added,
            };
            let named = IndexChange::Note { path, stamp, state: FileState::Named };
            return FileOutcome::new(what, Some(named));
        }
        let content = match self.corpus.read(&path) {
            Ok(content) => content,
            // The file was deleted since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return match known {
                    Some(file) => {
                        let gone = IndexChange::Gone { path, stamp: file.stamp };
                        FileOutcome::new(FileChangeKind::Removed, Some(gone))
                    }
                    None => FileOutcome::new(FileChangeKind::Nothing, None),
                };
            }
            Err(error) => {
                let state = FileState::Skipped(error.message().to_owned());
                // The disk may have failed just this once: try again next time, whatever the file's date.
                let stamp = FileStamp { settled: false, ..stamp };
                let skipped = IndexChange::Note { path, stamp, state };
                let outcome = FileOutcome::new(FileChangeKind::Skipped, Some(skipped));
                return FileOutcome { failed: is_failure(&error), ..outcome };
            }
        };
        let stamp = FileStamp::from_entry(&content.entry, now);
        // What is private by a link is looked at each time: where the link goes, the file itself does not change.
        let linked = content.entry.linked;
        let stamp_of = |private: bool| FileStamp { settled: stamp.settled && !(private && linked), ..stamp };
        let same = known.filter(|file| file.state == FileState::Indexed { hash: content.hash });
        let same = same.filter(|file| self.keeps_verdict(file, &content));
        if let Some(file) = same.filter(|file| !self.full && !is_older(&stamp, file)) {
            let stamp = stamp_of(file.private);
            let seen = (file.stamp != stamp).then_some(IndexChange::Seen { path, stamp });
            return FileOutcome::new(FileChangeKind::Unchanged, seen);
        }
        let judged = self.judge_content(&content);
        let change = prepare_change(self.name, content, stamp_of(judged.private), judged.private);
        let what = match (&change, known) {
            (IndexChange::Note { .. }, _) => FileChangeKind::Skipped,
            (IndexChange::Put(file), _) if file.trouble.is_some() => FileChangeKind::Skipped,
            (_, Some(_)) if same.is_some() => FileChangeKind::Unchanged,
            (_, Some(_)) => FileChangeKind::Changed,
            (_, None) => FileChangeKind::Added,
        };
        FileOutcome { outside: judged.outside, ..FileOutcome::new(what, Some(change)) }
    }

    /// Whether a file with the text that the index knows is as private as it was. Another name makes a difference, and so
    /// does one that is gone.
    fn keeps_verdict(&self, file: &KnownFile, content: &FileContent) -> bool {
        let had_other_names = file.private || content.entry.linked;
        !had_other_names || self.judge_content(content).private == file.private
    }

    /// What has to be known about a file of the vault besides its words. A repository's files are never private here:
    /// private files of a vault inside it are not listed.
    fn judge_content(&self, content: &FileContent) -> JudgedContent {
        if *self.name != CorpusName::Vault {
            return JudgedContent::default();
        }
        let text = String::from_utf8_lossy(&content.bytes);
        let (path, note) = (&content.entry.path, Note::parse(&text));
        let judge = self.library.rules.judge(self.corpus);
        let outside = judge.is_outside_file(path, &note);
        let lines = if outside { fingerprint_lines(&text) } else { Vec::new() };
        JudgedContent {
            private: judge.find_private_reason_in(path, &text, &note).is_some(),
            outside: lines.into_iter().map(|line| line.digest).collect(),
        }
    }

    fn skipped_file(&self, path: &VaultPath, reason: &str) -> SkippedFile {
        self.with_repository_name(SkippedFile { path: path.to_string(), reason: reason.to_owned() })
    }

    /// Prefixes a repository's file with the repository's name.
    fn with_repository_name(&self, skipped: SkippedFile) -> SkippedFile {
        match self.name {
            CorpusName::Vault => skipped,
            CorpusName::Repository(name) => {
                SkippedFile { path: format!("{name}:{}", skipped.path), ..skipped }
            }
        }
    }
}

/// Whether the system failed, perhaps just this once. Every other error is an answer: there is no file here that can be
/// indexed, be it that there is a folder in its place or that it may not be looked at.
fn is_failure(error: &Error) -> bool {
    error.kind() == ErrorKind::Failed
}

/// Whether a file in the index is of a later time than this.
fn is_older(stamp: &FileStamp, known: &KnownFile) -> bool {
    stamp.changed < known.stamp.changed
}

#[derive(Default)]
struct JudgedContent {
    private: bool,
    outside: Vec<LineDigest>,
}
