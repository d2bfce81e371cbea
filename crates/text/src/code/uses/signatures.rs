//! What definitions give and take.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::code::{Definition, Language, SymbolKind};

use super::ExprValue;
use super::marks::{HeadClass, HeadKind, PartKind};
use super::scopes::ScopeId;
use super::values::{OWN, ValueResolver};

/// Writes into the definitions what the text says they give and take.
pub(super) fn infer_signatures<'t>(
    values: &mut ValueResolver<'_, 't>,
    places: &[(Node<'t>, Option<ScopeId>)],
    named: &HashMap<usize, usize>,
    definitions: &mut [Definition],
    language: Language,
) {
    // An enumeration's values are of its type.
    for index in 0..definitions.len() {
        let Some(parent) = definitions[index].parent.and_then(|parent| definitions.get(parent)) else {
            continue;
        };
        if parent.kind == SymbolKind::Enum && definitions[index].kind == SymbolKind::Constant {
            definitions[index].gives = Some(parent.qualified.split('.').map(str::to_owned).collect());
        }
    }
    let notes = values.notes;
    // What is set to what a function of this file gives.
    let mut calls: Vec<(usize, ExprValue)> = Vec::new();
    for (node, scope) in places {
        let Some(note) = notes.note(*node, HeadClass::Given) else { continue };
        let many = note.all_parts(PartKind::Of);
        for of in many {
            let Some(&index) = named.get(&notes.unwrap_node(of).start_byte()) else { continue };
            let Some(definition) = definitions.get_mut(index) else { continue };
            if let Some(takes) = note.part(PartKind::Takes) {
                definition.takes = definition.takes.or(Some(count_parameters(values, takes)));
            }
            if definition.gives.is_none() {
                let declared =
                    note.part(PartKind::Gives).and_then(|kind| values.resolve_type_path(kind, *scope, 0));
                // A function gives what it returns, which is not what it is set to.
                let value = note.part(PartKind::GivesValue).filter(|_| !definition.kind.is_callable());
                let value = value.map_or(ExprValue::Unknown, |value| values.resolve_value(value, *scope, 0));
                definition.gives = declared
                    .or_else(|| infer_type(&value, language))
                    .map(|path| replace_self_type(path, definition));
                if definition.gives.is_none()
                    && let ExprValue::Called(of) = value
                {
                    calls.push((index, *of));
                }
            }
        }
    }
    for (index, of) in calls {
        let Some(path) = value_path(&of).map(|path| path.join(".")) else { continue };
        let mut same = definitions.iter().filter(|definition| definition.qualified == path);
        if let (Some(one), None) = (same.next(), same.next())
            && one.kind.is_callable()
        {
            definitions[index].gives = one.gives.clone();
        }
    }
}

/// The type that a value is surely of.
fn infer_type(value: &ExprValue, language: Language) -> Option<Vec<String>> {
    match value {
        ExprValue::Typed(path) => Some(path.clone()),
        ExprValue::Called(of) if language.reading.types_are_called => {
            let path = value_path(of)?;
            path.last().is_some_and(|last| last.starts_with(char::is_uppercase)).then_some(path)
        }
        _ => None,
    }
}

fn value_path(value: &ExprValue) -> Option<Vec<String>> {
    match value {
        ExprValue::Named(path) => Some(path.clone()),
        ExprValue::Member(of, name) => {
            let mut path = value_path(of)?;
            path.push(name.clone());
            Some(path)
        }
        _ => None,
    }
}

/// The word for the type that the definition belongs to, replaced by the type's name.
fn replace_self_type(path: Vec<String>, definition: &Definition) -> Vec<String> {
    let own: Vec<&str> = definition.qualified.split('.').collect();
    let Some((_, own)) = own.split_last() else { return path };
    if own.is_empty() {
        return path;
    }
    let inner = format!("<{OWN}>");
    let mut parts = Vec::with_capacity(path.len());
    for (index, part) in path.into_iter().enumerate() {
        if part == OWN && index == 0 {
            parts.extend(own.iter().map(|&part| part.to_owned()));
        } else if part == inner {
            parts.push(format!("<{}>", own.join("::")));
        } else {
            parts.push(part);
        }
    }
    parts
}

/// How many arguments a list of parameters asks for at least, and at most.
fn count_parameters<'t>(values: &ValueResolver<'_, 't>, list: Node<'t>) -> (usize, Option<usize>) {
    let notes = values.notes;
    let (mut least, mut most, mut many) = (0, 0, false);
    let mut cursor = list.walk();
    for child in list.children(&mut cursor).filter(|child| !child.is_extra()) {
        if values.text_of(child) == "..." {
            many = true;
            continue;
        }
        if !child.is_named() {
            continue;
        }
        let bound = notes.note(child, HeadClass::Bind);
        if bound.is_some_and(|note| note.head == HeadKind::Receiver) {
            continue;
        }
        let names = bound.map_or(1, |note| note.all_parts(PartKind::BindName).len().max(1));
        match notes.note(child, HeadClass::Count).map(|note| note.head) {
            Some(HeadKind::NoParameter) => {}
            Some(HeadKind::Spread) => many = true,
            Some(HeadKind::Optional) => most += names,
            _ => (least, most) = (least + names, most + names),
        }
    }
    (least, (!many).then_some(most))
}
