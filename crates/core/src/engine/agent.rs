//! The loop of a model and its tools: ask, carry out the calls, ask again, until the model is done or a limit is
//! reached.
//!
//! What tools exist and what they may do is for the [`Toolbox`]; what a conversation is, for the chat. What tools answer
//! reaches the model behind the barrier, cut where it is long; the rest is handed out by `get_continuation`.

mod action_choice;
mod continuation;
mod event;
mod round;
mod turn;

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::turn::Turn;
use crate::domain::untrusted::Origin;
use crate::engine::run::{ModelCallFailure, Run, ToolReply};
use crate::ports::{
    Delta, Message, Model, ModelRequest, Reply, ReplyFormatMode, StopReason, ToolCall, ToolChoice, ToolSpec,
};
use crate::{Error, Result};

pub use continuation::GET_CONTINUATION;
pub use event::{AgentEvent, AgentProgress};
pub use round::{WAITS, has_failed};
pub use turn::{ROUND_LIMIT, ToolRound, TurnEnd, TurnOutcome, UNCOUNTED};

/// The tools that a model has at hand.
pub trait Toolbox: Send + Sync {
    /// The tools that the model may call.
    fn specs(&self) -> Vec<ToolSpec>;

    /// What is wrong with the input of an action, before it is taken. Calls say so in their answer.
    fn objection(&self, _action: &str, _input: &Value) -> Option<String> {
        None
    }

    /// Whether a call only reads, and may run beside others.
    fn only_reads(&self, call: &ToolCall) -> bool;

    /// Carries a call out, by way of the run. `origin` is what the conversation holds by now. Trouble with the call is
    /// an answer; an error means that the turn can't go on.
    fn call<'a>(
        &'a self,
        run: &'a Run,
        call: &'a ToolCall,
        origin: Origin,
    ) -> Pin<Box<dyn Future<Output = Result<ToolReply>> + Send + 'a>>;
}

/// The limits of one turn.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct AgentLimits {
    /// How often tools are called for at the most.
    pub rounds: u32,
    /// How many characters of a tool's answer are handed out at once.
    pub result_chars: usize,
    /// The most tokens of one reply.
    pub reply_tokens: u32,
    /// For one reply.
    pub reply_seconds: u64,
}

/// What the model is asked with.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// The system prompt.
    pub system: String,
    /// The messages so far, oldest first.
    pub messages: Vec<Message>,
    /// The lowest of all that is in it.
    pub origin: Origin,
}

/// How the model says what it wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionFormat {
    /// By calls of the service's own kind, several at once.
    Calls,
    /// One action at a time, as JSON of a shape; the one of this name ends the turn with its input.
    Actions {
        /// The name of the action that ends the turn.
        last: &'static str,
    },
}

/// The loop of a model and its tools.
pub struct Agent<'a> {
    /// The run that the turn belongs to.
    pub run: &'a Run,
    /// The model.
    pub model: &'a dyn Model,
    /// The tools.
    pub toolbox: &'a dyn Toolbox,
    /// The limits of one turn.
    pub limits: AgentLimits,
    /// Receives the events of the turn.
    pub watch: AgentProgress<'a>,
    /// How the model names the tools that it calls.
    pub picks: ActionFormat,
    /// How the model could be held to a shape the last time.
    shape: Mutex<ReplyFormatMode>,
}

/// What a reply comes to.
enum NextStep {
    Says {
        text: String,
        stop: StopReason,
    },
    Calls {
        text: String,
        calls: Vec<ToolCall>,
    },
    /// No action that there is, told once and no better the second time.
    Nothing {
        why: String,
        said: String,
    },
}

impl<'a> Agent<'a> {
    /// An agent for one run.
    pub fn new(
        run: &'a Run,
        model: &'a dyn Model,
        toolbox: &'a dyn Toolbox,
        limits: AgentLimits,
        watch: AgentProgress<'a>,
        picks: ActionFormat,
    ) -> Self {
        Self { run, model, toolbox, limits, watch, picks, shape: Mutex::new(ReplyFormatMode::Schema) }
    }

    /// Runs one turn: asks the model and runs tools until it answers or a limit is reached.
    pub async fn run_turn(&self, conversation: Conversation) -> Result<TurnOutcome> {
        self.try_turn(conversation).await.map_err(|trouble| match trouble {
            ModelCallFailure::Model(failure) => failure.into(),
            ModelCallFailure::Log(error) => error,
            ModelCallFailure::Budget(limit) => Error::failed(limit.to_string()),
        })
    }

    /// Runs a turn, with what went wrong as it is: a model that can't be asked, or a log that can't be written.
    pub async fn try_turn(
        &self,
        conversation: Conversation,
    ) -> std::result::Result<TurnOutcome, ModelCallFailure> {
        let mut turn = Turn::new(conversation, self.limits);
        loop {
            let step = match self.next_step(&turn.conversation, turn.counted + 1).await {
                Ok(step) => step,
                Err(ModelCallFailure::Budget(limit)) => return Ok(turn.end_at_limit(TurnEnd::Budget(limit))),
                Err(trouble) => return Err(trouble),
            };
            let (text, calls) = match step {
                NextStep::Says { text, .. } if text.trim().is_empty() && !turn.nudged => {
                    turn.nudged = true;
                    turn.push(Message::User { text: NUDGE.to_owned() });
                    continue;
                }
                NextStep::Says { text, stop } => return Ok(turn.end_with(finish_text(text, &stop)?)),
                NextStep::Calls { text, calls } => (text, calls),
                NextStep::Nothing { why, said } => {
                    turn.push(Message::Assistant { text: said, calls: Vec::new() });
                    let text = format!("That was no action: {why}. It counts as a step.");
                    turn.push(Message::User { text });
                    (String::new(), Vec::new())
                }
            };
            if !turn.count_round(&calls) {
                turn.done.push(ToolRound { text, calls: Vec::new() });
                return Ok(turn.end_at_limit(TurnEnd::Rounds));
            }
            self.run.count_step();
            if !calls.is_empty() {
                self.take_round(&mut turn, text, calls).await?;
            }
        }
    }

    /// Carries out what a reply called for, and shows the model what came of it.
    async fn take_round(&self, turn: &mut Turn, text: String, calls: Vec<ToolCall>) -> Result<()> {
        let by_calls = self.picks == ActionFormat::Calls;
        let calls = if by_calls { round::number_calls(calls, &turn.conversation.messages) } else { calls };
        let shown_calls = if by_calls { calls.clone() } else { Vec::new() };
        turn.push(Message::Assistant { text: text.clone(), calls: shown_calls });
        let answers = self.run_calls(&calls, &mut turn.kept, &mut turn.conversation.origin).await?;
        for (call, answered) in calls.iter().zip(&answers) {
            let message = self.render_answer(call, answered, &mut turn.kept)?;
            turn.push(if by_calls { message } else { action_choice::to_user_message(message) });
        }
        turn.done.push(ToolRound { text, calls: calls.into_iter().zip(answers).collect() });
        Ok(())
    }

    /// One reply in words, without tools.
    pub async fn reply_without_tools(
        &self,
        conversation: &Conversation,
    ) -> std::result::Result<String, ModelCallFailure> {
        let Conversation { system, messages, .. } = conversation;
        let reply = match self.picks {
            ActionFormat::Calls => self.ask_with_tools(system, messages, ToolChoice::None).await,
            // It was never told of tools.
            ActionFormat::Actions { .. } => {
                let request = self.request(system, messages, Vec::new(), ToolChoice::None);
                self.run.ask_model(self.model, &request, &|_| {}).await
            }
        };
        reply.map(|reply| reply.text)
    }

    /// What the model wants next.
    async fn next_step(
        &self,
        conversation: &Conversation,
        step: u32,
    ) -> std::result::Result<NextStep, ModelCallFailure> {
        let Conversation { system, messages, .. } = conversation;
        if let ActionFormat::Actions { last } = self.picks {
            let request = self.request(system, messages, Vec::new(), ToolChoice::None);
            return self.choose(request, last, step).await;
        }
        let Reply { text, calls, stop, .. } = self.ask_with_tools(system, messages, ToolChoice::Auto).await?;
        Ok(if calls.is_empty() { NextStep::Says { text, stop } } else { NextStep::Calls { text, calls } })
    }

    async fn ask_with_tools(
        &self,
        system: &str,
        messages: &[Message],
        choice: ToolChoice,
    ) -> std::result::Result<Reply, ModelCallFailure> {
        let mut tools = self.toolbox.specs();
        tools.push(continuation::spec());
        let request = self.request(system, messages, tools, choice);
        let heard = |delta| match delta {
            Delta::Text(text) => (self.watch)(AgentEvent::Text(text)),
            Delta::Again => (self.watch)(AgentEvent::Again),
            Delta::Calls(_) => {}
        };
        self.run.ask_model(self.model, &request, &heard).await
    }
}

impl Agent<'_> {
    fn request(
        &self,
        system: &str,
        messages: &[Message],
        tools: Vec<ToolSpec>,
        choice: ToolChoice,
    ) -> ModelRequest {
        ModelRequest {
            system: system.to_owned(),
            messages: messages.to_vec(),
            tools,
            choice,
            shape: None,
            max_tokens: self.limits.reply_tokens,
            temperature: None,
            limit: Duration::from_secs(self.limits.reply_seconds),
        }
    }
}

const NUDGE: &str = "(Your last reply was empty. Answer in words.)";

fn finish_text(text: String, stop: &StopReason) -> Result<String> {
    if text.trim().is_empty() {
        return Err(
            Error::failed("the model gave an empty answer, twice").hint("try again, or try another model")
        );
    }
    Ok(match stop {
        StopReason::Length => format!("{text}\n\n[The answer was cut at its greatest length]"),
        _ => text,
    })
}
