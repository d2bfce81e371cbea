//! Finds a path from one symbol to another.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::edges::{RawEdge, UnresolvedMention};
use super::expand::plural;
use super::files::NodeKey;
use super::{Certainty, DEEPEST, Direction, Edge, EdgeKind, Graph, MOST_NODES, Node, UnresolvedUse};
use crate::Result;
use crate::code::codebase::CodeSymbol;

/// The most nodes that are visited.
const MOST_SEEN: usize = 2_000;
/// The most hops of a path.
const LONGEST: usize = 64;
const MOST_UNKNOWN: usize = 40;

/// A path, or what is known if there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TraceResult {
    /// Whether there is a path.
    pub found: bool,
    /// The edges from first to last, each with the line that proves it.
    #[serde(rename = "edges")]
    pub hops: Vec<Edge>,
    /// The symbols on the path.
    pub nodes: Vec<Node>,
    /// If no chain of calls was found: uses on the way that may lead there but could not be resolved.
    pub unknown: Vec<UnresolvedUse>,
    /// A notice for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Graph<'_> {
    /// The shortest chain of calls from one symbol to another; otherwise the shortest path along edges of any kind.
    pub fn trace(&self, from: &CodeSymbol, to: &CodeSymbol) -> Result<TraceResult> {
        let (start, end) = (self.node_key(from)?, self.node_key(to)?);
        if start == end {
            let nodes = vec![self.node(start)?];
            let notice = Some("both are the same symbol".to_owned());
            return Ok(TraceResult { found: true, hops: Vec::new(), nodes, unknown: Vec::new(), notice });
        }
        // A type is reached where one of its constructors is called.
        let mut ends = self.constructors_of(end)?;
        ends.insert(0, end);
        let calls = self.find_path(start, &ends, &[EdgeKind::Calls])?;
        if let Some(way) = &calls.way {
            return self.build_trace(start, way);
        }
        // An unresolved use counts if one of its candidates leads to the target.
        let leading =
            self.walk_neighborhood(&[end], Direction::In, DEEPEST, &[EdgeKind::Calls], MOST_NODES)?;
        let leads = |open: &&UnresolvedMention| {
            open.candidates.iter().any(|candidate| leading.nodes.contains(candidate))
        };
        let open = calls.open.iter().filter(leads).take(MOST_UNKNOWN);
        let unknown = open.map(|open| self.unresolved_use(open)).collect::<Result<Vec<_>>>()?;
        let may = match unknown.len() {
            0 => String::new(),
            count => {
                format!("; {count} unresolved {} on the way may lead there", plural(count, "use", "uses"))
            }
        };
        // Code in a class is run through the class, code in a file through the file.
        let any = self.find_path(start, &[end], &EdgeKind::ALL)?;
        if let Some(way) = &any.way {
            let notice =
                format!("no chain of calls is known: this path goes through imports, contents or types{may}");
            return Ok(TraceResult { unknown, notice: Some(notice), ..self.build_trace(start, way)? });
        }
        let mut notice = match unknown.is_empty() {
            true => "no path leads there".to_owned(),
            false => format!("could not determine a path{may}"),
        };
        let goes_on = calls.goes_on || any.goes_on;
        if goes_on && unknown.is_empty() {
            notice = format!("no path of at most {LONGEST} steps leads there; there may be a longer one");
        }
        if calls.cut || any.cut {
            notice.push_str(&format!("; the search ended after {MOST_SEEN} nodes"));
        }
        let nodes = vec![self.node(start)?, self.node(end)?];
        Ok(TraceResult { found: false, hops: Vec::new(), nodes, unknown, notice: Some(notice) })
    }

    fn build_trace(&self, start: NodeKey, way: &[RawEdge]) -> Result<TraceResult> {
        let mut nodes = vec![self.node(start)?];
        let mut hops = Vec::new();
        for arc in way {
            nodes.push(self.node(arc.to)?);
            hops.push(self.edge(arc)?);
        }
        Ok(TraceResult { found: true, hops, nodes, unknown: Vec::new(), notice: None })
    }

    /// The shortest path along edges of these kinds; of equally short ones the most certain.
    fn find_path(&self, start: NodeKey, ends: &[NodeKey], kinds: &[EdgeKind]) -> Result<PathSearch> {
        let mut came: BTreeMap<NodeKey, (RawEdge, usize)> = BTreeMap::new();
        let mut search = PathSearch::default();
        let mut level = vec![start];
        let mut seen = BTreeSet::from([start]);
        for _ in 0..LONGEST {
            // The number of uncertain edges on the way to each node, so that the most certain way is kept.
            let mut next: BTreeMap<NodeKey, (usize, RawEdge)> = BTreeMap::new();
            for spot in level {
                let unsure = came.get(&spot).map_or(0, |(_, unsure)| *unsure);
                let edges = self.outgoing_edges(spot, kinds)?;
                search.open.extend(edges.open);
                for arc in edges.arcs.into_iter().filter(|arc| !seen.contains(&arc.to)) {
                    let unsure = unsure + usize::from(arc.certainty != Certainty::Certain);
                    let known = next.entry(arc.to).or_insert((unsure, arc));
                    if unsure < known.0 {
                        *known = (unsure, arc);
                    }
                }
            }
            for (&spot, &(unsure, arc)) in &next {
                came.insert(spot, (arc, unsure));
            }
            if let Some(&end) = ends.iter().find(|end| came.contains_key(end)) {
                let mut way = Vec::new();
                let mut at = end;
                while let Some((arc, _)) = came.get(&at).filter(|_| at != start) {
                    way.push(*arc);
                    at = arc.from;
                }
                way.reverse();
                search.way = Some(way);
                return Ok(search);
            }
            level = next.into_keys().collect();
            if seen.len() + level.len() > MOST_SEEN {
                search.cut = true;
                level.truncate(MOST_SEEN.saturating_sub(seen.len()));
            }
            seen.extend(level.iter().copied());
            if level.is_empty() {
                break;
            }
        }
        search.goes_on = !level.is_empty();
        Ok(search)
    }
}

#[derive(Default)]
struct PathSearch {
    way: Option<Vec<RawEdge>>,
    open: BTreeSet<UnresolvedMention>,
    /// Whether nodes were left out because there were too many.
    cut: bool,
    /// Whether the longest path that is searched for could have gone on.
    goes_on: bool,
}
