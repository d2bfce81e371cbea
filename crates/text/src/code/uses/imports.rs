//! What is brought in from elsewhere, and what builds on what.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::code::SymbolKind;

use super::marks::{HeadClass, HeadKind, PartKind};
use super::notes::{Parts, TreeNotes};
use super::read::FileContext;
use super::values::{MAX_NAME, ValueResolver};
use super::{Import, Inheritance};

/// How deep the lists of one import may nest.
const MAX_NESTED: usize = 16;

/// What an import brings in: from where, what of it, and by which name it is known. See [`Import`].
#[derive(Debug)]
pub(in crate::code) struct ImportNames {
    pub module: String,
    pub name: Option<String>,
    pub known_as: Option<String>,
}

impl ImportNames {
    /// What has a name of its own, and gets no other, is known by it.
    pub(in crate::code) fn keep_own_name(&mut self) {
        if self.known_as.is_none() {
            self.known_as = self.name.clone().filter(|name| name != "*");
        }
    }

    /// The module's last part is what is brought in, where nothing else is said to be. Whether that is so.
    pub(in crate::code) fn split_last_part(&mut self, sign: &str) -> bool {
        let Some((before, last)) = self.module.rsplit_once(sign).filter(|_| self.name.is_none()) else {
            return false;
        };
        (self.module, self.name) = (before.to_owned(), Some(last.to_owned()));
        true
    }
}

/// The imports of a file, in the order of the text.
pub(super) fn imports(source: &FileContext, notes: &TreeNotes) -> Vec<Import> {
    let mut imports = Vec::new();
    for (head, node, parts) in &notes.listed {
        match head {
            HeadKind::Import => imports.extend(import(source, *node, parts)),
            HeadKind::Tree => tree(source, notes, parts, &mut imports),
            _ => {}
        }
    }
    let all: HashSet<usize> = imports
        .iter()
        .filter(|import: &&Import| import.name.as_deref() == Some("*"))
        .map(|import| import.span.start)
        .collect();
    // Who brings in all that a package offers does not bring in the package.
    imports.retain(|import| !all.contains(&import.span.start) || import.name.as_deref() == Some("*"));
    imports.sort_by_key(|import| import.span.start);
    imports.dedup();
    imports
}

fn part<'t>(parts: &Parts<'t>, of: PartKind) -> Option<Node<'t>> {
    parts.iter().find(|(part, _)| *part == of).map(|(_, node)| *node)
}

fn import(source: &FileContext, node: Node, parts: &Parts) -> Option<Import> {
    let text =
        |of| part(parts, of).map(|node| unquote(source.text.get(node.byte_range()).unwrap_or_default()));
    // What a file says of its own, such as `export { a as b }`, comes from nowhere else.
    let module = text(PartKind::Module).or_else(|| part(parts, PartKind::HandedOn).map(|_| ""))?;
    let (module, mut name) = (module.to_owned(), text(PartKind::Name).map(str::to_owned));
    if part(parts, PartKind::All).is_some() {
        name = Some("*".to_owned());
    }
    if part(parts, PartKind::Default).is_some() {
        name = Some("default".to_owned());
    }
    let known_as = text(PartKind::KnownAs).map(str::to_owned);
    let names = (source.language.reading.name_import)(ImportNames { module, name, known_as });
    make_import(source, node, names, part(parts, PartKind::HandedOn).is_some())
}

fn make_import(source: &FileContext, node: Node, names: ImportNames, handed_on: bool) -> Option<Import> {
    let ImportNames { module, name, known_as } = names;
    let long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > MAX_NAME);
    if module.len() > MAX_NAME || long(&name) || long(&known_as) {
        return None;
    }
    let span = node.byte_range();
    let (line, mut within) = (source.lines.line_of(span.start), source.enclosing_definition(span.start));
    // What a file says of its own is said of the file.
    if module.is_empty() {
        within = None;
    }
    // A variable that holds what is brought in is no place to bring it to.
    while let Some(definition) = within.and_then(|within| source.definitions.get(within))
        && matches!(
            definition.kind,
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field | SymbolKind::Type
        )
    {
        within = definition.parent;
    }
    Some(Import { module, name, known_as, span, line, within, handed_on })
}

/// An import that is a tree of names, such as Rust's `use a::{b, c::{self, d as e}};`.
fn tree(source: &FileContext, notes: &TreeNotes, parts: &Parts, imports: &mut Vec<Import>) {
    let Some(root) = part(parts, PartKind::Module) else { return };
    let handed_on = part(parts, PartKind::HandedOn).is_some();
    let mut left: Vec<(Node, Vec<String>, usize)> = vec![(root, Vec::new(), 0)];
    while let Some((node, before, depth)) = left.pop() {
        let note = notes.note(node, HeadClass::Meaning);
        let of = |part| note.and_then(|note| note.part(part));
        match note.map(|note| note.head) {
            // A list, perhaps with a path before it.
            Some(HeadKind::Pattern) if depth < MAX_NESTED => {
                let list = of(PartKind::Inner).unwrap_or(node);
                let mut path = before;
                path.extend(of(PartKind::Outer).map(|path| segments(source, path)).unwrap_or_default());
                let mut cursor = list.walk();
                let inside: Vec<Node> =
                    list.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
                left.extend(inside.into_iter().rev().map(|child| (child, path.clone(), depth + 1)));
            }
            Some(HeadKind::Wrapper) => {
                let mut path = before;
                path.extend(of(PartKind::Outer).map(|path| segments(source, path)).unwrap_or_default());
                let all = of(PartKind::Inner).is_none();
                let known_as = of(PartKind::Inner)
                    .map(|alias| source.text.get(alias.byte_range()).unwrap_or_default().to_owned());
                imports.extend(leaf(source, node, path, all, known_as, handed_on));
            }
            _ => {
                let mut path = before;
                path.extend(segments(source, node));
                imports.extend(leaf(source, node, path, false, None, handed_on));
            }
        }
    }
}

fn leaf(
    source: &FileContext,
    node: Node,
    mut path: Vec<String>,
    all: bool,
    known_as: Option<String>,
    handed_on: bool,
) -> Option<Import> {
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let last = path.last()?.clone();
    let known_as = match known_as.as_deref() {
        Some("_") => None,
        Some(_) => known_as,
        None => (!all).then_some(last),
    };
    let name = if all {
        Some("*".to_owned())
    } else if path.len() > 1 {
        path.pop()
    } else {
        None
    };
    make_import(source, node, ImportNames { module: path.join("::"), name, known_as }, handed_on)
}

fn segments(source: &FileContext, node: Node) -> Vec<String> {
    let text = source.text.get(node.byte_range()).unwrap_or_default();
    text.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

fn unquote(text: &str) -> &str {
    let text = text.trim();
    let quotes = [("\"", "\""), ("'", "'"), ("`", "`"), ("<", ">")];
    quotes.iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close)).unwrap_or(text)
}

/// What builds on what, in the order of the text.
pub(super) fn bases<'t>(
    source: &FileContext<'_, 't>,
    values: &mut ValueResolver<'_, 't>,
) -> Vec<Inheritance> {
    let notes = values.notes;
    let mut bases: Vec<(usize, Inheritance)> = Vec::new();
    for (head, _, parts) in &notes.listed {
        if *head != HeadKind::Base {
            continue;
        }
        let Some(heir) = part(parts, PartKind::Heir) else { continue };
        let defined = source.named.get(&heir.start_byte()).and_then(|&index| source.definitions.get(index));
        let heir = match defined {
            Some(definition) => Some(definition.qualified.split('.').map(str::to_owned).collect()),
            None => values.resolve_type_path(heir, None, 0),
        };
        let Some(heir) = heir else { continue };
        for (_, of) in parts.iter().filter(|(part, _)| *part == PartKind::Of) {
            if let Some(path) = values.resolve_type_path(*of, None, 0) {
                let line = source.lines.line_of(of.start_byte());
                bases.push((of.start_byte(), Inheritance { heir: heir.clone(), of: path, line }));
            }
        }
    }
    bases.sort_by_key(|(at, _)| *at);
    bases.dedup();
    bases.into_iter().map(|(_, base)| base).collect()
}
