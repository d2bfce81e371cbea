//! What the walk binds: parameters, variables, and the names that patterns take a value apart into.

use tree_sitter::Node;

use super::marks::{HeadClass, HeadKind, PartKind};
use super::notes::NodeNote;
use super::scopes::{Binding, BindingSource, ScopeId};
use super::walk::UseWalker;

impl<'t> UseWalker<'_, 't> {
    /// Binds what a node binds, or keeps it for [`Self::finish_bindings`].
    pub(super) fn bind(&mut self, note: NodeNote<'_, 't>) {
        let mut names = match note.head {
            HeadKind::Unbind => vec![note.node],
            HeadKind::Receiver => note.part(PartKind::BindName).or(Some(note.node)).into_iter().collect(),
            _ => note.all_parts(PartKind::BindName),
        };
        names.dedup_by_key(|node| node.id());
        let Some(scope) = self.scope() else {
            if note.head == HeadKind::Rebind {
                return;
            }
            // What a file binds outside its functions, and is no definition, is nobody's mention either.
            for name in names {
                let plain = self.notes.unwrap_node(name);
                self.silent.insert(plain.id(), ());
                for name in self.pattern_names(plain) {
                    self.silent.insert(name.id(), ());
                }
            }
            return;
        };
        match note.head {
            HeadKind::Rebind => return self.rebinds.push((note.node, Some(scope))),
            HeadKind::Unbind => return self.unbinds.push((self.text_of(note.node), scope)),
            _ => {}
        }
        self.bind_in_scope(note, names, scope);
    }

    fn bind_in_scope(&mut self, note: NodeNote<'_, 't>, names: Vec<Node<'t>>, scope: ScopeId) {
        let target = match note.head {
            HeadKind::BindHoisted => self.found.scopes.enclosing_function(scope),
            _ => scope,
        };
        let kind = note.part(PartKind::BindType);
        let value = note.part(PartKind::BindValue);
        let inner = note.part(PartKind::BindInner);
        // What a name is bound to does not know the name yet.
        let ends = value.into_iter().chain(inner).map(|node| node.end_byte());
        let from = match note.head {
            HeadKind::Bind => ends.chain(names.iter().map(Node::start_byte)).max().unwrap_or(0).max(1),
            _ => 0,
        };
        let values: Vec<BindingSource<'t>> = value
            .map(|node| BindingSource { node, scope: Some(scope), inner: false })
            .or(inner.map(|node| BindingSource { node, scope: Some(scope), inner: true }))
            .into_iter()
            .collect();
        let own = note.head == HeadKind::Receiver;
        let one = names.len() == 1;
        for other in note.all_parts(PartKind::BindOther) {
            self.bind_name(other, Binding::opaque(from, target));
        }
        for name in names {
            let plain = self.notes.unwrap_node(name);
            if self.is_name(plain) {
                let values = if one { values.clone() } else { Vec::new() };
                let opaque = !one && kind.is_none();
                self.bind_name(
                    plain,
                    Binding { from, scope: target, kind, values, opaque, own, is_type: false },
                );
                continue;
            }
            for name in self.pattern_names(plain) {
                self.bind_name(name, Binding::opaque(from, target));
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
        let is_type = self.notes.meaning(name).is_some_and(|note| note.head == HeadKind::TypeName);
        self.found.scopes.bind(self.text_of(name), Binding { is_type, ..binding });
    }

    fn is_name(&self, node: Node<'t>) -> bool {
        self.notes.meaning(node).is_some_and(|note| matches!(note.head, HeadKind::Name | HeadKind::TypeName))
    }

    /// The names in a pattern.
    fn pattern_names(&mut self, pattern: Node<'t>) -> Vec<Node<'t>> {
        let (mut names, mut left) = (Vec::new(), vec![pattern]);
        while let Some(node) = left.pop() {
            self.looks = self.looks.saturating_sub(1);
            if self.looks == 0 {
                break;
            }
            let node = self.notes.unwrap_node(node);
            if self.notes.note(node, HeadClass::Bind).is_some() {
                continue;
            }
            match self.notes.meaning(node) {
                Some(note) if note.head == HeadKind::Name => {
                    let written = self.text_of(node).starts_with(char::is_uppercase);
                    names
                        .extend((!self.language.reading.uppercase_binds_nothing || !written).then_some(node));
                }
                Some(note) if note.head == HeadKind::Pattern => {
                    let skipped = note.part(PartKind::Type).map(|node| node.id());
                    let mut cursor = node.walk();
                    left.extend(node.named_children(&mut cursor).filter(|child| Some(child.id()) != skipped));
                }
                _ => {}
            }
        }
        names
    }

    /// What could only be said once all was seen.
    pub(super) fn finish_bindings(&mut self) {
        for (name, scope) in std::mem::take(&mut self.unbinds) {
            self.found.scopes.unbind(name, scope);
        }
        for (node, scope) in std::mem::take(&mut self.rebinds) {
            let Some(note) = self.notes.note(node, HeadClass::Bind) else { continue };
            let value = note.part(PartKind::BindValue);
            for name in note.all_parts(PartKind::BindName) {
                let name = self.notes.unwrap_node(name);
                let Some(id) = self.found.scopes.find(self.text_of(name), scope, node.start_byte(), false)
                else {
                    continue;
                };
                let binding = &mut self.found.scopes.bindings[id];
                // Where a variable has one type for good, its first value tells which.
                if !self.language.reading.variables_change_type && !binding.values.is_empty() {
                    continue;
                }
                match value {
                    Some(node) => binding.values.push(BindingSource { node, scope, inner: false }),
                    None => binding.opaque = true,
                }
            }
        }
    }
}
