//! A vault in memory, made from one string, with the whole catalog of tools.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Waker};

use serde_json::Value;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::domain::corpus::{DEFAULT_EXCLUDED, PathRules, VaultPath};
use wellread_core::engine::outside::OutsideServices;
use wellread_core::engine::run::RunStore;
use wellread_core::engine::second_opinion::OpinionSources;
use wellread_core::faces::tools::{AnyTool, Ctx, catalog, envelope, find_tool};
use wellread_core::library::indexing::{
    IndexSync, IndexedLinks, Library, ReindexingFiles, ScannedLinks, embed_pending,
};
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::public_view::Visibility;
use wellread_core::library::search::Searcher;
use wellread_core::library::vault::{EditPolicy, Turns, Vault, VaultLayout};
use wellread_core::ports::{AnswerReader, Model, NoHistory, NoServers};
use wellread_core::research::{AgendaSettings, CodeSettings, Research, ResearchSettings};

use crate::agenda_fixtures::USER;
use crate::{
    FixedClock, MemoryAgendas, MemoryFiles, MemoryIndex, MemoryOutsideText, MemoryRecords, WordCountEmbedder,
};

/// The path under which the world's vault is known.
pub const ROOT: &str = "/vault";

/// The world's day, unless a test says otherwise.
const NOW: &str = "2026-03-01T09:30[+00:00]";

/// Its schemas are made once, not at each call.
pub static TOOLS: LazyLock<Vec<Box<dyn AnyTool>>> = LazyLock::new(catalog);

pub struct World {
    pub files: Arc<MemoryFiles>,
    pub vault: Arc<Vault>,
    pub search: Arc<Searcher>,
    /// What the tools can ask beyond this machine: nothing, unless a test says so.
    pub reach: Arc<OutsideServices>,
    /// Where its recipes keep their runs and pages.
    pub records: Arc<MemoryRecords>,
    /// The model of its recipes: none, unless a test says so.
    pub model: Option<Arc<dyn Model>>,
    /// Who gives second opinions: nobody, unless a test says so.
    pub opinions: OpinionSources,
    /// Who finds answers in texts: nobody, unless a test says so.
    pub reader: Option<Arc<dyn AnswerReader>>,
    pub settings: ResearchSettings,
    pub code: CodeSettings,
    /// Where agendas and findings are kept.
    pub agendas: Arc<MemoryAgendas>,
    pub agenda: AgendaSettings,
}

impl World {
    /// `-- Bees.md` on a line of its own begins a file; what follows, up to the next such line, is its text.
    pub fn new(script: &str) -> Self {
        Self::new_at(NOW, script)
    }

    /// A world at another time and in another time zone: `2026-03-01T23:30[+09:00]`.
    pub fn new_at(moment: &str, script: &str) -> Self {
        let files = parse_script(script);
        Self::build(
            FixedClock::parse(moment),
            files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())),
        )
    }

    pub fn with_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        Self::build(FixedClock::parse(NOW), files)
    }

    fn build<'a>(clock: FixedClock, files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let rules = path_rules();
        let files =
            files.into_iter().map(|(path, bytes)| (rules.parse_file(path).expect("a path"), bytes.to_vec()));
        let files = Arc::new(MemoryFiles::new(clock.0.timestamp(), files));
        let clock = Arc::new(clock);
        let outside = Arc::new(MemoryOutsideText::default());
        let index = Arc::new(MemoryIndex::default());
        let library = Arc::new(Library {
            corpora: vec![(CorpusName::Vault, files.clone())],
            away: Vec::new(),
            index: index.clone(),
            passages: index.clone(),
            vectors: index.clone(),
            symbols: index,
            clock: clock.clone(),
            rules: JudgeRules { layout: VaultLayout::default(), outside: outside.clone() },
            whole: None,
            memory: Default::default(),
        });
        let scanned = ScannedLinks::new(files.clone());
        let following = Arc::new(IndexSync::default());
        let vault = Vault {
            files: Arc::new(ReindexingFiles::new(files.clone(), library.clone(), following.clone())),
            links: Arc::new(IndexedLinks::new(library.clone(), scanned, following)),
            clock,
            rules,
            layout: VaultLayout::default(),
            edits: EditPolicy::default(),
            outside,
            visibility: Visibility::default(),
            turns: Turns::default(),
        };
        let search =
            Arc::new(Searcher { library, embedder: Arc::new(WordCountEmbedder), sync: Arc::default() });
        Self {
            files,
            vault: Arc::new(vault),
            search,
            reach: Arc::new(OutsideServices::none()),
            records: Arc::default(),
            model: None,
            opinions: OpinionSources::default(),
            reader: None,
            settings: ResearchSettings::default(),
            code: CodeSettings::default(),
            agendas: Arc::default(),
            agenda: AgendaSettings::default(),
        }
    }

    /// Adds a repository with this name, written as the vault is.
    #[must_use]
    pub fn with_repository(mut self, name: &str, script: &str) -> Self {
        let rules = PathRules::new([], &DEFAULT_EXCLUDED.map(str::to_owned));
        let files = parse_script(script)
            .into_iter()
            .map(|(path, text)| (rules.parse_file(&path).expect("a path"), text.into_bytes()));
        let code = Arc::new(MemoryFiles::new(self.vault.clock.now().timestamp(), files));
        let mut library = (*self.search.library).clone();
        library.corpora.push((CorpusName::Repository(name.to_owned()), code));
        let embedder = self.search.embedder.clone();
        self.search = Arc::new(Searcher { library: Arc::new(library), embedder, ..(*self.search).clone() });
        self
    }

    /// Makes these folders private, for the vault and for the index.
    #[must_use]
    pub fn with_private_folders(mut self, folders: &[&str]) -> Self {
        let private_folders: Vec<String> = folders.iter().map(|folder| (*folder).to_owned()).collect();
        let layout = VaultLayout { private_folders, ..self.vault.layout.clone() };
        let rules = JudgeRules { layout: layout.clone(), outside: self.vault.outside.clone() };
        let library = Arc::new(Library { rules, ..(*self.search.library).clone() });
        let following = Arc::new(IndexSync::default());
        let scanned = ScannedLinks::new(self.files.clone());
        self.vault = Arc::new(Vault {
            files: Arc::new(ReindexingFiles::new(self.files.clone(), library.clone(), following.clone())),
            links: Arc::new(IndexedLinks::new(library.clone(), scanned, following)),
            layout,
            ..(*self.vault).clone()
        });
        self.search = Arc::new(Searcher { library, ..(*self.search).clone() });
        self
    }

    /// Brings the index level with the files, vectors included, as a server does behind its tools.
    pub fn index(&self) {
        let Searcher { library, embedder, .. } = &*self.search;
        library.update(false, &|_| {}).expect("an update");
        embed_pending(library, &**embedder, &|| {}, &|_| true).expect("vectors");
    }

    /// What the tool answers the user, envelope included.
    pub fn call_tool(&self, tool: &str, args: Value) -> Value {
        let ctx = self.ctx().with_decision(USER);
        let tool = find_tool(&TOOLS, tool).expect("a tool of the catalog");
        envelope(poll_ready(tool.call(&ctx, args)).map(|answer| answer.fields))
    }

    /// What its tools have at hand.
    pub fn ctx(&self) -> Ctx {
        let research = Arc::new(self.research());
        Ctx::new(self.vault.clone(), self.search.clone(), self.reach.clone(), research)
    }

    pub fn research(&self) -> Research {
        Research {
            runs: RunStore { records: self.records.clone(), clock: self.vault.clock.clone() },
            model: self.model.clone(),
            opinions: self.opinions.clone(),
            reader: self.reader.clone(),
            snapshots: self.records.clone(),
            history: Arc::new(NoHistory),
            servers: Arc::new(NoServers),
            agendas: self.agendas.clone(),
            settings: self.settings,
            code: self.code,
            agenda: self.agenda.clone(),
        }
    }

    pub fn path(&self, path: &str) -> VaultPath {
        self.vault.rules.parse_file(path).expect("a path")
    }

    /// A file's bytes; nothing where there is none.
    pub fn read_bytes(&self, path: &str) -> Option<Vec<u8>> {
        self.files.tree().get(&self.path(path)).cloned()
    }

    pub fn read_text(&self, path: &str) -> String {
        String::from_utf8(self.read_bytes(path).expect("the file is there")).expect("it is UTF-8")
    }

    /// Puts a file there behind the vault's back.
    pub fn save(&self, path: &str, text: &str) {
        self.files.save(&self.path(path), text.as_bytes());
    }
}

pub fn path_rules() -> PathRules {
    PathRules::new([ROOT.to_owned()], &DEFAULT_EXCLUDED.map(str::to_owned))
}

/// How often a call may give way before it is done.
const MOST_PAUSES: usize = 8;

/// Runs a call that has nothing to wait for, though it may give way now and then.
fn poll_ready<T>(call: impl Future<Output = T>) -> T {
    let mut call = pin!(call);
    for _ in 0..=MOST_PAUSES {
        if let Poll::Ready(answer) = call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return answer;
        }
    }
    panic!("the vault's tools wait for nothing")
}

/// The files of a script: a line `-- path`, then its text.
pub fn parse_script(script: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in script.split_inclusive('\n') {
        match line.strip_prefix("-- ") {
            Some(path) => files.push((path.trim_end().to_owned(), String::new())),
            None => match files.last_mut() {
                Some((_, text)) => text.push_str(line),
                None => assert!(line.trim().is_empty(), "text before the first file: {line:?}"),
            },
        }
    }
    files
}
