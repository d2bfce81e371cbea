//! Source code: its definitions, the names that it uses, and the chunks in which it is indexed.
//!
//! A file is parsed once for all of these. A query for each language (`code/queries`) finds the definitions; nesting,
//! comments and names are handled alike for all languages. Nothing is resolved here: a name is what the text says, and no
//! other file is known.

mod capture;
pub(crate) mod chunk;
mod chunks;
mod file_role;
mod language;
mod languages;
mod leading_trivia;
mod manifest;
mod name_rules;
mod names;
mod nest;
mod node_map;
mod parse;
mod partial_matches;
mod pattern_parser;
mod pattern_search;
mod patterns;
mod pieces;
mod symbol;
mod uses;

#[cfg(test)]
mod tests;

use tree_sitter::Tree;

use crate::code::chunk::{Chunk, line_range};
use crate::{LineIndex, Span};

pub use file_role::FileRole;
pub use language::{Language, LanguageSpec};
pub use manifest::CargoManifest;
pub use name_rules::{ArgumentRule, ConstructorRule, ModuleSystem, NameRules, WordSet};
pub use symbol::SymbolKind;
pub use uses::{ExprValue, Import, Inheritance, Mention, MentionRole, NameAccess, Uses};

use nest::{OutlineEntry, nest};

/// Everything that is known about a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeAnalysis {
    /// The chunks in the order of the text. Everything but white space is in exactly one of them.
    pub chunks: Vec<Chunk>,
    /// The definitions of the file.
    pub outline: Outline,
    /// The names that the file uses.
    pub uses: Uses,
}

/// The definitions of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The definitions in the order of the text, outer ones before those inside of them.
    pub definitions: Vec<Definition>,
    /// How well the file could be parsed.
    pub syntax: SyntaxState,
}

/// How well a file could be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyntaxState {
    /// The parser understood all of it.
    Sound,
    /// The parser did not understand some parts; definitions may be missing there.
    Broken,
    /// Not parsed: no known language, or too long or too hard to parse. Its definitions are unknown.
    Unread,
}

/// A definition in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The name of the definition.
    pub name: String,
    /// The bytes of the name.
    pub name_span: Span,
    /// The names of everything that contains it, and its own: `Parser.parse`.
    pub qualified: String,
    /// The kind of the definition.
    pub kind: SymbolKind,
    /// The whole definition with its attributes and decorators, without the comment above it.
    pub span: Span,
    /// The first and the last line of the span, from 1, both included.
    pub lines: (usize, usize),
    /// The comment directly above it, or the documentation at its beginning.
    pub doc: Option<Span>,
    /// From its first word, after attributes, to before its body.
    pub signature: Span,
    /// The innermost definition that contains it, as an index into the outline's list.
    pub parent: Option<usize>,
    /// Whether it has a body, unlike a declaration.
    pub has_body: bool,
    /// The path of its type, or of the type that calling it returns, if the text declares one.
    pub gives: Option<Vec<String>>,
    /// The minimum and maximum number of arguments, without the receiver.
    pub takes: Option<(usize, Option<usize>)>,
}

/// Analyzes a source file. Without a language it is cut at blank lines, and its definitions are unknown.
pub fn analyze_code(text: &str, language: Option<Language>) -> CodeAnalysis {
    let lines = LineIndex::new(text);
    let (entries, syntax, tree) = read_entries(text, &lines, language);
    let chunks = chunks::build_chunks(text, &lines, &entries);
    let (outline, uses) = build_outline_and_uses(text, &lines, language, entries, syntax, tree.as_ref());
    CodeAnalysis { chunks, outline, uses }
}

/// The definitions of a source file. [`analyze_code`] returns its chunks as well.
pub fn outline_code(text: &str, language: Language) -> Outline {
    let lines = LineIndex::new(text);
    let (entries, syntax, tree) = read_entries(text, &lines, Some(language));
    build_outline_and_uses(text, &lines, Some(language), entries, syntax, tree.as_ref()).0
}

/// The chunks of a source file. [`analyze_code`] returns its definitions as well.
pub fn chunk_code(text: &str, language: Option<Language>) -> Vec<Chunk> {
    let lines = LineIndex::new(text);
    chunks::build_chunks(text, &lines, &read_entries(text, &lines, language).0)
}

fn read_entries(
    text: &str,
    lines: &LineIndex,
    language: Option<Language>,
) -> (Vec<OutlineEntry>, SyntaxState, Option<Tree>) {
    let Some(language) = language else { return (Vec::new(), SyntaxState::Unread, None) };
    let Some(mut reading) = parse::read(text, language) else {
        return (Vec::new(), SyntaxState::Unread, None);
    };
    let entries = nest(text, lines, &mut reading, language);
    (entries, if reading.broken { SyntaxState::Broken } else { SyntaxState::Sound }, Some(reading.tree))
}

/// The definitions, with all that is said of them; and what is used.
fn build_outline_and_uses(
    text: &str,
    lines: &LineIndex,
    language: Option<Language>,
    entries: Vec<OutlineEntry>,
    syntax: SyntaxState,
    tree: Option<&Tree>,
) -> (Outline, Uses) {
    let (mut outline, names) = build_outline(text, lines, entries, syntax);
    let uses = match (tree, language) {
        (Some(tree), Some(language)) => {
            uses::collect_uses(text, lines, tree, language, &mut outline.definitions, &names)
        }
        _ => Uses::default(),
    };
    (outline, uses)
}

/// The definitions, and where the name of each begins.
fn build_outline(
    text: &str,
    lines: &LineIndex,
    entries: Vec<OutlineEntry>,
    syntax: SyntaxState,
) -> (Outline, Vec<usize>) {
    let mut names = Vec::with_capacity(entries.len());
    let mut definitions: Vec<Definition> = Vec::with_capacity(entries.len());
    // For each entry the definition that it is, or that it stands in when it is a scope.
    let mut places: Vec<Option<usize>> = Vec::with_capacity(entries.len());
    for entry in entries {
        let parent = entry.parent.and_then(|parent| places[parent]);
        let Some(kind) = entry.kind else {
            places.push(parent);
            continue;
        };
        places.push(Some(definitions.len()));
        names.push(entry.name.start);
        let name = entry.path.last().cloned().unwrap_or_default();
        // The last of several names that lead to it, and without quotes.
        let start = entry.name.start + text[entry.name.clone()].rfind(&name).unwrap_or(0);
        definitions.push(Definition {
            name_span: start..(start + name.len()).min(entry.name.end),
            name,
            qualified: entry.path.join("."),
            kind,
            lines: line_range(lines, &entry.span),
            span: entry.span,
            doc: entry.doc,
            signature: entry.signature,
            parent,
            has_body: entry.has_body,
            gives: None,
            takes: None,
        });
    }
    (Outline { definitions, syntax }, names)
}
