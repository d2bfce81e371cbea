//! `wellread ask`: one factual question, one paragraph and its source.

use std::process::ExitCode;

use wellread_core::Result;
use wellread_core::faces::tools;
use wellread_core::research::AskRecipe;

use super::Invocation;
use super::research::{call_tool, print_answer};

/// Answer one factual question in a paragraph, with its source
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The answer comes from notes and code and, if a search service is configured, from the web. If the question is \
too broad, you are asked to narrow it down. The exit status is 0 whatever the answer; with `--json`, `kind` says whether it is an \
answer, a request to clarify, uncertain, or unavailable.\n\n\
Example:\n  wellread ask 'When are colonies treated against varroa?'\n  wellread ask --web 'who invented the Langstroth hive'"
)]
pub struct AskArgs {
    /// The question
    question: Vec<String>,
    /// Search the web for this call; uses DuckDuckGo if no service is configured
    #[arg(long)]
    web: bool,
}

pub fn run(invocation: &Invocation, args: &AskArgs) -> Result<ExitCode> {
    let request = tools::AskArgs { query: args.question.join(" ") };
    let answer = call_tool(invocation, tools::AskQuestion, request, args.web)?;
    print_answer(invocation, &AskRecipe, &answer)
}
