//! The chat as this process holds it: the app's tools in its hands, each on a thread that may wait and within its limit.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use wellread_core::domain::display::render_duration;
use wellread_core::engine::run::{RunStore, StopSignal};
use wellread_core::faces::chat::{Chat, ToolRunner};
use wellread_core::faces::tools::{AnyTool, Ctx, Effect, ToolOutput, USUAL_LIMIT};
use wellread_core::{Error, Result};

use super::opinions::open_opinion_sources;
use crate::app::App;
use crate::config::Config;

/// The chat over an app.
pub fn open_chat(app: &Arc<App>, config: &Config) -> Result<Chat> {
    let records = app.records.clone();
    Ok(Chat {
        runs: RunStore { records: records.clone(), clock: app.clock.clone() },
        model: app.model.clone(),
        sessions: records.clone(),
        snapshots: records,
        tool_runner: Arc::new(AppToolRunner {
            app: app.clone(),
            ctx: app.ctx.clone(),
            limit: config.tool_limit(),
        }),
        opinions: open_opinion_sources(config),
        settings: config.chat()?,
    })
}

/// The same chat for one turn, which ends when it is told to stop.
pub fn cancellable_chat(chat: &Chat, app: &Arc<App>, limit: Duration, stop: StopSignal) -> Chat {
    let ctx = app.ctx.with_progress(app.ctx.watch.clone(), stop);
    Chat { tool_runner: Arc::new(AppToolRunner { app: app.clone(), ctx, limit }), ..chat.clone() }
}

struct AppToolRunner {
    app: Arc<App>,
    ctx: Ctx,
    limit: Duration,
}

impl ToolRunner for AppToolRunner {
    fn tools(&self) -> &[Box<dyn AnyTool>] {
        &self.app.tools
    }

    fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    fn run_tool<'a>(
        &'a self,
        ctx: Ctx,
        tool: &'a str,
        arguments: Value,
    ) -> Pin<Box<dyn Future<Output = Result<ToolOutput>> + Send + 'a>> {
        Box::pin(async move {
            let declaration = self.app.tool(tool)?.declaration();
            let call = self.app.clone().call_tool_in(ctx, tool.to_owned(), arguments);
            // A tool that says by itself that it takes long keeps its own limit, and a change is waited for.
            if declaration.effect != Effect::Reads || declaration.limit > USUAL_LIMIT {
                return call.await;
            }
            let late = || {
                Error::failed(format!(
                    "{tool} took longer than {} and was stopped",
                    render_duration(self.limit)
                ))
                .hint("nothing was changed; `chat.tool_seconds` sets the limit")
            };
            tokio::time::timeout(self.limit, call).await.unwrap_or_else(|_| Err(late()))
        })
    }
}
