//! The tree of a page, stored in one vector: it is dropped and walked without recursion, however deep the page is.

use html5ever::{Attribute, QualName, ns};

pub(super) type NodeId = u32;

/// The root node.
pub(super) const ROOT: NodeId = 0;

#[derive(Debug, Default)]
pub(super) struct Node {
    pub parent: Option<NodeId>,
    pub first: Option<NodeId>,
    pub last: Option<NodeId>,
    pub previous: Option<NodeId>,
    pub next: Option<NodeId>,
    pub data: NodeData,
}

#[derive(Debug, Default)]
pub(super) enum NodeData {
    /// The document, a comment, the contents of a template: nothing to read.
    #[default]
    Other,
    Text(String),
    Element(Element),
}

#[derive(Debug)]
pub(super) struct Element {
    pub name: QualName,
    pub attributes: Vec<Attribute>,
}

impl Element {
    /// The name of the element; empty for SVG and MathML.
    pub(super) fn tag(&self) -> &str {
        if self.name.ns == ns!(html) { &self.name.local } else { "" }
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|found| &*found.name.local == name).map(|found| &*found.value)
    }
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// A step of a walk through a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkStep {
    Into(NodeId),
    OutOf(NodeId),
}

impl Tree {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.node(id).data {
            NodeData::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The number of nodes, removed ones included.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The name of the element; empty if it is not HTML.
    pub(super) fn tag(&self, id: NodeId) -> &str {
        self.element(id).map_or("", Element::tag)
    }

    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).first, |&child| self.node(child).next)
    }

    /// All texts, removed ones included.
    pub(super) fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> + '_ {
        self.nodes.iter_mut().filter_map(|node| match &mut node.data {
            NodeData::Text(text) => Some(text),
            _ => None,
        })
    }

    pub(super) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).parent, |&above| self.node(above).parent)
    }

    /// The first element of this name, in the order of the page.
    pub(super) fn find(&self, from: NodeId, tag: &str) -> Option<NodeId> {
        self.walk(from).find_map(|step| match step {
            WalkStep::Into(id) if self.tag(id) == tag => Some(id),
            _ => None,
        })
    }

    /// Visits each node on entering and on leaving, in the order of the page.
    pub(super) fn walk(&self, from: NodeId) -> TreeWalk<'_> {
        TreeWalk { tree: self, from, at: Some(WalkStep::Into(from)) }
    }

    pub(super) fn create(&mut self, data: NodeData) -> NodeId {
        self.nodes.push(Node { data, ..Node::default() });
        (self.nodes.len() - 1) as NodeId
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(super) fn detach(&mut self, id: NodeId) {
        let Node { parent, previous, next, .. } = *self.node(id);
        let Some(parent) = parent else { return };
        match previous {
            Some(previous) => self.node_mut(previous).next = next,
            None => self.node_mut(parent).first = next,
        }
        match next {
            Some(next) => self.node_mut(next).previous = previous,
            None => self.node_mut(parent).last = previous,
        }
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next) = (None, None, None);
    }

    pub(super) fn append(&mut self, parent: NodeId, child: NodeId) {
        self.detach(child);
        let last = self.node(parent).last;
        let node = self.node_mut(child);
        (node.parent, node.previous) = (Some(parent), last);
        match last {
            Some(last) => self.node_mut(last).next = Some(child),
            None => self.node_mut(parent).first = Some(child),
        }
        self.node_mut(parent).last = Some(child);
    }

    pub(super) fn insert_before(&mut self, sibling: NodeId, child: NodeId) {
        self.detach(child);
        let Node { parent, previous, .. } = *self.node(sibling);
        let Some(parent) = parent else { return };
        let node = self.node_mut(child);
        (node.parent, node.previous, node.next) = (Some(parent), previous, Some(sibling));
        self.node_mut(sibling).previous = Some(child);
        match previous {
            Some(previous) => self.node_mut(previous).next = Some(child),
            None => self.node_mut(parent).first = Some(child),
        }
    }

    /// Appends text to the node if it is a text, so that adjacent texts are one. Returns whether it was.
    pub(super) fn append_text(&mut self, node: Option<NodeId>, text: &str) -> bool {
        match node.map(|id| &mut self.node_mut(id).data) {
            Some(NodeData::Text(before)) => {
                before.push_str(text);
                true
            }
            _ => false,
        }
    }
}

pub(super) struct TreeWalk<'a> {
    tree: &'a Tree,
    from: NodeId,
    at: Option<WalkStep>,
}

impl TreeWalk<'_> {
    /// Skips the contents of the node that was entered last.
    pub(super) fn skip_children(&mut self, id: NodeId) {
        self.at = Some(WalkStep::OutOf(id));
    }
}

impl Iterator for TreeWalk<'_> {
    type Item = WalkStep;

    fn next(&mut self) -> Option<WalkStep> {
        let now = self.at?;
        self.at = match now {
            WalkStep::Into(id) => Some(self.tree.node(id).first.map_or(WalkStep::OutOf(id), WalkStep::Into)),
            WalkStep::OutOf(id) if id == self.from => None,
            WalkStep::OutOf(id) => {
                let node = self.tree.node(id);
                node.next.map(WalkStep::Into).or(node.parent.map(WalkStep::OutOf))
            }
        };
        Some(now)
    }
}
