//! `wellread resume` and `wellread replay`: a run goes on, or is run again from its log.

use std::process::ExitCode;

use serde_json::json;
use wellread_core::chat::Response;
use wellread_core::event::RunKind;
use wellread_core::{Error, Result, logbook};

use super::Invocation;
use super::chat::afterwards;
use crate::conversing;
use crate::output::success;

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
    let run = logbook::find(&*app.records, named)?;
    let response = match run.kind {
        RunKind::Chat => {
            let chat = conversing::chat(&app, &config)?;
            let runtime = super::runtime()?;
            if goes_on {
                runtime.block_on(chat.resume(&run.id, &|_| {}))?
            } else {
                runtime.block_on(chat.replay(&run.id))?
            }
        }
        other => {
            return Err(Error::invalid(format!("a run of the kind {} can't be taken up yet", other.name())));
        }
    };
    show(invocation, &response)
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
