//! The chunks in which a file is indexed, found and shown.
//!
//! A chunk refers to bytes and lines of its file, so that it can be read again there. It begins and ends at line
//! boundaries, unless a single line is longer than a chunk may be.

mod canvas;
mod note;
mod pack;
mod prose;

use crate::Span;

pub use canvas::{CanvasChunk, chunk_canvas};
pub use note::chunk_note;
pub(crate) use note::paragraphs;
pub(crate) use pack::{ChunkPiece, line_range, pack};
pub use prose::{chunk_org, chunk_prose};

/// The approximate maximum length of a chunk in bytes: as much as a small embedding model reads at once.
pub const CHUNK_BYTES: usize = 1200;

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The bytes of the chunk, without white space at either end except the indentation of the first line.
    pub span: Span,
    /// The first and the last line, from 1, both included.
    pub lines: (usize, usize),
    /// What the chunk contains.
    pub kind: ChunkKind,
    /// What contains the chunk, outermost first: the headings of a note, or the names of the definitions around code,
    /// its own name last. Empty before the first heading and outside of every definition.
    pub context: Vec<String>,
}

/// What a chunk is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkKind {
    /// The fields of a note.
    Frontmatter,
    /// Prose, lists, tables: anything in the body of a note.
    Text,
    /// A definition in code with its comment, or a part of a long one.
    Definition,
    /// Code outside of every definition, or in an unknown language.
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
