//! `wellread resume` and `wellread replay`: a run goes on, or is run again from its log.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use wellread_adapters::http::Web;
use wellread_adapters::web::DEFAULT_ENGINE;
use wellread_core::Result;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::chat::ChatResponse;
use wellread_core::ports::RunLogs as _;
use wellread_core::ports::event::RunKind;
use wellread_core::research::{self, RecipeAnswer};

use super::chat::print_notices;
use super::{Invocation, agenda, ask, code, inbox, note};
use crate::app::App;
use crate::config::{Config, RepoSetting};
use crate::output::success;
use crate::outside::NetworkOptions;
use crate::{app_chat, outside, progress, signals};

/// Go on with a run that was cut off or failed
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What was answered before is taken from the run's log: nothing is asked or paid for twice.\n\n\
Example:\n  wellread runs\n  wellread resume 01kbd4"
)]
pub struct ResumeArgs {
    /// The run's id, or the beginning of it
    run: String,
}

/// Run a run again from its log, with model and network switched off
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Gives the same bytes, or says where the log differs.\n\nExample:\n  wellread replay 01kbd4"
)]
pub struct ReplayArgs {
    /// The run's id, or the beginning of it
    run: String,
}

pub fn resume(invocation: &Invocation, args: &ResumeArgs) -> Result<ExitCode> {
    run_again(invocation, &args.run, true)
}

pub fn replay(invocation: &Invocation, args: &ReplayArgs) -> Result<ExitCode> {
    run_again(invocation, &args.run, false)
}

fn run_again(invocation: &Invocation, named: &str, goes_on: bool) -> Result<ExitCode> {
    let config = invocation.load_config()?;
    let app = invocation.open_app()?;
    let run = log::find_run(&*app.records, named)?;
    let app = open_folder_app(invocation, &app, &config, &run.id)?.unwrap_or(app);
    let runtime = super::build_runtime()?;
    match run.kind {
        RunKind::Chat => {
            let chat = app_chat::open_chat(&app, &config)?;
            let response = if goes_on {
                runtime.block_on(chat.resume(&run.id, &|_| {}))?
            } else {
                runtime.block_on(chat.replay(&run.id))?
            };
            print_response(invocation, &response)
        }
        RunKind::Note | RunKind::Ask | RunKind::Summary | RunKind::Code | RunKind::Agenda => {
            let stop = StopSignal::default();
            signals::cancel_on_signal(app.files.clone(), stop.clone(), invocation.output);
            let mut ctx =
                app.ctx.with_progress(Arc::new(progress::progress_printer(invocation.output)), stop);
            if goes_on {
                app.make_searchable(&|_| {})?;
                // It may have been begun with the web for that one call, which is DuckDuckGo.
                let asked = research::services_from_log(&app.records.events(&run.id)?);
                if asked == [DEFAULT_ENGINE.name] && config.search_services().is_empty() {
                    let (offline, web) = (invocation.offline, Web::new(config.web(invocation.offline)?)?);
                    let asked = NetworkOptions { offline, web: true };
                    ctx.reach =
                        Arc::new(outside::build_services(&config, &web, outside::open_pages(&web), asked));
                }
            }
            let (around, research) = (ctx.recipe_context(), &ctx.research);
            let again = if goes_on {
                runtime.block_on(research.resume(around, &run.id))
            } else {
                runtime.block_on(research.replay(around, &run.id))
            };
            invocation.output.show_status("");
            print_run_answer(invocation, &again?)
        }
    }
}

/// The app over the folder that a run is about, where that was never added.
fn open_folder_app(
    invocation: &Invocation,
    app: &App,
    config: &Config,
    run: &RunId,
) -> Result<Option<Arc<App>>> {
    let Some(folder) = research::folder_from_log(&app.records.events(run)?) else { return Ok(None) };
    let repo = RepoSetting { name: folder.clone(), path: folder.into() };
    if !repo.path.is_dir() {
        return Ok(None);
    }
    let asked = NetworkOptions { offline: invocation.offline, web: false };
    let app = App::for_folder(config, asked, repo)?;
    app.update(false, &|_| {})?;
    Ok(Some(Arc::new(app)))
}

fn print_run_answer(invocation: &Invocation, again: &RecipeAnswer) -> Result<ExitCode> {
    let output = invocation.output;
    match again {
        RecipeAnswer::Note(note) if output.json => output.object(&success(json!(note)))?,
        RecipeAnswer::Answer(answer) if output.json => output.object(&success(json!(answer)))?,
        RecipeAnswer::Summary(summary) if output.json => output.object(&success(json!(summary)))?,
        RecipeAnswer::Code(answer) if output.json => output.object(&success(json!(answer)))?,
        RecipeAnswer::Agenda(agenda) if output.json => output.object(&success(json!(agenda)))?,
        RecipeAnswer::Task(carried) if output.json => output.object(&success(json!(carried)))?,
        RecipeAnswer::Note(note) => note::print_answer(output, note)?,
        RecipeAnswer::Answer(answer) => ask::print_answer(output, answer)?,
        RecipeAnswer::Code(answer) => code::print_answer(output, answer)?,
        RecipeAnswer::Agenda(agenda) => output.text(&agenda::render_agenda(agenda))?,
        RecipeAnswer::Task(carried) => output.text(&inbox::render_task_answer(carried))?,
        RecipeAnswer::Summary(summary) => output.text(summary.diff.as_ref().unwrap_or(&summary.preview))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print_response(invocation: &Invocation, response: &ChatResponse) -> Result<ExitCode> {
    if invocation.output.json {
        invocation.output.object(&success(json!(response)))?;
    } else {
        invocation.output.text(&response.response)?;
        print_notices(invocation.output, response);
    }
    Ok(ExitCode::SUCCESS)
}
