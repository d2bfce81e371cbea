//! What an expression stands for, and which path names a type.

use tree_sitter::Node;

use super::marks::{HeadClass, HeadKind, PartKind};
use super::notes::{NodeNote, TreeNotes};
use super::scopes::{BindingId, ScopeId, Scopes};
use super::{ExprValue, NameAccess};

/// How deep expressions are followed, and how long what they stand for may be.
const MAX_DEPTH: usize = 24;
const MAX_LENGTH: usize = 8;
/// A longer name is none.
pub(super) const MAX_NAME: usize = 200;

/// The word for the type that the code is in, in a path.
pub(super) const OWN: &str = "Self";

pub(super) struct ValueResolver<'a, 't> {
    pub text: &'t str,
    pub notes: &'a TreeNotes<'t>,
    pub scopes: &'a Scopes<'t>,
    /// For each binding what it stands for, once that is known; while it is looked for, `Unknown`.
    known: Vec<Option<ExprValue>>,
}

impl<'a, 't> ValueResolver<'a, 't> {
    pub(super) fn new(text: &'t str, notes: &'a TreeNotes<'t>, scopes: &'a Scopes<'t>) -> Self {
        let mut values = Self { text, notes, scopes, known: vec![None; scopes.bindings.len()] };
        // In their order, so that each finds the ones before it known.
        for id in 0..scopes.bindings.len() {
            values.resolve_binding(id, 0);
        }
        values
    }

    pub(super) fn text_of(&self, node: Node<'t>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// By what the name of a call, a member or a path is reached.
    pub(super) fn resolve_access(&mut self, note: NodeNote<'_, 't>, scope: Option<ScopeId>) -> NameAccess {
        match note.head {
            HeadKind::Member | HeadKind::Path | HeadKind::TypePath | HeadKind::Invoke => {
                match self.notes.split_path(note) {
                    Some((Some(of), between, _)) => {
                        let of = self.resolve_value(of, scope, 0);
                        let names = between.into_iter().map(|node| self.text_of(node));
                        NameAccess::Member(names.fold(of, |of, name| member_of(of, name, true)))
                    }
                    _ => NameAccess::Plain,
                }
            }
            head => {
                let type_only = head == HeadKind::TypeName;
                self.name_access(self.text_of(note.node), scope, note.node.start_byte(), type_only)
            }
        }
    }

    pub(super) fn name_access(
        &self,
        name: &str,
        scope: Option<ScopeId>,
        at: usize,
        type_only: bool,
    ) -> NameAccess {
        match self.scopes.find(name, scope, at, type_only) {
            Some(_) => NameAccess::Local,
            None => NameAccess::Plain,
        }
    }

    pub(super) fn resolve_value(
        &mut self,
        node: Node<'t>,
        scope: Option<ScopeId>,
        depth: usize,
    ) -> ExprValue {
        if depth > MAX_DEPTH {
            return ExprValue::Unknown;
        }
        let notes = self.notes;
        let Some(note) = notes.meaning(node) else { return ExprValue::Unknown };
        let next = |part| note.part(part);
        match note.head {
            HeadKind::Own if self.scopes.is_self_in_scope(scope) => ExprValue::Own,
            HeadKind::Super => ExprValue::Super,
            HeadKind::Name | HeadKind::TypeName => {
                self.resolve_name(self.text_of(node), scope, node.start_byte(), depth)
            }
            HeadKind::Word | HeadKind::Builtin => named_value(self.text_of(node)),
            HeadKind::Member | HeadKind::Path | HeadKind::TypePath | HeadKind::Invoke => {
                self.resolve_path_value(note, scope, depth)
            }
            HeadKind::Call => {
                match next(PartKind::Callee).map(|callee| self.resolve_value(callee, scope, depth + 1)) {
                    None => ExprValue::Unknown,
                    Some(of) => call_value(of),
                }
            }
            HeadKind::Make | HeadKind::Cast => next(PartKind::Type)
                .map_or(ExprValue::Unknown, |kind| self.resolve_typed(kind, scope, depth + 1)),
            HeadKind::Literal(index) => ExprValue::Typed(vec![notes.marks.literal(index).to_owned()]),
            HeadKind::Through => next(PartKind::Inner)
                .map_or(ExprValue::Unknown, |inner| self.resolve_value(inner, scope, depth + 1)),
            HeadKind::Inner => next(PartKind::Inner)
                .map_or(ExprValue::Unknown, |inner| inner_value(self.resolve_value(inner, scope, depth + 1))),
            HeadKind::Wrapper | HeadKind::Holder => next(PartKind::Outer)
                .map_or(ExprValue::Unknown, |outer| self.resolve_value(outer, scope, depth + 1)),
            _ => ExprValue::Unknown,
        }
    }

    /// What a member or a path stands for, or what calling it gives.
    fn resolve_path_value(
        &mut self,
        note: NodeNote<'_, 't>,
        scope: Option<ScopeId>,
        depth: usize,
    ) -> ExprValue {
        let Some((of, between, last)) = self.notes.split_path(note) else { return ExprValue::Unknown };
        let is_call = note.head == HeadKind::Invoke;
        // What it gives is what is in that, whatever it is called.
        if let Some(inner) = note.part(PartKind::Inner).filter(|_| is_call) {
            return inner_value(self.resolve_value(inner, scope, depth + 1));
        }
        if let Some(kind) = note.part(PartKind::Type).filter(|_| is_call) {
            return self.resolve_typed(kind, scope, depth + 1);
        }
        let is_path = matches!(note.head, HeadKind::Path | HeadKind::TypePath);
        let text = self.text;
        let mut names =
            between.into_iter().chain([last]).map(|node| text.get(node.byte_range()).unwrap_or_default());
        let first = match of {
            Some(of) => self.resolve_value(of, scope, depth + 1),
            None => names.next().map_or(ExprValue::Unknown, named_value),
        };
        let value = names.fold(first, |of, name| member_of(of, name, is_path));
        if is_call { call_value(value) } else { value }
    }

    /// What a name stands for at this byte.
    pub(super) fn resolve_name(
        &mut self,
        name: &str,
        scope: Option<ScopeId>,
        at: usize,
        depth: usize,
    ) -> ExprValue {
        match self.scopes.find(name, scope, at, false) {
            Some(id) => self.resolve_binding(id, depth + 1),
            None => named_value(name),
        }
    }

    fn resolve_binding(&mut self, id: BindingId, depth: usize) -> ExprValue {
        if let Some(known) = &self.known[id] {
            return known.clone();
        }
        self.known[id] = Some(ExprValue::Unknown);
        let scopes = self.scopes;
        let binding = &scopes.bindings[id];
        let value = if binding.own {
            ExprValue::Own
        } else if let Some(kind) = binding.kind {
            match self.resolve_typed(kind, Some(binding.scope), depth) {
                // `var x = …`: the type is said to be that of the value.
                ExprValue::Unknown => self.merge_values(id, depth),
                typed => typed,
            }
        } else {
            self.merge_values(id, depth)
        };
        self.known[id] = Some(value.clone());
        value
    }

    /// What all the values of a binding stand for, if that is one thing.
    fn merge_values(&mut self, id: BindingId, depth: usize) -> ExprValue {
        let scopes = self.scopes;
        let binding = &scopes.bindings[id];
        if binding.opaque {
            return ExprValue::Unknown;
        }
        let mut all: Option<ExprValue> = None;
        for from in &binding.values {
            let value = self.resolve_value(from.node, from.scope, depth + 1);
            let value = if from.inner { inner_value(value) } else { value };
            match &all {
                Some(other) if *other != value => return ExprValue::Unknown,
                _ => all = Some(value),
            }
        }
        all.unwrap_or(ExprValue::Unknown)
    }

    /// A value of the type that stands here.
    pub(super) fn resolve_typed(
        &mut self,
        node: Node<'t>,
        scope: Option<ScopeId>,
        depth: usize,
    ) -> ExprValue {
        match self.resolve_type_path(node, scope, depth) {
            None => ExprValue::Unknown,
            Some(path) if path == [OWN] => ExprValue::Own,
            Some(path) => ExprValue::Typed(path),
        }
    }

    /// The path that names the type that stands here. Behind a wrapper's own path comes what it holds: `<Store>`.
    pub(super) fn resolve_type_path(
        &mut self,
        node: Node<'t>,
        scope: Option<ScopeId>,
        depth: usize,
    ) -> Option<Vec<String>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let notes = self.notes;
        let note = notes.note(node, HeadClass::Meaning)?;
        match note.head {
            HeadKind::Own => Some(vec![OWN.to_owned()]),
            HeadKind::Literal(index) => Some(vec![notes.marks.literal(index).to_owned()]),
            HeadKind::Builtin | HeadKind::Word => Some(vec![self.text_of(node).to_owned()]),
            HeadKind::Name | HeadKind::TypeName => {
                let name = self.text_of(node);
                match self.scopes.find(name, scope, node.start_byte(), note.head == HeadKind::TypeName) {
                    // A type parameter is as good as what it must be.
                    Some(id) => match self.resolve_binding(id, depth + 1) {
                        ExprValue::Typed(path) | ExprValue::Named(path) => Some(path),
                        _ => None,
                    },
                    None => is_valid_name(name).then(|| vec![name.to_owned()]),
                }
            }
            HeadKind::Member | HeadKind::Path | HeadKind::TypePath => {
                let (of, between, last) = notes.split_path(note)?;
                let mut path = match of {
                    Some(of) => self.resolve_type_path(of, scope, depth + 1)?,
                    None => Vec::new(),
                };
                let names = between.into_iter().chain([last]).map(|node| self.text_of(node));
                path.extend(names.map(str::to_owned));
                (path.iter().all(|part| is_valid_name(part)) && path.len() <= 2 * MAX_LENGTH).then_some(path)
            }
            HeadKind::Wrapper => {
                let mut path = self.resolve_type_path(note.part(PartKind::Outer)?, scope, depth + 1)?;
                if let Some(inner) = note.part(PartKind::Inner)
                    && let Some(inner) = self.resolve_type_path(inner, scope, depth + 1)
                {
                    path.push(format!("<{}>", inner.join("::")));
                }
                Some(path)
            }
            HeadKind::Through | HeadKind::Holder => {
                self.resolve_type_path(note.part(PartKind::Inner)?, scope, depth + 1)
            }
            _ => None,
        }
    }
}

pub(super) fn named_value(name: &str) -> ExprValue {
    if is_valid_name(name) { ExprValue::Named(vec![name.to_owned()]) } else { ExprValue::Unknown }
}

pub(super) fn is_valid_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && !name.contains('\n')
}

/// A member of that, or what a longer path names.
pub(super) fn member_of(of: ExprValue, name: &str, path: bool) -> ExprValue {
    match of {
        _ if !is_valid_name(name) => ExprValue::Unknown,
        ExprValue::Unknown => ExprValue::Unknown,
        ExprValue::Named(mut parts) if path && parts.len() < 2 * MAX_LENGTH => {
            parts.push(name.to_owned());
            ExprValue::Named(parts)
        }
        of if length(&of) < MAX_LENGTH => ExprValue::Member(Box::new(of), name.to_owned()),
        _ => ExprValue::Unknown,
    }
}

pub(super) fn call_value(of: ExprValue) -> ExprValue {
    match of {
        ExprValue::Unknown => ExprValue::Unknown,
        of if length(&of) < MAX_LENGTH => ExprValue::Called(Box::new(of)),
        _ => ExprValue::Unknown,
    }
}

/// What is in that: of an optional value the value.
pub(super) fn inner_value(of: ExprValue) -> ExprValue {
    match of {
        ExprValue::Typed(path) => {
            match path.last().and_then(|last| last.strip_prefix('<')?.strip_suffix('>')) {
                Some(OWN) => ExprValue::Own,
                Some(inner) => ExprValue::Typed(inner_path(inner)),
                // A type that is none of the known wrappers: who knows what is in it.
                None => ExprValue::Unknown,
            }
        }
        ExprValue::Unknown => ExprValue::Unknown,
        of if length(&of) < MAX_LENGTH => ExprValue::Inner(Box::new(of)),
        _ => ExprValue::Unknown,
    }
}

/// `Option::<Store>` again as a path.
fn inner_path(inner: &str) -> Vec<String> {
    match inner.split_once("::<") {
        Some((outer, rest)) => outer.split("::").map(str::to_owned).chain([format!("<{rest}")]).collect(),
        None => inner.split("::").map(str::to_owned).collect(),
    }
}

fn length(value: &ExprValue) -> usize {
    match value {
        ExprValue::Called(of) | ExprValue::Member(of, _) | ExprValue::Inner(of) => 1 + length(of),
        _ => 1,
    }
}
