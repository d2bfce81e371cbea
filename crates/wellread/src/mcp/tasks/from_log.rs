//! How a run stands that this server does not work on, as its log says.

use std::collections::BTreeMap;

use rmcp::model::{DetailedTask, ErrorCode, InputRequest, TaskPayload};
use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::faces::tools::reveal_hidden;
use wellread_core::ports::event::{LoggedEvent, RunEnd, RunEvent, RunKind, RunOutcome};
use wellread_core::{Error, Result, research};

use super::{completed, new_task};
use crate::mcp::client_scope::ClientScope;
use crate::mcp::questions::{self, UserQuestion};
use crate::mcp::tool_call;
use crate::mcp::tool_offer::ToolOffer;
use crate::mcp::{decisions, hints};

/// The state of a run, from its log.
pub struct RunState {
    began: String,
    last: String,
    events: usize,
    /// What the user is asked before it goes on; `None` if it can't go on here.
    question: Option<String>,
    progress: RunProgress,
}

enum RunProgress {
    Ended(RunEnd),
    /// Another process works on it.
    Elsewhere,
    /// Nobody works on it.
    Interrupted,
}

/// Reads the log of a run; `Err` if there is none that the client may see, or it is no task.
pub fn read_state(scope: &ClientScope, run: &RunId) -> Result<RunState> {
    let events = scope.read_run(run)?;
    let no_task = || Error::not_found("there is no such task");
    let (first, last) = events.first().zip(events.last()).ok_or_else(no_task)?;
    let (kind, title, request) = match &first.event {
        RunEvent::Began { kind, title, request, .. } if *kind != RunKind::Chat => (*kind, title, request),
        _ => return Err(no_task()),
    };
    let question = can_go_on(scope, kind, &events).then(|| question_text(kind, title, request));
    let progress = match &last.event {
        RunEvent::Ended(end) => RunProgress::Ended(end.clone()),
        _ if scope.app.records.lock_run(run).is_err() => RunProgress::Elsewhere,
        _ => RunProgress::Interrupted,
    };
    Ok(RunState {
        began: first.at.to_string(),
        last: last.at.to_string(),
        events: events.len(),
        question,
        progress,
    })
}

/// Whether a run of this kind may go on for this client: if it may call the tool, and this server has what the run began with.
fn can_go_on(scope: &ClientScope, kind: RunKind, events: &[LoggedEvent]) -> bool {
    let services = &scope.ctx.reach.services;
    let has_service = |name: &String| services.iter().any(|service| service.identity().name == *name);
    tool_for(kind).is_some_and(|tool| scope.offer.offers(tool))
        && research::folder_from_log(events).is_none()
        && research::services_from_log(events).iter().all(has_service)
}

/// The tool of the catalog that makes runs of this kind. What a proposal or a task of an agenda leads to is stored by whoever
/// began it.
fn tool_for(kind: RunKind) -> Option<&'static str> {
    match kind {
        RunKind::Ask => Some("research"),
        RunKind::Note => Some("research_note"),
        RunKind::Summary => Some("summarize_file"),
        RunKind::Code => Some("code_deep_research"),
        RunKind::Chat | RunKind::Agenda | RunKind::Proposal | RunKind::Task => None,
    }
}

/// What goes on if the user agrees, and what it will edit.
fn question_text(kind: RunKind, title: &str, request: &Value) -> String {
    let section = match kind {
        RunKind::Note => Some("Research"),
        RunKind::Summary => Some("Summary"),
        _ => None,
    };
    let section = section.filter(|_| request.get("dry_run") != Some(&Value::Bool(true)));
    let path = request.get("path").and_then(Value::as_str).unwrap_or_default();
    let edit = match section {
        Some(section) => format!("It will write the section `## {section}` of `{path}`."),
        None => "It will edit nothing.".to_owned(),
    };
    reveal_hidden(&format!(
        "This was interrupted: {title}. Go on with it? {edit} What it has paid for is not asked for again."
    ))
}

impl RunState {
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.progress, RunProgress::Elsewhere)
    }

    pub fn is_interrupted(&self) -> bool {
        matches!(self.progress, RunProgress::Interrupted)
    }

    /// Whether it waits for the user, and may go on for this client.
    pub fn can_go_on(&self) -> bool {
        self.is_interrupted() && self.question.is_some()
    }

    /// What the question whether it should go on is about; `None` if there is none.
    pub fn question_hash(&self, run: &RunId) -> Option<blake3::Hash> {
        let about = json!([run.as_str(), self.events, self.question]);
        self.can_go_on().then(|| blake3::hash(about.to_string().as_bytes()))
    }

    /// The task, with the question whether it should go on if that was opened under this name.
    pub fn describe(&self, offer: &ToolOffer, run: &RunId, open: Option<String>) -> DetailedTask {
        let task = new_task(run.as_str(), &self.began, &self.last);
        match &self.progress {
            RunProgress::Elsewhere => {
                let task = task.with_status_message("another process works on it");
                DetailedTask::new(task, TaskPayload::Working)
            }
            RunProgress::Ended(RunEnd { outcome: RunOutcome::Cancelled, .. }) => {
                DetailedTask::new(task, TaskPayload::Cancelled)
            }
            RunProgress::Ended(end) => {
                let result = tool_call::to_result(offer, read_answer(end, run));
                DetailedTask::new(task, completed(&result))
            }
            RunProgress::Interrupted => {
                let task = task.with_status_message("it was interrupted");
                let question = open.zip(self.question.clone());
                let payload = question.and_then(|(name, text)| ask_to_resume(name, text));
                let payload = payload.unwrap_or_else(|| interrupted(offer, run));
                DetailedTask::new(task, payload)
            }
        }
    }
}

/// What the tool answered, or would have.
fn read_answer(end: &RunEnd, run: &RunId) -> Result<Value> {
    let field = |name: &str| end.result.get(name).and_then(Value::as_str);
    // A proposal that found nothing has an answer for the log, and is an error of the tool.
    match field("error").or_else(|| field("nothing")) {
        None => Ok(end.result.clone()),
        Some(message) => {
            let error = Error::failed(message).with_detail("run_id", run.as_str());
            Err(match field("hint") {
                Some(hint) => error.hint(hint),
                None => error,
            })
        }
    }
}

fn ask_to_resume(name: String, text: String) -> Option<TaskPayload> {
    let question = UserQuestion { text, schema: decisions::answer_schema() };
    let question = questions::to_request(question).ok()?;
    let input_requests = BTreeMap::from([(name, InputRequest::Elicitation(question))]);
    Some(TaskPayload::InputRequired { input_requests })
}

fn interrupted(offer: &ToolOffer, run: &RunId) -> TaskPayload {
    let error = Error::failed("the research was interrupted")
        .hint(format!("call the tool again, or the user goes on with it: `wellread resume {run}`"));
    let mut envelope = wellread_core::faces::tools::envelope(Err(error));
    hints::adapt_advice(offer, &mut envelope);
    let error = json!({
        "code": ErrorCode::INTERNAL_ERROR.0,
        "message": "the research was interrupted",
        "data": envelope,
    });
    let error = match error {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    TaskPayload::Failed { error }
}

#[cfg(test)]
mod tests {
    use wellread_core::faces::tools::catalog;

    use super::*;

    #[test]
    fn what_can_go_on_is_made_by_a_tool_of_the_catalog() {
        let tools = catalog();
        for kind in RunKind::LISTED {
            let name = tool_for(kind);
            let known = tools.iter().find(|tool| Some(tool.declaration().name) == name);
            assert_eq!(known.is_some_and(|tool| tool.declaration().recipe), name.is_some(), "{kind:?}");
        }
    }

    #[test]
    fn the_question_says_what_will_be_edited() {
        let request = json!({ "path": "Bees.md", "dry_run": false });
        let text = question_text(RunKind::Summary, "summarize Bees.md", &request);
        assert!(text.contains("summarize Bees.md") && text.contains("`## Summary` of `Bees.md`"), "{text}");
        let shown = json!({ "path": "Bees.md", "dry_run": true });
        for (kind, request) in [(RunKind::Note, &shown), (RunKind::Ask, &request), (RunKind::Code, &request)]
        {
            let text = question_text(kind, "x", request);
            assert!(text.contains("It will edit nothing."), "{text}");
        }
    }
}
