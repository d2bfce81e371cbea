//! What a turn reports to whoever watches it.

use std::time::Duration;

use serde_json::Value;

use crate::domain::id::EvidenceId;

/// What is going on, for whoever watches.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// A piece of the reply, as the model gave it.
    Text(String),
    /// What was told of this reply does not count.
    Again,
    /// The model calls a tool.
    Calls {
        /// The id of the call.
        id: String,
        /// The tool's name.
        tool: String,
        /// The arguments of the call.
        arguments: Value,
    },
    /// A tool has returned.
    Called {
        /// The id of the call.
        id: String,
        /// The tool's name.
        tool: String,
        /// Whether the tool failed.
        failed: bool,
        /// The pending edit that it became because the user is to decide.
        waits: Option<String>,
        /// The evidence that its answer contains.
        evidence: Vec<EvidenceId>,
        /// How long the call took.
        took: Duration,
    },
}

/// Receives the events of a turn.
pub type AgentProgress<'a> = &'a (dyn Fn(AgentEvent) + Send + Sync);
