//! Identifiers: in order of time, never reused, safe as a file name.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Result};

/// Names one operation of the journal: what `wellread undo` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OperationId(Uuid);

impl OperationId {
    /// A new id, later in order than every id made before it in this process.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }

    pub fn parse(text: &str) -> Result<Self> {
        Uuid::try_parse(text).map(Self).map_err(|_| {
            Error::invalid(format!("`{text}` is no operation id"))
                .hint("`wellread undo --list` shows the operations with their ids")
        })
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}
