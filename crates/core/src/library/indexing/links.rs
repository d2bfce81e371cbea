//! The links of the vault, from the index.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use wellread_text::FileNames;

use super::{IndexSync, IndexSyncState, Library, NameCache, ScannedLinks};
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::ports::{FieldFilter, FileState, KnownFileFilter, LinkIndex, Mentions, SkippedFile};
use crate::{Error, Result};

/// Finds links and fields in the index. If a background task hears of every change, what it heard is written to the index
/// first, and files with several paths are looked at; otherwise every file's date is checked. If the index can't be used,
/// the notes are read.
pub struct IndexedLinks {
    library: Arc<Library>,
    sync: Arc<IndexSync>,
    fallback: ScannedLinks,
    kept: Mutex<LinkCache>,
    /// The names in the list of files, while every change of it is heard of.
    listed: NameCache,
}

#[derive(Default)]
struct LinkCache {
    level_since: Option<Instant>,
    /// The names, and the version of the index that they were read from.
    names: Option<(u64, Arc<FileNames>)>,
    /// The files with several paths when the index was last level with the list of files.
    linked: Option<BTreeSet<VaultPath>>,
}

/// Queries of one call come closer together than this, so one check of the files serves them all.
const CALL_WINDOW: Duration = Duration::from_millis(100);
/// How many changed files a call reads before it answers; with more, reading the notes is as fast.
const MOST_AT_A_CALL: usize = 200;
/// With more files that have several paths, a walk is as fast as a look at each of them.
const MOST_LINKED: usize = 500;

impl std::fmt::Debug for IndexedLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IndexedLinks")
    }
}

impl IndexedLinks {
    /// Links from the index of `library`, with `fallback` for when the index can't be used.
    pub fn new(library: Arc<Library>, fallback: ScannedLinks, sync: Arc<IndexSync>) -> Self {
        Self { library, sync, fallback, kept: Mutex::default(), listed: NameCache::default() }
    }

    fn cache(&self) -> MutexGuard<'_, LinkCache> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ensure_level(&self) -> Result<()> {
        if self.sync.hears_every_change() {
            return self.catch_up();
        }
        self.cache().linked = None;
        match self.sync.state() {
            // Nobody waits for an index that is being built: the notes can be read.
            IndexSyncState::Updating => Err(Error::failed("the index is being built")),
            _ if self.is_level_just_now() => Ok(()),
            _ => self.update_index(),
        }
    }

    /// Writes what was heard to the index. A file with several paths changes at one of them, and that is all that is heard:
    /// so all of them are looked at, those that have gone included.
    fn catch_up(&self) -> Result<()> {
        let linked = self.fallback.linked_files()?;
        let before = self.cache().linked.clone();
        let mut unheard: Vec<VaultPath> = linked.union(before.as_ref().unwrap_or(&linked)).cloned().collect();
        let are_many = unheard.len() > MOST_LINKED;
        if are_many {
            unheard.clear();
        }
        let level = self.sync.catch_up(&self.library, &unheard, MOST_AT_A_CALL)?;
        let is_being_updated = || Error::failed("the index is being updated");
        // Another process may have begun it anew, or written it by other rules: with other files left out.
        let state = self.library.index.read_state()?;
        if !level || !state.complete || state.rules != self.library.rules.fingerprint() {
            return Err(is_being_updated());
        }
        // Which of them had gone before is not known the first time.
        if before.is_none() || (are_many && !self.is_level_just_now()) {
            if !self.sync.look_at_vault(&self.library)? {
                return Err(is_being_updated());
            }
            self.cache().level_since = Some(Instant::now());
        }
        self.cache().linked = Some(linked);
        Ok(())
    }

    fn is_level_just_now(&self) -> bool {
        self.cache().level_since.is_some_and(|then| then.elapsed() < CALL_WINDOW)
    }

    fn update_index(&self) -> Result<()> {
        // Building a whole index takes longer than reading the notes once.
        if !self.library.index.read_state()?.complete {
            return Err(Error::failed("there is no index yet"));
        }
        self.library.update_corpus(&CorpusName::Vault)?;
        self.cache().level_since = Some(Instant::now());
        Ok(())
    }

    fn indexed_names(&self) -> Result<Arc<FileNames>> {
        if self.sync.hears_every_change() {
            return Ok(self.listed.names(&self.fallback.list_files()?));
        }
        self.ensure_level()?;
        let version = self.library.index.read_state()?.version;
        let mut kept = self.cache();
        if let Some((_, names)) = kept.names.as_ref().filter(|(known, _)| *known == version) {
            return Ok(names.clone());
        }
        let known = self.library.index.known_files(&CorpusName::Vault, KnownFileFilter::All)?;
        let names =
            Arc::new(FileNames::from_paths(known.into_iter().map(|file| file.path.as_str().to_owned())));
        kept.names = Some((version, names.clone()));
        Ok(names)
    }

    fn indexed_names_for_keys(&self, keys: &[String]) -> Result<FileNames> {
        self.ensure_level()?;
        let files = self.library.passages.find_named_files(&CorpusName::Vault, keys)?;
        Ok(FileNames::from_paths(files.iter().map(VaultPath::as_str)))
    }

    fn indexed_notes_by_field(&self, name: &str, accepts: &dyn Fn(&Value) -> bool) -> Result<Vec<VaultPath>> {
        self.ensure_level()?;
        let known = |which| -> Result<Vec<VaultPath>> {
            let files = self.library.index.known_files(&CorpusName::Vault, which)?;
            Ok(files.into_iter().map(|file| file.path).collect())
        };
        let has_unknown = Cell::new(false);
        let accepts_known = |value: Option<&Value>| {
            has_unknown.set(has_unknown.get() || value.is_none());
            value.is_some_and(accepts)
        };
        let found = known(KnownFileFilter::WithField(FieldFilter { name, accepts: &accepts_known }))?;
        // What the index does not know for certain is read.
        let is_unknown = |value: Option<&Value>| value.is_none();
        let mut unknown = BTreeSet::new();
        if has_unknown.get() {
            unknown.extend(known(KnownFileFilter::WithField(FieldFilter { name, accepts: &is_unknown }))?);
        }
        unknown.extend(known(KnownFileFilter::Skipped)?);
        let mut notes: Vec<VaultPath> = found.into_iter().filter(|path| !unknown.contains(path)).collect();
        notes.extend(unknown.into_iter().filter(|path| self.fallback.has_field(path, name, accepts)));
        notes.sort();
        Ok(notes)
    }

    fn indexed_mentions(&self, keys: &[String]) -> Result<Mentions> {
        self.ensure_level()?;
        let notes = self.library.passages.find_linking_files(&CorpusName::Vault, keys)?;
        let skipped = self.library.index.known_files(&CorpusName::Vault, KnownFileFilter::Skipped)?;
        let skipped = skipped.into_iter().filter_map(|file| match file.state {
            // The links of a skipped note are known even if its text is not.
            FileState::Skipped(reason) if !notes.contains(&file.path) => {
                Some(SkippedFile { path: file.path.to_string(), reason })
            }
            _ => None,
        });
        let skipped = skipped.collect();
        Ok(Mentions { notes, skipped })
    }
}

impl LinkIndex for IndexedLinks {
    fn sync(&self) -> Result<()> {
        // A change relies on it: that it was level a moment ago is not enough.
        self.cache().level_since = None;
        let is_level = self.sync.hears_every_change() && self.ensure_level().is_ok();
        if !is_level && self.sync.state() != IndexSyncState::Updating {
            // If this fails, the following queries are answered from the notes.
            let _ = self.update_index();
        }
        Ok(())
    }

    fn names(&self) -> Result<Arc<FileNames>> {
        self.indexed_names().or_else(|_| self.fallback.names())
    }

    fn names_for_keys(&self, keys: &[String]) -> Result<FileNames> {
        self.indexed_names_for_keys(keys).or_else(|_| self.fallback.names_for_keys(keys))
    }

    fn find_mentions(&self, keys: &[String]) -> Result<Mentions> {
        self.indexed_mentions(keys).or_else(|_| self.fallback.find_mentions(keys))
    }

    fn find_notes_by_field(&self, name: &str, accepts: &dyn Fn(&Value) -> bool) -> Result<Vec<VaultPath>> {
        let indexed = self.indexed_notes_by_field(name, accepts);
        indexed.or_else(|_| self.fallback.find_notes_by_field(name, accepts))
    }
}
