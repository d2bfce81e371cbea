//! What a command or a face has at hand, all behind ports, and the one way in which a face runs a tool. It is put together by
//! the wiring.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use wellread_core::domain::corpus::{CorpusName, PathRules};
use wellread_core::domain::evidence::Evidence;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::{AnyTool, Ctx, Declaration, Effect, ToolOutput};
use wellread_core::library::indexing::{IndexProgress, IndexSync, IndexSyncState, Library, UpdateSummary};
use wellread_core::ports::{
    Clock, Corpus, CorpusPaths, FilesUpkeep, IndexUpkeep, Model, Records, RecoveryReport, SkippedFile,
};
use wellread_core::{Error, Result};

use crate::wiring::{self, ConfiguredEmbedder};

/// All that a command may need.
pub struct App {
    pub files: Arc<dyn FilesUpkeep>,
    /// The upkeep of the index; what is looked up in it goes through `library`.
    pub index: Arc<dyn IndexUpkeep>,
    /// Runs, kept pages, conversations, agendas and findings. Opened when they are first asked for.
    pub records: Arc<dyn Records>,
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
    pub following: Arc<IndexSync>,
}

/// As many files as can be looked at in a moment. With more than these, a single search takes the index as it is.
const LOOKED_AT_FIRST: usize = 3000;
/// How long research waits for a first pass over the files, and how often it looks.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
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
            let folder = corpus.repository().filter(|name| name.starts_with('/'));
            let is_new = corpora.iter().all(|(known, _)| *known != corpus);
            if let Some(Ok(opened)) =
                folder.filter(|_| is_new).map(|name| wiring::open_repository(name.as_ref()))
            {
                corpora.push((corpus, opened));
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
        if self.following.state() != IndexSyncState::Nobody {
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
        while self.following.state() == IndexSyncState::Behind
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

    /// Runs a tool on a thread that may wait for the disk; one that only reads, for as long as its declaration allows.
    pub async fn call_tool(self: Arc<Self>, name: String, args: Value) -> Result<Value> {
        let ctx = self.ctx.clone();
        self.call_tool_in(ctx, name, args).await.map(|answer| answer.fields)
    }

    /// The same on other terms, and with all that is known of the answer.
    pub async fn call_tool_in(self: Arc<Self>, ctx: Ctx, name: String, args: Value) -> Result<ToolOutput> {
        let Declaration { limit, effect, searches, recipe, .. } = *self.tool(&name)?.declaration();
        let runtime = tokio::runtime::Handle::current();
        let call = tokio::task::spawn_blocking({
            let (app, name) = (self.clone(), name.clone());
            move || {
                match (searches, recipe) {
                    (true, true) => app.wait_for_complete_index(&ctx.stop)?,
                    (true, false) => app.make_searchable(&|_| {})?,
                    (false, _) => {}
                }
                let call = || runtime.block_on(async { app.tool(&name)?.call(&ctx, args.clone()).await });
                // Research is not made twice: what it paid for is in its run.
                if recipe { call() } else { app.retry_with_new_index(call) }
            }
        });
        // A change that has begun is waited for: to say that it failed, and make it all the same, would be a lie.
        if effect != Effect::Reads {
            return call.await.unwrap_or_else(|_| Err(tool_panicked(&name)));
        }
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(tool_panicked(&name)),
            Err(_) => {
                Err(Error::failed(format!("{name} took longer than {} s and was given up", limit.as_secs()))
                    .hint("nothing was changed; it may be a slow disk: try again"))
            }
        }
    }
}

fn tool_panicked(tool: &str) -> Error {
    Error::failed(format!("{tool} broke down; this is a defect of Wellread"))
}
