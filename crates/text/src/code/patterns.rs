//! The patterns of a query file, as they are written for tree-sitter, ready to be searched for.
//!
//! tree-sitter's own compiler follows every pattern through the whole parse table of its grammar, which takes a process longer
//! than most files take to read. What the patterns of this project use of the query language is small, so they are only read
//! here, and matched against the tree as it is. What is not understood is refused. Not the search itself: see `pattern_search`.

use std::collections::HashMap;
use std::sync::OnceLock;

use regex::Regex;
use tree_sitter::{Language as Grammar, Node};

use super::pattern_parser::PatternParser;

/// The patterns of one language for one purpose.
#[derive(Debug)]
pub(super) struct PatternSet {
    pub patterns: Vec<Pattern>,
    /// The names of the captures, without `@`, by index.
    capture_names: Vec<String>,
    /// By kind of node, the patterns that may begin there, in their order.
    roots: Vec<Vec<usize>>,
}

/// A pattern with what the captured text has to be.
#[derive(Debug)]
pub(super) struct Pattern {
    pub choices: Vec<NodePattern>,
    pub tests: Vec<TextTest>,
    /// Whether one of its matches at a node may capture what another does, or a part of it.
    pub overlaps: bool,
}

/// A node that a pattern asks for.
#[derive(Debug)]
pub(super) struct NodePattern {
    pub kind: NodeKind,
    pub field: Option<u16>,
    pub captures: Vec<u32>,
    pub children: Vec<ChildPattern>,
    /// Fields that the node must not have.
    pub absent: Vec<u16>,
    /// Whether no named node may follow the last child that was matched.
    pub closed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// `_`
    Any,
    /// `(_)`
    Named,
    Is(u16),
}

/// A child that a pattern asks for, as one of several nodes.
#[derive(Debug)]
pub(super) struct ChildPattern {
    pub choices: Vec<NodePattern>,
    pub optional: bool,
    /// Whether no named node may stand between it and the one before, or the beginning.
    pub adjacent: bool,
}

/// What the text of a capture has to be.
#[derive(Debug)]
pub(super) struct TextTest {
    pub capture: u32,
    pub rule: TextRule,
}

#[derive(Debug)]
pub(super) enum TextRule {
    OneOf(Vec<String>),
    /// Compiled when it is first asked.
    Matches(String, OnceLock<Option<Regex>>),
}

impl TextTest {
    pub(super) fn accepts(&self, text: &str) -> bool {
        match &self.rule {
            TextRule::OneOf(words) => words.iter().any(|word| word == text),
            TextRule::Matches(regex, compiled) => compiled
                .get_or_init(|| Regex::new(regex).ok())
                .as_ref()
                .is_some_and(|regex| regex.is_match(text)),
        }
    }
}

impl PatternSet {
    /// `None` when the text is no query for the grammar, or one that asks for more than is understood here.
    pub(super) fn parse(grammar: &Grammar, text: &str) -> Option<Self> {
        let (patterns, capture_names) = PatternParser::new(grammar, text).parse_all()?;
        let mut roots: Vec<Vec<usize>> = Vec::new();
        roots.resize_with(grammar.node_kind_count(), Vec::new);
        for (index, pattern) in patterns.iter().enumerate() {
            for choice in &pattern.choices {
                // One that may begin anywhere would be asked at every node, and there is none.
                let NodeKind::Is(kind) = choice.kind else { return None };
                let at = roots.get_mut(usize::from(kind))?;
                if at.last() != Some(&index) {
                    at.push(index);
                }
            }
        }
        Some(Self { patterns, capture_names, roots })
    }

    pub(super) fn capture_names(&self) -> &[String] {
        &self.capture_names
    }

    /// The patterns that may begin at nodes of this kind.
    pub(super) fn beginning_at(&self, kind: u16) -> &[usize] {
        self.roots.get(usize::from(kind)).map_or(&[], Vec::as_slice)
    }
}

impl ChildPattern {
    /// Whether matches that differ in this child may have the same captures.
    pub(super) fn overlaps(&self) -> bool {
        let kinds = || self.choices.iter().map(|choice| choice.kind);
        let is_one_of_several =
            self.choices.len() > 1 && kinds().any(|kind| kinds().filter(|&other| other == kind).count() > 1);
        let is_general = self.choices.len() > 1 && kinds().any(|kind| !matches!(kind, NodeKind::Is(_)));
        let is_open = |choice: &NodePattern| !choice.captures_inside() || choice.overlaps();
        self.optional || is_one_of_several || is_general || self.choices.iter().any(is_open)
    }
}

impl NodePattern {
    pub(super) fn overlaps(&self) -> bool {
        self.children.iter().any(ChildPattern::overlaps)
    }

    /// Whether it or a node in it is captured.
    fn captures_inside(&self) -> bool {
        let inside = |child: &ChildPattern| child.choices.iter().all(Self::captures_inside);
        !self.captures.is_empty() || self.children.iter().any(inside)
    }

    /// Whether a node of this kind in this field may be meant; not what is in it.
    pub(super) fn may_be(&self, kind: u16, is_named: bool, field: Option<u16>) -> bool {
        let is_kind = match self.kind {
            NodeKind::Any => kind != ERROR,
            NodeKind::Named => is_named && kind != ERROR,
            NodeKind::Is(wanted) => kind == wanted,
        };
        is_kind && (self.field.is_none() || self.field == field)
    }

    pub(super) fn lacks_absent_fields(&self, node: Node<'_>) -> bool {
        self.absent.iter().all(|&field| node.child_by_field_id(field).is_none())
    }
}

/// The kind of what the parser did not understand, which `_` does not mean.
const ERROR: u16 = u16::MAX;

/// The ids of a grammar's kinds of nodes by their names. The grammar looks through its whole list for each.
pub(super) struct KindIds<'a> {
    grammar: &'a Grammar,
    known: HashMap<(&'a str, bool), Option<u16>>,
}

impl<'a> KindIds<'a> {
    pub(super) fn new(grammar: &'a Grammar) -> Self {
        Self { grammar, known: HashMap::new() }
    }

    /// `None` for what no node is, as itself.
    pub(super) fn find(&mut self, kind: &'a str, is_named: bool) -> Option<u16> {
        let grammar = self.grammar;
        *self.known.entry((kind, is_named)).or_insert_with(|| {
            let id = grammar.id_for_node_kind(kind, is_named);
            (id != 0 && id != ERROR && !grammar.node_kind_is_supertype(id)).then_some(id)
        })
    }
}
