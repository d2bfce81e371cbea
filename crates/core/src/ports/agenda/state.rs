//! The state transitions of agendas and their tasks, and how an agenda's limit of findings is shared among its tasks.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::message::render_message;
use super::{Agenda, AgendaCounts, AgendaStatus, Task, TaskCounts, TaskStatus};
use crate::domain::id::{AgendaId, FindingId, RunId, TaskId};
use crate::{Error, Result, WayOut};

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    /// The task succeeded.
    Done {
        /// What became of its results.
        counts: TaskCounts,
        /// A message for the user.
        message: Option<String>,
    },
    /// The task failed.
    Failed {
        /// What became of its results before it failed, if it got that far.
        counts: Option<TaskCounts>,
        /// Why it failed.
        message: String,
    },
    /// The agenda's limit was reached before its turn, so nothing was searched.
    LeftOut {
        /// Why it was left out.
        message: String,
    },
}

/// A change that is published to whoever follows the agendas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum AgendaEvent {
    /// An agenda changed its state.
    Agenda {
        /// The agenda.
        id: AgendaId,
        /// Its new state.
        status: AgendaStatus,
        /// A message for the user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// A task changed its state.
    Task {
        /// The agenda that it belongs to.
        agenda_id: AgendaId,
        /// The task.
        task_id: TaskId,
        /// Its new state.
        status: TaskStatus,
        /// A message for the user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// A finding was made.
    Finding {
        /// The finding.
        id: FindingId,
        /// The agenda that it belongs to.
        agenda_id: AgendaId,
        /// The task that found it.
        task_id: TaskId,
        /// The page's title.
        title: String,
        /// The page's address.
        url: String,
    },
    /// The counts changed: a finding was decided on, or something else changed them.
    Counts(AgendaCounts),
}

impl Agenda {
    /// Approves a pending agenda: the `blocked` tasks never run, the others are queued. Otherwise an error
    /// (`Conflict`).
    pub fn approve(&mut self, blocked: &[TaskId], at: Timestamp) -> Result<()> {
        self.check_pending("approved")?;
        if let Some(unknown) = blocked.iter().find(|id| self.task(id).is_none()) {
            return Err(Error::invalid(format!("the agenda {} has no task {unknown}", self.id))
                .hint(format!("`wellread agenda show {}` lists them", self.id))
                .with_way_out(WayOut::Agendas));
        }
        for task in &mut self.tasks {
            task.status = if blocked.contains(&task.id) { TaskStatus::Blocked } else { TaskStatus::Queued };
        }
        self.status = AgendaStatus::Approved;
        self.approved = Some(at);
        self.finish_if_settled(at);
        Ok(())
    }

    /// Ends the agenda, whatever its state. Its findings stay; the worker of a running task has to stop by itself.
    pub fn cancel(&mut self, at: Timestamp) -> Result<()> {
        match self.status {
            AgendaStatus::Pending | AgendaStatus::Approved | AgendaStatus::Running => {}
            AgendaStatus::Cancelled => return Ok(()),
            AgendaStatus::Done | AgendaStatus::Failed => {
                return Err(Error::conflict(format!("the agenda {} has ended", self.id))
                    .hint("there is nothing to cancel; what it found is in the inbox"));
            }
        }
        for task in &mut self.tasks {
            match task.status {
                TaskStatus::Queued => {
                    task.status = TaskStatus::Blocked;
                    task.message = Some("the agenda was cancelled before it started".to_owned());
                }
                TaskStatus::Running => {
                    task.status = TaskStatus::Failed;
                    task.message = Some("cancelled with its agenda".to_owned());
                }
                _ => {}
            }
        }
        self.status = AgendaStatus::Cancelled;
        self.ended = Some(at);
        self.message = Some(render_message(self));
        Ok(())
    }

    /// Marks a queued task as running, or one that is taken up again. An error of kind `Conflict` if either has ended.
    pub fn begin_task(&mut self, id: &TaskId, run: Option<&RunId>) -> Result<&Task> {
        if !matches!(self.status, AgendaStatus::Approved | AgendaStatus::Running) {
            return Err(Error::conflict(format!("the agenda {} is {}", self.id, self.status.name())));
        }
        self.status = AgendaStatus::Running;
        let task = self.task_mut(id)?;
        if !matches!(task.status, TaskStatus::Queued | TaskStatus::Running) {
            return Err(Error::conflict(format!("the task {id} is {}", task.status.name())));
        }
        task.status = TaskStatus::Running;
        if let Some(run) = run {
            task.run_id = Some(run.clone());
        }
        Ok(task)
    }

    /// Puts a running task back into the queue, to be continued later.
    pub fn requeue_task(&mut self, id: &TaskId, message: Option<String>) -> Result<()> {
        let task = self.running_task_mut(id)?;
        task.status = TaskStatus::Queued;
        task.message = message;
        Ok(())
    }

    /// Ends a running task, and the agenda with its last one.
    pub fn end_task(&mut self, id: &TaskId, end: TaskEnd, at: Timestamp) -> Result<()> {
        let task = self.running_task_mut(id)?;
        match end {
            TaskEnd::Done { counts, message } => {
                task.status = TaskStatus::Done;
                task.counts = Some(counts);
                task.message = message;
            }
            TaskEnd::Failed { counts, message } => {
                task.status = TaskStatus::Failed;
                task.counts = counts;
                task.message = Some(message);
            }
            TaskEnd::LeftOut { message } => {
                task.status = TaskStatus::Done;
                task.counts = None;
                task.message = Some(message);
            }
        }
        self.finish_if_settled(at);
        Ok(())
    }

    /// The task with this id, if the agenda has it.
    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == *id)
    }

    /// The events for what changed since `before`: tasks first, then the agenda.
    pub fn events_since(&self, before: &Self) -> Vec<AgendaEvent> {
        let mut all = Vec::new();
        for task in &self.tasks {
            let known = before.task(&task.id).map(|known| (known.status, &known.message));
            if known != Some((task.status, &task.message)) {
                let (task_id, status, message) = (task.id.clone(), task.status, task.message.clone());
                all.push(AgendaEvent::Task { agenda_id: self.id.clone(), task_id, status, message });
            }
        }
        if (self.status, &self.message) != (before.status, &before.message) {
            let message = self.message.clone();
            all.push(AgendaEvent::Agenda { id: self.id.clone(), status: self.status, message });
        }
        all
    }

    fn task_mut(&mut self, id: &TaskId) -> Result<&mut Task> {
        let agenda = self.id.clone();
        let found = self.tasks.iter_mut().find(|task| task.id == *id);
        found.ok_or_else(|| Error::not_found(format!("the agenda {agenda} has no task {id}")))
    }

    fn running_task_mut(&mut self, id: &TaskId) -> Result<&mut Task> {
        let task = self.task_mut(id)?;
        match task.status {
            TaskStatus::Running => Ok(task),
            status => Err(Error::conflict(format!("the task {id} is {}", status.name()))),
        }
    }

    fn check_pending(&self, to_be: &str) -> Result<()> {
        if self.status == AgendaStatus::Pending {
            return Ok(());
        }
        Err(Error::conflict(format!(
            "the agenda {} can't be {to_be}: it is {} already",
            self.id,
            self.status.name()
        ))
        .hint("only a pending agenda can be decided on; propose a new one with `wellread agenda new`")
        .with_way_out(WayOut::ProposeAgenda))
    }

    /// Ends the agenda once all its tasks are settled.
    fn finish_if_settled(&mut self, at: Timestamp) {
        if !self.tasks.iter().all(|task| task.status.is_settled()) {
            return;
        }
        let ran = || self.tasks.iter().filter(|task| task.status != TaskStatus::Blocked);
        let all_failed = ran().next().is_some() && ran().all(|task| task.status == TaskStatus::Failed);
        self.status = if all_failed { AgendaStatus::Failed } else { AgendaStatus::Done };
        self.ended = Some(at);
        self.message = Some(render_message(self));
    }
}

impl Agenda {
    /// Whether it has as many findings as it may have.
    pub fn is_full(&self) -> bool {
        self.findings >= self.max_findings
    }

    /// Whether a task that has made `own` findings may make another. The unsettled tasks share what the settled ones
    /// left in equal parts, and at least one finding is reserved for each of the others.
    pub fn has_room(&self, own: usize) -> bool {
        let open = self.tasks.iter().filter(|task| !task.status.is_settled()).count().max(1);
        let settled = self.tasks.iter().filter(|task| task.status.is_settled());
        let taken: usize = settled.filter_map(|task| task.counts).map(|counts| counts.findings).sum();
        let share = self.max_findings.saturating_sub(taken).div_ceil(open);
        let left = self.max_findings.saturating_sub(self.findings);
        left > 0 && (own == 0 || own < share && left >= open)
    }
}

impl Task {
    /// Whether it ended without a search, because the limit was reached before its turn.
    pub fn was_left_out(&self) -> bool {
        self.status == TaskStatus::Done && self.counts.is_none()
    }
}

#[cfg(test)]
mod tests;
