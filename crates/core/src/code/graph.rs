//! The code graph: what calls, imports, contains or implements what.
//!
//! Nothing of it is stored: it is computed on demand from what files define and use, so that it is never older than the
//! index. Each edge states how certain it is and why. A use that can't be resolved is reported as unknown with its
//! candidates, and never becomes an edge.

mod bases;
mod builtin;
mod constructors;
mod dispatch;
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

/// The graph of a repository, for one query: what was read is cached until it is dropped.
pub struct Graph<'a> {
    codebase: &'a Codebase,
    files: GraphFiles<'a>,
    cache: GraphCache,
    /// How deeply lookups are nested at the moment.
    depth: Cell<usize>,
}

impl std::fmt::Debug for Graph<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").field("codebase", &self.codebase).finish_non_exhaustive()
    }
}

impl<'a> Graph<'a> {
    /// A graph whose queries fail once this time has passed.
    pub fn with_deadline(codebase: &'a Codebase, until: Instant) -> Result<Self> {
        let mut graph = Self::new(codebase)?;
        graph.files.until = Some(until);
        Ok(graph)
    }

    /// A graph without a time limit.
    pub fn new(codebase: &'a Codebase) -> Result<Self> {
        let files = GraphFiles::new(codebase)?;
        Ok(Self { codebase, files, cache: GraphCache::default(), depth: Cell::new(0) })
    }
}
