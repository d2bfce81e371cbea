//! How the parts of a codebase hang together: calls, imports, what contains and what implements.
//!
//! Nothing of this is kept: it is worked out from what files define and use, whenever somebody asks, so that it can't be
//! older than the index. An edge says how sure it is and why. What can't be resolved is told as unknown, with what it may
//! be, and is never made an edge.

mod bases;
mod builtin;
mod edges;
mod expand;
mod files;
mod headers;
mod imports;
mod makers;
mod meaning;
mod members;
mod modules;
mod named;
mod offers;
mod owners;
mod pack;
mod packages;
mod rank;
mod references;
mod resolve;
mod rust;
mod scopes;
mod shapes;
mod standing;
mod trace;
mod tree;
mod users;
mod values;

use std::cell::Cell;
use std::time::Instant;

use files::Files;
use resolve::Memory;

pub use expand::{DEEPEST, Direction, Expanded, MOST_NODES};
pub use pack::{Packed, PackedSpan};
pub use references::{Reference, Referenced};
pub use shapes::{Certainty, Edge, EdgeKind, Node, Unresolved, Why};
pub use standing::Standing;
pub use trace::Traced;

use crate::Result;
use crate::codebase::Codebase;

/// The graph of a repository, for one question: what was read stays in hand until it is dropped.
pub struct Graph<'a> {
    codebase: &'a Codebase,
    files: Files<'a>,
    memory: Memory,
    /// How far one lookup has led to the next.
    deep: Cell<usize>,
}

impl std::fmt::Debug for Graph<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").field("codebase", &self.codebase).finish_non_exhaustive()
    }
}

impl<'a> Graph<'a> {
    /// One that gives up at this moment, whatever it is at.
    pub fn within(codebase: &'a Codebase, until: Instant) -> Result<Self> {
        let mut graph = Self::new(codebase)?;
        graph.files.until = Some(until);
        Ok(graph)
    }

    pub fn new(codebase: &'a Codebase) -> Result<Self> {
        let files = Files::new(codebase)?;
        Ok(Self { codebase, files, memory: Memory::default(), deep: Cell::new(0) })
    }
}
