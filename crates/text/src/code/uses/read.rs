//! From a tree to what the file uses.

use std::collections::{HashMap, HashSet};

use tree_sitter::{Node, Tree};

use crate::Lines;
use crate::code::{Definition, Language, SymbolKind};

use super::imports::{bases, imports};
use super::marks::Head;
use super::notes::Notes;
use super::signatures::given;
use super::tokens::scan;
use super::values::{Values, short};
use super::walk::walk;
use super::{Mention, Reached, Role, Uses, Value};

/// What a file is read with.
pub(super) struct Source<'a, 't> {
    pub text: &'t str,
    pub lines: &'a Lines,
    pub language: Language,
    pub definitions: &'a [Definition],
    /// The definition whose name begins here.
    pub named: &'a HashMap<usize, usize>,
    around: Around<'a>,
}

impl Source<'_, '_> {
    pub(super) fn within(&self, byte: usize) -> Option<usize> {
        self.around.innermost(byte)
    }
}

/// What the file uses; and of its definitions what they give and take.
pub(in crate::code) fn uses(
    text: &str,
    lines: &Lines,
    tree: &Tree,
    language: Language,
    definitions: &mut [Definition],
    names: &[usize],
) -> Uses {
    let Some(marks) = language.marks() else { return Uses::default() };
    let Some(notes) = Notes::of(tree, text, marks) else { return Uses::default() };
    let named: HashMap<usize, usize> =
        names.iter().enumerate().rev().map(|(index, &at)| (at, index)).collect();
    let defined: HashMap<usize, SymbolKind> =
        names.iter().zip(definitions.iter()).map(|(&at, definition)| (at, definition.kind)).collect();
    let walked = walk(tree, text, &notes, language, &defined);
    let mut values = Values::new(text, &notes, &walked.scopes);
    given(&mut values, &walked.given, &named, definitions, language);
    let source =
        Source { text, lines, language, definitions, named: &named, around: Around::of(definitions) };
    let mut gathered = Gathered { source: &source, mentions: Vec::new(), seen: HashSet::new() };
    for place in &walked.places {
        let Some(note) = notes.meaning(place.node) else { continue };
        let name = match note.head {
            Head::Name | Head::TypeName | Head::Own | Head::Super => Some(place.node),
            _ => notes.unfolded(note).map(|(_, _, last)| last),
        };
        let Some(name) = name else { continue };
        let reached = match note.head {
            Head::Own => Reached::Member(Value::Own),
            Head::Super => Reached::Member(Value::Super),
            _ => values.reached(note, place.scope),
        };
        gathered.mention(name, place.role, reached, place.arguments);
    }
    for (node, scope) in &walked.tokens {
        scan(&mut values, *node, *scope, &mut |name, role, reached, arguments| {
            gathered.mention(name, role, reached, arguments);
        });
    }
    let mut mentions = gathered.mentions;
    mentions.sort_by_key(|mention| (mention.span.start, mention.span.end));
    Uses { mentions, imports: imports(&source, &notes), bases: bases(&source, &mut values) }
}

struct Gathered<'a, 't> {
    source: &'a Source<'a, 't>,
    mentions: Vec<Mention>,
    /// What needs to be said once a line only.
    seen: HashSet<(&'t str, usize, Option<usize>, bool)>,
}

impl<'t> Gathered<'_, 't> {
    fn mention(&mut self, name: Node<'t>, role: Role, reached: Reached, arguments: Option<usize>) {
        let span = name.byte_range();
        let text = self.source.text.get(span.clone()).unwrap_or_default();
        if !short(text) || text.starts_with(|letter: char| letter.is_ascii_digit()) {
            return;
        }
        let idle = matches!(role, Role::Value | Role::Type);
        // A variable that is read is nobody's business outside, and of a member of who knows what there is nothing to say.
        if idle && matches!(reached, Reached::Local | Reached::Member(Value::Unknown)) {
            return;
        }
        let line = self.source.lines.line_of(span.start);
        let within = self.source.within(span.start);
        let plain = matches!(reached, Reached::Plain);
        if idle && !self.seen.insert((text, line, within, plain)) {
            return;
        }
        self.mentions.push(Mention { name: text.to_owned(), role, reached, span, line, within, arguments });
    }
}

/// The innermost definition around a byte.
struct Around<'a> {
    definitions: &'a [Definition],
    /// Where one begins or ends, and which is the innermost from there on.
    changes: Vec<(usize, Option<usize>)>,
}

impl<'a> Around<'a> {
    fn of(definitions: &'a [Definition]) -> Self {
        let mut changes: Vec<(usize, Option<usize>)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let close = |open: &mut Vec<usize>, until: usize, changes: &mut Vec<(usize, Option<usize>)>| {
            while let Some(top) = open.pop_if(|top| definitions[*top].span.end <= until) {
                changes.push((definitions[top].span.end, open.last().copied()));
            }
        };
        for (index, definition) in definitions.iter().enumerate() {
            close(&mut open, definition.span.start, &mut changes);
            // Of several names for one thing the first counts; and what a method says of its type is in the method.
            let twin = open.last().is_some_and(|&top| definitions[top].span == definition.span);
            if !twin && definition.parent == open.last().copied() {
                changes.push((definition.span.start, Some(index)));
                open.push(index);
            }
        }
        close(&mut open, usize::MAX, &mut changes);
        Self { definitions, changes }
    }

    fn innermost(&self, byte: usize) -> Option<usize> {
        let at = self.changes.partition_point(|(from, _)| *from <= byte);
        let index = self.changes[..at].last()?.1?;
        self.definitions[index].span.contains(&byte).then_some(index)
    }
}
