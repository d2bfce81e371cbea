//! The neighborhood of a symbol: everything within a number of steps.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edges::{NodeEdges, RawEdge, UnresolvedMention};
use super::files::NodeKey;
use super::{Edge, EdgeKind, EdgeReason, Graph, Node, UnresolvedUse, tree};
use crate::code::codebase::{CodeSymbol, MODULE, SymbolId};
use crate::{Error, Result};

/// The maximum number of steps.
pub const DEEPEST: usize = 6;
/// The maximum number of nodes.
pub const MOST_NODES: usize = 400;
const MOST_UNKNOWN: usize = 400;
const MOST_CANDIDATES: usize = 20;

/// Which edges to follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// What depends on it: its callers, importers and heirs.
    In,
    /// What it depends on.
    Out,
    /// Both.
    #[default]
    Both,
}

/// The nodes and edges around a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Neighborhood {
    /// The symbols.
    pub nodes: Vec<Node>,
    /// The edges between them.
    pub edges: Vec<Edge>,
    /// Possible matches that could not be resolved.
    pub unknown: Vec<UnresolvedUse>,
    /// A note for the reader: nothing was found, or the result is incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The graph as a tree, one line for each node.
    pub tree: String,
}

/// A neighborhood before it is rendered.
#[derive(Debug, Default)]
pub(super) struct RawNeighborhood {
    pub nodes: Vec<NodeKey>,
    pub arcs: BTreeSet<RawEdge>,
    pub open: BTreeSet<UnresolvedMention>,
    /// Whether the limit on nodes was reached.
    pub cut: bool,
    pub left_out: usize,
}

impl Graph<'_> {
    /// The neighborhood of a symbol along edges of some kinds; of all kinds without `kinds`. An error if `depth` is 0;
    /// a greater depth than [`DEEPEST`] is reduced to it.
    pub fn expand(
        &self,
        symbol: &CodeSymbol,
        direction: Direction,
        depth: usize,
        kinds: Option<&[EdgeKind]>,
    ) -> Result<Neighborhood> {
        if depth == 0 {
            return Err(Error::invalid("the depth must be at least 1").hint("give a depth from 1 to 6"));
        }
        let start = self.node_key(symbol)?;
        let made = self.constructors_of(start)?;
        let kinds = kinds.filter(|kinds| !kinds.is_empty()).unwrap_or(&EdgeKind::ALL);
        let mut reached =
            self.walk_neighborhood(&[start], direction, depth.min(DEEPEST), kinds, MOST_NODES)?;
        if direction != Direction::Out && kinds.contains(&EdgeKind::Calls) {
            reached.open.extend(self.calls_through_bases(start)?);
        }
        let tree = tree::render_tree(self, (start, &made), direction, &reached)?;
        let notice = self.render_notice((start, &made), direction, depth, kinds, &reached)?;
        let mut nodes = Vec::new();
        for &spot in &reached.nodes {
            nodes.push(self.node(spot)?);
        }
        let mut edges = Vec::new();
        for arc in &reached.arcs {
            edges.push(self.edge(arc)?);
        }
        let mut unknown = Vec::new();
        for open in reached.open.iter().take(MOST_UNKNOWN) {
            unknown.push(self.unresolved_use(open)?);
        }
        Ok(Neighborhood { nodes, edges, unknown, notice, tree })
    }

    /// Everything within `depth` steps, nearest first, up to `most` nodes.
    pub(super) fn walk_neighborhood(
        &self,
        starts: &[NodeKey],
        direction: Direction,
        depth: usize,
        kinds: &[EdgeKind],
        most: usize,
    ) -> Result<RawNeighborhood> {
        let mut reached = RawNeighborhood { nodes: starts.to_vec(), ..RawNeighborhood::default() };
        let mut seen: BTreeSet<NodeKey> = starts.iter().copied().collect();
        let mut level: Vec<NodeKey> = starts.to_vec();
        for _ in 0..depth {
            let mut next = Vec::new();
            for spot in level {
                for (edges, is_out) in self.edges_in_direction(spot, direction, kinds)? {
                    reached.left_out += edges.left_out;
                    reached.open.extend(edges.open);
                    for arc in edges.arcs {
                        let (other, near) = if is_out { (arc.to, arc.from) } else { (arc.from, arc.to) };
                        // An edge to a constructor was found from its type.
                        if seen.len() < most && seen.insert(near) {
                            reached.nodes.push(near);
                        }
                        if !seen.contains(&other) {
                            if seen.len() >= most {
                                reached.cut = true;
                                continue;
                            }
                            seen.insert(other);
                            reached.nodes.push(other);
                            next.push(other);
                        }
                        reached.arcs.insert(arc);
                    }
                }
            }
            level = next;
        }
        Ok(reached)
    }

    fn edges_in_direction(
        &self,
        spot: NodeKey,
        direction: Direction,
        kinds: &[EdgeKind],
    ) -> Result<Vec<(NodeEdges, bool)>> {
        let mut all = Vec::new();
        if direction != Direction::In {
            all.push((self.outgoing_edges(spot, kinds)?, true));
        }
        if direction != Direction::Out {
            all.push((self.incoming_edges(spot, kinds)?, false));
            all.push((self.creation_edges(spot, kinds)?, false));
        }
        Ok(all)
    }

    /// A notice if nothing was found, or if the result may be incomplete.
    fn render_notice(
        &self,
        (start, made): (NodeKey, &[NodeKey]),
        direction: Direction,
        depth: usize,
        kinds: &[EdgeKind],
        reached: &RawNeighborhood,
    ) -> Result<Option<String>> {
        let mut said = Vec::new();
        if direction != Direction::Out && kinds.contains(&EdgeKind::Calls) && start.at.is_some() {
            let is_it = |spot: &NodeKey| *spot == start || made.contains(spot);
            let called = reached.arcs.iter().any(|arc| arc.kind == EdgeKind::Calls && is_it(&arc.to));
            let may: Vec<&UnresolvedMention> =
                reached.open.iter().filter(|open| open.candidates.iter().any(is_it)).collect();
            let handed = may.iter().filter(|open| open.why == EdgeReason::HandedOn).count();
            let unclear = may.len() - handed;
            match (called, may.is_empty() && reached.left_out == 0) {
                (false, true) => said.push("no call to it was found".to_owned()),
                (false, false) => said.push("could not determine what calls it".to_owned()),
                (true, _) => {}
            }
            if unclear > 0 {
                said.push(format!(
                    "{unclear} {} may call it: see `unknown`",
                    plural(unclear, "place", "places")
                ));
            }
            if handed > 0 {
                said.push(format!(
                    "it is passed as a value in {handed} {}",
                    plural(handed, "place", "places")
                ));
            }
        }
        if reached.left_out > 0 {
            said.push(format!(
                "{} more files contain a similar name and were not searched",
                reached.left_out
            ));
        }
        if depth > DEEPEST {
            said.push(format!("the maximum depth is {DEEPEST}"));
        }
        if reached.cut {
            said.push(format!("there is more: the result was cut at {} nodes", reached.nodes.len()));
        }
        if reached.open.len() > MOST_UNKNOWN {
            said.push(format!("{MOST_UNKNOWN} of {} unknown uses are listed", reached.open.len()));
        }
        Ok((!said.is_empty()).then(|| said.join("; ")))
    }

    /// The node of a symbol. An error if its file or the symbol itself is not in the index any more.
    pub(super) fn node_key(&self, symbol: &CodeSymbol) -> Result<NodeKey> {
        let file = self.files.find_path(symbol.path.as_str());
        let file = file.ok_or_else(|| {
            Error::not_found(format!("`{}` is not an indexed code file", symbol.path))
                .with_path(symbol.path.as_str())
        })?;
        let Some(at) = symbol.at else { return Ok(NodeKey::module(file)) };
        let read = self.files.read(file)?;
        let is_it = |at: usize| {
            let found = read.as_ref().and_then(|read| read.definition(Some(at)));
            found.is_some_and(|found| found.qualified == symbol.qualified)
        };
        // The file may have been indexed again since the symbol was looked up.
        let again = || read.as_ref()?.find_qualified(&symbol.qualified);
        let at = if is_it(at) { Some(at) } else { again() };
        at.map(|at| NodeKey::definition(file, at))
            .ok_or_else(|| Error::not_found(format!("the symbol `{}` no longer exists", symbol.id)))
    }

    pub(super) fn symbol(&self, spot: NodeKey) -> Result<CodeSymbol> {
        let path = self.files.path(spot.file);
        let read = self.files.read(spot.file)?;
        let definition = read.as_ref().and_then(|read| read.definition(spot.at));
        let Some(definition) = definition else { return self.codebase.module(path) };
        Ok(CodeSymbol {
            id: SymbolId(self.id(spot)?),
            path: path.clone(),
            at: spot.at,
            name: definition.name.clone(),
            qualified: definition.qualified.clone(),
            kind: definition.kind,
            lines: definition.lines,
        })
    }

    pub(super) fn id(&self, spot: NodeKey) -> Result<String> {
        let path = self.files.path(spot.file);
        let read = self.files.read(spot.file)?;
        let id =
            read.zip(spot.at).and_then(|(read, at)| SymbolId::from_definition(path, read.definitions(), at));
        Ok(id.map_or_else(|| format!("{path}::{MODULE}"), |id| id.0))
    }

    pub(super) fn node(&self, spot: NodeKey) -> Result<Node> {
        let symbol = self.symbol(spot)?;
        Ok(Node {
            id: symbol.id.0,
            name: symbol.name,
            kind: symbol.kind.name().to_owned(),
            path: symbol.path.as_str().to_owned(),
            start_line: symbol.lines.0,
            end_line: symbol.lines.1,
        })
    }

    pub(super) fn edge(&self, arc: &RawEdge) -> Result<Edge> {
        Ok(Edge {
            from: self.id(arc.from)?,
            to: self.id(arc.to)?,
            kind: arc.kind,
            path: self.files.path(arc.file).as_str().to_owned(),
            line: arc.line,
            certainty: arc.certainty,
            why: arc.why,
        })
    }

    pub(super) fn unresolved_use(&self, open: &UnresolvedMention) -> Result<UnresolvedUse> {
        let candidates = open.candidates.iter().take(MOST_CANDIDATES);
        Ok(UnresolvedUse {
            from: self.id(open.from)?,
            name: open.name.clone(),
            kind: EdgeKind::Calls,
            path: self.files.path(open.file).as_str().to_owned(),
            line: open.line,
            candidates: candidates.map(|&spot| self.id(spot)).collect::<Result<_>>()?,
            why: open.why,
        })
    }
}

pub(super) fn plural(count: usize, one: &'static str, several: &'static str) -> &'static str {
    if count == 1 { one } else { several }
}
