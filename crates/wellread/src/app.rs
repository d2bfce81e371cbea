//! The wiring: settings in, a vault, a library and their tools out, and the one way in which a face runs a tool.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::{Recovered, VaultFiles};
use wellread_adapters::index::SqliteIndex;
use wellread_core::corpus::CorpusName;
use wellread_core::indexing::{HeardFiles, IndexedLinks, Library, Progress, ScannedLinks, Updated};
use wellread_core::ports::{Corpus, Index};
use wellread_core::search::Search;
use wellread_core::tools::{AnyTool, Ctx, Declaration, Effect, catalogue};
use wellread_core::vault::{Layout, Vault};
use wellread_core::{Error, Result};

use crate::config::Config;

/// All that a command may need.
pub struct App {
    pub files: Arc<VaultFiles>,
    pub index: Arc<SqliteIndex>,
    pub library: Arc<Library>,
    /// Where each corpus of the library stands, in its order.
    pub roots: Vec<PathBuf>,
    pub ctx: Ctx,
    pub tools: Vec<Box<dyn AnyTool>>,
    pub recovered: Recovered,
    /// Why an interrupted change could not be put right.
    pub unrecovered: Option<Error>,
    /// Set while somebody keeps the index level with the files.
    pub followed: Arc<AtomicBool>,
}

/// As many files as can be looked at in a moment. With more than these, a single search takes the index as it is.
const LOOKED_AT_FIRST: usize = 3000;

impl App {
    /// Opens the vault, after completing or taking back what an earlier process left half done.
    pub fn open(config: &Config) -> Result<Self> {
        let (vault, data) = (config.vault()?, config.data()?);
        let files = Arc::new(VaultFiles::open(&vault, &data, &config.excluded())?);
        // What can't be put right stops the edits to come, each with the reason. It is none to stop reading.
        let (recovered, unrecovered) = match files.recover() {
            Ok(recovered) => (recovered, None),
            Err(error) => (Recovered::default(), Some(error)),
        };
        let index = Arc::new(SqliteIndex::at(&data, &crate::platform::settled(&vault).to_string_lossy()));
        let mut corpora: Vec<(CorpusName, Arc<dyn Corpus>)> = vec![(CorpusName::Vault, files.clone())];
        let mut roots = vec![vault];
        let clock = Arc::new(SystemClock);
        let library = Arc::new(Library {
            corpora,
            index: index.clone(),
            passages: index.clone(),
            vectors: index.clone(),
            clock: clock.clone(),
        });
        let followed = Arc::new(AtomicBool::default());
        let scanned = ScannedLinks::new(files.clone());
        let links = IndexedLinks::new(library.clone(), scanned, {
            let followed = followed.clone();
            move || followed.load(Ordering::Relaxed)
        });
        let vault = Vault {
            rules: files.rules().clone(),
            links: Arc::new(links),
            files: Arc::new(HeardFiles::new(files.clone(), library.clone())),
            clock,
            layout: Layout { daily_notes: config.daily_notes().to_owned(), ..Layout::default() },
        };
        let search = Search { library: library.clone(), embedder: crate::embedding::embedder(config) };
        let ctx = Ctx { vault: Arc::new(vault), search: Arc::new(search) };
        Ok(Self { files, index, library, roots, ctx, tools: catalogue(), recovered, unrecovered, followed })
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
        if self.followed.load(Ordering::Relaxed) {
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
        let Declaration { limit, effect, searches, .. } = *self.tool(&name)?.declaration();
        let runtime = tokio::runtime::Handle::current();
        let call = tokio::task::spawn_blocking({
            let (app, name) = (self.clone(), name.clone());
            move || {
                if searches {
                    app.make_searchable(&|_| {})?;
                }
                app.mended(|| runtime.block_on(async { app.tool(&name)?.call(&app.ctx, args.clone()).await }))
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

fn broke_down(tool: &str) -> Error {
    Error::failed(format!("{tool} broke down; this is a defect of Wellread"))
}
