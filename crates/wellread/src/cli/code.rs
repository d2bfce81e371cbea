//! `wellread code`: a question about a codebase, looked into step by step.

use std::process::ExitCode;
use std::sync::Arc;

use wellread_core::Result;
use wellread_core::engine::run::StopSignal;
use wellread_core::research::{CodeRecipe, CodeRequest};

use super::codebase::{CodeArgs, OpenCodebase};
use super::research::print_answer;
use super::{Invocation, build_runtime};
use crate::output::nothing_found;
use crate::{progress, signals};

/// Ask a question about a codebase: a short answer, with file and lines for every statement
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With a model, the model chooses each step (searching, opening lines, following calls); without one, rules do, and \
the answer quotes what they find. Nothing outside the folder and the scope is read, and no code is executed. A folder that was not \
added as a repository is indexed first, and its index is kept.\n\n\
Example:\n  wellread code 'what calls detect_swarms?' ~/code/hivelog\n  \
wellread code 'how far must the weight drop for a swarm?' --repo hivelog --scope 'rust/**' --json"
)]
pub struct CodeQuestionArgs {
    /// The question
    question: String,
    #[command(flatten)]
    code: CodeArgs,
    /// How many steps a model may take, 1 to 20 [setting: code.steps]
    #[arg(long, value_name = "N")]
    budget: Option<u32>,
    /// Show every step
    #[arg(long)]
    debug: bool,
}

pub fn run(invocation: &Invocation, args: &CodeQuestionArgs) -> Result<ExitCode> {
    let OpenCodebase { app, codebase } = invocation.open_codebase(&args.code)?;
    let stop = StopSignal::default();
    signals::cancel_on_signal(&app.files, stop.clone(), invocation.output);
    let ctx = app.ctx.with_progress(Arc::new(progress::progress_printer(invocation.output)), stop);
    let request = CodeRequest {
        question: args.question.clone(),
        repository: Some(codebase.name().to_owned()),
        scope: Some(codebase.scope.as_str().to_owned()),
        budget: args.budget,
        debug: args.debug,
    };
    let runtime = build_runtime()?;
    let answer = runtime.block_on(ctx.research.start(&CodeRecipe, ctx.recipe_context(), request));
    invocation.output.show_status("");
    runtime.shutdown_background();
    let answer = answer?;
    let status = print_answer(invocation, &CodeRecipe, &answer)?;
    let says_nothing = answer.coverage.is_none_or(|coverage| coverage.sentences == 0);
    Ok(if says_nothing && answer.citations.is_empty() { nothing_found() } else { status })
}
