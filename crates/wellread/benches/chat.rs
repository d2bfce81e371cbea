//! What a turn of a conversation costs besides the model, which answers at once here: `cargo bench -p wellread --bench chat`.
//!
//! Everything else is real: the folder, the index, the records with every event written down as it happens. Prints a table
//! for `docs/benchmarks.md`. Nothing is asserted: times are for reading.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::records::RecordStore;
use wellread_core::Result;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::engine::outside::OutsideServices;
use wellread_core::engine::run::RunStore;
use wellread_core::engine::second_opinion::OpinionSources;
use wellread_core::faces::chat::{AgentLimits, Chat, ChatSettings, Session, ToolRunner};
use wellread_core::faces::tools::{AnyTool, Ctx, ToolOutput, catalog, find_tool};
use wellread_core::library::indexing::{IndexSync, IndexSyncState, IndexedLinks, Library, ScannedLinks};
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::public_view::Visibility;
use wellread_core::library::search::Searcher;
use wellread_core::library::vault::{EditPolicy, Turns, Vault, VaultLayout};
use wellread_core::ports::NoOutsideText;
use wellread_core::ports::event::Budget;
use wellread_core::ports::{ModelFailure, Reply, RunLogs as _};
use wellread_core::research::{Research, ResearchSettings};
use wellread_testkit::chat_world::block_on;
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::{ScriptedModel, WordCountEmbedder, large_vault};

const TURNS: usize = 300;
const SIZES: [usize; 2] = [50, 2_000];

fn main() {
    // `cargo test --benches` only wants to know that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!(
        "| turn | notes | p50 | p99 | events, each synced | turns |\n| --- | --- | --- | --- | --- | --- |"
    );
    for notes in SIZES {
        let folder = tempfile::tempdir().unwrap();
        let bench = Bench::over(folder.path(), notes);
        bench.row("an answer", notes, &|_| vec![says("Honey keeps for years.")]);
        bench.row("a search, a note read, an answer", notes, &|n| {
            vec![
                calls(&[("search_vault", json!({ "query": "honey winter", "mode": "keyword" }))]),
                calls(&[("read_file", json!({ "path": large_vault::note_path(n % notes) }))]),
                says("Honey keeps for years."),
            ]
        });
    }
}

type Script = Vec<std::result::Result<Reply, ModelFailure>>;

struct Bench {
    records: Arc<RecordStore>,
    hands: Arc<InProcess>,
}

impl Bench {
    fn over(folder: &Path, notes: usize) -> Self {
        let (vault, data) = (folder.join("vault"), folder.join("data"));
        std::fs::create_dir(&vault).unwrap();
        large_vault::write_vault(&vault, notes).unwrap();
        let files = Arc::new(VaultFiles::open(&vault, &data, &[]).unwrap());
        let index = Arc::new(SqliteIndex::new(&data, &vault.to_string_lossy()));
        let clock = Arc::new(SystemClock);
        let library = Arc::new(Library {
            corpora: vec![(CorpusName::Vault, files.clone())],
            away: Vec::new(),
            index: index.clone(),
            passages: index.clone(),
            vectors: index.clone(),
            symbols: index,
            clock: clock.clone(),
            rules: JudgeRules::default(),
            whole: None,
            memory: Default::default(),
        });
        library.update(false, &|_| {}).unwrap();
        // As in a server, where somebody follows the files.
        let following = Arc::new(IndexSync::default());
        following.set_state(IndexSyncState::UpToDate);
        let links = IndexedLinks::new(library.clone(), ScannedLinks::new(files.clone()), following);
        let vault = Vault {
            rules: files.rules().clone(),
            links: Arc::new(links),
            files,
            clock,
            layout: VaultLayout::default(),
            edits: EditPolicy::default(),
            outside: Arc::new(NoOutsideText),
            visibility: Visibility::default(),
            turns: Turns::default(),
        };
        let search = Searcher { library, embedder: Arc::new(WordCountEmbedder), sync: Arc::default() };
        let records = Arc::new(RecordStore::new(&data));
        let research = Arc::new(Research {
            runs: RunStore { records: records.clone(), clock: Arc::new(SystemClock) },
            model: None,
            opinions: OpinionSources::default(),
            reader: None,
            snapshots: records.clone(),
            history: Arc::new(wellread_core::ports::NoHistory),
            servers: Arc::new(wellread_core::ports::NoServers),
            code: wellread_core::research::CodeSettings::default(),
            agendas: records.clone(),
            agenda: wellread_core::research::AgendaSettings::default(),
            settings: ResearchSettings::default(),
        });
        let reach = Arc::new(OutsideServices::none());
        let ctx = Ctx::new(Arc::new(vault), Arc::new(search), reach, research);
        Self { records, hands: Arc::new(InProcess { tools: catalog(), ctx }) }
    }

    fn chat(&self, script: Script) -> Chat {
        Chat {
            runs: RunStore { records: self.records.clone(), clock: Arc::new(SystemClock) },
            model: Arc::new(ScriptedModel::new(script)),
            sessions: self.records.clone(),
            snapshots: self.records.clone(),
            tool_runner: self.hands.clone(),
            opinions: OpinionSources::default(),
            settings: ChatSettings {
                limits: AgentLimits::default(),
                budget: Budget::default(),
                system_prompt: None,
            },
        }
    }

    /// Each turn in a conversation of its own; the first warms up and does not count.
    fn row(&self, what: &str, notes: usize, script: &dyn Fn(usize) -> Script) {
        let mut times: Vec<Duration> = (0..=TURNS)
            .map(|n| {
                let chat = self.chat(script(n));
                let begun = Instant::now();
                block_on(chat.say(Session::new(None), "What keeps?", &|_| {})).unwrap();
                begun.elapsed()
            })
            .skip(1)
            .collect();
        times.sort();
        let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
        let events = self.records.runs("", 1).unwrap()[0].events;
        println!("| {what} | {notes} | {:.2} ms | {:.2} ms | {events} | {TURNS} |", at(0.5), at(0.99));
    }
}

/// Tools on the thread that asks for them.
struct InProcess {
    tools: Vec<Box<dyn AnyTool>>,
    ctx: Ctx,
}

impl ToolRunner for InProcess {
    fn tools(&self) -> &[Box<dyn AnyTool>] {
        &self.tools
    }

    fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    fn run_tool<'a>(
        &'a self,
        ctx: Ctx,
        tool: &'a str,
        arguments: Value,
    ) -> Pin<Box<dyn Future<Output = Result<ToolOutput>> + Send + 'a>> {
        Box::pin(async move { find_tool(&self.tools, tool)?.call(&ctx, arguments).await })
    }
}
