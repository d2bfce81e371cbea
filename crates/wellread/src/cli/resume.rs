//! `wellread resume` and `wellread replay`: a run goes on, or is run again from its log.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use wellread_core::Result;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::chat::ChatResponse;
use wellread_core::faces::tools::Ctx;
use wellread_core::ports::event::RunKind;
use wellread_core::research::{self, RecipeAnswer};

use super::Invocation;
use super::chat::print_notices;
use super::research::print_fields;
use crate::app::App;
use crate::config::{Config, RepoSetting};
use crate::output::success;
use crate::wiring::NetworkOptions;
use crate::wiring::outside;
use crate::{progress, signals, wiring};

/// Resume a run that was interrupted or failed
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Earlier answers are taken from the run's log: nothing is asked or paid for twice.\n\n\
Example:\n  wellread runs\n  wellread resume 01kbd4"
)]
pub struct ResumeArgs {
    /// The run's id, or the start of it
    run: String,
}

/// Replay a run from its log, with model and network disabled
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Produces the same bytes, or reports where the log differs.\n\nExample:\n  wellread replay 01kbd4"
)]
pub struct ReplayArgs {
    /// The run's id, or the start of it
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
    if run.kind == RunKind::Chat {
        let chat = wiring::open_chat(&app, &config)?;
        let response = if goes_on {
            runtime.block_on(chat.resume(&run.id, &|_| {}))?
        } else {
            runtime.block_on(chat.replay(&run.id))?
        };
        return print_response(invocation, &response);
    }
    let stop = StopSignal::default();
    signals::cancel_on_signal(&app.files, stop.clone(), invocation.output);
    let mut ctx = app.ctx.with_progress(Arc::new(progress::progress_printer(invocation.output)), stop);
    if goes_on {
        app.make_searchable(&|_| {})?;
        restore_web(invocation, &app, &config, &run.id, &mut ctx)?;
    }
    let (context, research) = (ctx.recipe_context(), &ctx.research);
    let answer = if goes_on {
        runtime.block_on(research.resume(context, &run.id))
    } else {
        runtime.block_on(research.replay(context, &run.id))
    };
    invocation.output.show_status("");
    let RecipeAnswer { fields, shown, .. } = answer?;
    let status = print_fields(invocation, fields, &shown)?;
    if !goes_on {
        invocation.output.notice("note: this was replayed from the log; nothing was written, asked or sent");
    }
    Ok(status)
}

/// Switches the web on where the run was begun with it for that one call, which is the default engine.
fn restore_web(
    invocation: &Invocation,
    app: &App,
    config: &Config,
    run: &RunId,
    ctx: &mut Ctx,
) -> Result<()> {
    let services = research::services_from_log(&app.records.events(run)?);
    if services == [outside::DEFAULT_ENGINE.name] && config.search_services().is_empty() {
        let options = NetworkOptions { offline: invocation.offline, web: true };
        ctx.reach = Arc::new(outside::open_services(config, options)?);
    }
    Ok(())
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

fn print_response(invocation: &Invocation, response: &ChatResponse) -> Result<ExitCode> {
    if invocation.output.json {
        invocation.output.object(&success(json!(response)))?;
    } else {
        invocation.output.text(&response.response)?;
        print_notices(invocation.output, response);
    }
    Ok(ExitCode::SUCCESS)
}
