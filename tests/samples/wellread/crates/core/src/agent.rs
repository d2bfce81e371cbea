//! The one loop of a model and its tools: ask, carry out what it calls for, ask again, until it has said all or a limit is
//! reached.
//!
//! What tools exist and what they may do is for the [`Toolbox`]; what a conversation is, for the chat. What tools answer
//! reaches the model behind the barrier, cut where it is long; the rest is handed out by `get_continuation`.

mod choosing;
mod continuation;
mod round;

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::continuation::Continuations;
use crate::ports::{
    Delta, Message, Model, ModelRequest, Reply, ShapeAs, Stop, ToolCall, ToolChoice, ToolSpec,
};
use crate::run::{Answered, Limit, Run, Trouble};
use crate::untrusted::Origin;
use crate::{Error, Result};

pub use continuation::GET_CONTINUATION;
pub use round::{WAITS, has_failed};

/// What a turn ends with where it called for tools too often.
pub const ROUND_LIMIT: &str = "[Tool call limit reached]";

/// The tools that a model has at hand.
pub trait Toolbox: Send + Sync {
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
    ) -> Pin<Box<dyn Future<Output = Result<Answered>> + Send + 'a>>;
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Limits {
    /// How often tools are called for at the most.
    pub rounds: u32,
    /// How many characters of a tool's answer are handed out at once.
    pub result_chars: usize,
    pub reply_tokens: u32,
    /// For one reply.
    pub reply_seconds: u64,
}

/// Rounds of these alone are not counted.
pub const UNCOUNTED: [&str; 2] = ["log_interaction", GET_CONTINUATION];
/// But not for ever.
const UNCOUNTED_ROUNDS: u32 = 100;

/// What is going on, for whoever watches.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// A piece of the reply, as the model gave it.
    Text(String),
    /// What was told of this reply does not count.
    Again,
    Calls {
        id: String,
        tool: String,
        arguments: Value,
    },
    Called {
        id: String,
        tool: String,
        failed: bool,
        /// Whether it was not done because the user is to decide.
        waits: bool,
        took: Duration,
    },
}

pub type Watch<'a> = &'a (dyn Fn(Progress) + Send + Sync);

/// What the model is asked with.
#[derive(Debug, Clone)]
pub struct Conversation {
    pub system: String,
    pub messages: Vec<Message>,
    /// The lowest of all that is in it.
    pub origin: Origin,
}

/// How the model says what it wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picks {
    /// By calls of the service's own kind, several at once.
    Calls,
    /// One action at a time, as JSON of a shape; the one of this name ends the turn with its input.
    Actions { last: &'static str },
}

pub struct Agent<'a> {
    pub run: &'a Run,
    pub model: &'a dyn Model,
    pub toolbox: &'a dyn Toolbox,
    pub limits: Limits,
    pub watch: Watch<'a>,
    pub picks: Picks,
    /// How the model could be held to a shape the last time.
    shape: Mutex<ShapeAs>,
}

/// What a reply comes to.
enum Next {
    Says {
        text: String,
        stop: Stop,
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

/// What came of a turn.
#[derive(Debug)]
pub struct Turn {
    /// What the model said last, and where a limit ended it, that it did.
    pub text: String,
    pub end: TurnEnd,
    pub origin: Origin,
    /// What was done on the way, in order.
    pub done: Vec<Done>,
    /// All that the model was asked with last.
    pub conversation: Conversation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    Said,
    Rounds,
    Budget(Limit),
}

/// One reply of the model that called for tools, and what they answered.
#[derive(Debug, Clone)]
pub struct Done {
    pub text: String,
    pub calls: Vec<(ToolCall, Answered)>,
}

impl<'a> Agent<'a> {
    pub fn new(
        run: &'a Run,
        model: &'a dyn Model,
        toolbox: &'a dyn Toolbox,
        limits: Limits,
        watch: Watch<'a>,
        picks: Picks,
    ) -> Self {
        Self { run, model, toolbox, limits, watch, picks, shape: Mutex::new(ShapeAs::Schema) }
    }

    pub async fn turn(&self, conversation: Conversation) -> Result<Turn> {
        self.attempt(conversation).await.map_err(|trouble| match trouble {
            Trouble::Model(failure) => failure.into(),
            Trouble::Log(error) => error,
            Trouble::Budget(limit) => Error::failed(limit.to_string()),
        })
    }

    /// The same, with what went wrong as it is: a model that can't be asked, or a log that can't be written.
    pub async fn attempt(&self, conversation: Conversation) -> std::result::Result<Turn, Trouble> {
        let Conversation { system, mut messages, mut origin } = conversation;
        let mut kept = Continuations::new(self.limits.result_chars);
        let (mut done, mut counted, mut uncounted) = (Vec::new(), 0, 0);
        let mut nudged = false;
        loop {
            let next = match self.next(&system, &messages, counted + 1).await {
                Ok(next) => next,
                Err(Trouble::Budget(limit)) => {
                    let conversation = Conversation { system, messages, origin };
                    return Ok(ended(&done, TurnEnd::Budget(limit), conversation));
                }
                Err(trouble) => return Err(trouble),
            };
            let (text, calls) = match next {
                Next::Says { text, .. } if text.trim().is_empty() && !nudged => {
                    nudged = true;
                    messages.push(Message::User { text: NUDGE.to_owned() });
                    continue;
                }
                Next::Says { text, stop } => {
                    let text = said(text, &stop)?;
                    let conversation = Conversation { system, messages, origin };
                    return Ok(Turn { text, end: TurnEnd::Said, origin, done, conversation });
                }
                Next::Calls { text, calls } => (text, calls),
                Next::Nothing { why, said } => {
                    messages.push(Message::Assistant { text: said, calls: Vec::new() });
                    messages.push(Message::User {
                        text: format!("That was no action: {why}. It counts as a step."),
                    });
                    (String::new(), Vec::new())
                }
            };
            let counts =
                calls.is_empty() || !calls.iter().all(|call| UNCOUNTED.contains(&call.name.as_str()));
            let (rounds, most) =
                if counts { (&mut counted, self.limits.rounds) } else { (&mut uncounted, UNCOUNTED_ROUNDS) };
            if *rounds >= most {
                done.push(Done { text, calls: Vec::new() });
                let conversation = Conversation { system, messages, origin };
                return Ok(ended(&done, TurnEnd::Rounds, conversation));
            }
            *rounds += 1;
            self.run.step();
            if calls.is_empty() {
                continue;
            }
            let calls = match self.picks {
                Picks::Calls => round::numbered(calls, &messages),
                Picks::Actions { .. } => calls,
            };
            let shown_calls = if self.picks == Picks::Calls { calls.clone() } else { Vec::new() };
            messages.push(Message::Assistant { text: text.clone(), calls: shown_calls });
            let answers = self.round(&calls, &mut kept, &mut origin).await?;
            for (call, answered) in calls.iter().zip(&answers) {
                let message = self.shown(call, answered, &mut kept)?;
                messages.push(if self.picks == Picks::Calls { message } else { choosing::told(message) });
            }
            done.push(Done { text, calls: calls.into_iter().zip(answers).collect() });
        }
    }

    /// One reply in words, without tools.
    pub async fn once(&self, conversation: &Conversation) -> std::result::Result<String, Trouble> {
        let Conversation { system, messages, .. } = conversation;
        let reply = match self.picks {
            Picks::Calls => self.asked(system, messages, ToolChoice::None).await,
            // It was never told of tools.
            Picks::Actions { .. } => {
                let request = self.request(system, messages, Vec::new(), ToolChoice::None);
                self.run.ask(self.model, &request, &|_| {}).await
            }
        };
        reply.map(|reply| reply.text)
    }

    /// What the model wants next.
    async fn next(
        &self,
        system: &str,
        messages: &[Message],
        step: u32,
    ) -> std::result::Result<Next, Trouble> {
        if let Picks::Actions { last } = self.picks {
            let request = self.request(system, messages, Vec::new(), ToolChoice::None);
            return self.choose(request, last, step).await;
        }
        let Reply { text, calls, stop, .. } = self.asked(system, messages, ToolChoice::Auto).await?;
        Ok(if calls.is_empty() { Next::Says { text, stop } } else { Next::Calls { text, calls } })
    }

    async fn asked(
        &self,
        system: &str,
        messages: &[Message],
        choice: ToolChoice,
    ) -> std::result::Result<Reply, Trouble> {
        let mut tools = self.toolbox.specs();
        tools.push(continuation::spec());
        let request = self.request(system, messages, tools, choice);
        let heard = |delta| match delta {
            Delta::Text(text) => (self.watch)(Progress::Text(text)),
            Delta::Again => (self.watch)(Progress::Again),
            Delta::Calls(_) => {}
        };
        self.run.ask(self.model, &request, &heard).await
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

fn said(text: String, stop: &Stop) -> Result<String> {
    if text.trim().is_empty() {
        return Err(
            Error::failed("the model gave an empty answer, twice").hint("try again, or try another model")
        );
    }
    Ok(match stop {
        Stop::Length => format!("{text}\n\n[The answer was cut at its greatest length]"),
        _ => text,
    })
}

/// What there was to say when a limit was reached.
fn ended(done: &[Done], end: TurnEnd, conversation: Conversation) -> Turn {
    let last = done.iter().rev().map(|done| done.text.trim()).find(|text| !text.is_empty());
    let why = match end {
        TurnEnd::Budget(limit) => format!("[Stopped: {limit}]"),
        TurnEnd::Said | TurnEnd::Rounds => ROUND_LIMIT.to_owned(),
    };
    let text = last.map_or(why.clone(), |text| format!("{text}\n\n{why}"));
    let done = done.iter().filter(|done| !done.calls.is_empty()).cloned().collect();
    Turn { text, end, origin: conversation.origin, done, conversation }
}
