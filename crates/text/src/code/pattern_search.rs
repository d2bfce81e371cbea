//! Searches a tree for patterns.
//!
//! The rules are tree-sitter's: children are matched in their order, with others between them; of two matches of a pattern at
//! a node, one that captures only a part of what the other does is dropped. Matches come in the order of the nodes that the
//! patterns begin at, and of the patterns.

use std::rc::Rc;

use tree_sitter::{Node, Tree, TreeCursor};

use super::node_map::NodeMap;
use super::partial_matches::drop_partial_matches;
use super::patterns::{NodePattern, Pattern, PatternSet};

/// How many nodes may be compared with a pattern, for each byte of the text. Code needs a few; what was written to be
/// ambiguous could need more than there is time.
const LOOKS_PER_BYTE: usize = 200;
/// What a short text may need besides.
const LOOKS_AT_LEAST: usize = 100_000;
/// How many lists of children may be kept for the next node: to empty a map takes as long as it is large.
const MOST_LISTS: usize = 256;

/// What was captured, by index, in the order of the pattern.
pub(super) type Captured<'t> = Vec<(u32, Node<'t>)>;

/// A place where a pattern matches.
pub(super) struct PatternMatch<'a, 't> {
    /// Its place among the patterns.
    pub pattern: usize,
    pub captures: &'a [(u32, Node<'t>)],
}

/// Hands on every match. `None` when there is no end to them.
pub(super) fn search<'t>(
    tree: &'t Tree,
    text: &str,
    set: &PatternSet,
    mut take: impl FnMut(&PatternMatch<'_, 't>),
) -> Option<()> {
    let mut matcher = Matcher {
        inner: tree.walk(),
        lists: NodeMap::default(),
        captured: Vec::new(),
        found: Vec::new(),
        left: LOOKS_AT_LEAST + text.len().saturating_mul(LOOKS_PER_BYTE),
    };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let kind = node.kind_id();
        for &index in set.beginning_at(kind) {
            let pattern = &set.patterns[index];
            matcher.match_root(pattern, node, kind, text)?;
            for captures in matcher.found.drain(..) {
                take(&PatternMatch { pattern: index, captures: &captures });
            }
        }
        matcher.forget_children();
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(());
            }
        }
    }
}

/// A child of a node, with what most patterns ask of it.
#[derive(Clone, Copy)]
struct Child<'t> {
    node: Node<'t>,
    kind: u16,
    is_named: bool,
    field: Option<u16>,
}

struct Matcher<'t> {
    /// Walks through the children of single nodes.
    inner: TreeCursor<'t>,
    /// The children of the node that is being looked at, and of those in it that were looked into.
    lists: NodeMap<Rc<Vec<Child<'t>>>>,
    captured: Captured<'t>,
    found: Vec<Captured<'t>>,
    left: usize,
}

/// What is left to be matched when a node is.
type Rest<'r, 't> = &'r mut dyn FnMut(&mut Matcher<'t>);

impl<'t> Matcher<'t> {
    /// Finds the matches of a pattern that begin at this node. `None` when there is no end to them.
    fn match_root(&mut self, pattern: &Pattern, node: Node<'t>, kind: u16, text: &str) -> Option<()> {
        let root = Child { node, kind, is_named: node.is_named(), field: None };
        for choice in pattern.choices.iter().filter(|choice| choice.may_be(kind, root.is_named, None)) {
            self.match_node(choice, root, &mut |matcher| {
                let passes = pattern.tests.iter().all(|test| {
                    let mut meant = matcher.captured.iter().filter(|(capture, _)| *capture == test.capture);
                    meant.all(|(_, node)| test.accepts(text.get(node.byte_range()).unwrap_or_default()))
                });
                if passes {
                    matcher.found.push(matcher.captured.clone());
                }
            });
        }
        if pattern.overlaps && self.found.len() > 1 {
            drop_partial_matches(&mut self.found, &mut self.left);
        }
        (self.left > 0).then_some(())
    }

    fn match_node(&mut self, pattern: &NodePattern, child: Child<'t>, rest: Rest<'_, 't>) {
        if !pattern.lacks_absent_fields(child.node) {
            return;
        }
        let before = self.captured.len();
        self.captured.extend(pattern.captures.iter().map(|&capture| (capture, child.node)));
        if pattern.children.is_empty() && !pattern.closed {
            rest(self);
        } else {
            let children = self.children_of(child.node);
            self.match_children(pattern, &children, 0, 0, rest);
        }
        self.captured.truncate(before);
    }

    /// Matches what the pattern asks for from its `index`th child on, in the children from `from` on.
    fn match_children(
        &mut self,
        pattern: &NodePattern,
        children: &[Child<'t>],
        index: usize,
        from: usize,
        rest: Rest<'_, 't>,
    ) {
        let Some(wanted) = pattern.children.get(index) else {
            if !pattern.closed || children[from..].iter().all(|child| !child.is_named) {
                rest(self);
            }
            return;
        };
        for (at, child) in children.iter().enumerate().skip(from) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            for choice in &wanted.choices {
                if choice.may_be(child.kind, child.is_named, child.field) {
                    self.match_node(choice, *child, &mut |matcher| {
                        matcher.match_children(pattern, children, index + 1, at + 1, rest);
                    });
                }
            }
            if wanted.adjacent && child.is_named {
                break;
            }
        }
        if wanted.optional {
            self.match_children(pattern, children, index + 1, from, rest);
        }
    }

    fn children_of(&mut self, node: Node<'t>) -> Rc<Vec<Child<'t>>> {
        if let Some(known) = self.lists.get(&node.id()) {
            return known.clone();
        }
        let mut children = Vec::with_capacity(node.child_count() as usize);
        self.inner.reset(node);
        let mut is_child = self.inner.goto_first_child();
        while is_child {
            let node = self.inner.node();
            children.push(Child {
                node,
                kind: node.kind_id(),
                is_named: node.is_named(),
                field: self.inner.field_id().map(std::num::NonZeroU16::get),
            });
            is_child = self.inner.goto_next_sibling();
        }
        self.left = self.left.saturating_sub(children.len());
        let children = Rc::new(children);
        self.lists.insert(node.id(), children.clone());
        children
    }

    fn forget_children(&mut self) {
        if self.lists.capacity() > MOST_LISTS {
            self.lists = NodeMap::default();
        } else {
            self.lists.clear();
        }
    }
}
