//! One turn: from the user's message to an answer that may be shown.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use wellread_text::{neutralize, reveal_hidden};

use super::attachment::{attach_to_message, take_in};
use super::outgoing::OutgoingGuard;
use super::privacy::private_notes_error;
use super::stream::BlockStream;
use super::stub::build_stub;
use super::toolbox::{ChatTools, Rehearsal};
use super::{Chat, ChatEvent, ChatProgress, PendingEdit, Session, SessionEntry, TurnInput, TurnRequest};
use crate::domain::decision::{DecidedBy, UserDecision};
use crate::domain::id;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::domain::verdict::VerdictCounts;
use crate::engine::agent::{
    ActionFormat, Agent, AgentEvent, Conversation, ToolRound, TurnEnd, TurnOutcome, has_failed,
};
use crate::engine::run::{Run, ToolReply};
use crate::faces::tools::find_tool;
use crate::ports::Message;
use crate::ports::event::RunOutcome;
use crate::trust::citations::{CitedPlace, show_places};
use crate::trust::gate::{find_unchecked, supported_part};
use crate::trust::prompt::{PromptDocument, fence_document};
use crate::{Error, Result};

/// What a turn answers with.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChatResponse {
    /// The answer, as markdown that does nothing.
    pub response: String,
    /// The conversation's id.
    pub session_id: String,
    /// The run's id.
    pub run_id: String,
    /// The places that bear out what the answer cites them for, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<CitedPlace>,
    /// Edits that wait for the user's word: each with what it would change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<PendingEditView>,
    /// Sentences of the answer that make a claim and cite nothing: they were not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<String>,
    /// How many of its sentences are supported by what they cite; absent where nothing is cited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<VerdictCounts>,
    /// What was taken out of the answer to make it harmless, by kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Value>,
    /// Something the user should know besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Why the turn ended.
    #[serde(skip)]
    pub end: TurnEnd,
    /// The answer with ids as citations, as the run stores it to be judged again.
    #[serde(skip)]
    pub(super) report: String,
}

/// An edit that waits for the user's confirmation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PendingEditView {
    /// What `confirm` and `decline` take.
    pub id: String,
    /// The tool that makes the edit.
    pub tool: String,
    /// What it would change. What a reader would not see stands there by its number: `⟨U+202E⟩`.
    pub diff: String,
}

impl PendingEditView {
    /// The view of a pending edit.
    pub fn from_edit(edit: &PendingEdit) -> Self {
        Self { id: edit.id.clone(), tool: edit.tool.clone(), diff: reveal_hidden(&edit.diff) }
    }
}

/// Sends the rest of the checked answer, or all of it if it differs from what was streamed.
fn send_remaining_text(streamed: &BlockStream, text: &str, watch: ChatProgress<'_>) {
    match streamed.remaining(text) {
        Some("") => {}
        Some(rest) => watch(ChatEvent::Text { text: rest.to_owned() }),
        None => {
            watch(ChatEvent::Again);
            watch(ChatEvent::Text { text: text.to_owned() });
        }
    }
}

impl Chat {
    /// Runs a turn; returns the answer, the conversation after it, and the run's outcome.
    pub(super) async fn run_turn(
        &self,
        run: &Run,
        request: TurnRequest,
        watch: ChatProgress<'_>,
    ) -> Result<(ChatResponse, Session, RunOutcome)> {
        match request.what.clone() {
            TurnInput::Message(message) => self.converse(run, request, &message, watch).await,
            TurnInput::Confirm(edit) => {
                // The turn was begun by `Chat::decide`, or is being resumed or replayed after that.
                let decision = UserDecision::new(DecidedBy::Confirmation);
                self.confirm(run, request.session, (&edit, decision), watch).await
            }
            TurnInput::Decline(edit) => {
                let mut session = request.session;
                session.pending.retain(|pending| pending.id != edit);
                let text = format!("{edit} was not made.");
                session.entries.push(SessionEntry::from_user(format!("(The user declined {edit}.)")));
                session.entries.push(SessionEntry::from_reply(text.clone()));
                let response = self.build_response(run, &session, text, None);
                Ok((response, session, RunOutcome::Done))
            }
        }
    }

    async fn converse(
        &self,
        run: &Run,
        request: TurnRequest,
        message: &str,
        watch: ChatProgress<'_>,
    ) -> Result<(ChatResponse, Session, RunOutcome)> {
        let leaves = self.has_remote_model();
        if leaves && !request.leaves && !run.is_replay() {
            return Err(private_notes_error("this turn may contain private notes").hint(
                "it was started with a model on this machine: continue with one, or send the message again",
            ));
        }
        let TurnRequest { mut session, system, limits, attached, .. } = request;
        session.remember_urls(message);
        session.shorten();
        let mut messages = self.history(run, &session)?;
        take_in(&mut session, &attached);
        let text = self.message_with_open_note(run, &mut session, message)?;
        messages.push(Message::User { text: attach_to_message(run, text, &attached)? });
        let outgoing = OutgoingGuard::from_session(&session, message, self.tool_runner.tools());
        let toolbox = ChatTools {
            tool_runner: &*self.tool_runner,
            leaves,
            outgoing: Mutex::new(outgoing),
            pending: Mutex::new(session.pending.clone()),
            asked: session.asked - session.pending.len().min(session.asked as usize) as u32,
        };
        let streamed = Mutex::new(BlockStream::default());
        let on_progress = |progress| self.report_progress(run, progress, &session, &streamed, watch);
        let agent = Agent::new(run, &*self.model, &toolbox, limits, &on_progress, ActionFormat::Calls);
        let conversation = Conversation { system, messages, origin: session.origin };
        let TurnOutcome { text, end, origin, done, conversation } = agent.run_turn(conversation).await?;
        let (text, judged) = self.check_answer(&agent, &conversation, text, watch).await?;
        session.notes |= toolbox.outgoing.into_inner().unwrap_or_else(PoisonError::into_inner).notes;
        let pending = toolbox.pending.into_inner().unwrap_or_else(PoisonError::into_inner);
        session.asked += (pending.len() - session.pending.len()) as u32;
        session.pending = pending;
        session.origin = session.origin.combine(origin);
        session.entries.push(SessionEntry::User { text: message.to_owned(), attached });
        self.record_steps(run, &mut session, done)?;
        let (report, removed) = self.finish_text(run, &session, &text)?;
        let (text, _) = show_places(&report, &run.ledger());
        // Only what was confirmed has a source.
        let (_, citations) = show_places(&supported_part(&report), &run.ledger());
        let unchecked = find_unchecked(&report);
        session.entries.push(SessionEntry::Assistant {
            text: text.clone(),
            calls: Vec::new(),
            unchecked: unchecked.clone(),
        });
        let rest = streamed.into_inner().unwrap_or_else(PoisonError::into_inner);
        send_remaining_text(&rest, &text, watch);
        let outcome = if let TurnEnd::Budget(_) = end { RunOutcome::OutOfBudget } else { RunOutcome::Done };
        let mut response = self.build_response(run, &session, text, removed);
        response.coverage = judged.map(|judged| judged.coverage);
        response.unchecked = unchecked;
        (response.citations, response.report, response.end) = (citations, report, end);
        Ok((response, session, outcome))
    }

    /// Adds the rounds of tool calls before the answer to the conversation.
    fn record_steps(&self, run: &Run, session: &mut Session, steps: Vec<ToolRound>) -> Result<()> {
        for step in steps {
            let calls = step.calls.iter().map(|(call, _)| call.clone()).collect();
            // The text becomes part of the history, so it is made inert.
            let text = match step.text.trim() {
                "" => String::new(),
                text => self.finish_text(run, session, text)?.0,
            };
            session.entries.push(SessionEntry::Assistant { text, calls, unchecked: Vec::new() });
            for (call, answered) in step.calls {
                session.private |= answered.private;
                session.remember_found_urls(&call, &answered.envelope);
                session.entries.push(self.tool_entry(call.id, call.name, &answered));
            }
        }
        Ok(())
    }

    /// Makes the edit that was shown, provided that it would still change the same.
    async fn confirm(
        &self,
        run: &Run,
        mut session: Session,
        (edit, decision): (&str, UserDecision),
        watch: ChatProgress<'_>,
    ) -> Result<(ChatResponse, Session, RunOutcome)> {
        let at = session.pending.iter().position(|pending| pending.id == edit);
        let at =
            at.ok_or_else(|| Error::not_found(format!("no edit `{edit}` is waiting in this conversation")))?;
        let PendingEdit { tool, arguments, diff, .. } = session.pending[at].clone();
        let toolbox = ChatTools {
            tool_runner: &*self.tool_runner,
            leaves: self.has_remote_model(),
            outgoing: Mutex::default(),
            pending: Mutex::default(),
            asked: session.asked,
        };
        let (made, text) = match toolbox.rehearse(run, &tool, &arguments).await? {
            Ok(Rehearsal { diff: same, arguments }) if same == diff => {
                let tool_event = |name: String| ChatEvent::Tool {
                    id: edit.to_owned(),
                    name,
                    arguments: arguments.clone(),
                };
                watch(tool_event(tool.clone()));
                let began = Instant::now();
                let done = toolbox.perform(run, &tool, &arguments, Origin::Outside, Some(decision)).await?;
                session.pending.remove(at);
                let failed = has_failed(&done.envelope);
                watch(ChatEvent::ToolDone {
                    id: edit.to_owned(),
                    name: tool,
                    failed,
                    waits: false,
                    edit: None,
                    places: Vec::new(),
                    took_ms: began.elapsed().as_millis() as u64,
                });
                (!failed, describe_edit(edit, &done.envelope))
            }
            Ok(Rehearsal { diff, arguments }) => {
                session.pending[at] = PendingEdit { diff, arguments, ..session.pending[at].clone() };
                let why = "the note has changed, and it would do something else now. Look at it again.";
                (false, format!("{edit} was not made: {why}"))
            }
            Err(now) => {
                session.pending.remove(at);
                (false, format!("{} It no longer waits.", describe_edit(edit, &now.envelope)))
            }
        };
        session.entries.push(SessionEntry::from_user(format!("(The user confirmed {edit}.)")));
        // The tool's message is for the user only: it names notes, which may be private.
        let became = format!("{edit} was {}made.", if made { "" } else { "not " });
        session.entries.push(SessionEntry::from_reply(became));
        let (text, removed) = self.finish_text(run, &session, &text)?;
        watch(ChatEvent::Text { text: text.clone() });
        let response = self.build_response(run, &session, text, removed);
        Ok((response, session, RunOutcome::Done))
    }

    /// The conversation so far for the model; stubs are fenced like all tool answers.
    fn history(&self, run: &Run, session: &Session) -> Result<Vec<Message>> {
        let message = |entry: &SessionEntry| {
            Ok(match entry.clone() {
                SessionEntry::User { text, attached } => {
                    Message::User { text: attach_to_message(run, text, &attached)? }
                }
                SessionEntry::Assistant { text, calls, .. } => Message::Assistant { text, calls },
                SessionEntry::Tool { call_id, name, stub, failed } => {
                    let who = format!("the tool `{name}`, in an earlier turn and shortened since");
                    let document =
                        PromptDocument { who: &who, name: &call_id, text: &stub, cap: usize::MAX, id: None };
                    let mut nonce = || run.draw("nonce", id::nonce).unwrap_or_default();
                    let text = fence_document(document, "go on with what the user asked", &mut nonce)?.text;
                    Message::Tool { call_id, name, text, failed }
                }
            })
        };
        session.entries.iter().map(message).collect()
    }

    /// The user's message, with the note that is open. Facts about the note are logged, so that a replay sees the same.
    fn message_with_open_note(&self, run: &Run, session: &mut Session, message: &str) -> Result<String> {
        let Some(file) = session.active_file.clone() else { return Ok(message.to_owned()) };
        let known = run.draw("open", || self.open_note(&file))?;
        let Some((origin, private)) = known else { return Ok(message.to_owned()) };
        // A name is untrusted text, too: a clipped page chose its own.
        session.origin = session.origin.combine(origin);
        session.private |= private;
        session.notes = true;
        let file = neutralize(&file).text.replace('`', "'");
        Ok(format!("{message}\n\n(The user has the note `{file}` open.)"))
    }

    /// The origin of the open note and whether it is private; `None` if the model must not know of it.
    fn open_note(&self, file: &str) -> Option<(Origin, bool)> {
        let vault = &self.tool_runner.ctx().vault;
        let path = vault.rules.parse_file(file).ok()?;
        let private = vault.is_private(&path);
        (!(private && self.has_remote_model())).then(|| (vault.origin_of(&path), private))
    }

    fn tool_entry(&self, call_id: String, name: String, answered: &ToolReply) -> SessionEntry {
        let fields =
            find_tool(self.tool_runner.tools(), &name).map_or(&[][..], |tool| tool.declaration().stub);
        let stub = Untrusted::new(answered.origin, build_stub(&answered.envelope, fields).to_string());
        SessionEntry::Tool { call_id, name, stub, failed: has_failed(&answered.envelope) }
    }

    fn report_progress(
        &self,
        run: &Run,
        progress: AgentEvent,
        session: &Session,
        streamed: &Mutex<BlockStream>,
        watch: ChatProgress<'_>,
    ) {
        let mut streamed = streamed.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            AgentEvent::Text(piece) => {
                if let Some(text) = streamed.push_piece(&piece, |text| self.make_inert(session, text).0) {
                    watch(ChatEvent::Text { text });
                }
            }
            AgentEvent::Again => {
                streamed.reset();
                watch(ChatEvent::Again);
            }
            AgentEvent::Calls { id, tool, arguments } => {
                // Text before a tool call is not the answer.
                streamed.reset();
                watch(ChatEvent::Again);
                watch(ChatEvent::Tool { id, name: tool, arguments });
            }
            AgentEvent::Called { id, tool, failed, waits, evidence, took } => {
                let ledger = run.ledger();
                let entries = evidence.iter().filter_map(|id| ledger.entry(id));
                watch(ChatEvent::ToolDone {
                    id,
                    name: tool,
                    failed,
                    waits: waits.is_some(),
                    edit: waits,
                    places: entries.map(CitedPlace::from_evidence).collect(),
                    took_ms: took.as_millis() as u64,
                });
            }
        }
    }

    fn build_response(
        &self,
        run: &Run,
        session: &Session,
        response: String,
        removed: Option<Value>,
    ) -> ChatResponse {
        ChatResponse {
            report: response.clone(),
            response,
            citations: Vec::new(),
            unchecked: Vec::new(),
            session_id: session.id.clone(),
            run_id: run.id().to_string(),
            pending: session.pending.iter().map(PendingEditView::from_edit).collect(),
            coverage: None,
            removed,
            notice: None,
            end: TurnEnd::Said,
        }
    }
}

fn describe_edit(edit: &str, envelope: &Value) -> String {
    let word = |name: &str| envelope.get(name).and_then(Value::as_str).unwrap_or_default();
    if has_failed(envelope) {
        format!("{edit} was not made: {}.", word("error"))
    } else {
        match word("message") {
            "" => format!("{edit} is done."),
            message => format!("{edit} is done: {message}."),
        }
    }
}
