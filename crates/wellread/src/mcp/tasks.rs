//! Long work as tasks of the protocol: research answers at once with a task, whose id is the id of its run.
//!
//! A task is only a view of a run. While this server works on it, what it does and what it answered is kept here; otherwise
//! the run's log says how it stands, also after the server was restarted. A run that was interrupted goes on once the user
//! agrees, for clients that may call its tool. An approved agenda is a task, too, by its own id. Only clients that declare the
//! extension get tasks.

mod agenda;
mod from_log;
mod known_tasks;

use std::future::Future;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, CreateTaskResult, DetailedTask, ElicitResult, ElicitationAction,
    InputResponses, ProtocolVersion, Task, TaskPayload, TaskStatus,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::oneshot;
use wellread_core::domain::id::RunId;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::{Ctx, Declaration};
use wellread_core::research::ResearchEvent;
use wellread_core::{Error, Result};

use self::from_log::{RunState, read_state};
pub use self::known_tasks::RunTasks;
use super::client_scope::ClientScope;
use super::{VaultServer, decisions, questions, tool_call};
use crate::progress;

/// How long a client should wait before it asks again.
const POLL_INTERVAL_MS: u64 = 1000;

/// A task without its status. It is kept as long as its run or its agenda is.
pub fn new_task(id: &str, created: &str, updated: &str) -> Task {
    Task::new(id, TaskStatus::Working, created, updated).with_poll_interval_ms(POLL_INTERVAL_MS)
}

fn completed(result: &CallToolResult) -> TaskPayload {
    let result = serde_json::to_value(result).ok().and_then(|value| match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    TaskPayload::Completed { result: result.unwrap_or_default() }
}

/// Whether the client is answered with tasks.
fn takes_tasks(context: &RequestContext<RoleServer>) -> bool {
    let is_new = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    is_new && context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

/// Calls a tool. What takes long is answered with a task, where the client takes one.
pub async fn call(
    server: &VaultServer,
    ctx: Ctx,
    tool: &Declaration,
    args: Value,
    context: RequestContext<RoleServer>,
) -> CallToolResponse {
    let takes_tasks = takes_tasks(&context);
    if tool.recipe && takes_tasks {
        return start(server, &ctx, tool.name, args, &context).await;
    }
    let approved = agenda::find_approved(tool, &args).filter(|_| takes_tasks);
    let app = server.scope.app.clone();
    let called = tool_call::call_with_progress(app, ctx, tool.name.to_owned(), args, context).await;
    if let (Some(id), Ok(_)) = (approved, &called)
        && let Some(found) = agenda::read(server, &id).await
    {
        return CreateTaskResult::new(agenda::describe(&server.scope.offer, &found).task).into();
    }
    tool_call::to_result(&server.scope.offer, called).into()
}

/// Begins the work, and answers with its task once it has a run. What ends before that is answered as such.
pub async fn start(
    server: &VaultServer,
    ctx: &Ctx,
    tool: &'static str,
    args: Value,
    context: &RequestContext<RoleServer>,
) -> CallToolResponse {
    let (app, stop) = (server.scope.app.clone(), StopSignal::default());
    let work = move |ctx: Ctx| async move {
        app.call_tool_in(ctx, tool.to_owned(), args).await.map(|answer| answer.fields)
    };
    let (mut done, mut begun) = spawn_work(server, ctx, stop.clone(), work);
    let mut has_run = true;
    loop {
        tokio::select! {
            biased;
            result = &mut done => {
                let broke_down = |_| tool_call::to_result(&server.scope.offer, Err(Error::failed("this is a bug in Wellread")));
                return result.unwrap_or_else(broke_down).into();
            }
            task = &mut begun, if has_run => match task {
                Ok(task) => return CreateTaskResult::new(task).into(),
                Err(_) => has_run = false,
            },
            () = context.ct.cancelled(), if !stop.is_requested() => stop.request(),
        }
    }
}

/// Does the work in the background, where it goes on whoever listens. The first receiver gets the answer, the second the task
/// as soon as there is one.
fn spawn_work<F>(
    server: &VaultServer,
    ctx: &Ctx,
    stop: StopSignal,
    work: impl FnOnce(Ctx) -> F,
) -> (oneshot::Receiver<CallToolResult>, oneshot::Receiver<Task>)
where
    F: Future<Output = Result<Value>> + Send + 'static,
{
    let (begun, task) = oneshot::channel();
    let (ended, answer) = oneshot::channel();
    let run = Arc::new(OnceLock::new());
    let clock = ctx.vault.clock.clone();
    let now = move || clock.now().timestamp().to_string();
    let watch = {
        let (tasks, stop, run, now) = (server.tasks.clone(), stop.clone(), run.clone(), now.clone());
        let begun = Mutex::new(Some(begun));
        Arc::new(move |event: ResearchEvent| {
            if let ResearchEvent::Run { run_id } = &event {
                let task = tasks.begin(run_id, stop.clone(), now());
                let _ = run.set(run_id.clone());
                if let Some(begun) = begun.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    let _ = begun.send(task);
                }
            } else if let (Some(run), Some(message)) = (run.get(), progress::render_progress(&event)) {
                tasks.set_message(run, message, now());
            }
        })
    };
    let work = work(ctx.with_progress(watch, stop));
    let (tasks, offer) = (server.tasks.clone(), server.scope.offer.clone());
    tokio::spawn(async move {
        let result = tool_call::to_result(&offer, work.await);
        if let Some(run) = run.get() {
            tasks.finish(run, result.clone(), now());
        }
        // Whoever waited for it may have its task by now.
        let _ = ended.send(result);
    });
    (answer, task)
}

/// How a task stands.
pub async fn get(
    server: &VaultServer,
    id: &str,
    context: &RequestContext<RoleServer>,
) -> Result<DetailedTask, ErrorData> {
    if let Some(agenda) = agenda::read(server, id).await {
        return Ok(agenda::describe(&server.scope.offer, &agenda));
    }
    let run = parse_own_id(server, id)?;
    check_shown(server, &run).await?;
    if let Some(task) = server.tasks.find(&run) {
        return Ok(task);
    }
    let state = read_in_background(server, &run).await?;
    let about = state.question_hash(&run).filter(|_| questions::can_ask(context));
    let open = about.map(|about| server.questions.open_once(about, server.answer_limit));
    Ok(state.describe(&server.scope.offer, &run, open))
}

/// Calls a task off. One that is over stays as it is.
pub async fn cancel(server: &VaultServer, id: &str) -> Result<(), ErrorData> {
    if let Some(agenda) = agenda::read(server, id).await {
        return agenda::refuse_cancel(&agenda);
    }
    let run = parse_own_id(server, id)?;
    if server.tasks.cancel(&run) {
        return Ok(());
    }
    let state = read_in_background(server, &run).await?;
    if state.is_elsewhere() {
        let message = "another process works on this task; it can be cancelled there";
        return Err(ErrorData::invalid_request(message, None));
    }
    if state.can_go_on() {
        end_as_cancelled(server, run).await;
    } else if state.is_interrupted() {
        return Err(ErrorData::invalid_request("this task can't be cancelled from here", None));
    }
    Ok(())
}

/// Takes the user's answer to what a task asks. What answers no open question is passed over, as the protocol says.
pub async fn update(
    server: &VaultServer,
    id: &str,
    responses: &InputResponses,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    if agenda::read(server, id).await.is_some() {
        return Ok(());
    }
    let run = parse_own_id(server, id)?;
    check_shown(server, &run).await?;
    if server.tasks.find(&run).is_some() {
        return Ok(());
    }
    let state = read_in_background(server, &run).await?;
    let about = state.question_hash(&run).filter(|_| questions::can_ask(context));
    let Some(about) = about else { return Ok(()) };
    for (name, answer) in responses {
        let answer = serde_json::from_value::<ElicitResult>(answer.clone()).ok();
        let agrees = decisions::read_answer(answer.as_ref()).is_ok();
        let declines = answer.is_some_and(|answer| answer.action == ElicitationAction::Decline);
        let is_clear = agrees || declines;
        // What says neither leaves the question open.
        if is_clear && server.questions.close(name, about, server.answer_limit) {
            if agrees {
                resume(server, run).await;
            } else {
                end_as_cancelled(server, run).await;
            }
            return Ok(());
        }
    }
    Ok(())
}

/// Goes on with an interrupted run; returns once that has begun, or can't be.
async fn resume(server: &VaultServer, run: RunId) {
    let work = |ctx: Ctx| rerun(server.scope.clone(), ctx, run);
    let (done, begun) = spawn_work(server, &server.scope.ctx, StopSignal::default(), work);
    tokio::select! {
        _ = begun => {}
        _ = done => {}
    }
}

/// Ends an interrupted run, so that nobody waits for it.
async fn end_as_cancelled(server: &VaultServer, run: RunId) {
    let stop = StopSignal::default();
    stop.request();
    let ctx = server.scope.ctx.with_progress(Arc::new(|_| {}), stop);
    // It fails, by having been cancelled.
    let _ = rerun(server.scope.clone(), ctx, run).await;
}

async fn rerun(scope: ClientScope, ctx: Ctx, run: RunId) -> Result<Value> {
    let runtime = tokio::runtime::Handle::current();
    let answer = tokio::task::spawn_blocking(move || {
        if !ctx.stop.is_requested() {
            scope.app.wait_for_complete_index(&ctx.stop)?;
        }
        runtime.block_on(ctx.research.resume(ctx.recipe_context(), &run)).map(|answer| answer.fields)
    });
    answer.await.unwrap_or_else(|_| Err(Error::failed("this is a bug in Wellread")))
}

/// Returns an error if the client may not see the run, also if its answer is kept here.
async fn check_shown(server: &VaultServer, run: &RunId) -> Result<(), ErrorData> {
    let asked = run.clone();
    let read = move |scope: &ClientScope| match scope.read_run(&asked) {
        Ok(_) => Ok(()),
        Err(_) => Err(unknown_task(asked.as_str())),
    };
    let shown = server.run_blocking(read).await;
    if shown.is_err() {
        server.tasks.drop_finished(run);
    }
    shown
}

async fn read_in_background(server: &VaultServer, run: &RunId) -> Result<RunState, ErrorData> {
    let run = run.clone();
    server.run_blocking(move |scope| read_state(scope, &run).map_err(|_| unknown_task(run.as_str()))).await
}

/// The run of a task that the client may ask about. One on another machine has the tasks that it began, as long as this server
/// runs; every other run is the user's.
fn parse_own_id(server: &VaultServer, id: &str) -> Result<RunId, ErrorData> {
    let run = parse_id(id)?;
    if server.scope.is_remote() && server.tasks.find(&run).is_none() {
        return Err(unknown_task(id));
    }
    Ok(run)
}

fn parse_id(id: &str) -> Result<RunId, ErrorData> {
    RunId::parse(id).map_err(|_| unknown_task(id))
}

fn unknown_task(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no task `{}`", id.escape_debug()), None)
}
