//! What is brought in from elsewhere, and what builds on what.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::code::{Language, SymbolKind};

use super::marks::{HeadClass, HeadKind, PartKind};
use super::notes::{Parts, TreeNotes};
use super::read::FileContext;
use super::values::{MAX_NAME, ValueResolver};
use super::{Import, Inheritance};

/// How deep the lists of one import may nest.
const MAX_NESTED: usize = 16;

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
    let (mut module, mut name) = (module.to_owned(), text(PartKind::Name).map(str::to_owned));
    if part(parts, PartKind::All).is_some() {
        name = Some("*".to_owned());
    }
    if part(parts, PartKind::Default).is_some() {
        name = Some("default".to_owned());
    }
    let mut known_as = text(PartKind::KnownAs).map(str::to_owned);
    let split = |whole: &str, sign: &str| {
        whole.rsplit_once(sign).map(|(before, last)| (before.to_owned(), last.to_owned()))
    };
    match source.language {
        Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx => {
            known_as = known_as.or_else(|| name.clone().filter(|name| name != "*"));
            if source.language == Language::Python && name.is_none() {
                known_as = known_as.or_else(|| Some(module.clone()));
            }
        }
        Language::Go => match known_as.as_deref() {
            Some(".") => (name, known_as) = (Some("*".to_owned()), None),
            Some("_") => known_as = None,
            Some(_) => {}
            None => known_as = package_of(&module),
        },
        Language::Java | Language::Kotlin | Language::Php => {
            let sign = if source.language == Language::Php { "\\" } else { "." };
            if name.is_none()
                && let Some((before, last)) = split(&module, sign)
            {
                (module, name) = (before, Some(last));
            }
            known_as = known_as.or_else(|| name.clone().filter(|name| name != "*"));
        }
        Language::Cpp if name.is_none() => {
            if let Some((before, last)) = split(&module, "::") {
                known_as = known_as.or_else(|| Some(last.clone()));
                (module, name) = (before, Some(last));
            }
        }
        _ => {}
    }
    make_import(source, node, module, name, known_as, part(parts, PartKind::HandedOn).is_some())
}

/// By what name a package is known that is imported by its path: `yaml` for `gopkg.in/yaml.v3`.
fn package_of(path: &str) -> Option<String> {
    let mut parts = path.rsplit('/');
    let last = parts.next()?;
    let version = last.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let last = if version { parts.next().unwrap_or(last) } else { last };
    let last = last.split_once(".v").map_or(last, |(name, _)| name);
    let last = last.strip_prefix("go-").unwrap_or(last);
    Some(last.strip_suffix("-go").unwrap_or(last).replace('-', "_"))
}

fn make_import(
    source: &FileContext,
    node: Node,
    module: String,
    name: Option<String>,
    known_as: Option<String>,
    handed_on: bool,
) -> Option<Import> {
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
    make_import(source, node, path.join("::"), name, known_as, handed_on)
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
