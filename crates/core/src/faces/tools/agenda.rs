//! Tools for agendas: propose, list, show, approve, cancel. Tasks are carried out in the background.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::declare::one_line;
use super::{AnswerOrigins, Ctx, Effect, Group, Tool};
use crate::Result;
use crate::agendas::jobs::{AgendaList, AgendaRequest, Jobs};
use crate::domain::id::{AgendaId, TaskId};
use crate::ports::agenda::{Agenda, AgendaStatus, Task};
use crate::research;

/// How many agendas are listed by default.
const LISTED: usize = 20;

fn jobs(ctx: &Ctx) -> Jobs<'_> {
    Jobs { research: &ctx.research, context: ctx.recipe_context() }
}

/// An agenda is derived from these notes, and as trustworthy as they are.
fn agenda_origins<'a>(agendas: impl IntoIterator<Item = &'a Agenda>) -> AnswerOrigins {
    let notes = agendas.into_iter().flat_map(|agenda| {
        let related = agenda.tasks.iter().flat_map(|task| task.related_notes.iter().cloned());
        related.chain(agenda.source_note_id.clone()).collect::<Vec<_>>()
    });
    AnswerOrigins::Files(notes.collect())
}

fn has_remote_model(ctx: &Ctx) -> bool {
    ctx.research.model.as_ref().is_some_and(|model| !model.identity().is_local)
}

/// The question with what it is about: the agenda's tasks, and which of them are blocked.
fn question_about(asked: &str, agenda: &Agenda, blocked: &[String]) -> String {
    let task = |task: &Task| {
        let note = if blocked.iter().any(|id| *id == task.id.to_string()) { " (blocked)" } else { "" };
        format!("- {}{note}\n", one_line(&task.query))
    };
    let tasks: String = agenda.tasks.iter().map(task).collect();
    format!("{asked}\n{tasks}({}, {})\n", agenda.id, agenda.status.name())
}

/// The tool that proposes an agenda.
#[derive(Debug)]
pub struct ProposeAgenda;

/// The arguments of [`ProposeAgenda`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposeAgendaArgs {
    /// The note to propose research for; by default, the whole vault.
    #[serde(default, alias = "note")]
    pub path: Option<String>,
}

impl Tool for ProposeAgenda {
    const NAME: &'static str = "propose_agenda";
    const ABOUT: &'static str = "Proposes two to five research tasks for a note or the whole vault, each with its reason. Nothing is \
                                 searched until the user approves the agenda.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Proposes;
    const SEARCHES: bool = true;
    const REACHES: bool = true;
    const RECIPE: bool = true;
    const REHEARSES: bool = false;
    const LIMIT: Duration = research::LIMIT;
    type Args = ProposeAgendaArgs;
    type Output = Agenda;
    const STUB: &'static [&'static str] = &["id", "status", "tasks.id", "tasks.query"];

    fn answer_origins(output: &Agenda) -> AnswerOrigins {
        agenda_origins([output])
    }

    fn leaves_machine(ctx: &Ctx) -> bool {
        has_remote_model(ctx)
    }

    async fn call(&self, ctx: &Ctx, args: ProposeAgendaArgs) -> Result<Agenda> {
        jobs(ctx).trigger(AgendaRequest { note: args.path, ..AgendaRequest::default() }).await
    }
}

#[derive(Debug)]
pub struct ListAgendas;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListAgendasArgs {
    /// Only entries with this status.
    #[serde(default)]
    status: Option<AgendaStatus>,
    /// Maximum number to return, newest first.
    #[serde(default)]
    limit: Option<u32>,
}

impl Tool for ListAgendas {
    const NAME: &'static str = "list_agendas";
    const ABOUT: &'static str =
        "Lists research agendas, newest first, with their tasks and the status of each.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Reads;
    type Args = ListAgendasArgs;
    type Output = AgendaList;
    const STUB: &'static [&'static str] = &["agendas.id", "agendas.status"];

    fn answer_origins(output: &AgendaList) -> AnswerOrigins {
        agenda_origins(&output.agendas)
    }

    async fn call(&self, ctx: &Ctx, args: ListAgendasArgs) -> Result<AgendaList> {
        jobs(ctx).agendas(args.status, args.limit.map_or(LISTED, |limit| limit as usize))
    }
}

#[derive(Debug)]
pub struct ShowAgenda;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgendaArgs {
    /// The agenda's id.
    id: String,
}

impl Tool for ShowAgenda {
    const NAME: &'static str = "show_agenda";
    const ABOUT: &'static str = "Shows one agenda: its tasks with their reasons, status and results.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Reads;
    type Args = AgendaArgs;
    type Output = Agenda;
    const STUB: &'static [&'static str] = &["id", "status", "message"];

    fn answer_origins(output: &Agenda) -> AnswerOrigins {
        agenda_origins([output])
    }

    async fn call(&self, ctx: &Ctx, args: AgendaArgs) -> Result<Agenda> {
        jobs(ctx).agenda(&AgendaId::parse(&args.id)?)
    }
}

/// The tool that approves an agenda.
#[derive(Debug)]
pub struct ApproveAgenda;

/// The arguments of [`ApproveAgenda`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveAgendaArgs {
    /// The agenda's id.
    id: String,
    /// The ids of tasks to block: they never run.
    #[serde(default)]
    blocked_task_ids: Vec<String>,
}

impl Tool for ApproveAgenda {
    const NAME: &'static str = "approve_agenda";
    const ABOUT: &'static str = "Approves an agenda, once the user has confirmed it: its tasks are researched on the web \
                                 and on arXiv in the background, except those that are blocked. Findings wait in the \
                                 inbox.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Decides;
    const REACHES: bool = true;
    const REHEARSES: bool = false;
    type Args = ApproveAgendaArgs;
    type Output = Agenda;
    const STUB: &'static [&'static str] = &["id", "status"];

    fn answer_origins(output: &Agenda) -> AnswerOrigins {
        agenda_origins([output])
    }

    fn question(ctx: &Ctx, args: &ApproveAgendaArgs) -> Result<String> {
        let agenda = jobs(ctx).agenda(&AgendaId::parse(&args.id)?)?;
        let asked = "Approve this agenda? Its tasks are looked up on the web and on arXiv.";
        Ok(question_about(asked, &agenda, &args.blocked_task_ids))
    }

    async fn call(&self, ctx: &Ctx, args: ApproveAgendaArgs) -> Result<Agenda> {
        let blocked = args.blocked_task_ids.iter().map(|id| TaskId::parse(id)).collect::<Result<Vec<_>>>()?;
        jobs(ctx).approve(ctx.user_decision()?, &AgendaId::parse(&args.id)?, &blocked, None)
    }
}

#[derive(Debug)]
pub struct CancelAgenda;

impl Tool for CancelAgenda {
    const NAME: &'static str = "cancel_agenda";
    const ABOUT: &'static str =
        "Cancels an agenda, once the user has confirmed it. Its findings stay in the inbox.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Decides;
    const REHEARSES: bool = false;
    type Args = AgendaArgs;
    type Output = Agenda;
    const STUB: &'static [&'static str] = &["id", "status"];

    fn answer_origins(output: &Agenda) -> AnswerOrigins {
        agenda_origins([output])
    }

    fn question(ctx: &Ctx, args: &AgendaArgs) -> Result<String> {
        let agenda = jobs(ctx).agenda(&AgendaId::parse(&args.id)?)?;
        Ok(question_about("Cancel this agenda?", &agenda, &[]))
    }

    async fn call(&self, ctx: &Ctx, args: AgendaArgs) -> Result<Agenda> {
        jobs(ctx).cancel(ctx.user_decision()?, &AgendaId::parse(&args.id)?)
    }
}
