//! One walk through a tree: its scopes and what they bind, and the places that may be mentions.
//!
//! Nothing is looked up on the way: what a name is bound to may stand behind its use.

use std::collections::HashMap;

use tree_sitter::{Node, Tree};

use super::Role;
use super::marks::{Class, Head, Part};
use super::notes::{ById, Note, Notes};
use super::scopes::{Binding, From, ScopeId, ScopeKind, Scopes};
use crate::code::{Language, SymbolKind};

/// How many nodes of patterns are looked at, for each node of the tree.
const LOOKS_PER_NODE: usize = 4;

/// A place where a name is used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'t> {
    /// What is marked as a name, a member or a path.
    pub node: Node<'t>,
    pub scope: Option<ScopeId>,
    pub role: Role,
    pub arguments: Option<usize>,
}

/// What a walk found.
pub(super) struct Walked<'t> {
    pub scopes: Scopes<'t>,
    pub places: Vec<Place<'t>>,
    /// Where definitions say what they give and take.
    pub given: Vec<(Node<'t>, Option<ScopeId>)>,
    /// Code that the grammar gives as a list of words.
    pub tokens: Vec<(Node<'t>, Option<ScopeId>)>,
}

struct Walk<'a, 't> {
    text: &'t str,
    notes: &'a Notes<'t>,
    language: Language,
    /// What is defined by the names that begin here.
    defined: &'a HashMap<usize, SymbolKind>,
    found: Walked<'t>,
    /// The scopes and the types that are open, with the depth of the node that opened them.
    open: Vec<(usize, ScopeId)>,
    types: Vec<usize>,
    roles: ById<(Role, Option<usize>)>,
    silent: ById<()>,
    rebinds: Vec<(Node<'t>, Option<ScopeId>)>,
    unbinds: Vec<(&'t str, ScopeId)>,
    looks: usize,
}

pub(super) fn walk<'t>(
    tree: &'t Tree,
    text: &'t str,
    notes: &Notes<'t>,
    language: Language,
    defined: &HashMap<usize, SymbolKind>,
) -> Walked<'t> {
    let found = Walked { scopes: Scopes::default(), places: vec![], given: vec![], tokens: vec![] };
    let mut walk = Walk {
        text,
        notes,
        language,
        defined,
        found,
        open: vec![],
        types: vec![],
        roles: ById::default(),
        silent: ById::default(),
        rebinds: vec![],
        unbinds: vec![],
        looks: tree.root_node().descendant_count() * LOOKS_PER_NODE,
    };
    walk.all(tree);
    walk.afterwards();
    walk.found
}

impl<'t> Walk<'_, 't> {
    fn all(&mut self, tree: &'t Tree) {
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

    fn scope(&self) -> Option<ScopeId> {
        self.open.last().map(|(_, scope)| *scope)
    }

    /// Whether what is in the node is of interest.
    fn enter(&mut self, node: Node<'t>, depth: usize) -> bool {
        if !self.notes.speak_of(node) {
            return true;
        }
        let notes = self.notes;
        match notes.note(node, Class::Walk).map(|note| note.head) {
            Some(Head::Skip) => return false,
            Some(Head::Tokens) => {
                self.found.tokens.push((node, self.scope()));
                return false;
            }
            Some(Head::Types) => self.types.push(depth),
            _ => {}
        }
        if let Some(note) = notes.note(node, Class::Block) {
            let kind = match note.head {
                Head::FunctionBlock => ScopeKind::Function,
                Head::ClassBlock => ScopeKind::Class,
                Head::UnownedBlock => ScopeKind::Unowned,
                _ => ScopeKind::Block,
            };
            let scope = self.found.scopes.open(self.scope(), kind);
            self.open.push((depth, scope));
        }
        if let Some(note) = notes.note(node, Class::Bind) {
            self.bind(note);
        }
        if notes.note(node, Class::Given).is_some() {
            self.found.given.push((node, self.scope()));
        }
        if let Some(note) = notes.meaning(node) {
            self.mean(note);
        }
        true
    }

    fn mean(&mut self, note: Note<'_, 't>) {
        match note.head {
            Head::Call => {
                let arguments = note.part(Part::Arguments).and_then(|node| self.arguments(node));
                self.gives_role(note.part(Part::Callee), Role::Call, arguments);
            }
            Head::Make => {
                let arguments = note.part(Part::Arguments).and_then(|node| self.arguments(node));
                self.gives_role(note.part(Part::Type), Role::Make, arguments);
                self.gives_role(note.part(Part::Callee), Role::Call, None);
            }
            Head::Name | Head::TypeName => {
                if !self.defined.contains_key(&note.node.start_byte()) {
                    self.place(note);
                }
            }
            Head::Member | Head::Path | Head::TypePath | Head::Invoke => {
                let Some((_, between, last)) = self.notes.unfolded(note) else { return };
                if note.head == Head::Invoke {
                    let arguments = note.part(Part::Arguments).and_then(|node| self.arguments(node));
                    self.roles.insert(note.node.id(), (Role::Call, arguments));
                }
                let defined = |node: Node| self.defined.contains_key(&node.start_byte());
                if !defined(last) && !(matches!(note.head, Head::Member | Head::Path) && defined(note.node)) {
                    self.place(note);
                }
                // A path in a path is a part of it, and its names are no others.
                self.silent.extend(between.iter().chain([&last]).map(|node| (node.id(), ())));
                if let Some(member) = note.part(Part::Member) {
                    self.silent.insert(self.notes.leaf(member).id(), ());
                }
            }
            // What is called here is known to give something else than a call would.
            _ => {
                let arguments = note.part(Part::Arguments).and_then(|node| self.arguments(node));
                self.gives_role(note.part(Part::Callee), Role::Call, arguments);
            }
        }
    }

    fn gives_role(&mut self, node: Option<Node<'t>>, role: Role, arguments: Option<usize>) {
        if let Some(node) = node {
            self.roles.insert(self.notes.behind(node).id(), (role, arguments));
        }
    }

    fn place(&mut self, note: Note<'_, 't>) {
        if self.silent.contains_key(&note.node.id()) {
            return;
        }
        let typed = matches!(note.head, Head::TypeName | Head::TypePath) || !self.types.is_empty();
        let usual = (if typed { Role::Type } else { Role::Value }, None);
        let (role, arguments) = self.roles.get(&note.node.id()).copied().unwrap_or(usual);
        self.found.places.push(Place { node: note.node, scope: self.scope(), role, arguments });
    }

    /// How many arguments stand here, unless one stands for several.
    fn arguments(&self, node: Node<'t>) -> Option<usize> {
        if !node.kind().contains("argument") {
            return None;
        }
        let mut count = 0;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| !child.is_extra()) {
            match self.notes.note(child, Class::Count).map(|note| note.head) {
                Some(Head::Spread) => return None,
                Some(Head::NoParameter) => {}
                _ => count += 1,
            }
        }
        Some(count)
    }

    fn bind(&mut self, note: Note<'_, 't>) {
        let mut names = match note.head {
            Head::Unbind => vec![note.node],
            Head::Receiver => note.part(Part::BindName).or(Some(note.node)).into_iter().collect(),
            _ => note.all(Part::BindName),
        };
        names.dedup_by_key(|node| node.id());
        let Some(scope) = self.scope() else {
            if note.head == Head::Rebind {
                return;
            }
            // What a file binds outside its functions, and is no definition, is nobody's mention either.
            for name in names {
                let plain = self.notes.behind(name);
                self.silent.insert(plain.id(), ());
                for name in self.taken_apart(plain) {
                    self.silent.insert(name.id(), ());
                }
            }
            return;
        };
        match note.head {
            Head::Rebind => return self.rebinds.push((note.node, Some(scope))),
            Head::Unbind => return self.unbinds.push((self.text_of(note.node), scope)),
            _ => {}
        }
        let target = if note.head == Head::BindHoisted { self.found.scopes.function(scope) } else { scope };
        let kind = note.part(Part::BindType);
        let value = note.part(Part::BindValue);
        let inner = note.part(Part::BindInner);
        // What a name is bound to does not know the name yet.
        let ends = value.into_iter().chain(inner).map(|node| node.end_byte());
        let from = match note.head {
            Head::Bind => ends.chain(names.iter().map(Node::start_byte)).max().unwrap_or(0).max(1),
            _ => 0,
        };
        let values: Vec<From<'t>> = value
            .map(|node| From { node, scope: Some(scope), inner: false })
            .or(inner.map(|node| From { node, scope: Some(scope), inner: true }))
            .into_iter()
            .collect();
        let own = note.head == Head::Receiver;
        let one = names.len() == 1;
        for other in note.all(Part::BindOther) {
            let (kind, values) = (None, vec![]);
            self.bind_name(
                other,
                Binding { from, scope: target, kind, values, opaque: true, own: false, is_type: false },
            );
        }
        for name in names {
            let plain = self.notes.behind(name);
            if self.is_name(plain) {
                let values = if one { values.clone() } else { Vec::new() };
                let opaque = !one && kind.is_none();
                self.bind_name(
                    plain,
                    Binding { from, scope: target, kind, values, opaque, own, is_type: false },
                );
                continue;
            }
            for name in self.taken_apart(plain) {
                self.bind_name(
                    name,
                    Binding {
                        from,
                        scope: target,
                        kind: None,
                        values: vec![],
                        opaque: true,
                        own: false,
                        is_type: false,
                    },
                );
            }
        }
    }

    fn bind_name(&mut self, name: Node<'t>, binding: Binding<'t>) {
        let defined = self.defined.get(&name.start_byte());
        if defined.is_some_and(|kind| kind.is_callable() || kind.is_type()) {
            return;
        }
        self.silent.insert(name.id(), ());
        // A class's own names are reached by the class.
        if self.found.scopes.is_class(binding.scope) && binding.from == 0 {
            return;
        }
        let is_type = self.notes.meaning(name).is_some_and(|note| note.head == Head::TypeName);
        self.found.scopes.bind(self.text_of(name), Binding { is_type, ..binding });
    }

    fn is_name(&self, node: Node<'t>) -> bool {
        self.notes.meaning(node).is_some_and(|note| matches!(note.head, Head::Name | Head::TypeName))
    }

    /// The names in a pattern.
    fn taken_apart(&mut self, pattern: Node<'t>) -> Vec<Node<'t>> {
        let (mut names, mut left) = (Vec::new(), vec![pattern]);
        while let Some(node) = left.pop() {
            self.looks = self.looks.saturating_sub(1);
            if self.looks == 0 {
                break;
            }
            let node = self.notes.behind(node);
            if self.notes.note(node, Class::Bind).is_some() {
                continue;
            }
            match self.notes.meaning(node) {
                Some(note) if matches!(note.head, Head::Name) => {
                    // Rust's constants and variants are written so, and are no new names.
                    if self.language != Language::Rust || !self.text_of(node).starts_with(char::is_uppercase)
                    {
                        names.push(node);
                    }
                }
                Some(note) if note.head == Head::Pattern => {
                    let skipped = note.part(Part::Type).map(|node| node.id());
                    let mut cursor = node.walk();
                    left.extend(node.named_children(&mut cursor).filter(|child| Some(child.id()) != skipped));
                }
                _ => {}
            }
        }
        names
    }

    fn text_of(&self, node: Node<'t>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// What could only be said once all was seen.
    fn afterwards(&mut self) {
        for (name, scope) in std::mem::take(&mut self.unbinds) {
            self.found.scopes.unbind(name, scope);
        }
        for (node, scope) in std::mem::take(&mut self.rebinds) {
            let Some(note) = self.notes.note(node, Class::Bind) else { continue };
            let value = note.part(Part::BindValue);
            for name in note.all(Part::BindName) {
                let name = self.notes.behind(name);
                let Some(id) = self.found.scopes.find(self.text_of(name), scope, node.start_byte(), false)
                else {
                    continue;
                };
                let binding = &mut self.found.scopes.bindings[id];
                // Where a variable has one type for good, its first value tells which.
                if self.language != Language::JavaScript && !binding.values.is_empty() {
                    continue;
                }
                match value {
                    Some(node) => binding.values.push(From { node, scope, inner: false }),
                    None => binding.opaque = true,
                }
            }
        }
    }
}
