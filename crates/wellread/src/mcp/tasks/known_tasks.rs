//! The tasks that this server works on, and the answers of the latest that it finished.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{CallToolResult, DetailedTask, Task, TaskPayload};
use wellread_core::domain::id::RunId;
use wellread_core::engine::run::StopSignal;

use super::{completed, new_task};

/// Answers that are kept here; those of earlier tasks are read from their logs.
const MOST_FINISHED: usize = 64;

/// The tasks that this server works on, and the latest that it finished.
#[derive(Debug, Clone, Default)]
pub struct RunTasks(Arc<Mutex<KnownTasks>>);

#[derive(Debug, Default)]
struct KnownTasks {
    tasks: HashMap<RunId, RunTask>,
    finished: VecDeque<RunId>,
}

#[derive(Debug)]
struct RunTask {
    stop: StopSignal,
    created: String,
    updated: String,
    message: Option<String>,
    result: Option<CallToolResult>,
}

impl RunTasks {
    fn lock(&self) -> MutexGuard<'_, KnownTasks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn begin(&self, run: &RunId, stop: StopSignal, now: String) -> Task {
        let task = RunTask { stop, created: now.clone(), updated: now, message: None, result: None };
        let begun = task.describe(run).task;
        self.lock().tasks.insert(run.clone(), task);
        begun
    }

    pub fn set_message(&self, run: &RunId, message: String, now: String) {
        if let Some(task) = self.lock().tasks.get_mut(run) {
            (task.message, task.updated) = (Some(message), now);
        }
    }

    pub fn finish(&self, run: &RunId, result: CallToolResult, now: String) {
        let mut known = self.lock();
        if let Some(task) = known.tasks.get_mut(run) {
            (task.result, task.message, task.updated) = (Some(result), None, now);
        }
        known.finished.push_back(run.clone());
        if known.finished.len() > MOST_FINISHED
            && let Some(oldest) = known.finished.pop_front()
        {
            known.tasks.remove(&oldest);
        }
    }

    /// The task of a run that this server has worked on.
    pub fn find(&self, run: &RunId) -> Option<DetailedTask> {
        self.lock().tasks.get(run).map(|task| task.describe(run))
    }

    /// Drops what is kept of a task that is over.
    pub fn drop_finished(&self, run: &RunId) {
        let mut known = self.lock();
        if known.tasks.get(run).is_some_and(|task| task.result.is_some()) {
            known.tasks.remove(run);
            known.finished.retain(|one| one != run);
        }
    }

    /// Whether there was a task to call off. One that is over stays as it is.
    pub fn cancel(&self, run: &RunId) -> bool {
        let known = self.lock();
        let task = known.tasks.get(run);
        if let Some(task) = task.filter(|task| task.result.is_none()) {
            task.stop.request();
        }
        task.is_some()
    }
}

impl RunTask {
    fn describe(&self, run: &RunId) -> DetailedTask {
        let mut task = new_task(run.as_str(), &self.created, &self.updated);
        task.status_message.clone_from(&self.message);
        let payload = match &self.result {
            None => TaskPayload::Working,
            Some(result) if result.is_error == Some(true) && self.stop.is_requested() => {
                TaskPayload::Cancelled
            }
            Some(result) => completed(result),
        };
        DetailedTask::new(task, payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_has_failed_is_not_cancelled() {
        let (tasks, run, now) = (RunTasks::default(), RunId::fresh(), "2026-01-01T00:00:00Z".to_owned());
        tasks.begin(&run, StopSignal::default(), now.clone());
        tasks.drop_finished(&run);
        assert!(tasks.find(&run).is_some(), "it is worked on");
        let mut failed = CallToolResult::success(Vec::new());
        failed.is_error = Some(true);
        tasks.finish(&run, failed, now);
        assert!(tasks.cancel(&run));
        let found = tasks.find(&run).unwrap();
        assert!(matches!(found.payload, TaskPayload::Completed { .. }), "{found:?}");
        tasks.drop_finished(&run);
        assert!(tasks.find(&run).is_none() && !tasks.cancel(&run));
    }
}
