//! The catalogue: every tool, declared once.
//!
//! MCP, the command line and `docs/tools.md` are derived from these declarations. Adding a tool is a type that
//! implements [`Tool`] and a line in [`catalogue`].

mod agenda;
mod audio;
mod batch;
mod code;
mod declare;
mod edit;
mod frontmatter;
mod health;
mod inbox;
mod inspect;
mod journal;
mod links;
mod list;
mod moves;
mod paged;
mod read;
mod research;
mod schema;
mod search;
mod sections;
mod web;
mod written;

use std::sync::Arc;

pub use crate::run::envelope;
pub use declare::{Answer, AnyTool, Declaration, Effect, Group, Shown, Tool, USUAL_LIMIT};
pub use schema::{input as input_schema, output as output_schema};

use crate::reach::Reach;
use crate::research::{Around, Progress, Research};
use crate::run::Stop;
use crate::search::Search;
use crate::vault::{Edits, Vault};

/// What a tool has at hand.
#[derive(Clone)]
pub struct Ctx {
    pub vault: Arc<Vault>,
    pub search: Arc<Search>,
    pub reach: Arc<Reach>,
    pub research: Arc<Research>,
    /// Who hears how far long work has come.
    pub watch: Watcher,
    /// By which whoever called it may call it off.
    pub stop: Stop,
}

/// Hears of progress, from whatever thread.
pub type Watcher = Arc<dyn Fn(Progress) + Send + Sync>;

impl std::fmt::Debug for Ctx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ctx").field("vault", &self.vault).field("reach", &self.reach).finish_non_exhaustive()
    }
}

impl Ctx {
    /// What nobody watches or calls off.
    pub fn new(vault: Arc<Vault>, search: Arc<Search>, reach: Arc<Reach>, research: Arc<Research>) -> Self {
        Self { vault, search, reach, research, watch: Arc::new(|_| {}), stop: Stop::default() }
    }

    /// The same for one call that is watched and may be called off.
    #[must_use]
    pub fn watched(&self, watch: Watcher, stop: Stop) -> Self {
        Self { watch, stop, ..self.clone() }
    }

    /// What a recipe works with.
    pub fn around(&self) -> Around<'_> {
        Around {
            vault: &self.vault,
            search: &self.search,
            reach: &self.reach,
            watch: &*self.watch,
            stop: &self.stop,
        }
    }

    /// The same for a run: what it changes is undone together, and a guarded one can't touch what instructs models. What it
    /// sends is noted apart.
    #[must_use]
    pub fn for_run(&self, edits: Edits) -> Self {
        let vault = Arc::new(Vault { edits, ..(*self.vault).clone() });
        Self { vault, reach: Arc::new(self.reach.for_call()), ..self.clone() }
    }
}

/// Every tool, in the order in which they are shown.
pub fn catalogue() -> Vec<Box<dyn AnyTool>> {
    vec![
        declare::tool(search::SearchVault),
        declare::tool(search::FindNotes),
        declare::tool(read::ReadFile),
        declare::tool(read::GetNoteInfo),
        declare::tool(list::ListFilesByFrontmatter),
        declare::tool(frontmatter::UpdateFrontmatter),
        declare::tool(frontmatter::BatchUpdateFrontmatter),
        declare::tool(edit::CreateFile),
        declare::tool(moves::MoveFile),
        declare::tool(moves::BatchMoveFiles),
        declare::tool(moves::DeleteFile),
        declare::tool(edit::AppendToFile),
        declare::tool(edit::PrependToFile),
        declare::tool(sections::ReplaceSection),
        declare::tool(sections::AppendToSection),
        declare::tool(sections::EditFile),
        declare::tool(links::FindBacklinks),
        declare::tool(links::FindOutlinks),
        declare::tool(list::SearchByFolder),
        declare::tool(list::SearchByDateRange),
        declare::tool(journal::LogInteraction),
        declare::tool(journal::SavePreference),
        declare::tool(journal::ListPreferences),
        declare::tool(journal::RemovePreference),
        declare::tool(journal::GetCurrentDate),
        declare::tool(research::AskQuestion),
        declare::tool(research::ResearchNote),
        declare::tool(research::SummarizeFile),
        declare::tool(web::WebSearch),
        declare::tool(web::ArxivSearch),
        declare::tool(audio::TranscribeAudio),
        declare::tool(research::CodeDeepResearch),
        declare::tool(code::Locate),
        declare::tool(inspect::Outline),
        declare::tool(inspect::FindSymbol),
        declare::tool(inspect::GraphExpand),
        declare::tool(inspect::GraphPack),
        declare::tool(inspect::GraphTrace),
        declare::tool(agenda::ProposeAgenda),
        declare::tool(agenda::ListAgendas),
        declare::tool(agenda::ShowAgenda),
        declare::tool(agenda::ApproveAgenda),
        declare::tool(agenda::CancelAgenda),
        declare::tool(inbox::ListFindings),
        declare::tool(inbox::ShowFinding),
        declare::tool(inbox::AcceptFinding),
        declare::tool(inbox::DismissFinding),
        declare::tool(inbox::UndoAccept),
        declare::tool(health::KbHealth),
    ]
}

/// The tool of that name.
pub fn named<'a>(tools: &'a [Box<dyn AnyTool>], name: &str) -> crate::Result<&'a dyn AnyTool> {
    let found = tools.iter().find(|tool| tool.declaration().name == name);
    found.map(AsRef::as_ref).ok_or_else(|| {
        let error = crate::Error::not_found(format!("there is no tool `{name}`"));
        let likeness = |known: &&str| (strsim::jaro_winkler(name, known) * 1000.0) as u32;
        let names = tools.iter().map(|tool| tool.declaration().name);
        match names.max_by_key(likeness).filter(|known| likeness(known) > 750) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("`wellread tool --list` shows all of them"),
        }
    })
}
