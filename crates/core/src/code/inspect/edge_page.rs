//! A neighborhood may be larger than a reader can take in: it is returned in pages of edges.

use std::collections::BTreeSet;

use crate::code::graph::Neighborhood;

/// The candidates that are listed of an unresolved use.
const MOST_CANDIDATES: usize = 5;

/// Which edges of a neighborhood are returned.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgePage {
    pub limit: usize,
    pub offset: usize,
}

impl EdgePage {
    /// The number of edges on a page unless another is asked for.
    pub fn usual_limit() -> usize {
        40
    }

    /// Keeps the edges of this page with their nodes, and as many lines of the tree and unresolved uses. The notice says what
    /// there is besides. A neighborhood that fits is returned whole.
    pub fn cut(self, mut found: Neighborhood) -> Neighborhood {
        let (edges, unknown) = (found.edges.len(), found.unknown.len());
        if self.offset == 0 && edges <= self.limit && unknown <= self.limit {
            return found;
        }
        let mut said: Vec<String> = found.notice.take().into_iter().collect();
        found.edges = found.edges.into_iter().skip(self.offset).take(self.limit).collect();
        let next = self.offset.saturating_add(found.edges.len());
        if edges > self.limit || self.offset > 0 {
            let more = if next < edges { format!("; `offset` {next} continues") } else { String::new() };
            said.push(format!("{} of {edges} edges are listed{more}", found.edges.len()));
        }
        if unknown > self.limit {
            found.unknown.truncate(self.limit);
            for open in &mut found.unknown {
                open.candidates.truncate(MOST_CANDIDATES);
            }
            said.push(format!("{} of {unknown} unknown uses are listed", self.limit));
        }
        let ends: BTreeSet<&str> =
            found.edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]).collect();
        let mut is_first = true;
        found.nodes.retain(|node| std::mem::take(&mut is_first) || ends.contains(node.id.as_str()));
        found.tree = self.cut_tree(&found.tree);
        found.notice = (!said.is_empty()).then(|| said.join("; "));
        found
    }

    /// The first lines of a tree; on later pages its root, since its lines are not in the order of the edges.
    fn cut_tree(self, tree: &str) -> String {
        let most = if self.offset == 0 { self.limit.saturating_add(1) } else { 1 };
        let mut lines: Vec<&str> = tree.lines().take(most).collect();
        if lines.len() < tree.lines().count() {
            lines.push("…");
        }
        lines.join("\n")
    }
}
