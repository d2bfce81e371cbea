//! What the commands that research have in common: the web for one call, progress, and Ctrl-C.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::Result;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::{Effect, Tool};
use wellread_core::research::{AnswerText, Recipe};

use super::place_links::PlaceLinks;
use super::{Invocation, build_runtime};
use crate::output::success;
use crate::{progress, signals};

/// Calls a tool that takes its time. The first Ctrl-C calls it off; what was gathered by then is in its run.
pub fn call_tool<T: Tool>(invocation: &Invocation, tool: T, args: T::Args, web: bool) -> Result<T::Output>
where
    T::Args: Clone,
{
    let app = match T::EFFECT {
        Effect::Reads => invocation.open_app_to_read(web)?,
        _ => invocation.open_app_with_web(web)?,
    };
    let stop = StopSignal::default();
    signals::cancel_on_signal(&app.files, stop.clone(), invocation.output);
    let ctx = app.ctx.with_progress(Arc::new(progress::progress_printer(invocation.output)), stop);
    let runtime = build_runtime()?;
    let answer = runtime.block_on(app.call_in(ctx, tool, args));
    invocation.output.show_status("");
    runtime.shutdown_background();
    answer
}

/// Prints what a recipe answered: its fields with `--json`, else as people read it.
pub fn print_answer<R: Recipe>(invocation: &Invocation, recipe: &R, answer: &R::Answer) -> Result<ExitCode> {
    print_fields(invocation, json!(answer), &recipe.render(answer)?)
}

/// Prints an answer whose type is not known here.
pub fn print_fields(invocation: &Invocation, fields: Value, shown: &AnswerText) -> Result<ExitCode> {
    let output = invocation.output;
    if output.json {
        output.object(&success(fields))?;
        return Ok(ExitCode::SUCCESS);
    }
    let links = PlaceLinks::from_config(&invocation.load_config()?);
    output.styled(&links.link_text(&shown.text))?;
    shown.notices.iter().for_each(|notice| output.notice(notice));
    Ok(ExitCode::SUCCESS)
}
