//! What an expression stands for, and which path names a type.

use tree_sitter::Node;

use super::marks::{Class, Head, Part};
use super::notes::{Note, Notes};
use super::scopes::{BindingId, ScopeId, Scopes};
use super::{Reached, Value};

/// How deep expressions are followed, and how long what they stand for may be.
const MAX_DEPTH: usize = 24;
const MAX_LENGTH: usize = 8;
/// A longer name is none.
pub(super) const MAX_NAME: usize = 200;

/// The word for the type that the code is in, in a path.
pub(super) const OWN: &str = "Self";

pub(super) struct Values<'a, 't> {
    pub text: &'t str,
    pub notes: &'a Notes<'t>,
    pub scopes: &'a Scopes<'t>,
    /// For each binding what it stands for, once that is known; while it is looked for, `Unknown`.
    known: Vec<Option<Value>>,
}

impl<'a, 't> Values<'a, 't> {
    pub(super) fn new(text: &'t str, notes: &'a Notes<'t>, scopes: &'a Scopes<'t>) -> Self {
        let mut values = Self { text, notes, scopes, known: vec![None; scopes.bindings.len()] };
        // In their order, so that each finds the ones before it known.
        for id in 0..scopes.bindings.len() {
            values.bound(id, 0);
        }
        values
    }

    pub(super) fn text_of(&self, node: Node<'t>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// By what the name of a call, a member or a path is reached.
    pub(super) fn reached(&mut self, note: Note<'_, 't>, scope: Option<ScopeId>) -> Reached {
        match note.head {
            Head::Member | Head::Path | Head::TypePath | Head::Invoke => match self.notes.unfolded(note) {
                Some((Some(of), between, _)) => {
                    let of = self.value(of, scope, 0);
                    let names = between.into_iter().map(|node| self.text_of(node));
                    Reached::Member(names.fold(of, |of, name| member_of(of, name, true)))
                }
                _ => Reached::Plain,
            },
            head => {
                let type_only = head == Head::TypeName;
                self.plain(self.text_of(note.node), scope, note.node.start_byte(), type_only)
            }
        }
    }

    pub(super) fn plain(&self, name: &str, scope: Option<ScopeId>, at: usize, type_only: bool) -> Reached {
        match self.scopes.find(name, scope, at, type_only) {
            Some(_) => Reached::Local,
            None => Reached::Plain,
        }
    }

    pub(super) fn value(&mut self, node: Node<'t>, scope: Option<ScopeId>, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            return Value::Unknown;
        }
        let notes = self.notes;
        let Some(note) = notes.meaning(node) else { return Value::Unknown };
        let next = |part| note.part(part);
        match note.head {
            Head::Own if self.scopes.owned(scope) => Value::Own,
            Head::Super => Value::Super,
            Head::Name | Head::TypeName => self.name(self.text_of(node), scope, node.start_byte(), depth),
            Head::Word | Head::Builtin => named(self.text_of(node)),
            Head::Member | Head::Path | Head::TypePath | Head::Invoke => {
                let Some((of, between, last)) = notes.unfolded(note) else { return Value::Unknown };
                // What it gives is what is in that, whatever it is called.
                if note.head == Head::Invoke
                    && let Some(inner) = next(Part::Inner)
                {
                    return inside(self.value(inner, scope, depth + 1));
                }
                if note.head == Head::Invoke
                    && let Some(kind) = next(Part::Type)
                {
                    return self.typed(kind, scope, depth + 1);
                }
                let path = matches!(note.head, Head::Path | Head::TypePath);
                let text = self.text;
                let mut names = between
                    .into_iter()
                    .chain([last])
                    .map(|node| text.get(node.byte_range()).unwrap_or_default());
                let first = match of {
                    Some(of) => self.value(of, scope, depth + 1),
                    None => names.next().map_or(Value::Unknown, named),
                };
                let value = names.fold(first, |of, name| member_of(of, name, path));
                if note.head == Head::Invoke { called(value) } else { value }
            }
            Head::Call => match next(Part::Callee).map(|callee| self.value(callee, scope, depth + 1)) {
                None => Value::Unknown,
                Some(of) => called(of),
            },
            Head::Make | Head::Cast => {
                next(Part::Type).map_or(Value::Unknown, |kind| self.typed(kind, scope, depth + 1))
            }
            Head::Literal(index) => Value::Typed(vec![notes.marks.literal(index).to_owned()]),
            Head::Through => {
                next(Part::Inner).map_or(Value::Unknown, |inner| self.value(inner, scope, depth + 1))
            }
            Head::Inner => {
                next(Part::Inner).map_or(Value::Unknown, |inner| inside(self.value(inner, scope, depth + 1)))
            }
            Head::Wrapper | Head::Holder => {
                next(Part::Outer).map_or(Value::Unknown, |outer| self.value(outer, scope, depth + 1))
            }
            _ => Value::Unknown,
        }
    }

    /// What a name stands for at this byte.
    pub(super) fn name(&mut self, name: &str, scope: Option<ScopeId>, at: usize, depth: usize) -> Value {
        match self.scopes.find(name, scope, at, false) {
            Some(id) => self.bound(id, depth + 1),
            None => named(name),
        }
    }

    fn bound(&mut self, id: BindingId, depth: usize) -> Value {
        if let Some(known) = &self.known[id] {
            return known.clone();
        }
        self.known[id] = Some(Value::Unknown);
        let scopes = self.scopes;
        let binding = &scopes.bindings[id];
        let value = if binding.own {
            Value::Own
        } else if let Some(kind) = binding.kind {
            match self.typed(kind, Some(binding.scope), depth) {
                // `var x = …`: the type is said to be that of the value.
                Value::Unknown => self.joined(id, depth),
                typed => typed,
            }
        } else {
            self.joined(id, depth)
        };
        self.known[id] = Some(value.clone());
        value
    }

    /// What all the values of a binding stand for, if that is one thing.
    fn joined(&mut self, id: BindingId, depth: usize) -> Value {
        let scopes = self.scopes;
        let binding = &scopes.bindings[id];
        if binding.opaque {
            return Value::Unknown;
        }
        let mut all: Option<Value> = None;
        for from in &binding.values {
            let value = self.value(from.node, from.scope, depth + 1);
            let value = if from.inner { inside(value) } else { value };
            match &all {
                Some(other) if *other != value => return Value::Unknown,
                _ => all = Some(value),
            }
        }
        all.unwrap_or(Value::Unknown)
    }

    /// A value of the type that stands here.
    pub(super) fn typed(&mut self, node: Node<'t>, scope: Option<ScopeId>, depth: usize) -> Value {
        match self.path(node, scope, depth) {
            None => Value::Unknown,
            Some(path) if path == [OWN] => Value::Own,
            Some(path) => Value::Typed(path),
        }
    }

    /// The path that names the type that stands here. Behind a wrapper's own path comes what it holds: `<Store>`.
    pub(super) fn path(
        &mut self,
        node: Node<'t>,
        scope: Option<ScopeId>,
        depth: usize,
    ) -> Option<Vec<String>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let notes = self.notes;
        let note = notes.note(node, Class::Meaning)?;
        match note.head {
            Head::Own => Some(vec![OWN.to_owned()]),
            Head::Literal(index) => Some(vec![notes.marks.literal(index).to_owned()]),
            Head::Builtin | Head::Word => Some(vec![self.text_of(node).to_owned()]),
            Head::Name | Head::TypeName => {
                let name = self.text_of(node);
                match self.scopes.find(name, scope, node.start_byte(), note.head == Head::TypeName) {
                    // A type parameter is as good as what it must be.
                    Some(id) => match self.bound(id, depth + 1) {
                        Value::Typed(path) | Value::Named(path) => Some(path),
                        _ => None,
                    },
                    None => short(name).then(|| vec![name.to_owned()]),
                }
            }
            Head::Member | Head::Path | Head::TypePath => {
                let (of, between, last) = notes.unfolded(note)?;
                let mut path = match of {
                    Some(of) => self.path(of, scope, depth + 1)?,
                    None => Vec::new(),
                };
                let names = between.into_iter().chain([last]).map(|node| self.text_of(node));
                path.extend(names.map(str::to_owned));
                (path.iter().all(|part| short(part)) && path.len() <= 2 * MAX_LENGTH).then_some(path)
            }
            Head::Wrapper => {
                let mut path = self.path(note.part(Part::Outer)?, scope, depth + 1)?;
                if let Some(inner) = note.part(Part::Inner)
                    && let Some(inner) = self.path(inner, scope, depth + 1)
                {
                    path.push(format!("<{}>", inner.join("::")));
                }
                Some(path)
            }
            Head::Through | Head::Holder => self.path(note.part(Part::Inner)?, scope, depth + 1),
            _ => None,
        }
    }
}

pub(super) fn named(name: &str) -> Value {
    if short(name) { Value::Named(vec![name.to_owned()]) } else { Value::Unknown }
}

pub(super) fn short(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && !name.contains('\n')
}

/// A member of that, or what a longer path names.
pub(super) fn member_of(of: Value, name: &str, path: bool) -> Value {
    match of {
        _ if !short(name) => Value::Unknown,
        Value::Unknown => Value::Unknown,
        Value::Named(mut parts) if path && parts.len() < 2 * MAX_LENGTH => {
            parts.push(name.to_owned());
            Value::Named(parts)
        }
        of if length(&of) < MAX_LENGTH => Value::Member(Box::new(of), name.to_owned()),
        _ => Value::Unknown,
    }
}

pub(super) fn called(of: Value) -> Value {
    match of {
        Value::Unknown => Value::Unknown,
        of if length(&of) < MAX_LENGTH => Value::Called(Box::new(of)),
        _ => Value::Unknown,
    }
}

/// What is in that: of an optional value the value.
pub(super) fn inside(of: Value) -> Value {
    match of {
        Value::Typed(path) => match path.last().and_then(|last| last.strip_prefix('<')?.strip_suffix('>')) {
            Some(OWN) => Value::Own,
            Some(inner) => Value::Typed(inner_path(inner)),
            // A type that is none of the known wrappers: who knows what is in it.
            None => Value::Unknown,
        },
        Value::Unknown => Value::Unknown,
        of if length(&of) < MAX_LENGTH => Value::Inner(Box::new(of)),
        _ => Value::Unknown,
    }
}

/// `Option::<Store>` again as a path.
fn inner_path(inner: &str) -> Vec<String> {
    match inner.split_once("::<") {
        Some((outer, rest)) => outer.split("::").map(str::to_owned).chain([format!("<{rest}")]).collect(),
        None => inner.split("::").map(str::to_owned).collect(),
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::Called(of) | Value::Member(of, _) | Value::Inner(of) => 1 + length(of),
        _ => 1,
    }
}
