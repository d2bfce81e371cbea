//! `wellread ask`: one factual question, one paragraph and its source.

use std::process::ExitCode;

use wellread_core::Result;
use wellread_core::faces::tools;
use wellread_core::research::AskRecipe;

use super::Invocation;
use super::research::{call_tool, print_answer};

/// Answer one factual question in a paragraph with its source
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It is answered from the web where a search service is chosen, else from notes and code. A broad question gets a \
question back. The exit status is 0 whatever the answer is; `--json` says in `kind` whether it is an answer, a question back, \
unsure or could not be looked up.\n\n\
Example:\n  wellread ask 'When are colonies treated against varroa?'\n  wellread ask --web 'who invented the Langstroth hive'"
)]
pub struct AskArgs {
    /// The question
    question: Vec<String>,
    /// Search the web for this call: DuckDuckGo, where no service is chosen
    #[arg(long)]
    web: bool,
}

pub fn run(invocation: &Invocation, args: &AskArgs) -> Result<ExitCode> {
    let request = tools::AskArgs { query: args.question.join(" ") };
    let answer = call_tool(invocation, tools::AskQuestion, request, args.web)?;
    print_answer(invocation, &AskRecipe, &answer)
}
