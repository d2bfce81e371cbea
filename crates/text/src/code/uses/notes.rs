//! What the marks say of each node of a tree.

use std::num::NonZeroU16;

use tree_sitter::{Node, Tree};

use crate::code::node_map::NodeMap;
use crate::code::pattern_search::search;

use super::marks::{CaptureMeaning, HeadClass, HeadKind, MarkRow, PartKind, UseMarks};

/// How many wrappers are looked through at the most.
const MAX_THROUGH: usize = 16;

pub(super) type Parts<'t> = Vec<(PartKind, Node<'t>)>;

/// What was found by a pattern that is not plain.
#[derive(Debug)]
struct QueryNote<'t> {
    head: HeadKind,
    parts: Parts<'t>,
    pattern: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct NodeNote<'a, 't> {
    pub head: HeadKind,
    pub node: Node<'t>,
    said: NoteSource<'a, 't>,
}

#[derive(Debug, Clone, Copy)]
enum NoteSource<'a, 't> {
    Row(&'a MarkRow),
    Special(&'a [(PartKind, Node<'t>)]),
}

impl<'t> NodeNote<'_, 't> {
    pub(super) fn part(&self, part: PartKind) -> Option<Node<'t>> {
        match self.said {
            NoteSource::Special(parts) => parts.iter().find(|(of, _)| *of == part).map(|(_, node)| *node),
            NoteSource::Row(row) => {
                let (field, _) = row.parts.iter().find(|(_, of)| *of == part)?;
                match field {
                    Some(field) => self.node.child_by_field_id(*field),
                    None => first_child(self.node),
                }
            }
        }
    }

    /// All that are this: one field may hold several.
    pub(super) fn all_parts(&self, part: PartKind) -> Vec<Node<'t>> {
        match self.said {
            NoteSource::Special(parts) => {
                parts.iter().filter(|(of, _)| *of == part).map(|(_, node)| *node).collect()
            }
            NoteSource::Row(row) => {
                let mut all = Vec::new();
                for (field, _) in row.parts.iter().filter(|(_, of)| *of == part) {
                    match field.and_then(NonZeroU16::new) {
                        Some(field) => {
                            let mut cursor = self.node.walk();
                            all.extend(
                                self.node.children_by_field_id(field, &mut cursor).filter(Node::is_named),
                            );
                        }
                        None => all.extend(first_child(self.node)),
                    }
                }
                all
            }
        }
    }
}

/// The first that is no comment.
fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    (0..node.named_child_count())
        .filter_map(|index| node.named_child(index as u32))
        .find(|child| !child.is_extra())
}

/// All that is said of a tree.
pub(super) struct TreeNotes<'t> {
    pub marks: &'t UseMarks,
    special: NodeMap<Vec<QueryNote<'t>>>,
    /// Imports and bases, each with the node it was found at.
    pub listed: Vec<(HeadKind, Node<'t>, Parts<'t>)>,
}

impl<'t> TreeNotes<'t> {
    pub(super) fn from_tree(tree: &'t Tree, text: &str, marks: &'t UseMarks) -> Option<Self> {
        let mut notes = Self { marks, special: NodeMap::default(), listed: Vec::new() };
        search(tree, text, &marks.patterns, |found| {
            let (mut heads, mut parts) = (Vec::new(), Parts::new());
            for &(index, node) in found.captures {
                match marks.meaning(index) {
                    CaptureMeaning::Head(head) => heads.push((head, node)),
                    CaptureMeaning::Part(part) => parts.push((part, node)),
                    CaptureMeaning::Own => {}
                }
            }
            for (head, node) in heads {
                notes.add_note(head, node, parts.clone(), found.pattern);
            }
        })?;
        Some(notes)
    }

    fn add_note(&mut self, head: HeadKind, node: Node<'t>, parts: Parts<'t>, pattern: usize) {
        if head.class() == HeadClass::List {
            self.listed.push((head, node, parts));
            return;
        }
        let of = self.special.entry(node.id()).or_default();
        let new = QueryNote { head, parts, pattern };
        match of.iter_mut().find(|known| known.head.class() == head.class()) {
            // A pattern that holds a name several times says each of them.
            Some(known) if known.pattern == pattern && known.head == head => known.parts.extend(new.parts),
            Some(known) if known.pattern <= pattern => *known = new,
            Some(_) => {}
            None => of.push(new),
        }
    }

    pub(super) fn note<'a>(&'a self, node: Node<'t>, class: HeadClass) -> Option<NodeNote<'a, 't>> {
        let special = self.special.get(&node.id());
        if let Some(known) = special.and_then(|all| all.iter().find(|known| known.head.class() == class)) {
            return Some(NodeNote { head: known.head, node, said: NoteSource::Special(&known.parts) });
        }
        let rows = self.marks.rows(node.kind_id());
        let row = rows.iter().rev().find(|row| row.head.class() == class)?;
        Some(NodeNote { head: row.head, node, said: NoteSource::Row(row) })
    }

    /// Whether anything at all is said of it.
    pub(super) fn has_note(&self, node: Node<'t>) -> bool {
        !self.marks.rows(node.kind_id()).is_empty() || self.special.contains_key(&node.id())
    }

    pub(super) fn meaning<'a>(&'a self, node: Node<'t>) -> Option<NodeNote<'a, 't>> {
        self.note(node, HeadClass::Meaning)
    }

    /// The node behind brackets, signs and whatever else does not change what is meant.
    pub(super) fn unwrap_node(&self, node: Node<'t>) -> Node<'t> {
        let mut node = node;
        for _ in 0..MAX_THROUGH {
            match self.meaning(node) {
                Some(note) if note.head == HeadKind::Through => match note.part(PartKind::Inner) {
                    Some(inner) => node = inner,
                    None => return node,
                },
                _ => return node,
            }
        }
        node
    }

    /// The name itself, without what is said of its type.
    pub(super) fn name_node(&self, node: Node<'t>) -> Node<'t> {
        let node = self.unwrap_node(node);
        match self.meaning(node) {
            Some(note) if matches!(note.head, HeadKind::Wrapper | HeadKind::Holder) => {
                note.part(PartKind::Outer).map_or(node, |outer| self.unwrap_node(outer))
            }
            _ => node,
        }
    }

    /// What a member or a path is made of: what it begins with, what is between, and its last name. Some grammars
    /// begin a path with its first name, others with all but its last.
    pub(super) fn split_path(
        &self,
        note: NodeNote<'_, 't>,
    ) -> Option<(Option<Node<'t>>, Vec<Node<'t>>, Node<'t>)> {
        let (of, mut between) = (note.part(PartKind::Of), Vec::new());
        let mut last = self.name_node(note.part(PartKind::Member)?);
        while let Some(inner) = self.meaning(last)
            && matches!(inner.head, HeadKind::Path | HeadKind::TypePath)
            && between.len() < MAX_THROUGH
            && let Some(member) = inner.part(PartKind::Member)
        {
            between.extend(inner.part(PartKind::Of).map(|of| self.name_node(of)));
            last = self.name_node(member);
        }
        Some((of, between, last))
    }
}
