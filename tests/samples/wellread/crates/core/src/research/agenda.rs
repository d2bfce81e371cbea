//! Research of the knowledge base: what is worth it is proposed, and what the user approved is carried out, a task at a time.
//!
//! Both are runs like any other. Nothing is kept here but their logs: what becomes of a proposal and of findings is for the jobs
//! to see to. Without a model the tasks come from the note or from the health report, and a finding is made of quotations.

mod by_rules;
mod earlier;
mod finding;
mod proposal;
mod quoted;
mod task;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use earlier::is_same_topic;
pub use proposal::Proposal;
pub use task::{Carried, Handed, Kept, TaskFailure, TaskRun};

use super::{Around, Research};
use crate::agenda::TaskSource;
use crate::ports::{PageLimits, WebSearch};

/// How far it goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgendaSettings {
    pub max_findings: usize,
    /// From which similarity on a page is known already.
    pub dedup_threshold: f32,
    pub sources: Vec<TaskSource>,
    /// How long a model may take to propose.
    pub agenda_time: Duration,
    pub fetch_time: Duration,
    pub fetch_bytes: u64,
    /// The folder into which accepted findings go.
    pub fleeting_folder: String,
    /// Whether what is proposed is approved at once.
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
    /// Who can be asked, of those that the settings name.
    pub fn task_sources(&self, around: Around<'_>) -> Vec<TaskSource> {
        let reach = around.reach;
        let can = |source: &TaskSource| match source {
            TaskSource::Web => reach.services.iter().any(|asked| !asked.service().endpoint.is_empty()),
            TaskSource::Arxiv => !reach.arxiv.service().endpoint.is_empty(),
        };
        let sources = self.agenda.sources.iter().copied();
        sources.filter(|source| !reach.offline && can(source)).collect()
    }

    /// Whether somebody on another machine would hear a query.
    pub fn asks_elsewhere(&self, around: Around<'_>) -> bool {
        let elsewhere = |service: &Arc<dyn WebSearch>| {
            let service = service.service();
            !service.endpoint.is_empty() && !service.is_local
        };
        around.reach.services.iter().chain([&around.reach.arxiv]).any(elsewhere)
    }

    fn task_page_limits(&self) -> PageLimits {
        let AgendaSettings { fetch_time: time, fetch_bytes: bytes, .. } = self.agenda;
        PageLimits { time, bytes, chars: self.settings.page_chars }
    }
}
