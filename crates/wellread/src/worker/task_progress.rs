//! What goes on in this process's tasks, step by step, for whoever listens now. What is not heard is gone: what a task came to is
//! in the records.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::broadcast::{Receiver, Sender, channel};
use wellread_core::domain::id::{AgendaId, RunId, TaskId};
use wellread_core::faces::tools::SharedProgress;
use wellread_core::ports::Lease;
use wellread_core::research::{ResearchEvent, TaskStep};

/// As much as a slow listener may be behind.
const BEHIND: usize = 256;

/// A step of a task.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskProgress {
    pub agenda_id: AgendaId,
    pub task_id: TaskId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    pub step: TaskStep,
    pub about: String,
}

#[derive(Debug, Clone)]
pub struct TaskProgressChannel(Sender<TaskProgress>);

impl Default for TaskProgressChannel {
    fn default() -> Self {
        Self(channel(BEHIND).0)
    }
}

impl TaskProgressChannel {
    pub fn subscribe(&self) -> Receiver<TaskProgress> {
        self.0.subscribe()
    }

    /// Who hears of a task's progress, and tells it here.
    pub fn watch_task(&self, lease: &Lease) -> SharedProgress {
        let (sender, lease) = (self.0.clone(), lease.clone());
        let run = std::sync::Mutex::new(None);
        Arc::new(move |progress| {
            let mut run = run.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match progress {
                ResearchEvent::Run { run_id } => *run = Some(run_id),
                ResearchEvent::Step { step, about } => {
                    // Nobody may be listening.
                    let _ = sender.send(TaskProgress {
                        agenda_id: lease.agenda.clone(),
                        task_id: lease.task.clone(),
                        run_id: run.clone(),
                        step,
                        about,
                    });
                }
                ResearchEvent::Leaves { .. } | ResearchEvent::Stage { .. } => {}
            }
        })
    }
}
