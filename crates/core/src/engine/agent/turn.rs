//! A turn under way: how many rounds it has had, and what it ends with.
//!
//! Asks nobody and calls nothing: the loop does, and counts here.

use super::continuation::{Continuations, GET_CONTINUATION};
use super::{AgentLimits, Conversation};
use crate::domain::untrusted::Origin;
use crate::engine::run::{BudgetLimit, ToolReply};
use crate::ports::{Message, ToolCall};

/// What a turn ends with where it called for tools too often.
pub const ROUND_LIMIT: &str = "[Tool call limit reached]";

/// Rounds of these alone are not counted.
pub const UNCOUNTED: [&str; 2] = ["log_interaction", GET_CONTINUATION];
/// But not for ever.
const UNCOUNTED_ROUNDS: u32 = 100;

/// What came of a turn.
#[derive(Debug)]
pub struct TurnOutcome {
    /// What the model said last, and where a limit ended it, that it did.
    pub text: String,
    /// Why the turn ended.
    pub end: TurnEnd,
    /// The least trusted origin of everything that the model saw.
    pub origin: Origin,
    /// What was done on the way, in order.
    pub done: Vec<ToolRound>,
    /// All that the model was asked with last.
    pub conversation: Conversation,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnd {
    /// The model gave its answer.
    Said,
    /// The turn reached its limit of rounds.
    Rounds,
    /// The run reached a limit of its budget.
    Budget(BudgetLimit),
}

/// One reply of the model that called for tools, and what they answered.
#[derive(Debug, Clone)]
pub struct ToolRound {
    /// What the model wrote besides the calls.
    pub text: String,
    /// The calls with their replies, in order.
    pub calls: Vec<(ToolCall, ToolReply)>,
}

/// A turn under way.
pub struct Turn {
    pub conversation: Conversation,
    limits: AgentLimits,
    /// Long answers of tools, handed out in parts.
    pub kept: Continuations,
    pub done: Vec<ToolRound>,
    pub counted: u32,
    uncounted: u32,
    /// Whether the model was told that its reply was empty.
    pub nudged: bool,
}

impl Turn {
    pub fn new(conversation: Conversation, limits: AgentLimits) -> Self {
        let kept = Continuations::new(limits.result_chars);
        Self { conversation, limits, kept, done: Vec::new(), counted: 0, uncounted: 0, nudged: false }
    }

    pub fn push(&mut self, message: Message) {
        self.conversation.messages.push(message);
    }

    /// Counts one more round; false where there may be no more.
    pub fn count_round(&mut self, calls: &[ToolCall]) -> bool {
        let counts = calls.is_empty() || !calls.iter().all(|call| UNCOUNTED.contains(&call.name.as_str()));
        let (rounds, most) = if counts {
            (&mut self.counted, self.limits.rounds)
        } else {
            (&mut self.uncounted, UNCOUNTED_ROUNDS)
        };
        let has_room = *rounds < most;
        *rounds += u32::from(has_room);
        has_room
    }

    pub fn end_with(self, text: String) -> TurnOutcome {
        let Self { conversation, done, .. } = self;
        TurnOutcome { text, end: TurnEnd::Said, origin: conversation.origin, done, conversation }
    }

    /// What there was to say when a limit was reached.
    pub fn end_at_limit(self, end: TurnEnd) -> TurnOutcome {
        let Self { conversation, mut done, .. } = self;
        let last = done.iter().rev().map(|done| done.text.trim()).find(|text| !text.is_empty());
        let why = match end {
            TurnEnd::Budget(limit) => format!("[Stopped: {limit}]"),
            TurnEnd::Said | TurnEnd::Rounds => ROUND_LIMIT.to_owned(),
        };
        let text = last.map_or(why.clone(), |text| format!("{text}\n\n{why}"));
        done.retain(|done| !done.calls.is_empty());
        TurnOutcome { text, end, origin: conversation.origin, done, conversation }
    }
}
