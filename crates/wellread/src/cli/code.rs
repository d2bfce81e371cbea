//! `wellread code`: a question about a codebase, looked into step by step.

use std::process::ExitCode;

use serde_json::json;
use wellread_core::Result;
use wellread_core::research::CodeAnswer;

use super::Invocation;
use super::research::{Called, call};
use crate::output::{Output, success};

/// Ask a question about a codebase: the answer comes with file and lines
#[derive(Debug, clap::Args)]
pub struct CodeArgs {
    /// The question
    question: String,
}

pub fn run(invocation: &Invocation, args: &CodeArgs) -> Result<ExitCode> {
    let arguments = json!({ "question": args.question });
    let Called { answer, .. } = call::<CodeAnswer>(invocation, "code_deep_research", arguments, false)?;
    if invocation.output.json {
        invocation.output.object(&success(json!(answer)))?;
    } else {
        shown(invocation.output, &answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn shown(output: Output, answer: &CodeAnswer) -> Result<()> {
    output.text(&answer.answer)?;
    if let Some(notice) = &answer.notice {
        output.notice(&format!("note: {notice}"));
    }
    Ok(())
}
