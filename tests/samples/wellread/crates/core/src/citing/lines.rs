//! Lines of a file that an answer rests on, as programs and people are told.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::{Evidence, Provenance};

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

impl Citation {
    /// None for a page.
    pub fn of(entry: &Evidence) -> Option<Self> {
        let (_, place) = entry.source.file()?;
        Some(Self {
            id: entry.id.to_string(),
            path: place.path.to_string(),
            start_line: place.start_line,
            end_line: place.end_line,
            provenance: entry.provenance,
            text: entry.text.look().to_owned(),
        })
    }
}

/// `[ev-…-001] src/store.rs:10-12 (graph)`
impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, path, start_line, end_line, provenance, .. } = self;
        // A name is somebody else's words, and may be markup.
        let path = path.replace(|c: char| c.is_control() || matches!(c, '<' | '>' | '`'), "\u{fffd}");
        write!(f, "[{id}] {path}:{start_line}-{end_line} ({})", provenance.name())
    }
}
