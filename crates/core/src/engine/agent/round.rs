//! One round of tool calls: reads run concurrently, changes one by one, in the order of the calls.

use std::time::Instant;

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::continuation::{self, Continuations};
use super::{Agent, AgentEvent};
use crate::Result;
use crate::domain::id::{self, EvidenceId};
use crate::domain::untrusted::{Origin, Untrusted};
use crate::engine::run::ToolReply;
use crate::ports::{Message, ToolCall};
use crate::trust::prompt::{PromptDocument, fence_document};

/// The most calls that one reply may make; any further ones are refused.
const MOST_CALLS: usize = 32;
const TASK: &str = "go on with what the user asked";

/// Gives the calls ids of our own: services choose theirs freely, some all alike, and an id must stay unique within a
/// conversation.
pub fn number_calls(calls: Vec<ToolCall>, messages: &[Message]) -> Vec<ToolCall> {
    let before = messages.iter().flat_map(|message| match message {
        Message::Assistant { calls, .. } => calls.as_slice(),
        Message::User { .. } | Message::Tool { .. } => &[],
    });
    // The highest number, not the count: the oldest turns of a long conversation are dropped.
    let number = |call: &ToolCall| call.id.strip_prefix("call-")?.parse::<usize>().ok();
    let last = before.filter_map(number).max().unwrap_or(0);
    calls.into_iter().zip(last + 1..).map(|(call, n)| ToolCall { id: format!("call-{n}"), ..call }).collect()
}

impl Agent<'_> {
    pub(super) async fn run_calls(
        &self,
        calls: &[ToolCall],
        kept: &mut Continuations,
        origin: &mut Origin,
    ) -> Result<Vec<ToolReply>> {
        let mut answers: Vec<ToolReply> = Vec::with_capacity(calls.len());
        let reads =
            |call: &ToolCall| call.name == continuation::GET_CONTINUATION || self.toolbox.only_reads(call);
        while answers.len() < calls.len() {
            let rest = &calls[answers.len()..];
            let together = rest.iter().take_while(|call| reads(call)).count().max(1);
            let before = answers.len();
            let some = rest[..together].iter().enumerate().map(|(n, call)| {
                let known = kept.answer(call);
                let held = *origin;
                async move {
                    match known {
                        Some(answered) => Ok(answered),
                        None if before + n >= MOST_CALLS => {
                            Ok(refuse_call("too many calls at once; ask for fewer"))
                        }
                        None => self.carry_out(call, held).await,
                    }
                }
            });
            for answered in join_all(some).await {
                let answered = answered?;
                *origin = origin.combine(answered.origin);
                answers.push(answered);
            }
        }
        Ok(answers)
    }

    async fn carry_out(&self, call: &ToolCall, origin: Origin) -> Result<ToolReply> {
        let ToolCall { id, name, arguments } = call.clone();
        (self.watch)(AgentEvent::Calls { id: id.clone(), tool: name.clone(), arguments: arguments.clone() });
        let began = Instant::now();
        let answered = match &arguments {
            Value::Object(_) | Value::Null => self.toolbox.call(self.run, call, origin).await?,
            _ => refuse_call("the arguments are no JSON object; call it again with one"),
        };
        let failed = has_failed(&answered.envelope);
        let waits = answered.envelope.get(WAITS).and_then(Value::as_str).map(str::to_owned);
        let evidence = collect_evidence(&answered.envelope);
        (self.watch)(AgentEvent::Called { id, tool: name, failed, waits, evidence, took: began.elapsed() });
        Ok(answered)
    }

    /// Renders an answer for the model: fenced, unless its origin is the user, and cut where it is long.
    pub(super) fn render_answer(
        &self,
        call: &ToolCall,
        answered: &ToolReply,
        kept: &mut Continuations,
    ) -> Result<Message> {
        let part = kept.part(call, answered);
        let text = match answered.origin {
            Origin::User => part.text,
            origin => {
                let text = Untrusted::new(origin, part.text);
                let who = format!("the tool `{}`, out of {}", call.name, origin_label(origin));
                let document =
                    PromptDocument { who: &who, name: &call.id, text: &text, cap: usize::MAX, id: None };
                let mut nonce = || self.run.draw("nonce", id::nonce).unwrap_or_default();
                fence_document(document, TASK, &mut nonce)?.text
            }
        };
        self.run.mark_shown(self.run.ledger().ids_in_json(&part.handed))?;
        let text = if part.note.is_empty() { text } else { format!("{text}\n{}", part.note) };
        let failed = has_failed(&answered.envelope);
        Ok(Message::Tool { call_id: call.id.clone(), name: call.name.clone(), text, failed })
    }
}

fn origin_label(origin: Origin) -> &'static str {
    match origin {
        Origin::User => "the user's own words",
        Origin::Notes => "the user's notes",
        Origin::Outside => "text that somebody else wrote",
    }
}

/// The field of an envelope that names the edit waiting for the user's confirmation.
pub const WAITS: &str = "waits";

/// Whether a tool's envelope reports a failure.
pub fn has_failed(envelope: &Value) -> bool {
    envelope.get("success") == Some(&Value::Bool(false))
}

/// The ids under which parts of an answer can be cited, in order.
fn collect_evidence(answer: &Value) -> Vec<EvidenceId> {
    match answer {
        Value::Array(items) => items.iter().flat_map(collect_evidence).collect(),
        Value::Object(fields) => {
            let own =
                fields.get("evidence").and_then(Value::as_str).and_then(|id| EvidenceId::parse(id).ok());
            own.into_iter().chain(fields.values().flat_map(collect_evidence)).collect()
        }
        _ => Vec::new(),
    }
}

fn refuse_call(why: &str) -> ToolReply {
    ToolReply::trusted(json!({ "success": false, "error": why }))
}
