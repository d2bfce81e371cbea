//! `wellread init`: finds what is on this machine, asks at most five questions, writes the settings, and answers a first
//! question from the vault.

mod choices;
mod dialog;
mod first_answer;
mod plan;
mod surroundings;

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use wellread_core::Result;

use self::choices::SetupChoices;
use self::first_answer::FirstAnswer;
use self::plan::SetupPlan;
use self::surroundings::Surroundings;
use super::Invocation;
use crate::config::{Config, Flags};
use crate::mcp_clients::CLIENTS;
use crate::output::success;

/// Set Wellread up: find your vault and a model, and answer a first question
#[derive(Debug, clap::Args)]
#[command(
    after_help = "On a terminal it asks at most five questions; Enter takes what is suggested. Elsewhere it asks nothing: give \
`--vault`, or `--yes` to take every suggestion. It says what it writes and where, and running it again is harmless. The first \
question is drawn from your own headings and answered on this machine, without a model.\n\n\
Example:\n  wellread init\n  wellread init --vault ~/notes --model none\n  wellread init --yes --client claude-code\n  \
wellread init --yes --dry-run"
)]
pub struct InitArgs {
    /// Take every suggestion and ask nothing
    #[arg(short, long)]
    yes: bool,
    /// The language model: the name of one on this machine, `openai`, `anthropic` or `fireworks` if its key is in the
    /// environment, or `none`
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A folder of code to search beside the notes; may be repeated
    #[arg(long = "repo", value_name = "DIR")]
    repos: Vec<PathBuf>,
    /// An MCP client to add Wellread to; may be repeated
    #[arg(long = "client", value_name = "CLIENT",
          value_parser = clap::builder::PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name)))]
    clients: Vec<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub fn run(invocation: &Invocation, args: &InitArgs) -> Result<ExitCode> {
    let output = invocation.output;
    let config = Config::load_for_change(&invocation.flags)?;
    let found = Surroundings::find(&config)?;
    let asks = !args.yes && !output.json && io::stdin().is_terminal() && io::stderr().is_terminal();
    let choices = if asks {
        output.notice(&found.render());
        dialog::ask_questions(output, &config, &found, args)?
    } else {
        SetupChoices::from_flags(&config, &found, args)?
    };
    let Some(vault) = choices.vault.clone() else {
        output.notice("No vault was chosen, and nothing was written. `wellread demo` shows Wellread on an example vault.");
        return Ok(ExitCode::SUCCESS);
    };
    let flags = Flags { vault: Some(vault.display().to_string()), ..invocation.flags.clone() };
    let plan = SetupPlan::build(&flags, &choices)?;
    let mut answer = json!({
        "vault": vault, "file": plan.file, "dry_run": args.dry_run, "found": found.to_json(), "changes": plan.describe(),
    });
    output.notice(&plan.render(args.dry_run));
    if args.dry_run {
        return print_end(invocation, answer, None);
    }
    plan.apply()?;
    plan.report_overrides(invocation, &vault)?;
    let first = first_answer::find_first_answer(invocation, &flags)?;
    answer["first"] = json!(first);
    print_end(invocation, answer, Some(&first))
}

fn print_end(invocation: &Invocation, answer: Value, first: Option<&FirstAnswer>) -> Result<ExitCode> {
    let output = invocation.output;
    if output.json {
        output.object(&success(answer))?;
    } else if let Some(first) = first {
        output.text(&first.render())?;
        output.notice(NEXT);
    }
    Ok(ExitCode::SUCCESS)
}

const NEXT: &str = "\nNext:\n  wellread ask '…'         ask your notes\n  wellread search '…'      search them\n  \
wellread serve --open    the web page\n  wellread doctor          what is set up, and what is missing";
