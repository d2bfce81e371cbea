//! Renders a neighborhood as a text tree: one line for each node, its neighbors below it.

use std::collections::{BTreeMap, BTreeSet};

use super::edges::RawEdge;
use super::expand::{Direction, RawNeighborhood};
use super::files::NodeKey;
use super::{Certainty, EdgeKind, Graph};
use crate::Result;

/// The most lines of a tree.
const MOST_LINES: usize = 500;

/// Renders what was reached from `start`: outgoing edges first, then incoming ones, those of its constructors (`made`)
/// among them.
pub(super) fn render_tree(
    graph: &Graph<'_>,
    (start, made): (NodeKey, &[NodeKey]),
    direction: Direction,
    reached: &RawNeighborhood,
) -> Result<String> {
    let mut drawing = Drawing {
        graph,
        out: BTreeMap::new(),
        into: BTreeMap::new(),
        lines: Vec::new(),
        drawn: BTreeSet::new(),
    };
    for arc in &reached.arcs {
        drawing.out.entry(arc.from).or_default().push(arc);
        let to = if arc.kind == EdgeKind::Calls && made.contains(&arc.to) { start } else { arc.to };
        drawing.into.entry(to).or_default().push(arc);
    }
    drawing.lines.push(drawing.name(start)?);
    if direction != Direction::In {
        drawing.drawn = BTreeSet::from([start]);
        drawing.draw_children(start, "", true, &mut vec![start])?;
    }
    if direction != Direction::Out {
        drawing.drawn = BTreeSet::from([start]);
        drawing.draw_children(start, "", false, &mut vec![start])?;
    }
    if drawing.lines.len() >= MOST_LINES {
        drawing.lines.push("…".to_owned());
    }
    Ok(drawing.lines.join("\n"))
}

struct Drawing<'g, 'r> {
    graph: &'g Graph<'g>,
    out: BTreeMap<NodeKey, Vec<&'r RawEdge>>,
    into: BTreeMap<NodeKey, Vec<&'r RawEdge>>,
    lines: Vec<String>,
    /// Nodes whose own edges are drawn already.
    drawn: BTreeSet<NodeKey>,
}

impl Drawing<'_, '_> {
    fn draw_children(
        &mut self,
        spot: NodeKey,
        indent: &str,
        is_out: bool,
        open: &mut Vec<NodeKey>,
    ) -> Result<()> {
        let arcs = if is_out { &self.out } else { &self.into };
        let arcs: Vec<RawEdge> = arcs.get(&spot).into_iter().flatten().map(|arc| **arc).collect();
        let last = arcs.len();
        for (index, arc) in arcs.into_iter().enumerate() {
            if self.lines.len() >= MOST_LINES {
                return Ok(());
            }
            let other = if is_out { arc.to } else { arc.from };
            let is_last = index + 1 == last;
            let sign = if is_last { "└─" } else { "├─" };
            let way = if is_out { "→" } else { "←" };
            let sure = match arc.certainty {
                Certainty::Certain => "",
                Certainty::Likely => " (likely)",
                Certainty::Unknown => " (unknown)",
            };
            let again = if open.contains(&other) {
                " ↺"
            } else if self.drawn.contains(&other) {
                " (see above)"
            } else {
                ""
            };
            let line = format!("{indent}{sign} {} {way} {}{sure}{again}", arc.kind.name(), self.name(other)?);
            self.lines.push(line);
            if again.is_empty() {
                self.drawn.insert(other);
                open.push(other);
                let further = format!("{indent}{}", if is_last { "   " } else { "│  " });
                self.draw_children(other, &further, is_out, open)?;
                open.pop();
            }
        }
        Ok(())
    }

    fn name(&self, spot: NodeKey) -> Result<String> {
        let path = self.graph.files.path(spot.file);
        let read = self.graph.files.read(spot.file)?;
        let definition = read.as_ref().and_then(|read| read.definition(spot.at));
        Ok(match definition {
            Some(found) => format!("{} {}:{}", found.qualified, path, found.lines.0),
            None => format!("{} {path}:1", crate::code::codebase::MODULE),
        })
    }
}
