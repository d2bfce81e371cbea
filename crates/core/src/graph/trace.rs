//! A way from one symbol to another, hop by hop.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::edges::{Arc, Open};
use super::files::Spot;
use super::{Certainty, Edge, EdgeKind, Graph, Node, Unresolved};
use crate::Result;
use crate::codebase::Symbol;

/// More nodes than are looked at for a way.
const MOST_SEEN: usize = 2_000;
/// More hops than somebody follows.
const LONGEST: usize = 24;
const MOST_UNKNOWN: usize = 40;

/// A way, or what is known of there being none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Traced {
    pub found: bool,
    /// From the first to the last, each with the line that says so.
    pub hops: Vec<Edge>,
    pub nodes: Vec<Node>,
    /// Where none was found: uses on the way that may lead there, and could not be told.
    pub unknown: Vec<Unresolved>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Graph<'_> {
    pub fn trace(&self, from: &Symbol, to: &Symbol) -> Result<Traced> {
        let (start, end) = (self.spot(from)?, self.spot(to)?);
        if start == end {
            let nodes = vec![self.node(start)?];
            let notice = Some("both are the same symbol".to_owned());
            return Ok(Traced { found: true, hops: Vec::new(), nodes, unknown: Vec::new(), notice });
        }
        let calls = self.way(start, end, &[EdgeKind::Calls])?;
        if let Some(way) = &calls.way {
            return self.told(start, way, None);
        }
        // What is defined in a class is run by way of the class, what a file holds by way of the file.
        let any = self.way(start, end, &EdgeKind::ALL)?;
        if let Some(way) = &any.way {
            let notice =
                "no chain of calls leads there; this way goes through imports, contents or types".to_owned();
            return self.told(start, way, Some(notice));
        }
        let mut unknown = Vec::new();
        for open in calls.open.iter().filter(|open| self.may_lead(open, end)).take(MOST_UNKNOWN) {
            unknown.push(self.unresolved(open)?);
        }
        if unknown.is_empty() {
            for open in calls.open.iter().take(MOST_UNKNOWN) {
                unknown.push(self.unresolved(open)?);
            }
        }
        let mut notice = match unknown.len() {
            0 => "no way leads there".to_owned(),
            count => format!(
                "could not tell: no known way leads there, and {count} unresolved uses on the way may"
            ),
        };
        if calls.cut || any.cut {
            notice.push_str(&format!("; the search ended after {MOST_SEEN} nodes"));
        }
        let nodes = vec![self.node(start)?, self.node(end)?];
        Ok(Traced { found: false, hops: Vec::new(), nodes, unknown, notice: Some(notice) })
    }

    fn told(&self, start: Spot, way: &[Arc], notice: Option<String>) -> Result<Traced> {
        let mut nodes = vec![self.node(start)?];
        let mut hops = Vec::new();
        for arc in way {
            nodes.push(self.node(arc.to)?);
            hops.push(self.edge(arc)?);
        }
        Ok(Traced { found: true, hops, nodes, unknown: Vec::new(), notice })
    }

    /// The shortest way along such edges, of equally short ones the surest.
    fn way(&self, start: Spot, end: Spot, kinds: &[EdgeKind]) -> Result<Search> {
        let mut came: BTreeMap<Spot, (Arc, usize)> = BTreeMap::new();
        let mut search = Search::default();
        let mut level = vec![start];
        let mut seen = BTreeSet::from([start]);
        for _ in 0..LONGEST {
            // How unsure the way to each is, so that of two ways the surer is kept.
            let mut next: BTreeMap<Spot, (usize, Arc)> = BTreeMap::new();
            for spot in level {
                let unsure = came.get(&spot).map_or(0, |(_, unsure)| *unsure);
                let edges = self.leaving(spot, kinds)?;
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
            if came.contains_key(&end) {
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
        Ok(search)
    }

    /// Whether one of the candidates is the end, or leads to it by a chain of calls.
    fn may_lead(&self, open: &Open, end: Spot) -> bool {
        open.candidates.iter().any(|&candidate| {
            candidate == end
                || matches!(self.way(candidate, end, &[EdgeKind::Calls]), Ok(Search { way: Some(_), .. }))
        })
    }
}

#[derive(Default)]
struct Search {
    way: Option<Vec<Arc>>,
    open: BTreeSet<Open>,
    cut: bool,
}
