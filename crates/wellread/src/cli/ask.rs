//! `wellread ask`: one factual question, one paragraph and its source.

use std::process::ExitCode;

use serde_json::json;
use wellread_core::Result;
use wellread_core::faces::tools;
use wellread_core::research::AskAnswer;

use super::Invocation;
use super::research::call_tool;
use crate::output::{Output, success};

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
    if invocation.output.json {
        invocation.output.object(&success(json!(answer)))?;
    } else {
        print_answer(invocation.output, &answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn print_answer(output: Output, answer: &AskAnswer) -> Result<()> {
    output.text(&answer.answer)?;
    if let Some(notice) = &answer.notice {
        output.notice(&format!("note: {notice}"));
    }
    Ok(())
}
