//! `wellread runs show`: one run's report, evidence or trace.

use serde_json::json;
use wellread_core::Result;
use wellread_core::engine::log::{self, RunDocument};

use super::{Invocation, strip_terminal_codes, success};
use crate::app::App;

/// Show a run: its report, its evidence or its full trace
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The report shows the run's result, what it spent of its budget, how many of its sentences are \
supported, and what left this machine.\n\nExample:\n  wellread runs show 01kbd4\n  wellread runs show 01kbd4 evidence\n  \
wellread runs show 01kbd4 trace --json"
)]
pub struct ShowArgs {
    /// The run's id, or the start of it
    id: String,
    /// Which document to show
    #[arg(default_value = "report")]
    document: DocumentArg,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum DocumentArg {
    Trace,
    Evidence,
    Report,
}

pub fn run(invocation: &Invocation, app: &App, args: &ShowArgs) -> Result<()> {
    let run = log::find_run(&*app.records, &args.id)?.id;
    let events = app.records.events(&run)?;
    let document = match args.document {
        DocumentArg::Trace => RunDocument::Trace,
        DocumentArg::Evidence => RunDocument::Evidence,
        DocumentArg::Report => RunDocument::Report,
    };
    if !invocation.output.json {
        return invocation.output.text(&strip_terminal_codes(&document.render(&run, &events)));
    }
    let answer = match document {
        RunDocument::Trace => log::trace_document(&run, &events),
        RunDocument::Evidence => log::evidence_document(&run, &events),
        RunDocument::Report => {
            let mut answer = json!(log::summarize_run(&run, &events));
            answer["report"] = json!(log::render_report(&run, &events));
            answer
        }
    };
    invocation.output.object(&success(answer))
}
