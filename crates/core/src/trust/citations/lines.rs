//! A citation of lines in a file, for programs and people.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::evidence::{Evidence, Provenance};

/// Lines that an answer rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// The id of the evidence.
    pub id: String,
    /// The file's path.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// How the evidence was found.
    pub provenance: Provenance,
    /// The text of the lines, byte for byte.
    pub text: String,
}

impl Citation {
    /// The citation of a piece of evidence. None for a page.
    pub fn from_evidence(entry: &Evidence) -> Option<Self> {
        let (_, place) = entry.source.file()?;
        Some(Self {
            id: entry.id.to_string(),
            path: place.path.to_string(),
            start_line: place.start_line,
            end_line: place.end_line,
            provenance: entry.provenance,
            text: entry.text.expose().to_owned(),
        })
    }
}

/// `[ev-…-001] src/store.rs:10-12 (graph)`
impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, path, start_line, end_line, provenance, .. } = self;
        // A path is somebody else's text, and may be markup.
        let path = path.replace(|c: char| c.is_control() || matches!(c, '<' | '>' | '`'), "\u{fffd}");
        write!(f, "[{id}] {path}:{start_line}-{end_line} ({})", provenance.name())
    }
}
