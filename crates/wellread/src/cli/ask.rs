//! `wellread ask`: one factual question, one paragraph and its source.

use std::process::ExitCode;

use serde_json::json;
use wellread_core::faces::tools;
use wellread_core::research::{AskAnswerKind, AskRecipe};
use wellread_core::{Error, Result};

use super::Invocation;
use super::research::{call_tool, print_answer};
use crate::answers;
use crate::output::nothing_found;

/// How many passages are looked at for private ones.
const LOOKED_AT: usize = 5;

/// Answer one factual question in a paragraph, with its source
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The answer comes from notes and code and, if a search service is configured, from the web. If the question is \
too broad, you are asked to narrow it down. If nothing was found, the exit status is 3; with `--json`, `kind` says whether it is an \
answer, a request to clarify, uncertain, or unavailable.\n\n\
Example:\n  wellread ask when are colonies treated against varroa\n  wellread ask --web 'who invented the Langstroth hive?'"
)]
pub struct AskArgs {
    /// The question; it needs no quotes, unless it has characters that the shell acts on, such as `?`
    #[arg(required = true)]
    question: Vec<String>,
    /// Search the web for this call; uses DuckDuckGo if no service is configured
    #[arg(long)]
    web: bool,
}

pub fn run(invocation: &Invocation, args: &AskArgs) -> Result<ExitCode> {
    let query = args.question.join(" ");
    if query.trim().is_empty() {
        return Err(Error::invalid("the question is empty").hint("see `wellread ask --help`"));
    }
    let answer =
        call_tool(invocation, tools::AskQuestion, tools::AskArgs { query: query.clone() }, args.web)?;
    let status = print_answer(invocation, &AskRecipe, &answer)?;
    if answer.kind == AskAnswerKind::Unsure && has_private_hit(invocation, &query) {
        invocation.output.notice(
            "note: a private note may have the answer, and `ask` does not read those: `wellread search` finds it",
        );
    }
    let found_nothing = answer.kind == AskAnswerKind::Unsure && answer.source.is_none();
    Ok(if found_nothing { nothing_found() } else { status })
}

/// Whether one of the first passages for a question is of a private note. Only the user hears of it: an answer may go to a bot or a
/// model elsewhere, this does not.
fn has_private_hit(invocation: &Invocation, question: &str) -> bool {
    let private_hit = || -> Result<bool> {
        let app = invocation.open_app()?;
        let params = serde_json::from_value(json!({ "q": question, "k": LOOKED_AT }));
        let params = params.map_err(|error| Error::invalid(error.to_string()))?;
        let found = answers::search(&app, &params, &|_| {})?;
        let vault = &app.ctx.vault;
        let is_private = |path: &str| vault.rules.parse_file(path).is_ok_and(|path| vault.is_private(&path));
        Ok(found.results.iter().any(|passage| passage.repo.is_none() && is_private(&passage.path)))
    };
    private_hit().unwrap_or(false)
}
