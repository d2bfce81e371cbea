//! The recipes: research a note, answer a question, summarize a note, investigate a codebase, propose an agenda and
//! carry out its tasks. Each plans, gathers, judges and writes over one run and its ledger.
//!
//! Without a model, or if the note must not reach it, a recipe quotes instead of writing prose. Text that others wrote
//! reaches a model only through the prompt's fences.

mod agenda;
mod ask;
mod code;
pub mod evaluation;
mod lifecycle;
mod model_calls;
mod note;
mod okf;
mod progress;
mod quote_sources;
mod recipe;
mod section;
mod sources;
mod summary;
mod work;
mod write_up;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use agenda::{
    AgendaSettings, FindingSink, KeepOutcome, ProposalAnswer, ProposalRecipe, ProposalRequest, TaskAnswer,
    TaskFailure, TaskRecipe, TaskRequest, TaskRun, is_same_topic, render_agenda, render_agenda_line,
    render_finding,
};
pub use ask::{AskAnswer, AskAnswerKind, AskRecipe, is_specific};
pub use code::{Citation, CodeAnswer, CodeRecipe, CodeRequest, CodeSettings, InvestigationStep};
pub use lifecycle::folder_from_log;
pub use note::{Depth, NoteAnswer, NoteRecipe, NoteRequest};
pub use okf::{
    ExportedNote, OkfFinding, OkfMark, OkfSettings, OkfTarget, check_okf_note, export_note,
    find_gone_sources, has_okf_fields, is_okf_file, is_okf_reserved, is_okf_stale, stamp_verified_now,
};
pub use progress::{ResearchEvent, ResearchProgress, ResearchStage, TaskStep};
pub use recipe::{AnswerText, AnyRecipe, JobAccess, Recipe, RecipeAnswer, RecipeOutcome};
pub use section::{RunSection, find_run_sections};
pub use sources::SourceEntry;
pub use summary::{SummaryAnswer, SummaryRecipe, SummaryRequest};
pub use work::Work;

use crate::engine::outside::OutsideServices;
use crate::engine::run::{RunStore, StopSignal};
use crate::engine::second_opinion::OpinionSources;
use crate::library::search::Searcher;
use crate::library::vault::Vault;
use crate::ports::event::{Budget, LoggedEvent, RunEvent};
use crate::ports::{AgendaStore, AnswerReader, History, LanguageServers, Model, PageLimits, Snapshots};

/// Every recipe. A run is resumed and replayed by the one of its kind.
pub fn recipes() -> Vec<&'static dyn AnyRecipe> {
    vec![&AskRecipe, &NoteRecipe, &SummaryRecipe, &CodeRecipe, &ProposalRecipe, &TaskRecipe::KEEPS_ALL]
}

/// What all recipes share, whoever asks.
#[derive(Clone)]
pub struct Research {
    /// Where runs are stored.
    pub runs: RunStore,
    /// `None` if no model is set up.
    pub model: Option<Arc<dyn Model>>,
    /// Who may be asked for a second opinion on what a model wrote.
    pub opinions: OpinionSources,
    /// Finds the answer to a question in a text; `None` in a program without the built-in models.
    pub reader: Option<Arc<dyn AnswerReader>>,
    /// Stores the text of fetched pages.
    pub snapshots: Arc<dyn Snapshots>,
    /// What version control knows of the corpora's files.
    pub history: Arc<dyn History>,
    /// The language servers that the user enabled.
    pub servers: Arc<dyn LanguageServers>,
    /// Agendas and findings.
    pub agendas: Arc<dyn AgendaStore>,
    /// The settings of research on notes and questions.
    pub settings: ResearchSettings,
    /// The settings of investigations of code.
    pub code: CodeSettings,
    /// The settings of agendas.
    pub agenda: AgendaSettings,
}

impl std::fmt::Debug for Research {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Research").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The settings of research on notes and questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResearchSettings {
    /// The most topics of one note.
    pub max_topics: usize,
    /// How many pages are fetched per topic at depth `deep`.
    pub pages_per_topic: usize,
    /// The longest time for fetching a page.
    pub page_time: Duration,
    /// The most characters that are read of a page.
    pub page_chars: usize,
    /// How many topics are gathered for concurrently.
    pub concurrency: usize,
    /// How many characters of a note are read.
    pub note_chars: usize,
    /// The budget of a run.
    pub budget: Budget,
    /// The most tokens of one reply.
    pub reply_tokens: u32,
    /// The longest time for one reply.
    pub reply_time: Duration,
    /// Whether, and how, Open Knowledge Format fields are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub okf: Option<OkfSettings>,
}

impl Default for ResearchSettings {
    fn default() -> Self {
        Self {
            max_topics: 10,
            pages_per_topic: 2,
            page_time: Duration::from_secs(10),
            page_chars: 50_000,
            concurrency: 4,
            note_chars: 200_000,
            budget: Budget::default(),
            reply_tokens: 4096,
            reply_time: Duration::from_secs(120),
            okf: None,
        }
    }
}

/// The name under which a run logs the services it asks.
const SERVICES: &str = "services";

/// The services that a run asks, from its log, so that it is resumed with the same ones whatever is configured by then.
pub fn services_from_log(events: &[LoggedEvent]) -> Vec<String> {
    let drawn = events.iter().find_map(|stamped| match &stamped.event {
        RunEvent::Drawn { name, value, .. } if name == SERVICES => Some(value.clone()),
        _ => None,
    });
    drawn.and_then(|names| serde_json::from_value(names).ok()).unwrap_or_default()
}

/// How long a whole recipe may take.
pub const LIMIT: Duration = Duration::from_secs(300);

/// What one call of a recipe works with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// The search over the library.
    pub search: &'a Searcher,
    /// Search services, arXiv, pages and speech.
    pub reach: &'a OutsideServices,
    /// Called with the progress of the work.
    pub progress: ResearchProgress<'a>,
    /// Lets the caller stop the work.
    pub stop: &'a StopSignal,
}

impl Research {
    fn page_limits(&self) -> PageLimits {
        PageLimits { time: self.settings.page_time, bytes: u64::MAX, chars: self.settings.page_chars }
    }

    /// The user's budget, limited to [`LIMIT`].
    fn budget(&self) -> Budget {
        let seconds = self.settings.budget.seconds.unwrap_or(u64::MAX).min(LIMIT.as_secs());
        Budget { seconds: Some(seconds), ..self.settings.budget }
    }
}
