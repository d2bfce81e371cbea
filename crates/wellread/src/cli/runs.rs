//! `wellread runs`: what was done, and what became of it.

mod diff;
mod forget;
mod show;

use std::process::ExitCode;

use serde_json::json;
use wellread_core::Result;
use wellread_core::ports::RunHeader;
use wellread_core::ports::event::RunKind;

use super::Invocation;
use crate::answers;
use crate::output::success;

/// List runs, newest first; show one, compare two, or forget some
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Every question, research and chat turn is recorded as a run: its steps, its evidence, and what left this \
machine.\n\nExample:\n  wellread runs\n  wellread runs --kind code -n 5\n  wellread runs show 01kbd4\n  wellread runs diff 01kbd4 01kbd9\n  wellread runs forget --older 90"
)]
pub struct RunsArgs {
    #[command(subcommand)]
    what: Option<RunsCommand>,
    /// Only runs of this kind: chat, ask, note, summary, code or agenda
    #[arg(long, value_parser = parse_kind)]
    kind: Option<RunKind>,
    /// How many to list
    #[arg(short = 'n', long, default_value_t = 20)]
    limit: usize,
}

#[derive(Debug, clap::Subcommand)]
enum RunsCommand {
    Show(show::ShowArgs),
    Diff(diff::DiffArgs),
    Forget(forget::ForgetArgs),
}

pub fn run(invocation: &Invocation, args: &RunsArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    let done = match &args.what {
        Some(RunsCommand::Show(args)) => show::run(invocation, &app, args),
        Some(RunsCommand::Diff(args)) => diff::run(invocation, &app, args),
        Some(RunsCommand::Forget(args)) => forget::run(invocation, &app, args),
        None => {
            let runs = answers::list_runs(&app, args.kind, args.limit.saturating_add(1));
            runs.and_then(|runs| list(invocation, runs, args.limit))
        }
    };
    invocation.report_damaged_records(&app);
    done.map(|()| ExitCode::SUCCESS)
}

fn list(invocation: &Invocation, mut runs: Vec<RunHeader>, limit: usize) -> Result<()> {
    let has_more = runs.len() > limit;
    runs.truncate(limit);
    if invocation.output.json {
        return invocation.output.object(&success(json!({ "runs": runs })));
    }
    if runs.is_empty() {
        invocation.output.notice("no such runs yet");
        return Ok(());
    }
    invocation.output.text(&runs.iter().map(render_line).collect::<String>())?;
    if has_more {
        invocation.output.notice(&format!("note: these are the last {limit}; `-n` lists more"));
    }
    Ok(())
}

/// As much of a title as a line has place for.
const TITLE: usize = 100;

fn render_line(run: &RunHeader) -> String {
    let when = run.began.strftime("%Y-%m-%d %H:%M:%SZ");
    let ended = run.ended.as_deref().unwrap_or("not finished").replace('_', " ");
    let title = match run.forgotten {
        Some(at) => format!("(forgotten on {})", at.strftime("%Y-%m-%d")),
        None => strip_terminal_codes(&run.title).replace(['\n', '\t'], " ").chars().take(TITLE).collect(),
    };
    format!("{}  {when}  {:<7}  {ended:<13}  {title}\n", run.id, run.kind.name())
}

fn parse_kind(name: &str) -> Result<RunKind, String> {
    let known = || RunKind::LISTED.map(RunKind::name).join(", ");
    let found = RunKind::LISTED.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| format!("choose one of: {}", known()))
}

/// Text of others for a terminal: nothing in it speaks to the terminal itself.
fn strip_terminal_codes(text: &str) -> String {
    text.replace(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\t'), "\u{fffd}")
}
