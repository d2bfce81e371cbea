//! `wellread runs diff`: where two runs went different ways.

use serde_json::json;
use wellread_core::Result;
use wellread_core::engine::log::{self, RunComparison, RunSummary, ValueComparison};

use super::{Invocation, strip_terminal_codes, success};
use crate::app::App;

/// Compare two runs: question and plan, steps, evidence and result
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  wellread runs diff 01kbd4 01kbd9\n  wellread runs diff 01kbd4 01kbd9 --json"
)]
pub struct DiffArgs {
    /// A run's id, or the start of it
    a: String,
    /// The other run's id, or the start of it
    b: String,
}

pub fn run(invocation: &Invocation, app: &App, args: &DiffArgs) -> Result<()> {
    let (a, b) = (log::find_run(&*app.records, &args.a)?.id, log::find_run(&*app.records, &args.b)?.id);
    let (first, second) = (app.records.events(&a)?, app.records.events(&b)?);
    let compared = log::compare((&a, &first), (&b, &second));
    if invocation.output.json {
        return invocation.output.object(&success(json!(compared)));
    }
    invocation.output.text(&strip_terminal_codes(&render_diff(&compared)))
}

fn render_diff(compared: &RunComparison) -> String {
    let mut text = format!("a  {}\nb  {}\n\n", render_run(&compared.a), render_run(&compared.b));
    if compared.same {
        text += "no difference in request, plan, steps, evidence and result\n";
        return text;
    }
    for (name, both) in [("request", &compared.request), ("plan", &compared.plan), ("steps", &compared.steps)]
    {
        text += &render_part(name, both);
    }
    let places = &compared.evidence;
    text += &format!(
        "evidence: {} only in a, {} only in b, {} in both\n",
        places.only_a.len(),
        places.only_b.len(),
        places.both.len()
    );
    for (mark, list) in [("-", &places.only_a), ("+", &places.only_b), ("~ different text:", &places.changed)]
    {
        for place in list {
            text += &format!("{mark} {}\n", place.replace('\n', " "));
        }
    }
    text += &if compared.coverage.same {
        format!("coverage: the same, {}\n", compared.coverage.a)
    } else {
        format!("coverage: {} and {}\n", compared.coverage.a, compared.coverage.b)
    };
    text + &render_part("result", &compared.result)
}

fn render_run(run: &RunSummary) -> String {
    let ended = run.outcome.map_or("not finished", wellread_core::ports::event::RunOutcome::name);
    format!("{}  {}  {ended}", run.run_id, run.title.replace('\n', " "))
}

fn render_part(name: &str, both: &ValueComparison) -> String {
    if both.same { format!("{name}: the same\n") } else { format!("{name}:\n{}", both.diff) }
}
