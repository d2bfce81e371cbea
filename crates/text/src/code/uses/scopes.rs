//! What is bound where: parameters, variables, and what patterns take apart.

use std::collections::HashMap;

use tree_sitter::Node;

/// Nobody nests blocks so deep; further out nothing is looked for.
const MAX_LEVELS: usize = 64;

pub(super) type ScopeId = usize;
pub(super) type BindingId = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Block,
    Function,
    /// What it binds is not seen by the functions in it, but for its type parameters.
    Class,
    /// A function in which the language's word for "the object here" means something else than around it.
    Unowned,
}

#[derive(Debug)]
struct Scope {
    parent: Option<ScopeId>,
    kind: ScopeKind,
}

/// Where a bound name gets its value from.
#[derive(Debug, Clone, Copy)]
pub(super) struct BindingSource<'t> {
    pub node: Node<'t>,
    pub scope: Option<ScopeId>,
    /// Whether it is what is in that, rather than that.
    pub inner: bool,
}

#[derive(Debug)]
pub(super) struct Binding<'t> {
    /// From which byte on it is seen.
    pub from: usize,
    pub scope: ScopeId,
    pub kind: Option<Node<'t>>,
    pub values: Vec<BindingSource<'t>>,
    /// Nothing can be said of it.
    pub opaque: bool,
    /// The object that the code is in.
    pub own: bool,
    /// It is a type, and may stand where only types do.
    pub is_type: bool,
}

impl Binding<'_> {
    /// A binding of which nothing can be said but that it is there.
    pub(super) fn opaque(from: usize, scope: ScopeId) -> Self {
        Self { from, scope, kind: None, values: vec![], opaque: true, own: false, is_type: false }
    }
}

#[derive(Debug, Default)]
pub(super) struct Scopes<'t> {
    scopes: Vec<Scope>,
    pub bindings: Vec<Binding<'t>>,
    /// Each list in the order of `from`, unless bindings are seen anywhere.
    names: HashMap<&'t str, HashMap<ScopeId, Vec<BindingId>>>,
}

impl<'t> Scopes<'t> {
    pub(super) fn open(&mut self, parent: Option<ScopeId>, kind: ScopeKind) -> ScopeId {
        self.scopes.push(Scope { parent, kind });
        self.scopes.len() - 1
    }

    /// The innermost function around, this one included.
    pub(super) fn enclosing_function(&self, scope: ScopeId) -> ScopeId {
        let mut at = scope;
        for _ in 0..MAX_LEVELS {
            match self.scopes[at] {
                Scope { kind: ScopeKind::Block, parent: Some(parent) } => at = parent,
                _ => return at,
            }
        }
        at
    }

    pub(super) fn is_class(&self, scope: ScopeId) -> bool {
        self.scopes[scope].kind == ScopeKind::Class
    }

    /// Whether the object that a function belongs to is the one meant here.
    pub(super) fn is_self_in_scope(&self, scope: Option<ScopeId>) -> bool {
        let mut at = scope;
        for _ in 0..MAX_LEVELS {
            let Some(scope) = at else { return true };
            match self.scopes[scope].kind {
                ScopeKind::Unowned => return false,
                ScopeKind::Class => return true,
                _ => at = self.scopes[scope].parent,
            }
        }
        false
    }

    /// Binds a name. One that is bound anywhere in its scope is bound once, with several values.
    pub(super) fn bind(&mut self, name: &'t str, binding: Binding<'t>) {
        let in_scope = self.names.entry(name).or_default().entry(binding.scope).or_default();
        if binding.from == 0
            && let Some(&known) = in_scope.first()
        {
            let known = &mut self.bindings[known];
            known.from = 0;
            known.opaque |= binding.opaque || (binding.values.is_empty() && binding.kind.is_none());
            known.own &= binding.own;
            known.kind = known.kind.or(binding.kind);
            known.values.extend(binding.values);
            return;
        }
        in_scope.push(self.bindings.len());
        self.bindings.push(binding);
    }

    /// The name means what it means outside this scope.
    pub(super) fn unbind(&mut self, name: &str, scope: ScopeId) {
        if let Some(of) = self.names.get_mut(name) {
            of.remove(&scope);
        }
    }

    /// What the name is bound to at this byte, if it is bound; as a type, where only a type is meant.
    pub(super) fn find(
        &self,
        name: &str,
        scope: Option<ScopeId>,
        at: usize,
        type_only: bool,
    ) -> Option<BindingId> {
        let of = self.names.get(name)?;
        let mut next = scope;
        for _ in 0..MAX_LEVELS {
            let scope = next?;
            if let Some(ids) = of.get(&scope) {
                let seen = ids.partition_point(|&id| self.bindings[id].from <= at);
                if let Some(&id) = ids[..seen].last()
                    && (self.bindings[id].is_type || !type_only)
                {
                    return Some(id);
                }
            }
            next = self.scopes[scope].parent;
        }
        None
    }
}
