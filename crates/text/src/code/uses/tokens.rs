//! Calls in code that the grammar gives as a list of words only: what stands in the brackets of a macro.

use tree_sitter::Node;

use super::marks::HeadKind;
use super::scopes::ScopeId;
use super::values::{ValueResolver, call_value, inner_value, member_of, named_value};
use super::{ExprValue, MentionRole, NameAccess};

/// Methods of the types that hold others: what they give is the same, or what is in it. The query says so of code.
const SAME: &[&str] = &["clone", "as_ref", "as_mut", "as_deref", "lock", "cloned"];
const INNER: &[&str] = &["unwrap", "expect", "unwrap_or_default", "borrow", "borrow_mut"];

type MentionSink<'s, 't> = &'s mut dyn FnMut(Node<'t>, MentionRole, NameAccess, Option<usize>);

/// Hands on the mentions in a list of words, and in the lists in it.
pub(super) fn scan<'t>(
    values: &mut ValueResolver<'_, 't>,
    list: Node<'t>,
    scope: Option<ScopeId>,
    say: MentionSink<'_, 't>,
) {
    let mut left = vec![list];
    while let Some(list) = left.pop() {
        let mut cursor = list.walk();
        let words: Vec<Node<'t>> = list.children(&mut cursor).filter(|word| !word.is_extra()).collect();
        left.extend(words.iter().copied().filter(|word| word.child_count() > 0 && is_list(*word)));
        let mut at = 0;
        while at < words.len() {
            at = chain(values, &words, at, scope, say);
        }
    }
}

/// Reads `a::b(…).c` from here on, and says where it ends.
fn chain<'t>(
    values: &mut ValueResolver<'_, 't>,
    words: &[Node<'t>],
    start: usize,
    scope: Option<ScopeId>,
    say: MentionSink<'_, 't>,
) -> usize {
    let text = values.text;
    let sign = |at: usize| words.get(at).map_or("", |word| text.get(word.byte_range()).unwrap_or_default());
    let first = words[start];
    let head = values.notes.meaning(first).map(|note| note.head);
    let mut at = start + 1;
    // `'a` is a lifetime, `$x` who knows what, and `x:` in a list of fields is a field.
    let mut value = match head {
        Some(HeadKind::Own) if sign(at) == "::" && sign(start) != "Self" => named_value(sign(start)),
        Some(HeadKind::Own | HeadKind::Word | HeadKind::Literal(_)) => values.resolve_value(first, scope, 0),
        Some(HeadKind::Name | HeadKind::TypeName) => {
            let name = sign(start);
            if sign(at) == ":" {
                return at;
            }
            let known = values.resolve_name(name, scope, first.start_byte(), 0);
            let reached = values.name_access(name, scope, first.start_byte(), false);
            if sign(at) == "!" && words.get(at + 1).is_some_and(|word| is_list(*word)) {
                say(first, MentionRole::Call, NameAccess::Plain, None);
                return at + 1;
            }
            match words.get(at).filter(|word| is_list(**word)) {
                Some(list) if sign(at).starts_with('(') => {
                    say(first, MentionRole::Call, reached, arguments(*list));
                    at += 1;
                    call_value(known)
                }
                Some(_) if sign(at).starts_with('{') && name.starts_with(char::is_uppercase) => {
                    say(first, MentionRole::Make, reached, None);
                    at += 1;
                    ExprValue::Typed(vec![name.to_owned()])
                }
                _ => {
                    say(first, MentionRole::Value, reached, None);
                    known
                }
            }
        }
        _ => return at,
    };
    loop {
        match sign(at) {
            "?" => {
                value = inner_value(value);
                at += 1;
            }
            link @ ("." | "::") => {
                let Some(name) = words.get(at + 1).copied() else { return at + 1 };
                let path = link == "::";
                if path && sign(at + 1) == "<" {
                    return at + 1;
                }
                if !is_word(values, name) {
                    return at + 1;
                }
                let list =
                    words.get(at + 2).copied().filter(|word| is_list(*word) && sign(at + 2).starts_with('('));
                let role = if list.is_some() { MentionRole::Call } else { MentionRole::Value };
                let member = member_of(value.clone(), sign(at + 1), path);
                if sign(at + 1) == "await" {
                    value = inner_value(value);
                    at += 2;
                    continue;
                }
                say(name, role, NameAccess::Member(value.clone()), list.and_then(arguments));
                value = match sign(at + 1) {
                    method if list.is_some() && SAME.contains(&method) => value,
                    method if list.is_some() && INNER.contains(&method) => inner_value(value),
                    _ if list.is_some() => call_value(member),
                    _ => member,
                };
                at += 2 + usize::from(list.is_some());
            }
            _ => return at,
        }
    }
}

fn is_list(word: Node) -> bool {
    matches!(word.kind(), "token_tree" | "token_repetition")
}

fn is_word(values: &ValueResolver, node: Node) -> bool {
    values.notes.meaning(node).is_some_and(|note| matches!(note.head, HeadKind::Name | HeadKind::TypeName))
}

/// One more than the commas in the list, unless it is empty or ends with one.
fn arguments(list: Node) -> Option<usize> {
    let mut cursor = list.walk();
    let words: Vec<Node> = list.children(&mut cursor).filter(|word| !word.is_extra()).collect();
    let inside = words.get(1..words.len().checked_sub(1)?)?;
    let commas = inside.iter().filter(|word| word.kind() == ",").count();
    match inside.last() {
        None => Some(0),
        Some(last) if last.kind() == "," => Some(commas),
        Some(_) => Some(commas + 1),
    }
}
