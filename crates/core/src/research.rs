//! The recipes: research a note, answer a question, summarize a note, investigate a codebase, propose an agenda and
//! carry out its tasks. Each plans, gathers, judges and writes over one run and its ledger.
//!
//! Where no model is set up, or the note must not reach the one that is, the same recipe works without: it quotes instead of
//! phrasing. Nothing here sees text that others wrote but through the prompt's barrier; what looks at it stands above.

mod agenda;
mod ask;
mod code;
pub mod evaluation;
mod lifecycle;
mod model_calls;
mod note;
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
pub use progress::{ResearchEvent, ResearchProgress, ResearchStage, TaskStep};
pub use recipe::{AnswerText, AnyRecipe, JobAccess, Recipe, RecipeAnswer, RecipeOutcome};
pub use section::{RunSection, find_run_sections};
pub use sources::SourceEntry;
pub use summary::{SummaryAnswer, SummaryRecipe, SummaryRequest};
pub use work::Work;

use crate::engine::outside::OutsideServices;
use crate::engine::run::{RunStore, StopSignal};
use crate::library::search::Searcher;
use crate::library::vault::Vault;
use crate::ports::event::{Budget, LoggedEvent, RunEvent};
use crate::ports::{AgendaStore, LanguageServers, Model, PageLimits, Snapshots};

/// Every recipe. A run is resumed and replayed by the one of its kind.
pub fn recipes() -> Vec<&'static dyn AnyRecipe> {
    vec![&AskRecipe, &NoteRecipe, &SummaryRecipe, &CodeRecipe, &ProposalRecipe, &TaskRecipe::KEEPS_ALL]
}

/// What all recipes need, whoever asks.
#[derive(Clone)]
pub struct Research {
    /// Where runs are kept.
    pub runs: RunStore,
    /// None where none is set up.
    pub model: Option<Arc<dyn Model>>,
    /// The stored pages.
    pub snapshots: Arc<dyn Snapshots>,
    /// Those that the user switched on.
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
    /// How many pages of a topic are fetched in `deep`, how long one may take and how much of it is read, in characters.
    pub pages_per_topic: usize,
    /// The longest time for fetching a page.
    pub page_time: Duration,
    /// The most characters that are read of a page.
    pub page_chars: usize,
    /// How many topics are gathered for at once.
    pub concurrency: usize,
    /// How much of a note is read, in characters.
    pub note_chars: usize,
    /// The budget of a run.
    pub budget: Budget,
    /// The most tokens of one reply.
    pub reply_tokens: u32,
    /// The longest time for one reply.
    pub reply_time: Duration,
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
        }
    }
}

/// Under which name a run keeps the services that it asks.
const SERVICES: &str = "services";

/// The services that a run asks, as its log says: so it goes on, whatever is chosen by then.
pub fn services_from_log(events: &[LoggedEvent]) -> Vec<String> {
    let drawn = events.iter().find_map(|stamped| match &stamped.event {
        RunEvent::Drawn { name, value, .. } if name == SERVICES => Some(value.clone()),
        _ => None,
    });
    drawn.and_then(|names| serde_json::from_value(names).ok()).unwrap_or_default()
}

/// How long a whole recipe may take.
pub const LIMIT: Duration = Duration::from_secs(300);

/// What one call works with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// The search over the library.
    pub search: &'a Searcher,
    /// Search services, pages and models.
    pub reach: &'a OutsideServices,
    /// Hears how far it has come.
    pub progress: ResearchProgress<'a>,
    /// Lets the caller stop the work.
    pub stop: &'a StopSignal,
}

impl Research {
    fn page_limits(&self) -> PageLimits {
        PageLimits { time: self.settings.page_time, bytes: u64::MAX, chars: self.settings.page_chars }
    }

    /// The user's budget, and never longer than a recipe may take.
    fn budget(&self) -> Budget {
        let seconds = self.settings.budget.seconds.unwrap_or(u64::MAX).min(LIMIT.as_secs());
        Budget { seconds: Some(seconds), ..self.settings.budget }
    }
}
