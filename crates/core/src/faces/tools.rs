//! The catalog: every tool, declared once.
//!
//! MCP, the command line and `docs/tools.md` are derived from these declarations. A new tool is a type that implements
//! [`Tool`] and a line in [`catalog`].

mod agenda;
mod audio;
mod batch;
mod check_claims;
mod code;
mod declare;
mod edit;
mod frontmatter;
mod health;
mod inbox;
mod inspect;
mod journal;
mod lazy_schema;
mod links;
mod list;
mod moves;
mod paged;
mod read;
mod recheck;
mod research;
mod schema;
mod search;
mod sections;
mod undo;
mod web;
mod write_answer;

use std::sync::Arc;

pub use crate::engine::run::envelope;
pub use agenda::{ApproveAgenda, ProposeAgenda, ProposeAgendaArgs};
pub use check_claims::{CheckClaims, CheckClaimsArgs, CheckedSentence, ClaimReport, ClaimSource};
pub use declare::{
    AnswerOrigins, AnyTool, Declaration, Effect, Group, Tool, ToolOutput, UNFIT_ARGUMENTS, USUAL_LIMIT,
    tool as without_types,
};
pub use lazy_schema::LazySchema;
pub use recheck::{CitationStore, Recheck, RecheckAnswer, RecheckArgs};
pub use research::{AskArgs, AskQuestion, ResearchNote, ResearchNoteArgs};
pub use schema::{input as input_schema, output as output_schema};
pub use undo::{UndoAnswer, UndoneOperation};
pub use wellread_text::reveal_hidden;
pub use write_answer::collect_diffs;

use crate::domain::decision::UserDecision;
use crate::engine::outside::OutsideServices;
use crate::engine::run::StopSignal;
use crate::library::search::Searcher;
use crate::library::vault::{EditPolicy, Vault};
use crate::research::{Context, Research, ResearchEvent};

/// What a tool works with.
#[derive(Clone)]
pub struct Ctx {
    /// The vault.
    pub vault: Arc<Vault>,
    /// The search over the library.
    pub search: Arc<Searcher>,
    /// Search services, arXiv, pages and speech.
    pub reach: Arc<OutsideServices>,
    /// The recipes.
    pub research: Arc<Research>,
    /// Receives the progress of long work.
    pub watch: SharedProgress,
    /// Lets the caller stop the tool.
    pub stop: StopSignal,
    /// The user's decision to make this very call, if there is one.
    decision: Option<UserDecision>,
}

/// Receives progress, from any thread.
pub type SharedProgress = Arc<dyn Fn(ResearchEvent) + Send + Sync>;

impl std::fmt::Debug for Ctx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ctx").field("vault", &self.vault).field("reach", &self.reach).finish_non_exhaustive()
    }
}

impl Ctx {
    /// A context that reports no progress, is never stopped, and decides nothing.
    pub fn new(
        vault: Arc<Vault>,
        search: Arc<Searcher>,
        reach: Arc<OutsideServices>,
        research: Arc<Research>,
    ) -> Self {
        let (watch, stop) = (Arc::new(|_| {}), StopSignal::default());
        Self { vault, search, reach, research, watch, stop, decision: None }
    }

    /// A copy for one call that reports its progress and can be stopped.
    #[must_use]
    pub fn with_progress(&self, watch: SharedProgress, stop: StopSignal) -> Self {
        Self { watch, stop, ..self.clone() }
    }

    /// A copy for one call that the user decided to make: a tool that decides acts only in such a context.
    #[must_use]
    pub fn with_decision(&self, by: UserDecision) -> Self {
        Self { decision: Some(by), ..self.clone() }
    }

    /// The user's decision to make this call; `Err` if a model made it by itself.
    pub fn user_decision(&self) -> crate::Result<UserDecision> {
        self.decision.ok_or_else(|| {
            crate::Error::refused("only the user decides this").hint(
                "the user can decide on the page or with `wellread agenda` and `wellread inbox`; say what you propose",
            )
        })
    }

    /// The context of a recipe.
    pub fn recipe_context(&self) -> Context<'_> {
        Context {
            vault: &self.vault,
            search: &self.search,
            reach: &self.reach,
            progress: &*self.watch,
            stop: &self.stop,
        }
    }

    /// A copy for another user: with their records, and a search over what they may read.
    #[must_use]
    pub fn for_user(&self, research: Arc<Research>, search: Arc<Searcher>) -> Self {
        Self { research, search, ..self.clone() }
    }

    /// A copy for a model on another machine, for which private notes do not exist.
    #[must_use]
    pub fn without_private(&self) -> Self {
        let search = Arc::new(self.search.without_private(&self.vault));
        Self { vault: Arc::new(self.vault.without_private()), search, ..self.clone() }
    }

    /// A copy whose searches send no word to another machine.
    #[must_use]
    pub fn without_sending(&self) -> Self {
        Self { search: Arc::new(self.search.without_sending()), ..self.clone() }
    }

    /// A copy for a run: its changes are undone together, one that holds text from outside can't change files that
    /// instruct models, what it sends is logged separately, and nothing is decided yet.
    #[must_use]
    pub fn for_run(&self, edits: EditPolicy) -> Self {
        Self { reach: Arc::new(self.reach.for_call()), decision: None, ..self.with_edits(edits) }
    }

    /// A copy whose edits are made under this policy.
    #[must_use]
    pub fn with_edits(&self, edits: EditPolicy) -> Self {
        Self { vault: Arc::new(Vault { edits, ..(*self.vault).clone() }), ..self.clone() }
    }
}

/// Every tool, in the order of display.
pub fn catalog() -> Vec<Box<dyn AnyTool>> {
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
        declare::tool(undo::ListEdits),
        declare::tool(undo::Undo),
        declare::tool(journal::LogInteraction),
        declare::tool(journal::SavePreference),
        declare::tool(journal::ListPreferences),
        declare::tool(journal::RemovePreference),
        declare::tool(journal::GetCurrentDate),
        declare::tool(research::AskQuestion),
        declare::tool(research::ResearchNote),
        declare::tool(research::SummarizeFile),
        declare::tool(check_claims::CheckClaims::default()),
        declare::tool(recheck::Recheck),
        declare::tool(web::WebSearchTool),
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

/// Finds a tool by its name; the error suggests a similar one.
pub fn find_tool<'a>(tools: &'a [Box<dyn AnyTool>], name: &str) -> crate::Result<&'a dyn AnyTool> {
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
