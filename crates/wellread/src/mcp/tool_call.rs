//! One call of a tool for a client that hears how far it has come, and may call it off.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, ProgressNotificationParam};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::mpsc::unbounded_channel;
use wellread_core::Result;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::{Ctx, envelope};
use wellread_core::research::ResearchEvent;

use super::hints;
use super::tool_offer::ToolOffer;
use crate::app::App;
use crate::progress;

/// Runs a tool. What it says of its progress is told where the client asked for that; a cancellation calls it off.
pub async fn call_with_progress(
    app: Arc<App>,
    ctx: Ctx,
    name: String,
    args: Value,
    context: RequestContext<RoleServer>,
) -> Result<Value> {
    let stop = StopSignal::default();
    let (sender, mut receiver) = unbounded_channel::<ResearchEvent>();
    let watch = Arc::new(move |progress| {
        let _ = sender.send(progress);
    });
    let ctx = ctx.with_progress(watch, stop.clone());
    let mut call = std::pin::pin!(app.call_tool_in(ctx, name, args));
    let token = context.meta.get_progress_token();
    let mut step = 0.0;
    loop {
        tokio::select! {
            answer = &mut call => return answer.map(|answer| answer.fields),
            Some(progress) = receiver.recv() => {
                let (Some(token), Some(message)) = (&token, progress::render_progress(&progress)) else { continue };
                step += 1.0;
                let notification = ProgressNotificationParam::new(token.clone(), step).with_message(message);
                // A client that has gone away needs to hear nothing.
                let _ = context.peer.notify_progress(notification).await;
            }
            () = context.ct.cancelled(), if !stop.is_requested() => stop.request(),
        }
    }
}

/// A tool's answer. A failure has no structured content: it would have to fit the schema of a success.
pub fn to_result(offer: &ToolOffer, answer: Result<Value>) -> CallToolResult {
    let failed = answer.is_err();
    let mut envelope = envelope(answer);
    hints::adapt_advice(offer, &mut envelope);
    let mut result = CallToolResult::success(vec![ContentBlock::text(envelope.to_string())]);
    result.structured_content = (!failed).then_some(envelope);
    result.is_error = Some(failed);
    result
}
