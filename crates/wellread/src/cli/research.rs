//! What the commands that research have in common: the web for one call, progress, and Ctrl-C.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use wellread_core::engine::run::Stop;
use wellread_core::{Error, Result};

use super::{Invocation, runtime};
use crate::app::App;
use crate::{progress, signals};

/// What a tool answered, and the app that it was called of.
pub struct Called<T> {
    pub answer: T,
    #[allow(dead_code, reason = "whoever shows more of it needs the app")]
    pub app: Arc<App>,
}

/// Calls a tool that takes its time. The first Ctrl-C calls it off; what was gathered by then is in its run.
pub fn call<T: DeserializeOwned>(
    invocation: &Invocation,
    tool: &str,
    arguments: Value,
    web: bool,
) -> Result<Called<T>> {
    let app = invocation.app_for(web)?;
    let stop = Stop::default();
    signals::call_off(app.files.clone(), stop.clone(), invocation.output);
    let ctx = app.ctx.watched(Arc::new(progress::shown(invocation.output)), stop);
    let runtime = runtime()?;
    let answer = runtime.block_on(app.clone().run_in(ctx, tool.to_owned(), arguments));
    invocation.output.passing("");
    runtime.shutdown_background();
    let answer = serde_json::from_value(answer?.fields);
    let answer =
        answer.map_err(|error| Error::failed(format!("{tool} answered what can't be read: {error}")))?;
    Ok(Called { answer, app })
}
