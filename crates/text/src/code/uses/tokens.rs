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

/// Reads `a::b(…).c` from here on, and returns where it ends.
fn chain<'t>(
    values: &mut ValueResolver<'_, 't>,
    words: &[Node<'t>],
    start: usize,
    scope: Option<ScopeId>,
    say: MentionSink<'_, 't>,
) -> usize {
    let words = WordList { text: values.text, words };
    let (mut value, mut at) = match chain_start(values, &words, start, scope, say) {
        (Some(value), at) => (value, at),
        (None, at) => return at,
    };
    loop {
        match words.sign(at) {
            "?" => {
                value = inner_value(value);
                at += 1;
            }
            link @ ("." | "::") => match chain_link(values, &words, at, value, link == "::", say) {
                (Some(next), behind) => (value, at) = (next, behind),
                (None, behind) => return behind,
            },
            _ => return at,
        }
    }
}

/// The words of a list, by their text.
struct WordList<'w, 't> {
    text: &'t str,
    words: &'w [Node<'t>],
}

impl<'t> WordList<'_, 't> {
    fn sign(&self, at: usize) -> &'t str {
        self.words.get(at).map_or("", |word| self.text.get(word.byte_range()).unwrap_or_default())
    }

    fn list(&self, at: usize) -> Option<Node<'t>> {
        self.words.get(at).copied().filter(|word| is_list(*word))
    }
}

/// What the first word of a chain stands for, with its call, and where the chain goes on; no value ends the chain.
fn chain_start<'t>(
    values: &mut ValueResolver<'_, 't>,
    words: &WordList<'_, 't>,
    start: usize,
    scope: Option<ScopeId>,
    say: MentionSink<'_, 't>,
) -> (Option<ExprValue>, usize) {
    let (first, name, at) = (words.words[start], words.sign(start), start + 1);
    // `'a` is a lifetime, `$x` who knows what, and `x:` in a list of fields is a field.
    match values.notes.meaning(first).map(|note| note.head) {
        Some(HeadKind::Own) if words.sign(at) == "::" && name != "Self" => (Some(named_value(name)), at),
        Some(HeadKind::Own | HeadKind::Word | HeadKind::Literal(_)) => {
            (Some(values.resolve_value(first, scope, 0)), at)
        }
        Some(HeadKind::Name | HeadKind::TypeName) => {
            if words.sign(at) == ":" {
                return (None, at);
            }
            let known = values.resolve_name(name, scope, first.start_byte(), 0);
            let reached = values.name_access(name, scope, first.start_byte(), false);
            if words.sign(at) == "!" && words.list(at + 1).is_some() {
                say(first, MentionRole::Call, NameAccess::Plain, None);
                return (None, at + 1);
            }
            match words.list(at) {
                Some(list) if words.sign(at).starts_with('(') => {
                    say(first, MentionRole::Call, reached, arguments(list));
                    (Some(call_value(known)), at + 1)
                }
                Some(_) if words.sign(at).starts_with('{') && name.starts_with(char::is_uppercase) => {
                    say(first, MentionRole::Make, reached, None);
                    (Some(ExprValue::Typed(vec![name.to_owned()])), at + 1)
                }
                _ => {
                    say(first, MentionRole::Value, reached, None);
                    (Some(known), at)
                }
            }
        }
        _ => (None, at),
    }
}

/// What a member stands for that is reached with the sign at this place, and where the chain goes on; no value ends it.
fn chain_link<'t>(
    values: &ValueResolver<'_, 't>,
    words: &WordList<'_, 't>,
    at: usize,
    value: ExprValue,
    is_path: bool,
    say: MentionSink<'_, 't>,
) -> (Option<ExprValue>, usize) {
    let Some(name) = words.words.get(at + 1).copied() else { return (None, at + 1) };
    let method = words.sign(at + 1);
    if (is_path && method == "<") || !is_word(values, name) {
        return (None, at + 1);
    }
    if method == "await" {
        return (Some(inner_value(value)), at + 2);
    }
    let list = words.list(at + 2).filter(|_| words.sign(at + 2).starts_with('('));
    let role = if list.is_some() { MentionRole::Call } else { MentionRole::Value };
    say(name, role, NameAccess::Member(value.clone()), list.and_then(arguments));
    let next = match list {
        Some(_) if SAME.contains(&method) => value,
        Some(_) if INNER.contains(&method) => inner_value(value),
        Some(_) => call_value(member_of(value, method, is_path)),
        None => member_of(value, method, is_path),
    };
    (Some(next), at + 2 + usize::from(list.is_some()))
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
