//! One walk through a tree: its scopes and what they bind, and the places that may be mentions.
//!
//! Nothing is looked up on the way: what a name is bound to may stand behind its use.

use std::collections::HashMap;

use tree_sitter::{Node, Tree};

use super::MentionRole;
use super::marks::{HeadClass, HeadKind, PartKind};
use super::notes::{NodeNote, TreeNotes};
use super::scopes::{ScopeId, ScopeKind, Scopes};
use crate::code::node_map::NodeMap;
use crate::code::{Language, SymbolKind};

/// How many nodes of patterns are looked at, for each node of the tree.
const LOOKS_PER_NODE: usize = 4;

/// A place where a name is used.
#[derive(Debug, Clone, Copy)]
pub(super) struct UseSite<'t> {
    /// What is marked as a name, a member or a path.
    pub node: Node<'t>,
    pub scope: Option<ScopeId>,
    pub role: MentionRole,
    pub arguments: Option<usize>,
}

/// What a walk found.
pub(super) struct WalkResult<'t> {
    pub scopes: Scopes<'t>,
    pub places: Vec<UseSite<'t>>,
    /// Where definitions say what they give and take.
    pub given: Vec<(Node<'t>, Option<ScopeId>)>,
    /// Code that the grammar gives as a list of words.
    pub tokens: Vec<(Node<'t>, Option<ScopeId>)>,
}

pub(super) struct UseWalker<'a, 't> {
    pub(super) text: &'t str,
    pub(super) notes: &'a TreeNotes<'t>,
    pub(super) language: Language,
    /// What is defined by the names that begin here.
    pub(super) defined: &'a HashMap<usize, SymbolKind>,
    pub(super) found: WalkResult<'t>,
    /// The scopes and the types that are open, with the depth of the node that opened them.
    pub(super) open: Vec<(usize, ScopeId)>,
    pub(super) types: Vec<usize>,
    pub(super) roles: NodeMap<(MentionRole, Option<usize>)>,
    pub(super) silent: NodeMap<()>,
    pub(super) rebinds: Vec<(Node<'t>, Option<ScopeId>)>,
    pub(super) unbinds: Vec<(&'t str, ScopeId)>,
    pub(super) looks: usize,
}

pub(super) fn walk<'t>(
    tree: &'t Tree,
    text: &'t str,
    notes: &TreeNotes<'t>,
    language: Language,
    defined: &HashMap<usize, SymbolKind>,
) -> WalkResult<'t> {
    let found = WalkResult { scopes: Scopes::default(), places: vec![], given: vec![], tokens: vec![] };
    let mut walk = UseWalker {
        text,
        notes,
        language,
        defined,
        found,
        open: vec![],
        types: vec![],
        roles: NodeMap::default(),
        silent: NodeMap::default(),
        rebinds: vec![],
        unbinds: vec![],
        looks: tree.root_node().descendant_count() * LOOKS_PER_NODE,
    };
    walk.visit_tree(tree);
    walk.finish_bindings();
    walk.found
}

impl<'t> UseWalker<'_, 't> {
    fn visit_tree(&mut self, tree: &'t Tree) {
        let mut cursor = tree.walk();
        let mut depth = 0;
        loop {
            let node = cursor.node();
            let inside = !node.is_named() || self.enter(node, depth);
            if inside && cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            loop {
                self.open.pop_if(|(opened, _)| *opened == depth);
                self.types.pop_if(|opened| *opened == depth);
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
                depth -= 1;
            }
        }
    }

    pub(super) fn scope(&self) -> Option<ScopeId> {
        self.open.last().map(|(_, scope)| *scope)
    }

    /// Whether what is in the node is of interest.
    fn enter(&mut self, node: Node<'t>, depth: usize) -> bool {
        if !self.notes.has_note(node) {
            return true;
        }
        let notes = self.notes;
        match notes.note(node, HeadClass::Walk).map(|note| note.head) {
            Some(HeadKind::Skip) => return false,
            Some(HeadKind::Tokens) => {
                self.found.tokens.push((node, self.scope()));
                return false;
            }
            Some(HeadKind::Types) => self.types.push(depth),
            _ => {}
        }
        if let Some(note) = notes.note(node, HeadClass::Block) {
            let kind = match note.head {
                HeadKind::FunctionBlock => ScopeKind::Function,
                HeadKind::ClassBlock => ScopeKind::Class,
                HeadKind::UnownedBlock => ScopeKind::Unowned,
                _ => ScopeKind::Block,
            };
            let scope = self.found.scopes.open(self.scope(), kind);
            self.open.push((depth, scope));
        }
        if let Some(note) = notes.note(node, HeadClass::Bind) {
            self.bind(note);
        }
        if notes.note(node, HeadClass::Given).is_some() {
            self.found.given.push((node, self.scope()));
        }
        if let Some(note) = notes.meaning(node) {
            self.visit_meaning(note);
        }
        true
    }

    fn visit_meaning(&mut self, note: NodeNote<'_, 't>) {
        match note.head {
            HeadKind::Call => {
                let arguments = note.part(PartKind::Arguments).and_then(|node| self.arguments(node));
                let callee = note.part(PartKind::Callee);
                // `super(…)`, `this(…)`: what makes a value of the type runs another that does.
                let made = callee.and_then(|callee| self.notes.meaning(callee));
                if let Some(made) = made.filter(|made| matches!(made.head, HeadKind::Own | HeadKind::Super)) {
                    let (node, scope) = (made.node, self.scope());
                    self.found.places.push(UseSite { node, scope, role: MentionRole::Call, arguments });
                }
                self.set_role(callee, MentionRole::Call, arguments);
            }
            HeadKind::Make => {
                let arguments = note.part(PartKind::Arguments).and_then(|node| self.arguments(node));
                self.set_role(note.part(PartKind::Type), MentionRole::Make, arguments);
                self.set_role(note.part(PartKind::Callee), MentionRole::Call, None);
            }
            HeadKind::Name | HeadKind::TypeName => {
                if !self.defined.contains_key(&note.node.start_byte()) {
                    self.push_site(note);
                }
            }
            HeadKind::Member | HeadKind::Path | HeadKind::TypePath | HeadKind::Invoke => {
                let Some((_, between, last)) = self.notes.split_path(note) else { return };
                if note.head == HeadKind::Invoke {
                    let arguments = note.part(PartKind::Arguments).and_then(|node| self.arguments(node));
                    self.roles.insert(note.node.id(), (MentionRole::Call, arguments));
                }
                let defined = |node: Node| self.defined.contains_key(&node.start_byte());
                let whole = matches!(note.head, HeadKind::Member | HeadKind::Path) && defined(note.node);
                if !defined(last) && !whole {
                    self.push_site(note);
                }
                // A path in a path is a part of it, and its names are no others.
                self.silent.extend(between.iter().chain([&last]).map(|node| (node.id(), ())));
                if let Some(member) = note.part(PartKind::Member) {
                    self.silent.insert(self.notes.name_node(member).id(), ());
                }
            }
            // What is called here is known to give something else than a call would.
            _ => {
                let arguments = note.part(PartKind::Arguments).and_then(|node| self.arguments(node));
                self.set_role(note.part(PartKind::Callee), MentionRole::Call, arguments);
            }
        }
    }

    fn set_role(&mut self, node: Option<Node<'t>>, role: MentionRole, arguments: Option<usize>) {
        if let Some(node) = node {
            self.roles.insert(self.notes.unwrap_node(node).id(), (role, arguments));
        }
    }

    fn push_site(&mut self, note: NodeNote<'_, 't>) {
        if self.silent.contains_key(&note.node.id()) {
            return;
        }
        let typed = matches!(note.head, HeadKind::TypeName | HeadKind::TypePath) || !self.types.is_empty();
        let usual = (if typed { MentionRole::Type } else { MentionRole::Value }, None);
        let (role, arguments) = self.roles.get(&note.node.id()).copied().unwrap_or(usual);
        self.found.places.push(UseSite { node: note.node, scope: self.scope(), role, arguments });
    }

    /// How many arguments stand here, unless one stands for several.
    fn arguments(&self, node: Node<'t>) -> Option<usize> {
        if !node.kind().contains("argument") {
            return None;
        }
        let mut count = 0;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| !child.is_extra()) {
            match self.notes.note(child, HeadClass::Count).map(|note| note.head) {
                Some(HeadKind::Spread) => return None,
                Some(HeadKind::NoParameter) => {}
                _ => count += 1,
            }
        }
        Some(count)
    }

    pub(super) fn text_of(&self, node: Node<'t>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}
