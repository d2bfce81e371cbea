//! A small model on this machine that judges whether a text says what a statement says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::domain::untrusted::Untrusted;
use crate::ports::BoxFuture;

/// A verifier on this machine, such as a small cross-encoder. Nothing is sent anywhere. Its opinion can only lower a
/// verdict of the gate, never raise one.
pub trait Verifier: Send + Sync {
    /// One opinion per statement, in the order of the statements. Computing takes a while, so an implementation must not
    /// block the caller's thread.
    fn judge<'a>(&'a self, statements: &'a [EvidencedStatement]) -> BoxFuture<'a, Result<Vec<Opinion>>>;
}

/// A statement, and all of the evidence that it is judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidencedStatement {
    /// The statement on one line, without citations.
    pub statement: Untrusted,
    /// The texts that it cites.
    pub evidence: Vec<Untrusted>,
}

/// Whether evidence bears out a statement, in the opinion of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// The opinion.
    pub verdict: OpinionVerdict,
    /// The words of the evidence that contradict the statement; empty if nothing does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quote: String,
}

/// What evidence says of a statement, in the opinion of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum OpinionVerdict {
    /// The evidence says all of it.
    Entailed,
    /// The evidence says something that can't be true together with it.
    Contradicted,
    /// The evidence says neither.
    NotThere,
}
