//! A small model on this machine that reads a statement beside a text, and the opinion that a language model gives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A small model on this machine that reads a statement beside a text. Nothing is sent anywhere, and on the same kind of
/// processor the same words give the same answer.
pub trait Verifier: Send + Sync {
    /// How the text relates to the statement, which is one line without citations.
    fn read(&self, statement: &str, text: &str) -> SupportShares;
}

/// How a text relates to a statement: three shares that add up to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SupportShares {
    /// The text bears the statement out.
    pub supported: f32,
    /// The text says otherwise.
    pub contradicted: f32,
    /// The text does not say it.
    pub not_said: f32,
}

/// What evidence says of a statement, in the opinion of a language model.
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
