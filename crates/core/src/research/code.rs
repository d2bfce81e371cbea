//! A question about a codebase: looked into step by step, and answered in short with the lines that say so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Around, Research};
use crate::evidence::Provenance;
use crate::gate::Coverage;
use crate::{Error, Result};

impl Research {
    /// Looks into a codebase for what a question asks.
    pub async fn code(&self, _around: Around<'_>, asked: CodeAsked) -> Result<CodeAnswer> {
        Err(Error::failed(format!("questions about code can't be answered yet: {}", asked.question)))
    }
}

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeAsked {
    pub question: String,
    /// By name; where there are several and none is named, the one that the question is about.
    #[serde(default)]
    pub repository: Option<String>,
    /// A pattern over paths: nothing else is looked at.
    #[serde(default)]
    pub scope: Option<String>,
    /// How many steps, at the most.
    #[serde(default)]
    pub budget: Option<u32>,
    /// Whether the answer tells of its steps.
    #[serde(default)]
    pub debug: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeAnswer {
    /// The answer, its citations on lines of their own, and the run.
    pub answer: String,
    pub citations: Vec<Citation>,
    /// From 0 to 1: the model's own, lowered where what it said did not hold.
    pub confidence: f32,
    pub run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// How many of its sentences are supported by what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// What was done, in order, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepTaken>,
}

/// Lines that an answer rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    pub id: String,
    pub path: String,
    pub start_line: usize,
    pub end_line: usize,
    pub provenance: Provenance,
    /// What stands there, byte for byte.
    pub text: String,
}

/// One step of an investigation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepTaken {
    pub action: String,
    pub input: serde_json::Value,
    /// What was found, in a few words.
    pub found: String,
}
