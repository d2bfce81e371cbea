//! An app from the settings: stores, corpora, library, vault, research, and what can be asked beyond this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wellread_adapters::clock::SystemClock;
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::domain::corpus::{CorpusName, Hash, PathRules};
use wellread_core::engine::run::RunStore;
use wellread_core::faces::tools::{Ctx, catalog};
use wellread_core::library::indexing::{IndexSync, IndexedLinks, Library, ReindexingFiles, ScannedLinks};
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::public_view::{SharedRepositories, VaultGuard, Visibility};
use wellread_core::library::search::Searcher;
use wellread_core::library::vault::{EditPolicy, Turns, Vault};
use wellread_core::ports::{
    Clock, Corpus, CorpusPaths, FilesUpkeep, History, Records, RecoveryReport, SkippedFile,
};
use wellread_core::research::Research;
use wellread_core::{Error, ErrorKind, Result};

use super::opinions::{open_answer_reader, open_opinion_sources};
use super::outside::{self, NetworkOptions};
use super::stores::{self, IndexPorts, OpenedStores, RecordBells, StoreFolders};
use super::{ConfiguredEmbedder, model, servers};
use crate::app::App;
use crate::config::{Config, RepoSetting};
use crate::{folder, platform};

impl App {
    /// Opens the vault, after completing or taking back what an earlier process left half done.
    pub fn open(config: &Config, options: NetworkOptions) -> Result<Self> {
        let (vault, data) = (config.vault()?, config.data_folder()?);
        let paths = AppPaths { vault, records: data.clone(), data, repos: config.repos()? };
        assemble(config, options, paths).map_err(|error| name_vaults(config, error))
    }

    /// Opens one folder of code and no notes. Its index is kept for the next time; runs are kept with all others.
    pub fn for_folder(config: &Config, options: NetworkOptions, folder: RepoSetting) -> Result<Self> {
        let path = platform::canonicalize_existing(&folder.path);
        let hash = Hash::compute(path.as_os_str().as_encoded_bytes()).to_string();
        let name = format!("{}-{}", folder::folder_name(&path), &hash[..12]);
        Self::without_vault(config, options, &name, vec![folder])
    }

    /// Opens the repositories that were added, for a user who has no vault.
    pub fn for_repositories(config: &Config, options: NetworkOptions) -> Result<Self> {
        Self::without_vault(config, options, "repositories", config.repos()?)
    }

    fn without_vault(
        config: &Config,
        options: NetworkOptions,
        name: &str,
        repos: Vec<RepoSetting>,
    ) -> Result<Self> {
        let data = config.shared_data_folder()?.join("folders").join(name);
        // A vault in which nothing is: what needs one finds nothing there.
        let vault = data.join("notes");
        std::fs::create_dir_all(&vault)
            .map_err(|error| Error::failed(format!("could not create `{}`: {error}", vault.display())))?;
        let paths = AppPaths { vault, data, records: config.data_folder()?, repos };
        assemble(config, options, paths)
    }
}

/// The clock of this machine.
pub fn open_clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

/// Where a vault is not found and others have names, it may be one of these that was meant.
fn name_vaults(config: &Config, error: Error) -> Error {
    if error.kind() != ErrorKind::NotFound || config.vaults().is_empty() {
        return error;
    }
    let names: Vec<String> = config.vaults().iter().map(|vault| format!("`{}`", vault.name)).collect();
    Error::not_found(error.message()).hint(format!("the named vaults are {}", names.join(", ")))
}

/// The folders that an app works on.
struct AppPaths {
    vault: PathBuf,
    /// Where the journal and the index are kept, and where the runs.
    data: PathBuf,
    records: PathBuf,
    repos: Vec<RepoSetting>,
}

impl AppPaths {
    /// A folder of code has its index apart from the records.
    fn store_folders(&self) -> StoreFolders<'_> {
        let Self { vault, data, records, .. } = self;
        StoreFolders { vault, data, records, is_settings_vault: data == records }
    }
}

fn assemble(config: &Config, options: NetworkOptions, paths: AppPaths) -> Result<App> {
    let files = stores::open_files(config, &paths.vault, &paths.data)?;
    // What can't be put right stops the edits to come, each with the reason. It is none to stop reading.
    let (recovered, unrecovered) = match files.recover() {
        Ok(recovered) => (recovered, None),
        Err(error) => (RecoveryReport::default(), Some(error)),
    };
    let opened = stores::open_stores(config, options.offline, &paths.store_folders())?;
    let OpenedStores { index, shares_index, records, views, records_place, change_source } = opened;
    let rules = JudgeRules { layout: config.layout()?, outside: stores::open_outside_text(&paths.data) };
    let corpora = OpenedCorpora::open(config, &files, &rules, &paths.vault, paths.repos)?;
    let clock = open_clock();
    let library = build_library(&index, &corpora, &clock, rules);
    let embedder = Arc::new(ConfiguredEmbedder::new(config, options.offline));
    let following = Arc::new(IndexSync::default());
    let vault = build_vault(&files, &library, &following, &corpora.overlapping);
    let search = Searcher { library: library.clone(), embedder: embedder.clone(), sync: following.clone() };
    let services = outside::open_services(config, options)?;
    let history = stores::open_history(&paths.records, corpora.list_folders());
    let stores = ResearchStores { records: &records, clock: &clock, history };
    let research = build_research(config, options, stores, corpora.repositories);
    let ctx = Ctx::new(Arc::new(vault), Arc::new(search), Arc::new(services), Arc::new(research));
    Ok(App {
        files,
        index: index.upkeep,
        shares_index,
        leaves_index: AtomicBool::default(),
        records,
        record_views: views,
        records_place,
        change_source,
        bells: RecordBells::default(),
        library,
        roots: corpora.roots,
        paths: corpora.paths,
        ctx,
        clock,
        tools: catalog(),
        recovered,
        unrecovered,
        embedder,
        model: model::open_model(config, options.offline),
        missing: corpora.missing,
        overlapping: corpora.overlapping.into_keys().collect(),
        following,
        works_for_user: false,
        allowed_repositories: None,
        page_cache: config.web(options.offline)?.cache,
    })
}

/// The vault and those repositories that could be opened.
struct OpenedCorpora {
    corpora: Vec<(CorpusName, Arc<dyn Corpus>)>,
    roots: Vec<PathBuf>,
    paths: Vec<Arc<dyn CorpusPaths>>,
    repositories: Vec<(String, Arc<RepositoryFiles>)>,
    missing: Vec<SkippedFile>,
    /// The repositories that share files with the vault.
    overlapping: SharedRepositories,
}

impl OpenedCorpora {
    fn open(
        config: &Config,
        files: &Arc<dyn FilesUpkeep>,
        rules: &JudgeRules,
        vault: &Path,
        repos: Vec<RepoSetting>,
    ) -> Result<Self> {
        let mut opened = Self {
            corpora: vec![(CorpusName::Vault, files.clone())],
            roots: vec![vault.to_owned()],
            paths: vec![files.clone()],
            repositories: Vec::new(),
            missing: Vec::new(),
            overlapping: SharedRepositories::new(),
        };
        if !repos.is_empty() {
            let vaults = open_known_vaults(config, files, rules, vault)?;
            for repo in repos {
                let guards: Vec<VaultGuard> = vaults.iter().map(|vault| vault.guard(&repo.path)).collect();
                opened.add(repo, &guards);
            }
        }
        Ok(opened)
    }

    /// Each corpus with its folder and what a path in it may be.
    fn list_folders(&self) -> Vec<(CorpusName, PathBuf, PathRules)> {
        let named = self.corpora.iter().zip(&self.roots).zip(&self.paths);
        named.map(|(((name, _), root), paths)| (name.clone(), root.clone(), paths.rules().clone())).collect()
    }

    fn add(&mut self, repo: RepoSetting, guards: &[VaultGuard]) {
        match RepositoryFiles::open(&repo.path) {
            Ok(opened) => {
                let opened = Arc::new(opened);
                if guards.iter().any(|guard| guard.overlaps) {
                    self.overlapping.insert(repo.name.clone(), path_spellings(&repo.path));
                }
                let corpus = guards.iter().fold(opened.clone() as Arc<dyn Corpus>, |corpus, guard| {
                    guard.guard_repository(corpus, path_spellings(&repo.path))
                });
                self.corpora.push((CorpusName::Repository(repo.name.clone()), corpus));
                self.roots.push(repo.path);
                self.paths.push(opened.clone());
                self.repositories.push((repo.name, opened));
            }
            // A disk that is not plugged in is no reason to forget what was on it, or to stop.
            Err(error) => {
                self.missing.push(SkippedFile { path: repo.name, reason: error.message().to_owned() });
            }
        }
    }
}

/// A vault of the settings, with what its files are judged by.
struct KnownVault {
    folder: PathBuf,
    files: Arc<dyn FilesUpkeep>,
    rules: JudgeRules,
}

impl KnownVault {
    /// A guard for the private files of this vault in a repository, whichever vault the app is open on: a folder of code has
    /// none of its own, and may have files of a vault in it, by their place or by another name.
    fn guard(&self, repository: &Path) -> VaultGuard {
        VaultGuard {
            paths: self.files.rules().clone(),
            files: self.files.clone(),
            rules: self.rules.clone(),
            overlaps: overlaps(&self.folder, repository),
        }
    }
}

/// The vaults of the settings that are there, this one first: their folders, and what judges their files.
pub fn open_vault_guards(config: &Config, app: &App) -> Result<Vec<(PathBuf, VaultGuard)>> {
    let own = app.roots.first().cloned().unwrap_or_default();
    let known = open_known_vaults(config, &app.files, &app.library.rules, &own)?;
    Ok(known.iter().map(|vault| (vault.folder.clone(), vault.guard(&vault.folder))).collect())
}

/// The vaults of the settings that are there. Without one there is nothing to guard.
fn open_known_vaults(
    config: &Config,
    files: &Arc<dyn FilesUpkeep>,
    rules: &JudgeRules,
    vault: &Path,
) -> Result<Vec<KnownVault>> {
    let mut opened = Vec::new();
    for known in config.known_vaults()? {
        let folder = known.vault()?;
        if !folder.is_dir() {
            continue;
        }
        let is_open = folder == vault;
        let files = if is_open { files.clone() } else { stores::open_vault_files(&known)? };
        let outside = stores::open_outside_text(&known.data_folder()?);
        let rules = if is_open { rules.clone() } else { JudgeRules { layout: known.layout()?, outside } };
        opened.push(KnownVault { folder, files, rules });
    }
    Ok(opened)
}

/// Whether a vault shares files with a repository.
fn overlaps(vault: &Path, repository: &Path) -> bool {
    let inside = |one: &str, other: &str| platform::is_within(Path::new(one), Path::new(other));
    let repository = path_spellings(repository);
    let shares = |vault: &String| repository.iter().any(|root| inside(vault, root) || inside(root, vault));
    path_spellings(vault).iter().any(shares)
}

/// The ways in which a folder may be written: as it is set, and with its links resolved.
fn path_spellings(folder: &Path) -> Vec<String> {
    let mut spellings = vec![folder.to_owned(), platform::canonicalize_existing(folder)];
    spellings.dedup();
    spellings.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

fn build_library(
    index: &IndexPorts,
    corpora: &OpenedCorpora,
    clock: &Arc<dyn Clock>,
    rules: JudgeRules,
) -> Arc<Library> {
    let away = corpora.missing.iter().map(|repo| CorpusName::Repository(repo.path.clone())).collect();
    Arc::new(Library {
        corpora: corpora.corpora.clone(),
        away,
        index: index.index.clone(),
        passages: index.passages.clone(),
        vectors: index.vectors.clone(),
        symbols: index.symbols.clone(),
        clock: clock.clone(),
        rules,
        whole: None,
        memory: Default::default(),
    })
}

fn build_vault(
    files: &Arc<dyn FilesUpkeep>,
    library: &Arc<Library>,
    following: &Arc<IndexSync>,
    shared: &SharedRepositories,
) -> Vault {
    let rules = files.rules().clone();
    let files = Arc::new(ReindexingFiles::new(files.clone(), library.clone(), following.clone()));
    let scanned = ScannedLinks::new(files.clone());
    Vault {
        rules,
        links: Arc::new(IndexedLinks::new(library.clone(), scanned, following.clone())),
        files,
        clock: library.clock.clone(),
        layout: library.rules.layout.clone(),
        edits: EditPolicy::default(),
        outside: library.rules.outside.clone(),
        visibility: Visibility::of_whole(shared.clone()),
        turns: Turns::default(),
    }
}

/// What research reads and records.
struct ResearchStores<'a> {
    records: &'a Arc<dyn Records>,
    clock: &'a Arc<dyn Clock>,
    history: Arc<dyn History>,
}

fn build_research(
    config: &Config,
    options: NetworkOptions,
    stores: ResearchStores<'_>,
    repositories: Vec<(String, Arc<RepositoryFiles>)>,
) -> Research {
    let ResearchStores { records, clock, history } = stores;
    Research {
        runs: RunStore { records: records.clone(), clock: clock.clone() },
        model: model::open_research_model(config, options.offline),
        opinions: open_opinion_sources(config),
        reader: open_answer_reader(),
        snapshots: records.clone(),
        history,
        servers: servers::open_language_servers(config, repositories),
        agendas: records.clone(),
        settings: config.research(),
        code: config.code(),
        agenda: config.agenda(),
    }
}
