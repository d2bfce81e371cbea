//! How a face calls a tool: by its type, or by name with JSON where a client or a model chose it.
//!
//! Both go the same way: on a thread that may wait for the disk, with the index ready where the tool searches, and within the
//! time that the tool's declaration allows.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;
use wellread_core::domain::decision::UserDecision;
use wellread_core::domain::display::render_duration;
use wellread_core::faces::tools::{Ctx, Declaration, Effect, Tool, ToolOutput};
use wellread_core::{Error, Result};

use crate::app::App;

/// What a tool's declaration says about how it is called.
struct CallRules {
    name: &'static str,
    limit: Duration,
    effect: Effect,
    searches: bool,
    recipe: bool,
}

impl App {
    /// Calls a tool by its type; what it answers is its own output.
    pub async fn call<T: Tool>(self: Arc<Self>, tool: T, args: T::Args) -> Result<T::Output>
    where
        T::Args: Clone,
    {
        let ctx = self.ctx.clone();
        self.call_in(ctx, tool, args).await
    }

    /// Calls a tool by its type in another context, such as one with progress and a stop signal.
    pub async fn call_in<T: Tool>(self: Arc<Self>, ctx: Ctx, tool: T, args: T::Args) -> Result<T::Output>
    where
        T::Args: Clone,
    {
        let rules = CallRules {
            name: T::NAME,
            limit: T::LIMIT,
            effect: T::EFFECT,
            searches: T::SEARCHES,
            recipe: T::RECIPE,
        };
        let call = move |_: &App, runtime: &Handle, ctx: &Ctx| runtime.block_on(tool.call(ctx, args.clone()));
        self.call_by_rules(ctx, rules, call).await
    }

    /// Calls the tool of that name with arguments as JSON, as the user's program or script names it: the call is the user's
    /// decision.
    pub async fn call_tool(self: Arc<Self>, by: UserDecision, name: String, args: Value) -> Result<Value> {
        let ctx = self.ctx.with_decision(by);
        self.call_tool_in(ctx, name, args).await.map(|answer| answer.fields)
    }

    /// Calls the tool of that name in another context; the answer comes with its evidence and its origins.
    pub async fn call_tool_in(self: Arc<Self>, ctx: Ctx, name: String, args: Value) -> Result<ToolOutput> {
        let Declaration { name, limit, effect, searches, recipe, .. } = *self.tool(&name)?.declaration();
        let rules = CallRules { name, limit, effect, searches, recipe };
        let call = move |app: &App, runtime: &Handle, ctx: &Ctx| {
            runtime.block_on(app.tool(name)?.call(ctx, args.clone()))
        };
        self.call_by_rules(ctx, rules, call).await
    }

    async fn call_by_rules<R: Send + 'static>(
        self: Arc<Self>,
        ctx: Ctx,
        rules: CallRules,
        call: impl Fn(&App, &Handle, &Ctx) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let CallRules { name, limit, effect, searches, recipe } = rules;
        let runtime = Handle::current();
        let app = self;
        let answer = tokio::task::spawn_blocking(move || {
            match (searches, recipe) {
                (true, true) => app.wait_for_complete_index(&ctx.stop)?,
                (true, false) => app.make_searchable(&|_| {})?,
                (false, _) => {}
            }
            let call = || call(&app, &runtime, &ctx);
            // Research is not made twice: what it paid for is in its run.
            if recipe { call() } else { app.retry_with_new_index(call) }
        });
        let broke_down = || Error::failed(format!("{name} failed unexpectedly; this is a bug in Wellread"));
        // A change that has begun is waited for: to say that it failed, and make it all the same, would be a lie.
        if effect != Effect::Reads {
            return answer.await.unwrap_or_else(|_| Err(broke_down()));
        }
        match tokio::time::timeout(limit, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(broke_down()),
            Err(_) => Err(Error::failed(format!(
                "{name} took longer than {} and was stopped",
                render_duration(limit)
            ))
            .hint("nothing was changed; it may be a slow disk: try again")),
        }
    }
}
