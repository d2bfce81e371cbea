//! `wellread resume` and `wellread replay`: a run goes on, or is run again from its log.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use wellread_adapters::http::Web;
use wellread_core::Result;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log;
use wellread_core::engine::run::Stop;
use wellread_core::faces::chat::Response;
use wellread_core::ports::Records as _;
use wellread_core::ports::event::RunKind;
use wellread_core::research::{self, Again};

use super::chat::afterwards;
use super::{Invocation, agenda, ask, code, inbox, note};
use crate::app::App;
use crate::config::{Config, RepoSetting};
use crate::output::success;
use crate::outside::Asked;
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
    again(invocation, &args.run, true)
}

pub fn replay(invocation: &Invocation, args: &ReplayArgs) -> Result<ExitCode> {
    again(invocation, &args.run, false)
}

fn again(invocation: &Invocation, named: &str, goes_on: bool) -> Result<ExitCode> {
    let config = invocation.config()?;
    let app = invocation.app()?;
    let run = log::find(&*app.records, named)?;
    let app = of_folder(invocation, &app, &config, &run.id)?.unwrap_or(app);
    let runtime = super::runtime()?;
    match run.kind {
        RunKind::Chat => {
            let chat = app_chat::chat(&app, &config)?;
            let response = if goes_on {
                runtime.block_on(chat.resume(&run.id, &|_| {}))?
            } else {
                runtime.block_on(chat.replay(&run.id))?
            };
            show(invocation, &response)
        }
        RunKind::Note | RunKind::Ask | RunKind::Summary | RunKind::Code | RunKind::Agenda => {
            let stop = Stop::default();
            signals::call_off(app.files.clone(), stop.clone(), invocation.output);
            let mut ctx = app.ctx.watched(Arc::new(progress::shown(invocation.output)), stop);
            if goes_on {
                app.make_searchable(&|_| {})?;
                // It may have been begun with the web for that one call, which is DuckDuckGo.
                let asked = research::services_of(&app.records.events(&run.id)?);
                if asked == ["duckduckgo"] && config.search().is_empty() {
                    let (offline, web) = (invocation.offline, Web::new(config.web(invocation.offline)?)?);
                    let asked = Asked { offline, web: true };
                    ctx.reach = Arc::new(outside::reach(&config, &web, outside::pages(&web), asked));
                }
            }
            let (around, research) = (ctx.around(), &ctx.research);
            let again = if goes_on {
                runtime.block_on(research.resume(around, &run.id))
            } else {
                runtime.block_on(research.replay(around, &run.id))
            };
            invocation.output.passing("");
            show_again(invocation, &again?)
        }
    }
}

/// The app over the folder that a run is about, where that was never added.
fn of_folder(invocation: &Invocation, app: &App, config: &Config, run: &RunId) -> Result<Option<Arc<App>>> {
    let Some(folder) = research::folder_of(&app.records.events(run)?) else { return Ok(None) };
    let repo = RepoSetting { name: folder.clone(), path: folder.into() };
    if !repo.path.is_dir() {
        return Ok(None);
    }
    let asked = Asked { offline: invocation.offline, web: false };
    let app = App::for_folder(config, asked, repo)?;
    app.update(false, &|_| {})?;
    Ok(Some(Arc::new(app)))
}

fn show_again(invocation: &Invocation, again: &Again) -> Result<ExitCode> {
    let output = invocation.output;
    match again {
        Again::Note(note) if output.json => output.object(&success(json!(note)))?,
        Again::Answer(answer) if output.json => output.object(&success(json!(answer)))?,
        Again::Summary(summary) if output.json => output.object(&success(json!(summary)))?,
        Again::Code(answer) if output.json => output.object(&success(json!(answer)))?,
        Again::Agenda(agenda) if output.json => output.object(&success(json!(agenda)))?,
        Again::Task(carried) if output.json => output.object(&success(json!(carried)))?,
        Again::Note(note) => note::shown(output, note)?,
        Again::Answer(answer) => ask::shown(output, answer)?,
        Again::Code(answer) => code::shown(output, answer)?,
        Again::Agenda(agenda) => output.text(&agenda::words(agenda))?,
        Again::Task(carried) => output.text(&inbox::carried(carried))?,
        Again::Summary(summary) => output.text(summary.diff.as_ref().unwrap_or(&summary.preview))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show(invocation: &Invocation, response: &Response) -> Result<ExitCode> {
    if invocation.output.json {
        invocation.output.object(&success(json!(response)))?;
    } else {
        invocation.output.text(&response.response)?;
        afterwards(invocation.output, response);
    }
    Ok(ExitCode::SUCCESS)
}
