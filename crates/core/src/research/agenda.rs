//! Research for the knowledge base: proposes tasks, and carries out those that the user approved, one at a time.
//!
//! Both are runs like any other and store nothing but their logs; the jobs store proposals and findings. Without a
//! model, tasks come from the note or the health report, and findings consist of quotations.

mod finding;
mod keyless_finding;
mod model_tasks;
mod past_tasks;
mod proposal;
mod render;
mod rules;
mod task;
mod task_work;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use past_tasks::is_same_topic;
pub use proposal::{ProposalAnswer, ProposalRecipe, ProposalRequest};
pub use render::{render_agenda, render_agenda_line, render_finding};
pub use task::{FindingSink, KeepOutcome, TaskAnswer, TaskFailure, TaskRecipe, TaskRequest, TaskRun};

use super::{Context, Research};
use crate::ports::agenda::TaskSource;
use crate::ports::{PageLimits, WebSearchService};

/// The settings of agendas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgendaSettings {
    /// The most findings of one task.
    pub max_findings: usize,
    /// The similarity, from 0 to 1, from which a page counts as already known.
    pub dedup_threshold: f32,
    /// The sources that may be searched.
    pub sources: Vec<TaskSource>,
    /// How long proposing an agenda may take.
    pub agenda_time: Duration,
    /// The longest time for fetching a page.
    pub fetch_time: Duration,
    /// The largest page in bytes.
    pub fetch_bytes: u64,
    /// The folder for accepted findings.
    pub fleeting_folder: String,
    /// Whether proposed agendas are approved automatically.
    pub auto_approve: bool,
}

impl Default for AgendaSettings {
    fn default() -> Self {
        Self {
            max_findings: 5,
            dedup_threshold: 0.85,
            sources: vec![TaskSource::Web, TaskSource::Arxiv],
            agenda_time: Duration::from_secs(15),
            fetch_time: Duration::from_secs(10),
            fetch_bytes: 512 << 10,
            fleeting_folder: "Inbox".to_owned(),
            auto_approve: false,
        }
    }
}

impl Research {
    /// The sources from the settings that can be asked now; none while offline.
    pub fn task_sources(&self, context: Context<'_>) -> Vec<TaskSource> {
        let reach = context.reach;
        let can = |source: &TaskSource| match source {
            TaskSource::Web => reach.services.iter().any(|service| !service.identity().endpoint.is_empty()),
            TaskSource::Arxiv => !reach.arxiv.identity().endpoint.is_empty(),
        };
        let sources = self.agenda.sources.iter().copied();
        sources.filter(|source| !reach.offline && can(source)).collect()
    }

    /// Whether a query would reach another machine.
    pub fn has_remote_source(&self, context: Context<'_>) -> bool {
        let is_remote = |service: &Arc<dyn WebSearchService>| {
            let service = service.identity();
            !service.endpoint.is_empty() && !service.is_local
        };
        context.reach.services.iter().chain([&context.reach.arxiv]).any(is_remote)
    }

    fn task_page_limits(&self) -> PageLimits {
        let AgendaSettings { fetch_time: time, fetch_bytes: bytes, .. } = self.agenda;
        PageLimits { time, bytes, chars: self.settings.page_chars }
    }
}
