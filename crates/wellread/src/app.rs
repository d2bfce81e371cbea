//! The wiring: settings in, a vault, a library and their tools out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::{RecoveryReport, VaultFiles};
use wellread_adapters::http::Web;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::lsp::LanguageServerPool;
use wellread_adapters::records::RecordStore;
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::domain::corpus::{CorpusName, Hash, PathRules};
use wellread_core::domain::evidence::Evidence;
use wellread_core::engine::run::{RunStore, StopSignal};
use wellread_core::faces::tools::{AnyTool, Ctx, catalog};
use wellread_core::library::indexing::{
    IndexProgress, IndexSync, IndexSyncState, IndexedLinks, Library, ReindexingFiles, ScannedLinks,
    UpdateSummary,
};
use wellread_core::library::search::Searcher;
use wellread_core::library::vault::{EditPolicy, Vault};
use wellread_core::ports::{Corpus, LanguageServers, Model, NoServers, SkippedFile};
use wellread_core::research::Research;
use wellread_core::{Error, Result};

use crate::config::{Config, RepoSetting};
use crate::embedding::ConfiguredEmbedder;
use crate::outside::NetworkOptions;
use crate::{folder, model, outside, platform};

/// All that a command may need.
pub struct App {
    pub files: Arc<VaultFiles>,
    pub index: Arc<SqliteIndex>,
    /// Runs, kept pages and conversations. Opened when they are first asked for.
    pub records: Arc<RecordStore>,
    pub library: Arc<Library>,
    /// Where each corpus of the library stands, in its order.
    pub roots: Vec<PathBuf>,
    pub ctx: Ctx,
    pub clock: Arc<SystemClock>,
    pub tools: Vec<Box<dyn AnyTool>>,
    pub recovered: RecoveryReport,
    /// Why an interrupted change could not be put right.
    pub unrecovered: Option<Error>,
    pub embedder: Arc<ConfiguredEmbedder>,
    pub model: Arc<dyn Model>,
    /// Repositories that are set and could not be opened.
    pub missing: Vec<SkippedFile>,
    pub following: Arc<IndexSync>,
    repositories: Vec<Arc<RepositoryFiles>>,
}

/// What an app stands on.
struct AppPaths {
    vault: PathBuf,
    /// Where the journal and the index are kept, and where the runs.
    data: PathBuf,
    records: PathBuf,
    repos: Vec<RepoSetting>,
}

/// As many files as can be looked at in a moment. With more than these, a single search takes the index as it is.
const LOOKED_AT_FIRST: usize = 3000;
/// How long research waits for a first pass over the files, and how often it looks.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
const LOOKS_AGAIN: Duration = Duration::from_millis(20);

impl App {
    /// Opens the vault, after completing or taking back what an earlier process left half done.
    pub fn open(config: &Config, asked: NetworkOptions) -> Result<Self> {
        let (vault, data) = (config.vault()?, config.data_folder()?);
        let ground = AppPaths { vault, records: data.clone(), data, repos: config.repos()? };
        Self::assemble(config, asked, ground)
    }

    /// One folder of code and no notes. Its index is kept for the next time; runs are kept with all others.
    pub fn for_folder(config: &Config, asked: NetworkOptions, folder: RepoSetting) -> Result<Self> {
        let path = platform::canonicalize_existing(&folder.path);
        let hash = Hash::compute(path.as_os_str().as_encoded_bytes()).to_string();
        let data = config.shared_data_folder()?.join("folders").join(format!(
            "{}-{}",
            folder::folder_name(&path),
            &hash[..12]
        ));
        // A vault in which nothing is: what needs one finds nothing there.
        let vault = data.join("notes");
        std::fs::create_dir_all(&vault)
            .map_err(|error| Error::failed(format!("could not make `{}`: {error}", vault.display())))?;
        let ground = AppPaths { vault, data, records: config.data_folder()?, repos: vec![folder] };
        Self::assemble(config, asked, ground)
    }

    fn assemble(config: &Config, asked: NetworkOptions, ground: AppPaths) -> Result<Self> {
        let offline = asked.offline;
        let AppPaths { vault, data, records, repos } = ground;
        let files = Arc::new(VaultFiles::open(&vault, &data, &config.excluded_paths())?);
        // What can't be put right stops the edits to come, each with the reason. It is none to stop reading.
        let (recovered, unrecovered) = match files.recover() {
            Ok(recovered) => (recovered, None),
            Err(error) => (RecoveryReport::default(), Some(error)),
        };
        let index =
            Arc::new(SqliteIndex::new(&data, &platform::canonicalize_existing(&vault).to_string_lossy()));
        let records = Arc::new(RecordStore::new(&records));
        let mut corpora: Vec<(CorpusName, Arc<dyn Corpus>)> = vec![(CorpusName::Vault, files.clone())];
        let mut roots = vec![vault];
        let (mut repositories, mut missing, mut named) = (Vec::new(), Vec::new(), Vec::new());
        for repo in repos {
            match RepositoryFiles::open(&repo.path) {
                Ok(opened) => {
                    let opened = Arc::new(opened);
                    named.push((repo.name.clone(), opened.clone()));
                    corpora.push((CorpusName::Repository(repo.name), opened.clone()));
                    roots.push(repo.path);
                    repositories.push(opened);
                }
                // A disk that is not plugged in is no reason to forget what was on it, or to stop.
                Err(error) => {
                    missing.push(SkippedFile { path: repo.name, reason: error.message().to_owned() })
                }
            }
        }
        let clock = Arc::new(SystemClock);
        let away = missing.iter().map(|repo| CorpusName::Repository(repo.path.clone())).collect();
        let library = Arc::new(Library {
            corpora,
            away,
            index: index.clone(),
            passages: index.clone(),
            vectors: index.clone(),
            symbols: index.clone(),
            clock: clock.clone(),
        });
        let following = Arc::new(IndexSync::default());
        let scanned = ScannedLinks::new(files.clone());
        let links = IndexedLinks::new(library.clone(), scanned, following.clone());
        let embedder = Arc::new(ConfiguredEmbedder::new(config, offline));
        let vault = Vault {
            rules: files.rules().clone(),
            links: Arc::new(links),
            files: Arc::new(ReindexingFiles::new(files.clone(), library.clone(), following.clone())),
            clock: clock.clone(),
            layout: config.layout(),
            edits: EditPolicy::default(),
        };
        let search = Searcher { library: library.clone(), embedder: embedder.clone() };
        let web = Web::new(config.web(offline)?)?;
        let reach = outside::build_services(config, &web, outside::open_pages(&web), asked);
        let research = Arc::new(Research {
            runs: RunStore { records: records.clone(), clock: clock.clone() },
            model: model::open_research_model(config, offline),
            snapshots: records.clone(),
            servers: open_language_servers(config, &named),
            agendas: records.clone(),
            settings: config.research(),
            code: config.code(),
            agenda: config.agenda(),
        });
        let ctx = Ctx::new(Arc::new(vault), Arc::new(search), Arc::new(reach), research);
        Ok(Self {
            files,
            index,
            records,
            library,
            roots,
            ctx,
            clock,
            tools: catalog(),
            recovered,
            unrecovered,
            embedder,
            model: model::open_model(config, offline),
            missing,
            following,
            repositories,
        })
    }

    /// The corpora with those folders that were studied without having been added: they are named by their whole path.
    pub fn corpora_with_folders<'a>(
        &self,
        cited: impl IntoIterator<Item = &'a Evidence>,
    ) -> Vec<(CorpusName, Arc<dyn Corpus>)> {
        let mut corpora = self.library.corpora.clone();
        for entry in cited {
            let Some((corpus, _)) = entry.source.file() else { continue };
            let folder = corpus.repository().filter(|name| name.starts_with('/'));
            let is_new = corpora.iter().all(|(known, _)| *known != corpus);
            if let Some(Ok(opened)) =
                folder.filter(|_| is_new).map(|name| RepositoryFiles::open(name.as_ref()))
            {
                corpora.push((corpus, Arc::new(opened)));
            }
        }
        corpora
    }

    pub fn tool(&self, name: &str) -> Result<&dyn AnyTool> {
        wellread_core::faces::tools::find_tool(&self.tools, name)
    }

    /// Brings the index level with the files, after a look at its own soundness.
    pub fn update(&self, full: bool, progress: &(dyn Fn(IndexProgress) + Sync)) -> Result<UpdateSummary> {
        self.index.check_integrity()?;
        self.retry_with_new_index(|| self.library.update(full, progress))
    }

    /// Makes the index fit for a search: complete, and level with the files where that takes a moment only.
    pub fn make_searchable(&self, progress: &(dyn Fn(IndexProgress) + Sync)) -> Result<()> {
        if self.following.state() != IndexSyncState::Off {
            return Ok(());
        }
        self.retry_with_new_index(|| {
            let coverage = self.library.index.coverage()?;
            let known = |name: &CorpusName| coverage.corpora.iter().any(|known| known.corpus == *name);
            let files: usize = coverage.corpora.iter().map(|corpus| corpus.files).sum();
            let complete = self.library.index.read_state()?.complete
                && self.library.corpora.iter().all(|(name, _)| known(name));
            if !complete || files <= LOOKED_AT_FIRST {
                self.library.update(false, progress)?;
            }
            Ok(())
        })
    }

    /// The same for research: a first pass over the files that somebody else is at is waited for, unless it takes long. What is
    /// not found for want of it would be missing in a note.
    pub fn wait_for_complete_index(&self, stop: &StopSignal) -> Result<()> {
        self.make_searchable(&|_| {})?;
        let begun = Instant::now();
        while self.following.state() == IndexSyncState::Updating
            && !self.library.index.read_state()?.complete
            && begun.elapsed() < LONGEST_WAIT
            && !stop.is_requested()
        {
            std::thread::sleep(LOOKS_AGAIN);
        }
        Ok(())
    }

    /// What a path of a corpus may be.
    pub fn rules(&self, corpus: &CorpusName) -> &PathRules {
        let at = self.library.corpora.iter().position(|(name, _)| name == corpus);
        self.rules_at(at.unwrap_or_default())
    }

    pub fn rules_at(&self, corpus: usize) -> &PathRules {
        let repository = corpus.checked_sub(1).and_then(|at| self.repositories.get(at));
        repository.map_or(self.files.rules(), |repository| repository.rules())
    }

    /// Whether a path of a corpus is none that is listed.
    pub fn is_excluded(&self, corpus: usize, path: &str, is_folder: bool) -> bool {
        match corpus.checked_sub(1).and_then(|at| self.repositories.get(at)) {
            Some(repository) => repository.skips(path, is_folder),
            None => self.files.rules().parse_file(path).is_err(),
        }
    }

    /// Does this, and where it meets damage in the index, once more with a new one.
    pub fn retry_with_new_index<T>(&self, act: impl Fn() -> Result<T>) -> Result<T> {
        match act() {
            Err(error) if self.index.is_damaged() => {
                self.index.reset(error.message())?;
                self.library.update(false, &|_| {})?;
                act()
            }
            done => done,
        }
    }
}

/// Those that the user switched on; none runs before it is asked.
fn open_language_servers(
    config: &Config,
    repositories: &[(String, Arc<RepositoryFiles>)],
) -> Arc<dyn LanguageServers> {
    match config.language_servers() {
        Some(settings) => Arc::new(LanguageServerPool::new(settings, repositories.to_vec())),
        None => Arc::new(NoServers),
    }
}
