//! What commands and faces work with, all behind ports. The wiring builds it; `app_calls` says how a tool is called.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use wellread_core::domain::corpus::{CorpusName, PathRules};
use wellread_core::domain::evidence::Evidence;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::{AnyTool, Ctx};
use wellread_core::library::indexing::{
    IndexProgress, IndexSync, IndexSyncState, Library, UpdateSummary, embed_pending,
};
use wellread_core::ports::{
    Clock, Corpus, CorpusPaths, Embedder as _, FilesUpkeep, IndexUpkeep, IntegrityCheck, Model, PassageScope,
    RecordViews, Records, RecoveryReport, SkippedFile,
};
use wellread_core::{Error, Result};

use crate::config::Config;
use crate::wiring::{self, ChangeSource, ConfiguredEmbedder, RecordBells};

/// All that a command may need.
pub struct App {
    pub files: Arc<dyn FilesUpkeep>,
    /// The upkeep of the index; what is looked up in it goes through `library`.
    pub index: Arc<dyn IndexUpkeep>,
    /// Whether processes on other machines may have the same index, and one of them keeps it level with the files.
    pub shares_index: bool,
    /// Whether this process leaves even a first index to the others.
    pub leaves_index: AtomicBool,
    /// Runs, kept pages, conversations, agendas and findings. Opened when they are first asked for.
    pub records: Arc<dyn Records>,
    /// The same records, as others see them.
    pub record_views: Arc<dyn RecordViews>,
    /// Where the records are, for people.
    pub records_place: String,
    /// Who tells of changes that other processes make, and what rings here then.
    pub change_source: ChangeSource,
    pub bells: RecordBells,
    pub library: Arc<Library>,
    /// Where each corpus of the library stands, in its order.
    pub roots: Vec<PathBuf>,
    /// Which paths of each corpus of the library count, in its order; the vault's come first.
    pub paths: Vec<Arc<dyn CorpusPaths>>,
    pub ctx: Ctx,
    pub clock: Arc<dyn Clock>,
    pub tools: Vec<Box<dyn AnyTool>>,
    pub recovered: RecoveryReport,
    /// Why an interrupted change could not be put right.
    pub unrecovered: Option<Error>,
    pub embedder: Arc<ConfiguredEmbedder>,
    pub model: Arc<dyn Model>,
    /// Repositories that are set and could not be opened.
    pub missing: Vec<SkippedFile>,
    /// The names of repositories that share files with the vault.
    pub overlapping: Vec<String>,
    pub following: Arc<IndexSync>,
    /// Whether it works for a user with an account, who has no business in folders that nobody added.
    pub works_for_user: bool,
    /// The repositories that exist for whom this app works; `None` if all do.
    pub allowed_repositories: Option<Vec<String>>,
    /// Where fetched pages are cached, if they are.
    pub page_cache: Option<PathBuf>,
}

/// A vault that was opened, with the settings that count in it.
#[derive(Clone)]
pub struct OpenVault {
    pub config: Config,
    pub app: Arc<App>,
}

/// The vaults that are served together; never none.
pub struct OpenVaults {
    /// The one that is meant where none is named.
    pub first: OpenVault,
    pub others: Vec<OpenVault>,
}

impl OpenVaults {
    pub fn all(&self) -> impl Iterator<Item = &OpenVault> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// As many files as can be looked at in a moment. With more than these, a single search takes the index as it is.
const LOOKED_AT_FIRST: usize = 3000;
/// As many passages as get their vectors in a moment. With more than these, a single search takes the vectors as they are.
const EMBEDDED_FIRST: usize = 400;
/// How long research waits until the index has all that is known of changes.
const RESEARCH_WAITS: Duration = Duration::from_secs(60);
/// How long a search waits for it, before it answers from what is indexed and says so.
const SEARCH_WAITS: Duration = Duration::from_secs(1);
/// As many changed files as a search has indexed before it answers.
const MOST_AT_A_SEARCH: usize = 200;
const LOOKS_AGAIN: Duration = Duration::from_millis(20);

impl App {
    /// The corpora with those folders that were studied without having been added: they are named by their whole path.
    pub fn corpora_with_folders<'a>(
        &self,
        cited: impl IntoIterator<Item = &'a Evidence>,
    ) -> Vec<(CorpusName, Arc<dyn Corpus>)> {
        let mut corpora = self.library.corpora.clone();
        for entry in cited {
            let Some((corpus, _)) = entry.source.file() else { continue };
            let is_folder = |name: &&str| Path::new(name).is_absolute() && !self.works_for_user;
            let folder = corpus.repository().filter(is_folder);
            let is_new = corpora.iter().all(|(known, _)| *known != corpus);
            if let Some(Ok(opened)) =
                folder.filter(|_| is_new).map(|name| wiring::open_repository(name.as_ref()))
            {
                corpora.push((corpus, opened));
            }
        }
        corpora
    }

    /// Whether a repository of this name exists for whom this app works.
    pub fn sees_repository(&self, name: &str) -> bool {
        self.allowed_repositories.as_ref().is_none_or(|allowed| allowed.iter().any(|known| known == name))
    }

    pub fn tool(&self, name: &str) -> Result<&dyn AnyTool> {
        wellread_core::faces::tools::find_tool(&self.tools, name)
    }

    /// Brings the index level with the files, after the daily look at its own soundness.
    pub fn update(&self, full: bool, progress: &(dyn Fn(IndexProgress) + Sync)) -> Result<UpdateSummary> {
        self.update_checked(IntegrityCheck::Daily, full, progress)
    }

    /// Brings the index level with the files, after a look at its own soundness.
    pub fn update_checked(
        &self,
        check: IntegrityCheck,
        full: bool,
        progress: &(dyn Fn(IndexProgress) + Sync),
    ) -> Result<UpdateSummary> {
        self.index.check_integrity(check)?;
        self.retry_with_new_index(|| self.library.update(full, progress))
    }

    /// Makes the index fit for a search: complete, and level with the files where that takes a moment only.
    pub fn make_searchable(&self, progress: &(dyn Fn(IndexProgress) + Sync)) -> Result<()> {
        self.make_searchable_by_words(progress)?;
        if self.is_followed() || self.shares_index {
            return Ok(());
        }
        self.retry_with_new_index(|| self.embed_a_few())
    }

    /// The same without missing vectors, which take time even to count.
    pub fn make_searchable_by_words(&self, progress: &(dyn Fn(IndexProgress) + Sync)) -> Result<()> {
        if self.is_followed() {
            self.catch_up();
            return Ok(());
        }
        // Those who keep it do; a first one is made by whoever needs it.
        let is_left = || self.leaves_index.load(Ordering::Relaxed);
        if self.shares_index && (is_left() || self.library.index.read_state()?.complete) {
            return Ok(());
        }
        self.retry_with_new_index(|| {
            let counted = self.library.index.count_files(LOOKED_AT_FIRST + 1)?;
            let known = |name: &CorpusName| counted.iter().any(|(known, _)| known == name);
            let files: usize = counted.iter().map(|(_, files)| files).sum();
            let state = self.library.index.read_state()?;
            // Under other rules, other files are excluded or private.
            let complete = state.complete
                && state.rules == self.library.rules.fingerprint()
                && self.library.corpora.iter().all(|(name, _)| known(name));
            if !complete || files <= LOOKED_AT_FIRST {
                self.library.update(false, progress)?;
            }
            Ok(())
        })
    }

    /// Has the index kept by other processes alone, also if there is none yet.
    pub fn leave_index_to_others(&self) {
        self.leaves_index.store(true, Ordering::Relaxed);
    }

    /// Whether another task brings every change into the index, or is about to.
    fn is_followed(&self) -> bool {
        self.following.state() == IndexSyncState::Updating || self.following.hears_every_change()
    }

    /// Computes the vectors that are missing where that takes a moment only: the built-in model, and not many passages.
    fn embed_a_few(&self) -> Result<()> {
        if !self.embedder.is_built_in() {
            return Ok(());
        }
        let Ok(model) = self.embedder.model() else { return Ok(()) };
        let (made, all) = self.library.vectors.progress(&model, PassageScope::All)?;
        if made < all && all - made <= EMBEDDED_FIRST {
            // Where vectors can't be stored, words answer.
            if let Err(error) = embed_pending(&self.library, &*self.embedder, &|| {}, &|_| true) {
                tracing::warn!("vectors could not be created: {error}");
            }
        }
        Ok(())
    }

    /// Updates the index for research. What another task is writing to it is waited for, unless it takes long: whatever is not
    /// indexed would be missing in the note.
    pub fn wait_for_complete_index(&self, stop: &StopSignal) -> Result<()> {
        self.make_searchable(&|_| {})?;
        self.wait_for_changes(RESEARCH_WAITS, stop);
        Ok(())
    }

    /// Has the index take over what was heard of changes of the vault. Where that is too much for a call, the task that does
    /// it is woken and waited for, but not for long.
    pub fn catch_up(&self) {
        self.wait_for_changes(SEARCH_WAITS, &self.ctx.stop);
    }

    fn wait_for_changes(&self, longest: Duration, stop: &StopSignal) {
        let begun = Instant::now();
        while self.awaits_changes() && begun.elapsed() < longest && !stop.is_requested() {
            std::thread::sleep(LOOKS_AGAIN);
        }
    }

    /// Whether another task is about to bring changes into the index that this one could not bring.
    fn awaits_changes(&self) -> bool {
        match self.following.state() {
            IndexSyncState::Off => false,
            IndexSyncState::Updating => true,
            IndexSyncState::UpToDate => {
                self.following.hears_every_change()
                    && self.following.catch_up(&self.library, &[], MOST_AT_A_SEARCH) == Ok(false)
                    && self.following.misses_changes()
            }
        }
    }

    /// What a path of a corpus may be.
    pub fn rules(&self, corpus: &CorpusName) -> &PathRules {
        let at = self.library.corpora.iter().position(|(name, _)| name == corpus);
        self.rules_at(at.unwrap_or_default())
    }

    pub fn rules_at(&self, corpus: usize) -> &PathRules {
        self.paths.get(corpus).map_or(self.files.rules(), |paths| paths.rules())
    }

    /// Whether nothing at a path of a corpus is ever listed.
    pub fn is_excluded(&self, corpus: usize, path: &str, is_folder: bool) -> bool {
        self.paths.get(corpus).is_none_or(|paths| paths.excludes(path, is_folder))
    }

    /// Does this, and where it meets damage in the index, once more with a new one.
    pub fn retry_with_new_index<T>(&self, act: impl Fn() -> Result<T>) -> Result<T> {
        match act() {
            Err(error) if self.index.is_damaged() => {
                self.index.begin_anew(error.message())?;
                self.library.update(false, &|_| {})?;
                act()
            }
            done => done,
        }
    }
}
