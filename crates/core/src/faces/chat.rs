//! Conversations with a model that can use the vault's tools, turn by turn.
//!
//! A turn is a run: it can be resumed and replayed. The model's answer is checked against the evidence it was shown,
//! and made inert. Watchers see it inert but unchecked while it is written; only the answer at the end of the turn
//! counts.

mod attachment;
mod cancellation;
mod outgoing;
mod output;
mod privacy;
mod session;
mod stream;
mod stub;
mod toolbox;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wellread_text::neutralize;

pub use crate::engine::agent::{AgentLimits, TurnEnd, has_failed};
pub use attachment::Attachment;
pub use session::{PendingEdit, Session, SessionEntry};
pub use toolbox::ToolRunner;
pub use turn::{ChatResponse, PendingEditView};

use self::cancellation::{ChangesInProgress, run_until_cancelled};
use crate::domain::decision::UserDecision;
use crate::domain::id::RunId;
use crate::engine::run::{Run, RunSpec, RunStore};
use crate::engine::second_opinion::OpinionSources;
use crate::ports::event::{Budget, RunKind, RunOutcome};
use crate::ports::{Model, Sessions, Snapshots};
use crate::trust::citations::CitedPlace;
use crate::trust::prompt;
use crate::{Error, Result};

/// The longest message, in characters.
const LONGEST_MESSAGE: usize = 100_000;
const LONGEST_PREFERENCES: usize = 8_000;
const LONGEST_TITLE: usize = 80;
const WENT_ON: &str = "the conversation continued elsewhere in the meantime: this turn is not part of it";

/// Conversations with a model that uses the tools.
#[derive(Clone)]
pub struct Chat {
    /// The logs of runs, and the clock.
    pub runs: RunStore,
    /// The model.
    pub model: Arc<dyn Model>,
    /// The stored conversations.
    pub sessions: Arc<dyn Sessions>,
    /// Stores the text of fetched pages.
    pub snapshots: Arc<dyn Snapshots>,
    /// Runs the tools.
    pub tool_runner: Arc<dyn ToolRunner>,
    /// Who may be asked for a second opinion on answers.
    pub opinions: OpinionSources,
    /// The settings of the chat.
    pub settings: ChatSettings,
}

/// The settings of the chat.
#[derive(Debug, Clone)]
pub struct ChatSettings {
    /// The limits of one turn.
    pub limits: AgentLimits,
    /// The budget of one turn.
    pub budget: Budget,
    /// The user's own system prompt, instead of the built-in one.
    pub system_prompt: Option<String>,
}

/// An event of a turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ChatEvent {
    /// The turn's run has an id.
    Run {
        /// The run's id.
        run_id: RunId,
    },
    /// A further piece of the answer, inert.
    Text {
        /// A piece of the text.
        text: String,
    },
    /// The text reported so far is void; the answer starts again.
    Again,
    /// The model calls a tool.
    Tool {
        /// The id of the call.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments of the call.
        arguments: Value,
    },
    /// A tool has returned.
    ToolDone {
        /// The id of the call.
        id: String,
        /// The tool's name.
        name: String,
        /// Whether the tool failed.
        failed: bool,
        /// Whether it waits for the user's decision and was not carried out.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        waits: bool,
        /// The pending edit that waits, if one does.
        #[serde(skip)]
        edit: Option<String>,
        /// The places that its answer shows.
        #[serde(skip)]
        places: Vec<CitedPlace>,
        /// How long it took, in milliseconds.
        took_ms: u64,
    },
    /// The answer is being checked, or asked for once more.
    Checking {
        /// Whether the answer is requested once more.
        again: bool,
    },
}

/// Receives the events of a turn.
pub type ChatProgress<'a> = &'a (dyn Fn(ChatEvent) + Send + Sync);

/// A turn's input, as its log stores it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TurnRequest {
    session: Session,
    #[serde(flatten)]
    what: TurnInput,
    system: String,
    limits: AgentLimits,
    /// Whether the turn was started with a remote model.
    #[serde(default)]
    leaves: bool,
    /// What is attached to the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attached: Vec<Attachment>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TurnInput {
    /// The user says something.
    Message(String),
    /// The user confirms a pending edit.
    Confirm(String),
    /// The user declines a pending edit.
    Decline(String),
}

impl Chat {
    /// The conversation to continue: the one with this id, else the one about the active file, else a new one.
    pub fn session(&self, id: Option<&str>, active_file: Option<&str>) -> Result<Session> {
        if let Some(id) = id {
            let stored = self.sessions.session(id)?.ok_or_else(|| {
                Error::not_found(format!("there is no conversation `{id}`"))
                    .hint("leave out the id to continue the conversation about the open note")
            })?;
            // A different active file has a conversation of its own.
            if active_file.is_none() || stored.active_file.as_deref() == active_file {
                return Session::from_stored(stored);
            }
        }
        let stored =
            self.sessions.latest_session_about(active_file)?.map(Session::from_stored).transpose()?;
        let begun_apart =
            stored.as_ref().is_some_and(|session| self.has_remote_model() && self.stays_here(session));
        let new = || Session { begun_apart, ..Session::new(active_file) };
        Ok(stored.filter(|_| !begun_apart).unwrap_or_else(new))
    }

    /// Takes a turn: the user says something and gets an answer.
    pub async fn say(
        &self,
        session: Session,
        message: &str,
        watch: ChatProgress<'_>,
    ) -> Result<ChatResponse> {
        self.say_with(session, message, Vec::new(), watch).await
    }

    /// Takes a turn with texts that a client attached to the user's message.
    pub async fn say_with(
        &self,
        session: Session,
        message: &str,
        attached: Vec<Attachment>,
        watch: ChatProgress<'_>,
    ) -> Result<ChatResponse> {
        let message = message.trim();
        if message.is_empty() {
            return Err(Error::invalid("the message is empty"));
        }
        if message.chars().nth(LONGEST_MESSAGE).is_some() {
            return Err(Error::invalid(format!("the message is longer than {LONGEST_MESSAGE} characters"))
                .hint("put long text into a note and ask about the note"));
        }
        Attachment::check_size(&attached)?;
        self.check_may_leave(&session, &attached)?;
        self.take_turn(session, TurnInput::Message(message.to_owned()), attached, watch).await
    }

    /// Takes a turn in which the user confirms or declines a pending edit or decision.
    pub async fn decide(
        &self,
        _by: UserDecision,
        session: Session,
        edit: &str,
        confirmed: bool,
        watch: ChatProgress<'_>,
    ) -> Result<ChatResponse> {
        if !session.pending.iter().any(|pending| pending.id == edit) {
            let waiting: Vec<&str> = session.pending.iter().map(|pending| pending.id.as_str()).collect();
            let error = Error::not_found(format!("no edit `{edit}` is waiting in this conversation"));
            return Err(if waiting.is_empty() {
                error
            } else {
                error.hint(format!("choose one of: {}", waiting.join(", ")))
            });
        }
        let what =
            if confirmed { TurnInput::Confirm(edit.to_owned()) } else { TurnInput::Decline(edit.to_owned()) };
        self.take_turn(session, what, Vec::new(), watch).await
    }

    /// Resumes an interrupted turn.
    pub async fn resume(&self, id: &RunId, watch: ChatProgress<'_>) -> Result<ChatResponse> {
        let run = Run::resume(&self.runs, id)?;
        let request = read_request(&run)?;
        self.check_may_resume(&run, &request.session)?;
        self.complete(&run, request, watch).await
    }

    /// Replays a turn from its log, without model, network and tools: `Err` if the answer differs.
    pub async fn replay(&self, id: &RunId) -> Result<ChatResponse> {
        let run = Run::replay(&self.runs, id)?;
        let request = read_request(&run)?;
        self.complete(&run, request, &|_| {}).await
    }

    async fn take_turn(
        &self,
        session: Session,
        what: TurnInput,
        attached: Vec<Attachment>,
        watch: ChatProgress<'_>,
    ) -> Result<ChatResponse> {
        let (system, limits, leaves) = (self.system_prompt()?, self.settings.limits, self.has_remote_model());
        let private = self.begins_private(&session, &attached);
        let request = TurnRequest { session, what, system, limits, leaves, attached };
        let title = match &request.what {
            TurnInput::Message(message) => turn_title(message),
            TurnInput::Confirm(edit) => format!("confirm {edit}"),
            TurnInput::Decline(edit) => format!("decline {edit}"),
        };
        let written = serde_json::to_value(&request);
        let written = written.map_err(|error| Error::failed(format!("the turn can't be saved: {error}")))?;
        let beginning =
            RunSpec { kind: RunKind::Chat, title, request: written, budget: self.settings.budget, private };
        let run = Run::begin(&self.runs, beginning)?;
        self.complete(&run, request, watch).await
    }

    async fn complete(
        &self,
        run: &Run,
        mut request: TurnRequest,
        watch: ChatProgress<'_>,
    ) -> Result<ChatResponse> {
        watch(ChatEvent::Run { run_id: run.id().clone() });
        let begun_apart = std::mem::take(&mut request.session.begun_apart);
        let begun = request.session.clone();
        let (changes, tools) = (ChangesInProgress::default(), self.tool_runner.tools());
        let counted = |event: ChatEvent| {
            changes.count(&event, tools);
            watch(event);
        };
        let turn = self.run_turn(run, request, &counted);
        let Some(ended) = run_until_cancelled(&self.tool_runner.ctx().stop, &changes, turn).await else {
            run.end(
                RunOutcome::Cancelled,
                json!({ "error": "cancelled" }),
                "The turn was cancelled.\n".to_owned(),
            )?;
            return Err(Error::failed("the turn was cancelled").with_detail("run_id", run.id().as_str()));
        };
        match ended {
            Ok((mut response, mut session, outcome)) => {
                self.remember_files(run, &mut session);
                let is_kept = run.is_replay() || self.store_session(&begun, &session)?;
                let result = serde_json::to_value(&response).unwrap_or_default();
                run.end(outcome, result, response.report.clone())?;
                response.notice = begun_apart.then(|| privacy::BEGUN_APART.to_owned());
                if !is_kept {
                    // The pending edits of this turn are not in the stored conversation, where their ids may mean
                    // others.
                    response.pending.clear();
                    response.notice = Some(WENT_ON.to_owned());
                }
                Ok(response)
            }
            Err(error) if run.is_replay() => Err(error),
            Err(error) => {
                let result = json!({ "error": error.message(), "hint": error.hint_text() });
                // The first error counts, even if the log can't be written.
                let _ = run.end(RunOutcome::Failed, result, format!("The turn failed: {error}\n"));
                Err(error.with_detail("run_id", run.id().as_str()))
            }
        }
    }

    /// Stores the conversation after a turn, unless it was continued elsewhere since the turn began. Returns whether it
    /// was stored.
    fn store_session(&self, begun: &Session, now: &Session) -> Result<bool> {
        let stored = self.sessions.session(&now.id)?.map(Session::from_stored).transpose()?;
        match stored {
            Some(stored) if stored == *now => Ok(true),
            Some(stored) if stored != *begun => Ok(false),
            _ => {
                self.sessions.keep_session(&now.to_stored(self.runs.clock.now().timestamp())?)?;
                Ok(true)
            }
        }
    }

    /// Whether the model is on another machine.
    fn has_remote_model(&self) -> bool {
        !self.model.identity().is_local
    }

    /// The system prompt: the user's own or the built-in one, with the current preferences.
    fn system_prompt(&self) -> Result<String> {
        let vault = &self.tool_runner.ctx().vault;
        let mut system = match &self.settings.system_prompt {
            Some(own) => own.clone(),
            None => prompt::CHAT_SYSTEM.fill(&[])?,
        };
        let path = vault.preferences_note()?;
        let preferences = match vault.files.find(&path) {
            Ok(Some(_)) => vault.trusted_preferences()?,
            _ => Vec::new(),
        };
        let withheld = self.has_remote_model() && vault.is_private(&path);
        if !preferences.is_empty() && !withheld {
            let list: String = preferences.iter().map(|line| format!("- {line}\n")).collect();
            let list: String = neutralize(&list).text.chars().take(LONGEST_PREFERENCES).collect();
            system = format!("{}\n\n## User Preferences\n\n{list}", system.trim_end());
        }
        Ok(system)
    }
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            rounds: 20,
            result_chars: 4000,
            reply_tokens: 4096,
            reply_seconds: Duration::from_secs(300).as_secs(),
        }
    }
}

fn read_request(run: &Run) -> Result<TurnRequest> {
    if run.spec().kind != RunKind::Chat {
        return Err(Error::invalid(format!("the run {} is not a turn of a conversation", run.id())));
    }
    serde_json::from_value(run.spec().request.clone())
        .map_err(|error| Error::failed(format!("the run {} can't be read: {error}", run.id())))
}

/// The conversation that a turn began with, from its run's request; `None` if the run is not a turn.
pub fn read_turn_session(request: &Value) -> Option<Session> {
    TurnRequest::deserialize(request).ok().map(|turn| turn.session)
}

fn turn_title(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_TITLE) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}
