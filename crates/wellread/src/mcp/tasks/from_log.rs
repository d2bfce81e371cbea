//! How a run stands that this server does not work on, as its log says.

use std::collections::BTreeMap;

use rmcp::model::{DetailedTask, ErrorCode, InputRequest, TaskPayload};
use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::{RunEnd, RunEvent, RunKind, RunOutcome};
use wellread_core::{Error, Result};

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
    kind: RunKind,
    events: usize,
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
    let kind = match &first.event {
        RunEvent::Began { kind, .. } if *kind != RunKind::Chat => *kind,
        _ => return Err(no_task()),
    };
    let progress = match &last.event {
        RunEvent::Ended(end) => RunProgress::Ended(end.clone()),
        _ if scope.app.records.lock_run(run).is_err() => RunProgress::Elsewhere,
        _ => RunProgress::Interrupted,
    };
    Ok(RunState {
        began: first.at.to_string(),
        last: last.at.to_string(),
        kind,
        events: events.len(),
        progress,
    })
}

impl RunState {
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.progress, RunProgress::Elsewhere)
    }

    pub fn is_interrupted(&self) -> bool {
        matches!(self.progress, RunProgress::Interrupted)
    }

    /// The name of the question whether an interrupted run should go on. It is another each time.
    pub fn question_key(&self) -> Option<String> {
        // What a proposal or a task of an agenda leads to is stored by whoever began it.
        let can_resume = matches!(self.kind, RunKind::Ask | RunKind::Note | RunKind::Summary | RunKind::Code);
        (can_resume && self.is_interrupted()).then(|| format!("resume-{}", self.events))
    }

    pub fn describe(&self, offer: &ToolOffer, run: &RunId, can_ask: bool) -> DetailedTask {
        let task = new_task(run, &self.began, &self.last);
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
                let question = self.question_key().filter(|_| can_ask);
                let payload = question.and_then(ask_to_resume).unwrap_or_else(|| interrupted(offer, run));
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

fn ask_to_resume(key: String) -> Option<TaskPayload> {
    let question = UserQuestion {
        text: "This research was interrupted. Go on with it? What it has paid for is not asked for again."
            .to_owned(),
        schema: decisions::answer_schema(),
    };
    let question = questions::to_request(question).ok()?;
    let input_requests = BTreeMap::from([(key, InputRequest::Elicitation(question))]);
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
