//! The code graph: what calls, imports, contains or implements what.
//!
//! Nothing of this is kept: it is worked out from what files define and use, whenever somebody asks, so that it can't be
//! older than the index. An edge says how sure it is and why. What can't be resolved is told as unknown, with what it may
//! be, and is never made an edge.

mod bases;
mod builtin;
mod constructors;
mod edges;
mod elements;
mod expand;
mod exports;
mod files;
mod imports;
mod meaning;
mod members;
mod module_rules;
mod name_lookup;
mod owners;
mod pack;
mod paths;
mod position;
mod rank;
mod references;
mod resolve;
mod scopes;
mod trace;
mod tree;
mod usages;
mod values;

use std::cell::Cell;
use std::time::Instant;

use files::GraphFiles;
use resolve::GraphCache;

pub use elements::{Certainty, Edge, EdgeKind, EdgeReason, Node, UnresolvedUse};
pub use expand::{DEEPEST, Direction, MOST_NODES, Neighborhood};
pub use pack::{PackedSpan, SpanPack};
pub use position::NameResolution;
pub use references::{Reference, SymbolReferences};
pub use trace::TraceResult;

use crate::Result;
use crate::code::codebase::Codebase;

/// The graph of a repository, for one question: what was read stays in hand until it is dropped.
pub struct Graph<'a> {
    codebase: &'a Codebase,
    files: GraphFiles<'a>,
    cache: GraphCache,
    /// How far one lookup has led to the next.
    depth: Cell<usize>,
}

impl std::fmt::Debug for Graph<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").field("codebase", &self.codebase).finish_non_exhaustive()
    }
}

impl<'a> Graph<'a> {
    /// One that gives up at this moment, whatever it is at.
    pub fn with_deadline(codebase: &'a Codebase, until: Instant) -> Result<Self> {
        let mut graph = Self::new(codebase)?;
        graph.files.until = Some(until);
        Ok(graph)
    }

    /// A graph that takes as long as it needs.
    pub fn new(codebase: &'a Codebase) -> Result<Self> {
        let files = GraphFiles::new(codebase)?;
        Ok(Self { codebase, files, cache: GraphCache::default(), depth: Cell::new(0) })
    }
}
