//! `wellread eval`: a suite of questions about code, asked and judged, and held against an earlier run of it.

mod files;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;
use wellread_core::code::codebase::Codebase;
use wellread_core::domain::display::counted;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log::summarize_run;
use wellread_core::ports::event::RunUsage;
use wellread_core::research::evaluation::{
    EvaluationComparison, EvaluationResult, Suite, SuiteQuestion, compare_evaluations, evaluate,
    resolve_suite,
};
use wellread_core::research::{CodeAnswer, CodeRecipe, CodeRequest};
use wellread_core::{Error, Result};

use super::codebase::{CodeArgs, OpenCodebase};
use super::{Invocation, build_runtime};
use crate::app::App;
use crate::output::success;

/// Ask a suite of questions about code, and measure what the answers cite
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A suite is a TOML file: `name`, `repository` (a folder relative to the file, or the name of an added \
repository) and `[[question]]` with `id`, `ask` and `expect = { files, lines, symbols, facts }`. It measures the recall of what is \
expected, the precision of citations, and steps, tokens and seconds, each with a 95 % interval. The configured model answers, or \
rules if there is none.\n\n\
Example:\n  wellread eval examples/eval/hivelog.toml --out before.json\n  \
wellread eval examples/eval/hivelog.toml --compare before.json"
)]
pub struct EvalArgs {
    /// The suite file
    #[arg(value_name = "SUITE.toml")]
    suite: PathBuf,
    /// Compare with the results of an earlier run
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Write the results to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Ask nothing; only check that everything the suite expects exists
    #[arg(long, conflicts_with_all = ["compare", "out"])]
    check: bool,
}

/// An evaluation, and how it compares with an earlier one.
#[derive(Debug, Serialize)]
struct EvalAnswer<'a> {
    #[serde(flatten)]
    evaluated: &'a EvaluationResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<&'a EvaluationComparison>,
}

pub fn run(invocation: &Invocation, args: &EvalArgs) -> Result<ExitCode> {
    let suite = files::read_suite(&args.suite)?;
    let earlier = args.compare.as_deref().map(files::read_results).transpose()?;
    let code = code_args(&suite, &args.suite);
    let OpenCodebase { app, codebase } = invocation.open_codebase(&code)?;
    if args.check {
        return check_suite(invocation, &suite, &codebase);
    }
    let evaluated = run_suite(invocation, &app, &codebase, &suite)?;
    let compared = earlier.map(|earlier| compare_evaluations(&earlier, &evaluated)).transpose()?;
    if let Some(out) = &args.out {
        files::write_results(out, &evaluated)?;
    }
    if invocation.output.json {
        let answer = EvalAnswer { evaluated: &evaluated, compared: compared.as_ref() };
        invocation.output.object(&success(json!(answer)))?;
    } else {
        invocation.output.text(&report::render_evaluation(&evaluated))?;
        if let Some(compared) = &compared {
            invocation.output.text(&report::render_comparison(compared))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A folder beside the suite, or an added repository.
fn code_args(suite: &Suite, file: &Path) -> CodeArgs {
    let beside = file.parent().unwrap_or(Path::new("")).join(&suite.repository);
    if beside.is_dir() || suite.repository.contains(['/', '\\', '.']) {
        CodeArgs { dir: Some(beside), ..CodeArgs::default() }
    } else {
        CodeArgs { repo: Some(suite.repository.clone()), ..CodeArgs::default() }
    }
}

fn check_suite(invocation: &Invocation, suite: &Suite, codebase: &Codebase) -> Result<ExitCode> {
    let places: usize = resolve_suite(codebase, suite)?.iter().map(Vec::len).sum();
    let questions = suite.questions.len();
    if invocation.output.json {
        invocation
            .output
            .object(&success(json!({ "suite": suite.name, "questions": questions, "expected": places })))?;
    } else {
        invocation.output.text(&format!(
            "{}; all {} exist",
            counted(questions, "question", "questions"),
            counted(places, "expected place", "expected places")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn run_suite(
    invocation: &Invocation,
    app: &App,
    codebase: &Codebase,
    suite: &Suite,
) -> Result<EvaluationResult> {
    let runtime = build_runtime()?;
    let model =
        app.ctx.research.model.as_ref().map_or_else(|| "none".to_owned(), |model| model.identity().name);
    let mut done = 0;
    let mut ask = |question: &SuiteQuestion, asked: CodeRequest| {
        done += 1;
        invocation.output.show_status(&format!(
            "question {done} of {}: {}",
            suite.questions.len(),
            question.id
        ));
        let answer =
            runtime.block_on(app.ctx.research.start(&CodeRecipe, app.ctx.recipe_context(), asked))?;
        let spent = run_usage(app, &answer)?;
        Ok((answer, spent))
    };
    let evaluated = evaluate(codebase, suite, &model, &mut ask);
    invocation.output.show_status("");
    let evaluated = evaluated?;
    // One that fails is a figure; all of them are something to put right first.
    if evaluated.totals.failed == evaluated.questions.len()
        && let Some(why) = evaluated.questions.iter().find_map(|judged| judged.error.as_deref())
    {
        return Err(Error::failed(format!("none of the questions could be answered: {why}")));
    }
    Ok(evaluated)
}

/// What the run used, as its log says.
fn run_usage(app: &App, answer: &CodeAnswer) -> Result<RunUsage> {
    let run = RunId::parse(&answer.run_id)?;
    Ok(summarize_run(&run, &app.records.events(&run)?).spent)
}
