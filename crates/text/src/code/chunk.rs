//! The stretches in which a file is indexed, found and shown.
//!
//! A chunk points into the file: its bytes and lines are the file's own, so that what is found can be read again
//! where it stands. It begins and ends at the ends of lines, unless one line is longer than a chunk may be.

mod note;
mod pack;

use crate::Span;

pub use note::chunk_note;
pub(crate) use note::paragraphs;
pub(crate) use pack::{ChunkPiece, line_range, pack};

/// About how long a chunk is at the most, in bytes: as much as a small embedding model reads at once.
pub const CHUNK_BYTES: usize = 1200;

/// A stretch of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Without white space at either end, except the indentation of the first line.
    pub span: Span,
    /// The first and the last line, from 1, both included.
    pub lines: (usize, usize),
    pub kind: ChunkKind,
    /// What it stands under, outermost first: a note's headings, or the names of the definitions that code is in,
    /// its own name last. Empty before the first heading and outside every definition.
    pub context: Vec<String>,
}

/// What a chunk is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkKind {
    /// A note's fields.
    Frontmatter,
    /// Prose, lists, tables: whatever stands in a note's body.
    Text,
    /// A definition in code with its comment, or a part of one that is long.
    Definition,
    /// Code outside every definition, or in a language that is not known.
    Block,
}

impl ChunkKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Frontmatter, Self::Text, Self::Definition, Self::Block];

    /// The name of the kind, as an index stores it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frontmatter => "frontmatter",
            Self::Text => "text",
            Self::Definition => "definition",
            Self::Block => "block",
        }
    }
}
