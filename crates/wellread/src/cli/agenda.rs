//! `wellread agenda`: research of the knowledge base, proposed, approved and worked off.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use wellread_core::Result;
use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::{ProposeAgenda, ProposeAgendaArgs};
use wellread_core::ports::agenda::{Agenda, AgendaCounts, AgendaStatus};
use wellread_core::research::{render_agenda, render_agenda_line};

use super::research::call_tool;
use super::{BY_COMMAND, Invocation, build_runtime};
use crate::app::App;
use crate::output::{Output, success};
use crate::signals;
use crate::worker::{StopWhen, Worker, jobs};

/// Propose research for the vault, approve it and run it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An agenda is two to five tasks, each with its reason. Nothing is searched until you approve it, and a task that \
you block never runs. `wellread serve` runs approved agendas in the background; `wellread agenda run` runs them without a server. \
Findings wait in `wellread inbox`.\n\nExample:\n  wellread agenda new\n  wellread agenda new --note 'Bees/Varroa mite'\n  \
wellread agenda approve 01kbd4xyz0abcd --block 01kbd4xyz0abcd-2\n  wellread agenda run"
)]
pub struct AgendaArgs {
    #[command(subcommand)]
    what: AgendaCommand,
}

#[derive(Debug, clap::Subcommand)]
enum AgendaCommand {
    /// Propose an agenda for the vault, or for one note
    New {
        /// The note, relative to the vault; the `.md` is optional
        #[arg(long, value_name = "PATH")]
        note: Option<String>,
    },
    /// List agendas, newest first
    List {
        /// Only agendas with this status: pending, approved, running, done, failed or cancelled
        #[arg(long, value_parser = parse_status)]
        status: Option<AgendaStatus>,
        /// How many to list
        #[arg(short = 'n', long, default_value_t = 20)]
        limit: usize,
    },
    /// Show one agenda with its tasks
    Show { id: String },
    /// Approve an agenda: all its tasks run, except those that are blocked
    Approve {
        id: String,
        /// Tasks to block, by id or number
        #[arg(long, value_name = "TASK", num_args = 1..)]
        block: Vec<String>,
        /// Run it now and wait for it to finish
        #[arg(long)]
        run: bool,
    },
    /// Cancel an agenda; its findings are kept
    Cancel { id: String },
    /// Run all approved agendas now, until none is left
    Run,
}

pub fn run(invocation: &Invocation, args: &AgendaArgs) -> Result<ExitCode> {
    match &args.what {
        AgendaCommand::New { note } => {
            let request = ProposeAgendaArgs { path: note.clone() };
            let answer = call_tool(invocation, ProposeAgenda, request, false)?;
            show(invocation.output, &answer)?;
            if answer.status == AgendaStatus::Pending {
                let approve = format!("nothing runs yet: `wellread agenda approve {}` starts it", answer.id);
                invocation.output.notice(&approve);
            }
        }
        AgendaCommand::List { status, limit } => {
            let app = invocation.open_app()?;
            let listed = jobs(&app.ctx).agendas(*status, *limit)?;
            if invocation.output.json {
                invocation.output.object(&success(json!(listed)))?;
            } else if listed.agendas.is_empty() {
                invocation.output.notice(&match status {
                    _ if *limit == 0 => "none shown: `-n` sets how many".to_owned(),
                    Some(status) => format!("no agenda is {}", status.name()),
                    None => "there is no agenda yet: `wellread agenda new` proposes one".to_owned(),
                });
            } else {
                invocation.output.text(&listed.agendas.iter().map(render_agenda_line).collect::<String>())?;
            }
        }
        AgendaCommand::Show { id } => {
            show(invocation.output, &jobs(&invocation.open_app()?.ctx).agenda(&parse_agenda_id(id)?)?)?;
        }
        AgendaCommand::Approve { id, block, run } => return approve(invocation, id, block, *run),
        AgendaCommand::Cancel { id } => {
            let app = invocation.open_app()?;
            let cancelled = jobs(&app.ctx).cancel(BY_COMMAND, &parse_agenda_id(id)?)?;
            invocation.log_decision(&app, "cancel_agenda", Some(cancelled.id.as_str()));
            show(invocation.output, &cancelled)?;
        }
        AgendaCommand::Run => {
            let (counts, stopped) = run_worker(invocation, &invocation.open_app_without_signals()?)?;
            if invocation.output.json {
                invocation.output.object(&success(json!(counts)))?;
            }
            return Ok(exit_code(stopped));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn approve(invocation: &Invocation, id: &str, block: &[String], at_once: bool) -> Result<ExitCode> {
    let app = invocation.open_app_without_signals()?;
    let id = parse_agenda_id(id)?;
    let blocked = block.iter().map(|task| parse_task_id(&id, task)).collect::<Result<Vec<_>>>()?;
    let agenda = jobs(&app.ctx).approve(BY_COMMAND, &id, &blocked, None)?;
    invocation.log_decision(&app, "approve_agenda", Some(id.as_str()));
    if at_once {
        let (_, stopped) = run_worker(invocation, &app)?;
        let agenda = jobs(&app.ctx).agenda(&id)?;
        show(invocation.output, &agenda)?;
        return Ok(exit_code(stopped || agenda.status == AgendaStatus::Failed));
    }
    show(invocation.output, &agenda)?;
    if agenda.status == AgendaStatus::Approved {
        invocation
            .output
            .notice("`wellread serve` works on it in the background, `wellread agenda run` here and now");
    }
    Ok(ExitCode::SUCCESS)
}

/// Carries out what is approved, and says what goes on. Ctrl-C hands back what is in hand.
fn run_worker(invocation: &Invocation, app: &Arc<App>) -> Result<(AgendaCounts, bool)> {
    let stop = StopSignal::default();
    signals::cancel_on_signal(&app.files, stop.clone(), invocation.output);
    let worker = Worker::new(app, stop.clone());
    let output = invocation.output;
    let mut news = worker.news.subscribe();
    let runtime = build_runtime()?;
    runtime.block_on(async {
        let reporting = async {
            loop {
                let step = match news.recv().await {
                    Ok(step) => step,
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => std::future::pending().await,
                };
                output.show_status(&format!("{}: {} {}", step.task_id, step.step.name(), step.about));
            }
        };
        tokio::select! {
            () = worker.work(StopWhen::Idle, None) => {}
            () = reporting => {}
        }
    });
    output.show_status("");
    runtime.shutdown_timeout(std::time::Duration::from_secs(10));
    let (counts, stopped) = (jobs(&app.ctx).counts()?, stop.is_requested());
    output.notice(&match counts.new {
        0 => "no new findings".to_owned(),
        1 => "1 new finding is waiting: `wellread inbox`".to_owned(),
        many => format!("{many} new findings are waiting: `wellread inbox`"),
    });
    if stopped && counts.running > 0 {
        output.notice("unfinished tasks are back in the queue: `wellread agenda run` continues");
    }
    Ok((counts, stopped))
}

/// That it was stopped, or came to nothing, is told by the exit status.
fn exit_code(badly: bool) -> ExitCode {
    if badly { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn parse_agenda_id(id: &str) -> Result<AgendaId> {
    AgendaId::parse(id.trim())
}

/// A task by its id, or by its number within the agenda.
fn parse_task_id(agenda: &AgendaId, written: &str) -> Result<TaskId> {
    match written.trim().parse::<u16>() {
        Ok(number) => Ok(TaskId::new(agenda, number.into())),
        Err(_) => TaskId::parse(written.trim()),
    }
}

fn parse_status(name: &str) -> Result<AgendaStatus, String> {
    let known = || AgendaStatus::ALL.map(AgendaStatus::name).join(", ");
    AgendaStatus::ALL
        .into_iter()
        .find(|status| status.name() == name)
        .ok_or_else(|| format!("choose one of: {}", known()))
}

fn show(output: Output, agenda: &Agenda) -> Result<()> {
    if output.json { output.object(&success(json!(agenda))) } else { output.text(&render_agenda(agenda)) }
}
