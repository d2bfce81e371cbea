//! The wiring: settings in, a vault, a library and their tools out, and the one way in which a face runs a tool.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::{Recovered, VaultFiles};
use wellread_adapters::http::{self, Web};
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::lsp::LanguageServerPool;
use wellread_adapters::records::RecordStore;
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::corpus::{CorpusName, Hash, PathRules};
use wellread_core::evidence::Evidence;
use wellread_core::indexing::{
    Followed, Following, HeardFiles, IndexedLinks, Library, Progress, ScannedLinks, Updated,
};
use wellread_core::ports::{Corpus, LanguageServers, Model, NoServers, Skipped};
use wellread_core::research::Research;
use wellread_core::run::{Desk, Stop};
use wellread_core::search::Search;
use wellread_core::tools::{Answer, AnyTool, Ctx, Declaration, Effect, catalogue};
use wellread_core::vault::{Edits, Vault};
use wellread_core::{Error, Result};

use crate::config::{Config, RepoSetting};
use crate::embedding::Chosen;
use crate::reaching::Asked;
use crate::{folder, model, platform, reaching};

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
    pub recovered: Recovered,
    /// Why an interrupted change could not be put right.
    pub unrecovered: Option<Error>,
    pub embedder: Arc<Chosen>,
    pub model: Arc<dyn Model>,
    /// Repositories that are set and could not be opened.
    pub missing: Vec<Skipped>,
    pub following: Arc<Following>,
    repositories: Vec<Arc<RepositoryFiles>>,
}

/// What an app stands on.
struct Ground {
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
    pub fn open(config: &Config, asked: Asked) -> Result<Self> {
        let (vault, data) = (config.vault()?, config.data()?);
        let ground = Ground { vault, records: data.clone(), data, repos: config.repos()? };
        Self::over(config, asked, ground)
    }

    /// One folder of code and no notes. Its index is kept for the next time; runs are kept with all others.
    pub fn for_folder(config: &Config, asked: Asked, folder: RepoSetting) -> Result<Self> {
        let path = platform::settled(&folder.path);
        let hash = Hash::of(path.as_os_str().as_encoded_bytes()).to_string();
        let data =
            config.shared_data()?.join("folders").join(format!("{}-{}", folder::name_of(&path), &hash[..12]));
        // A vault in which nothing is: what needs one finds nothing there.
        let vault = data.join("notes");
        std::fs::create_dir_all(&vault)
            .map_err(|error| Error::failed(format!("could not make `{}`: {error}", vault.display())))?;
        let ground = Ground { vault, data, records: config.data()?, repos: vec![folder] };
        Self::over(config, asked, ground)
    }

    fn over(config: &Config, asked: Asked, ground: Ground) -> Result<Self> {
        let offline = asked.offline;
        let Ground { vault, data, records, repos } = ground;
        let files = Arc::new(VaultFiles::open(&vault, &data, &config.excluded())?);
        // What can't be put right stops the edits to come, each with the reason. It is none to stop reading.
        let (recovered, unrecovered) = match files.recover() {
            Ok(recovered) => (recovered, None),
            Err(error) => (Recovered::default(), Some(error)),
        };
        let index = Arc::new(SqliteIndex::at(&data, &platform::settled(&vault).to_string_lossy()));
        let records = Arc::new(RecordStore::at(&records));
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
                Err(error) => missing.push(Skipped { path: repo.name, reason: error.message().to_owned() }),
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
        let following = Arc::new(Following::default());
        let scanned = ScannedLinks::new(files.clone());
        let links = IndexedLinks::new(library.clone(), scanned, following.clone());
        let embedder = Arc::new(Chosen::of(config, offline));
        let vault = Vault {
            rules: files.rules().clone(),
            links: Arc::new(links),
            files: Arc::new(HeardFiles::new(files.clone(), library.clone(), following.clone())),
            clock: clock.clone(),
            layout: config.layout(),
            edits: Edits::default(),
        };
        let search = Search { library: library.clone(), embedder: embedder.clone() };
        let settings = config.web(offline)?;
        http::introduce(&settings.user_agent, settings.ca_file.as_deref());
        let web = Web::new(settings)?;
        let reach = reaching::reach(config, &web, reaching::pages(&web), asked);
        let research = Arc::new(Research {
            desk: Desk { records: records.clone(), clock: clock.clone() },
            model: model::for_research(config, offline),
            snapshots: records.clone(),
            servers: language_servers(config, &named),
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
            tools: catalogue(),
            recovered,
            unrecovered,
            embedder,
            model: model::chosen(config, offline),
            missing,
            following,
            repositories,
        })
    }

    /// The corpora with those folders that were studied without having been added: they are named by their whole path.
    pub fn with_folders<'a>(
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
        wellread_core::tools::named(&self.tools, name)
    }

    /// Brings the index level with the files, after a look at its own soundness.
    pub fn update(&self, full: bool, progress: &(dyn Fn(Progress) + Sync)) -> Result<Updated> {
        self.index.examine()?;
        self.mended(|| self.library.update(full, progress))
    }

    /// Makes the index fit for a search: complete, and level with the files where that takes a moment only.
    pub fn make_searchable(&self, progress: &(dyn Fn(Progress) + Sync)) -> Result<()> {
        if self.following.now() != Followed::Nobody {
            return Ok(());
        }
        self.mended(|| {
            let coverage = self.library.index.coverage()?;
            let known = |name: &CorpusName| coverage.corpora.iter().any(|known| known.corpus == *name);
            let files: usize = coverage.corpora.iter().map(|corpus| corpus.files).sum();
            let complete = self.library.index.standing()?.complete
                && self.library.corpora.iter().all(|(name, _)| known(name));
            if !complete || files <= LOOKED_AT_FIRST {
                self.library.update(false, progress)?;
            }
            Ok(())
        })
    }

    /// The same for research: a first pass over the files that somebody else is at is waited for, unless it takes long. What is
    /// not found for want of it would be missing in a note.
    pub fn make_complete(&self, stop: &Stop) -> Result<()> {
        self.make_searchable(&|_| {})?;
        let begun = Instant::now();
        while self.following.now() == Followed::Behind
            && !self.library.index.standing()?.complete
            && begun.elapsed() < LONGEST_WAIT
            && !stop.is_asked()
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
    pub fn leaves_out(&self, corpus: usize, path: &str, is_folder: bool) -> bool {
        match corpus.checked_sub(1).and_then(|at| self.repositories.get(at)) {
            Some(repository) => repository.leaves_out(path, is_folder),
            None => self.files.rules().file(path).is_err(),
        }
    }

    /// Does this, and where it meets damage in the index, once more with a new one.
    pub fn mended<T>(&self, act: impl Fn() -> Result<T>) -> Result<T> {
        match act() {
            Err(error) if self.index.is_damaged() => {
                self.index.begin_anew(error.message())?;
                self.library.update(false, &|_| {})?;
                act()
            }
            done => done,
        }
    }

    /// Runs a tool on a thread that may wait for the disk; one that only reads, for as long as its declaration allows.
    pub async fn run(self: Arc<Self>, name: String, args: Value) -> Result<Value> {
        let ctx = self.ctx.clone();
        self.run_in(ctx, name, args).await.map(|answer| answer.fields)
    }

    /// The same on other terms, and with all that is known of the answer.
    pub async fn run_in(self: Arc<Self>, ctx: Ctx, name: String, args: Value) -> Result<Answer> {
        let Declaration { limit, effect, searches, recipe, .. } = *self.tool(&name)?.declaration();
        let runtime = tokio::runtime::Handle::current();
        let call = tokio::task::spawn_blocking({
            let (app, name) = (self.clone(), name.clone());
            move || {
                match (searches, recipe) {
                    (true, true) => app.make_complete(&ctx.stop)?,
                    (true, false) => app.make_searchable(&|_| {})?,
                    (false, _) => {}
                }
                let call = || runtime.block_on(async { app.tool(&name)?.call(&ctx, args.clone()).await });
                // Research is not made twice: what it paid for is in its run.
                if recipe { call() } else { app.mended(call) }
            }
        });
        // A change that has begun is waited for: to say that it failed, and make it all the same, would be a lie.
        if effect != Effect::Reads {
            return call.await.unwrap_or_else(|_| Err(broke_down(&name)));
        }
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(broke_down(&name)),
            Err(_) => {
                Err(Error::failed(format!("{name} took longer than {} s and was given up", limit.as_secs()))
                    .hint("nothing was changed; it may be a slow disk: try again"))
            }
        }
    }
}

/// Those that the user switched on; none runs before it is asked.
fn language_servers(
    config: &Config,
    repositories: &[(String, Arc<RepositoryFiles>)],
) -> Arc<dyn LanguageServers> {
    match config.language_servers() {
        Some(settings) => Arc::new(LanguageServerPool::new(settings, repositories.to_vec())),
        None => Arc::new(NoServers),
    }
}

fn broke_down(tool: &str) -> Error {
    Error::failed(format!("{tool} broke down; this is a defect of Wellread"))
}
