//! `wellread runs show`: one run's report, evidence or trace.

use serde_json::json;
use wellread_core::Result;
use wellread_core::engine::log::{self, Document};
use wellread_core::ports::Records as _;

use super::{Invocation, printable, success};
use crate::app::App;

/// Show a run: its report, its evidence, or all that happened
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The report says what the run gave, what it spent against its budget, how many of its sentences are \
supported, and what left the machine.\n\nExample:\n  wellread runs show 01kbd4\n  wellread runs show 01kbd4 evidence\n  \
wellread runs show 01kbd4 trace --json"
)]
pub struct ShowArgs {
    /// The run's id, or the beginning of it
    id: String,
    /// Which of its documents
    #[arg(default_value = "report")]
    document: Which,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Which {
    Trace,
    Evidence,
    Report,
}

pub fn run(invocation: &Invocation, app: &App, args: &ShowArgs) -> Result<()> {
    let run = log::find(&*app.records, &args.id)?.id;
    let events = app.records.events(&run)?;
    let document = match args.document {
        Which::Trace => Document::Trace,
        Which::Evidence => Document::Evidence,
        Which::Report => Document::Report,
    };
    if !invocation.output.json {
        return invocation.output.text(&printable(&document.text(&run, &events)));
    }
    let answer = match document {
        Document::Trace => log::trace(&run, &events),
        Document::Evidence => log::evidence(&run, &events),
        Document::Report => {
            let mut answer = json!(log::summary(&run, &events));
            answer["report"] = json!(log::report(&run, &events));
            answer
        }
    };
    invocation.output.object(&success(answer))
}
