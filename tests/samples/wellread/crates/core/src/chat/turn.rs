//! One turn: from what the user said to an answer that may be shown.

use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use wellread_text::{neutral, visible};

use super::outgoing::Outgoing;
use super::stream::Streamed;
use super::stub::stub;
use super::toolbox::ChatTools;
use super::{Chat, ChatEvent, Entry, PendingEdit, Session, TurnRequest, WatchChat, What, only_here};
use crate::agent::{Agent, Conversation, Picks, Progress, Turn, TurnEnd, has_failed};
use crate::event::Outcome;
use crate::gate::Coverage;
use crate::id;
use crate::ports::Message;
use crate::prompt::{Document, fenced};
use crate::run::{Answered, Run};
use crate::tools::named;
use crate::untrusted::{Origin, Untrusted};
use crate::{Error, Result};

/// What a turn answers with.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// The answer, as markdown that does nothing.
    pub response: String,
    pub session_id: String,
    pub run_id: String,
    /// Edits that wait for the user's word: each with what it would change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<Pending>,
    /// How many of its sentences are supported by what they cite; absent where nothing is cited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// What was taken out of the answer to make it harmless, by kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Value>,
    /// Something the user should know besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Pending {
    /// What `confirm` and `decline` take.
    pub id: String,
    pub tool: String,
    /// What it would change. What a reader would not see stands there by its number: `⟨U+202E⟩`.
    pub diff: String,
}

impl Pending {
    pub fn of(edit: &PendingEdit) -> Self {
        Self { id: edit.id.clone(), tool: edit.tool.clone(), diff: seen(&edit.diff) }
    }
}

/// The text with what hides or acts in it named: who decides about it has to see all of it.
fn seen(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_line = letter == '\r' && letters.peek() == Some(&'\n');
        if !ends_line && visible(letter.encode_utf8(&mut [0; 4])).1 > 0 {
            seen += &format!("⟨U+{:04X}⟩", u32::from(letter));
        } else {
            seen.push(letter);
        }
    }
    seen
}

impl Chat {
    /// The answer, the conversation after it, and how the run ended.
    pub(super) async fn turn(
        &self,
        run: &Run,
        request: TurnRequest,
        watch: WatchChat<'_>,
    ) -> Result<(Response, Session, Outcome)> {
        match request.what.clone() {
            What::Message(message) => self.converse(run, request, &message, watch).await,
            What::Confirm(edit) => self.confirm(run, request.session, &edit, watch).await,
            What::Decline(edit) => {
                let mut session = request.session;
                session.pending.retain(|pending| pending.id != edit);
                let text = format!("{edit} was not made.");
                session.entries.push(Entry::User { text: format!("(The user declined {edit}.)") });
                session.entries.push(Entry::Assistant { text: text.clone(), calls: Vec::new() });
                let response = self.response(run, &session, text, None);
                Ok((response, session, Outcome::Done))
            }
        }
    }

    async fn converse(
        &self,
        run: &Run,
        request: TurnRequest,
        message: &str,
        watch: WatchChat<'_>,
    ) -> Result<(Response, Session, Outcome)> {
        let leaves = self.leaves();
        if leaves && !request.leaves && !run.is_replay() {
            return Err(only_here("this turn may hold private notes")
                .hint("it was begun with a model on this machine: go on with one, or say it anew"));
        }
        let TurnRequest { mut session, system, limits, .. } = request;
        session.know_urls(message);
        session.shorten();
        let mut messages = self.history(run, &session)?;
        messages.push(Message::User { text: self.spoken(run, &mut session, message)? });
        let outgoing = Outgoing::of(&session, message, self.hands.tools());
        let toolbox = ChatTools {
            hands: &*self.hands,
            leaves,
            outgoing: Mutex::new(outgoing),
            pending: Mutex::new(session.pending.clone()),
            asked: session.asked - session.pending.len().min(session.asked as usize) as u32,
        };
        let streamed = Mutex::new(Streamed::default());
        let told = |progress| self.tell(progress, &session, &streamed, watch);
        let agent = Agent::new(run, &*self.model, &toolbox, limits, &told, Picks::Calls);
        let conversation = Conversation { system, messages, origin: session.origin };
        let Turn { text, end, origin, done, conversation } = agent.turn(conversation).await?;
        let (text, report) = self.checked(&agent, &conversation, text, watch).await?;
        session.notes |= toolbox.outgoing.into_inner().unwrap_or_else(PoisonError::into_inner).notes;
        let pending = toolbox.pending.into_inner().unwrap_or_else(PoisonError::into_inner);
        session.asked += (pending.len() - session.pending.len()) as u32;
        session.pending = pending;
        session.origin = session.origin.and(origin);
        session.entries.push(Entry::User { text: message.to_owned() });
        for step in done {
            let calls = step.calls.iter().map(|(call, _)| call.clone()).collect();
            // It is read in the history, too.
            let text = match step.text.trim() {
                "" => String::new(),
                text => self.finished(run, &session, text)?.0,
            };
            session.entries.push(Entry::Assistant { text, calls });
            for (call, answered) in step.calls {
                session.private |= answered.private;
                session.know_urls_found(&call, &answered.envelope);
                session.entries.push(self.kept(call.id, call.name, &answered));
            }
        }
        let (text, removed) = self.finished(run, &session, &text)?;
        session.entries.push(Entry::Assistant { text: text.clone(), calls: Vec::new() });
        let rest = streamed.into_inner().unwrap_or_else(PoisonError::into_inner);
        match rest.rest(&text) {
            Some("") => {}
            Some(rest) => watch(ChatEvent::Text { text: rest.to_owned() }),
            None => {
                watch(ChatEvent::Again);
                watch(ChatEvent::Text { text: text.clone() });
            }
        }
        let outcome = if let TurnEnd::Budget(_) = end { Outcome::OutOfBudget } else { Outcome::Done };
        let mut response = self.response(run, &session, text, removed);
        response.coverage = report.map(|report| report.coverage);
        Ok((response, session, outcome))
    }

    /// Makes the very edit that was shown, provided that it would still change the same.
    async fn confirm(
        &self,
        run: &Run,
        mut session: Session,
        edit: &str,
        watch: WatchChat<'_>,
    ) -> Result<(Response, Session, Outcome)> {
        let at = session.pending.iter().position(|pending| pending.id == edit);
        let at =
            at.ok_or_else(|| Error::not_found(format!("no edit `{edit}` waits in this conversation")))?;
        let PendingEdit { tool, arguments, diff, .. } = session.pending[at].clone();
        let toolbox = ChatTools {
            hands: &*self.hands,
            leaves: false,
            outgoing: Mutex::default(),
            pending: Mutex::default(),
            asked: session.asked,
        };
        let (made, text) = match toolbox.rehearsed(run, &tool, &arguments).await? {
            Ok(same) if same == diff => {
                let told = |name: String| ChatEvent::Tool {
                    id: edit.to_owned(),
                    name,
                    arguments: arguments.clone(),
                };
                watch(told(tool.clone()));
                let done = toolbox.perform(run, &tool, &arguments, Origin::Outside).await?;
                session.pending.remove(at);
                (!has_failed(&done.envelope), about(edit, &done.envelope))
            }
            Ok(other) => {
                session.pending[at].diff = other;
                let why = "the note has changed, and it would do something else now. Look at it again.";
                (false, format!("{edit} was not made: {why}"))
            }
            Err(now) => {
                session.pending.remove(at);
                (false, format!("{} It no longer waits.", about(edit, &now.envelope)))
            }
        };
        session.entries.push(Entry::User { text: format!("(The user confirmed {edit}.)") });
        // What the tool said is for the user: it names notes, and may be about a private one.
        let became = format!("{edit} was {}made.", if made { "" } else { "not " });
        session.entries.push(Entry::Assistant { text: became, calls: Vec::new() });
        let (text, removed) = self.finished(run, &session, &text)?;
        watch(ChatEvent::Text { text: text.clone() });
        let response = self.response(run, &session, text, removed);
        Ok((response, session, Outcome::Done))
    }

    /// What was said before, for the model: stubs behind the barrier like everything that tools answer.
    fn history(&self, run: &Run, session: &Session) -> Result<Vec<Message>> {
        let message = |entry: &Entry| {
            Ok(match entry.clone() {
                Entry::User { text } => Message::User { text },
                Entry::Assistant { text, calls } => Message::Assistant { text, calls },
                Entry::Tool { call_id, name, stub, failed } => {
                    let who = format!("the tool `{name}`, in an earlier turn and shortened since");
                    let document =
                        Document { who: &who, name: &call_id, text: &stub, cap: usize::MAX, id: None };
                    let mut nonce = || run.draw("nonce", id::nonce).unwrap_or_default();
                    let text = fenced(document, "go on with what the user asked", &mut nonce)?.text;
                    Message::Tool { call_id, name, text, failed }
                }
            })
        };
        session.entries.iter().map(message).collect()
    }

    /// The user's message, with the note that they have open. What is known of the note is asked once: run again, the turn
    /// comes to the same whatever became of it.
    fn spoken(&self, run: &Run, session: &mut Session, message: &str) -> Result<String> {
        let Some(file) = session.active_file.clone() else { return Ok(message.to_owned()) };
        let known = run.draw("open", || self.open_note(&file))?;
        let Some((origin, private)) = known else { return Ok(message.to_owned()) };
        // A name is words too: a page that was clipped named itself.
        session.origin = session.origin.and(origin);
        session.private |= private;
        session.notes = true;
        let file = neutral(&file).text.replace('`', "'");
        Ok(format!("{message}\n\n(The user has the note `{file}` open.)"))
    }

    /// Whose words an open note's name is, and whether they are private; none where the model must not know of it.
    fn open_note(&self, file: &str) -> Option<(Origin, bool)> {
        let vault = &self.hands.ctx().vault;
        let path = vault.rules.file(file).ok()?;
        let private = vault.is_private(&path);
        (!(private && self.leaves())).then(|| (vault.origin_of(&path), private))
    }

    fn kept(&self, call_id: String, name: String, answered: &Answered) -> Entry {
        let fields = named(self.hands.tools(), &name).map_or(&[][..], |tool| tool.declaration().stub);
        let stub = Untrusted::new(answered.origin, stub(&answered.envelope, fields).to_string());
        Entry::Tool { call_id, name, stub, failed: has_failed(&answered.envelope) }
    }

    fn tell(&self, progress: Progress, session: &Session, streamed: &Mutex<Streamed>, watch: WatchChat<'_>) {
        let mut streamed = streamed.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            Progress::Text(piece) => {
                if let Some(text) = streamed.piece(&piece, |text| self.inert(session, text).0) {
                    watch(ChatEvent::Text { text });
                }
            }
            Progress::Again => {
                streamed.again();
                watch(ChatEvent::Again);
            }
            Progress::Calls { id, tool, arguments } => {
                // What it said before it called for tools is not the answer.
                streamed.again();
                watch(ChatEvent::Again);
                watch(ChatEvent::Tool { id, name: tool, arguments });
            }
            Progress::Called { id, tool, failed, waits, took } => {
                let took_ms = took.as_millis() as u64;
                watch(ChatEvent::ToolDone { id, name: tool, failed, waits, took_ms });
            }
        }
    }

    fn response(&self, run: &Run, session: &Session, response: String, removed: Option<Value>) -> Response {
        Response {
            response,
            session_id: session.id.clone(),
            run_id: run.id().to_string(),
            pending: session.pending.iter().map(Pending::of).collect(),
            coverage: None,
            removed,
            notice: None,
        }
    }
}

fn about(edit: &str, envelope: &Value) -> String {
    let word = |name: &str| envelope.get(name).and_then(Value::as_str).unwrap_or_default();
    if has_failed(envelope) {
        format!("{edit} was not made: {}.", word("error"))
    } else {
        format!("{edit} is done: {}.", word("message"))
    }
}
