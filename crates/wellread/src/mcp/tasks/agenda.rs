//! An approved agenda as a task: its id is the agenda's, and the store of agendas says how far the workers have come, also after
//! a restart.

use rmcp::ErrorData;
use rmcp::model::{DetailedTask, TaskPayload};
use serde_json::Value;
use wellread_core::Error;
use wellread_core::agendas::jobs::Jobs;
use wellread_core::domain::display::counted;
use wellread_core::domain::id::AgendaId;
use wellread_core::faces::tools::{ApproveAgenda, Declaration, Tool as _};
use wellread_core::ports::agenda::{Agenda, AgendaStatus};

use super::{completed, new_task};
use crate::mcp::VaultServer;
use crate::mcp::client_scope::ClientScope;
use crate::mcp::tool_call;
use crate::mcp::tool_offer::ToolOffer;

/// The id of the agenda that a call approves.
pub fn find_approved(tool: &Declaration, args: &Value) -> Option<String> {
    (tool.name == ApproveAgenda::NAME).then(|| args["id"].as_str().unwrap_or_default().to_owned())
}

/// The agenda of this id, if it was approved once and the client may see it.
pub async fn read(server: &VaultServer, id: &str) -> Option<Agenda> {
    let id = AgendaId::parse(id).ok()?;
    let read = move |scope: &ClientScope| {
        let jobs = Jobs { research: &scope.ctx.research, context: scope.ctx.recipe_context() };
        jobs.agenda(&id).map_err(|error| ErrorData::invalid_params(error.message().to_owned(), None))
    };
    let found = server.run_blocking(read).await.ok()?;
    found.approved.is_some().then_some(found)
}

/// How it stands. Workers take it up by themselves, whatever becomes of the client.
pub fn describe(offer: &ToolOffer, agenda: &Agenda) -> DetailedTask {
    let began = agenda.approved.unwrap_or(agenda.created);
    let updated = agenda.ended.unwrap_or(began);
    let mut task = new_task(agenda.id.as_str(), &began.to_string(), &updated.to_string());
    let answer = || serde_json::to_value(agenda).map_err(|error| Error::failed(error.to_string()));
    let payload = match agenda.status {
        AgendaStatus::Pending | AgendaStatus::Approved | AgendaStatus::Running => {
            task.status_message = Some(describe_progress(agenda));
            TaskPayload::Working
        }
        AgendaStatus::Cancelled => TaskPayload::Cancelled,
        AgendaStatus::Done => completed(&tool_call::to_result(offer, answer())),
        AgendaStatus::Failed => {
            let why = agenda.message.as_deref().unwrap_or("every task of the agenda failed");
            completed(&tool_call::to_result(offer, Err(Error::failed(why))))
        }
    };
    DetailedTask::new(task, payload)
}

fn describe_progress(agenda: &Agenda) -> String {
    let settled = agenda.tasks.iter().filter(|task| task.status.is_settled()).count();
    let findings = counted(agenda.findings, "finding", "findings");
    format!("{settled} of {}, {findings}", counted(agenda.tasks.len(), "task", "tasks"))
}

/// Only the user cancels an agenda, and there is no way to ask here.
pub fn refuse_cancel(agenda: &Agenda) -> Result<(), ErrorData> {
    match agenda.status {
        AgendaStatus::Pending | AgendaStatus::Approved | AgendaStatus::Running => {
            let message = "only the user cancels an agenda: call the tool that cancels agendas, which asks, or run `wellread \
                           agenda cancel`";
            Err(ErrorData::invalid_request(message, None))
        }
        AgendaStatus::Done | AgendaStatus::Failed | AgendaStatus::Cancelled => Ok(()),
    }
}
