//! From a tree to what the file uses.

use std::collections::{HashMap, HashSet};

use tree_sitter::{Node, Tree};

use crate::LineIndex;
use crate::code::{Definition, Language, SymbolKind};

use super::imports::{bases, imports};
use super::marks::HeadKind;
use super::notes::TreeNotes;
use super::signatures::infer_signatures;
use super::tokens::scan;
use super::values::{ValueResolver, is_valid_name};
use super::walk::walk;
use super::{ExprValue, Mention, MentionRole, NameAccess, Uses};

/// What a file is read with.
pub(super) struct FileContext<'a, 't> {
    pub text: &'t str,
    pub lines: &'a LineIndex,
    pub language: Language,
    pub definitions: &'a [Definition],
    /// The definition whose name begins here.
    pub named: &'a HashMap<usize, usize>,
    enclosing: EnclosingDefinitions<'a>,
}

impl FileContext<'_, '_> {
    pub(super) fn enclosing_definition(&self, byte: usize) -> Option<usize> {
        self.enclosing.innermost(byte)
    }
}

/// What the file uses; and of its definitions what they give and take.
pub(in crate::code) fn collect_uses(
    text: &str,
    lines: &LineIndex,
    tree: &Tree,
    language: Language,
    definitions: &mut [Definition],
    names: &[usize],
) -> Uses {
    let Some(marks) = language.marks() else { return Uses::default() };
    let Some(notes) = TreeNotes::from_tree(tree, text, marks) else { return Uses::default() };
    let named: HashMap<usize, usize> =
        names.iter().enumerate().rev().map(|(index, &at)| (at, index)).collect();
    let defined: HashMap<usize, SymbolKind> =
        names.iter().zip(definitions.iter()).map(|(&at, definition)| (at, definition.kind)).collect();
    let walked = walk(tree, text, &notes, language, &defined);
    let mut values = ValueResolver::new(text, &notes, &walked.scopes);
    infer_signatures(&mut values, &walked.given, &named, definitions, language);
    let source = FileContext {
        text,
        lines,
        language,
        definitions,
        named: &named,
        enclosing: EnclosingDefinitions::new(definitions),
    };
    let mut gathered = MentionCollector { source: &source, mentions: Vec::new(), seen: HashSet::new() };
    for place in &walked.places {
        let Some(note) = notes.meaning(place.node) else { continue };
        let name = match note.head {
            HeadKind::Name | HeadKind::TypeName | HeadKind::Own | HeadKind::Super => Some(place.node),
            _ => notes.split_path(note).map(|(_, _, last)| last),
        };
        let Some(name) = name else { continue };
        let reached = match note.head {
            HeadKind::Own => NameAccess::Member(ExprValue::Own),
            HeadKind::Super => NameAccess::Member(ExprValue::Super),
            _ => values.resolve_access(note, place.scope),
        };
        gathered.add_mention(name, place.role, reached, place.arguments);
    }
    for (node, scope) in &walked.tokens {
        scan(&mut values, *node, *scope, &mut |name, role, reached, arguments| {
            gathered.add_mention(name, role, reached, arguments);
        });
    }
    let mut mentions = gathered.mentions;
    mentions.sort_by_key(|mention| (mention.span.start, mention.span.end));
    Uses { mentions, imports: imports(&source, &notes), bases: bases(&source, &mut values) }
}

struct MentionCollector<'a, 't> {
    source: &'a FileContext<'a, 't>,
    mentions: Vec<Mention>,
    /// What needs to be said once a line only.
    seen: HashSet<(&'t str, usize, Option<usize>, bool)>,
}

impl<'t> MentionCollector<'_, 't> {
    fn add_mention(
        &mut self,
        name: Node<'t>,
        role: MentionRole,
        reached: NameAccess,
        arguments: Option<usize>,
    ) {
        let span = name.byte_range();
        let text = self.source.text.get(span.clone()).unwrap_or_default();
        if !is_valid_name(text) || text.starts_with(|letter: char| letter.is_ascii_digit()) {
            return;
        }
        let idle = matches!(role, MentionRole::Value | MentionRole::Type);
        // A variable that is read is nobody's business outside, and of a member of who knows what there is nothing to say.
        if idle && matches!(reached, NameAccess::Local | NameAccess::Member(ExprValue::Unknown)) {
            return;
        }
        let line = self.source.lines.line_of(span.start);
        let within = self.source.enclosing_definition(span.start);
        let plain = matches!(reached, NameAccess::Plain);
        if idle && !self.seen.insert((text, line, within, plain)) {
            return;
        }
        self.mentions.push(Mention { name: text.to_owned(), role, reached, span, line, within, arguments });
    }
}

/// The innermost definition around a byte.
struct EnclosingDefinitions<'a> {
    definitions: &'a [Definition],
    /// Where one begins or ends, and which is the innermost from there on.
    changes: Vec<(usize, Option<usize>)>,
}

impl<'a> EnclosingDefinitions<'a> {
    fn new(definitions: &'a [Definition]) -> Self {
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
