//! `wellread ask`: one factual question, one paragraph and its source.

use std::process::ExitCode;

use serde_json::json;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::faces::tools;
use wellread_core::library::judge::PrivateReason;
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
    let private =
        if answer.kind == AskAnswerKind::Unsure { find_private_hit(invocation, &query) } else { None };
    match private {
        Some((path, PrivateReason::Frontmatter)) => invocation.output.notice(&format!(
            "note: `{path}` may have the answer, but its frontmatter can't be read, so it counts as private and `ask` leaves \
             it out: `wellread status` says what is wrong with it"
        )),
        Some(_) => invocation.output.notice(
            "note: a private note may have the answer, and `ask` does not read those: `wellread search` finds it",
        ),
        None => {}
    }
    let found_nothing = answer.kind == AskAnswerKind::Unsure && answer.source.is_none();
    Ok(if found_nothing { nothing_found() } else { status })
}

/// The first of the best passages for a question that is of a private note, and why the note is private. Only the user hears
/// of it: an answer may go to a bot or a model elsewhere, this does not.
fn find_private_hit(invocation: &Invocation, question: &str) -> Option<(VaultPath, PrivateReason)> {
    let private_hit = || -> Result<Option<(VaultPath, PrivateReason)>> {
        let app = invocation.open_app()?;
        let params = serde_json::from_value(json!({ "q": question, "k": LOOKED_AT }));
        let params = params.map_err(|error| Error::invalid(error.to_string()))?;
        let found = answers::search(&app, &params, &|_| {})?;
        let vault = &app.ctx.vault;
        let mut notes = found.results.iter().filter(|passage| passage.repo.is_none());
        Ok(notes.find_map(|passage| {
            let path = vault.rules.parse_file(&passage.path).ok()?;
            let reason = vault.judge().find_private_reason(&path)?;
            Some((path, reason))
        }))
    };
    private_hit().ok().flatten()
}
