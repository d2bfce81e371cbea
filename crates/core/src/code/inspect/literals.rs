//! Finds the lines that have a text word for word, and the lines that use a constant which holds it.
//!
//! The index says in which files to look; the lines are read from the files as they are now. How well a line answers a
//! question is not judged here.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{FileRole, LineIndex, SymbolKind};

use super::{Inspection, Inspector};
use crate::code::codebase::{CodeSymbol, SourceText, SymbolId};
use crate::code::graph::Graph;
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::Provenance;
use crate::library::search::{SearchMode, SearchRequest};
use crate::ports::PassageFilter;
use crate::{Error, Result};

/// The most passages that are asked for, and the most of one file: which files have the text is all that they say.
const MOST_PASSAGES: usize = 400;
const OF_A_FILE: usize = 2;
/// The most files that are read, and the most lines that are returned.
const MOST_FILES: usize = 60;
const MOST_LINES: usize = 60;
/// The most constants whose uses are looked up, and the most lines of a constant that holds little else.
const MOST_CONSTANTS: usize = 3;
const LINES_OF_A_CONSTANT: usize = 4;
/// How many lines above and below a line belong to it.
const AROUND: usize = 7;

/// The arguments of finding a text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindLiteralArgs {
    /// The text, as it is written in the code.
    pub text: String,
}

/// The lines that have a text.
#[derive(Debug, Serialize)]
pub struct LiteralFindings {
    /// The program's own lines first, then those of examples, tests and documents.
    pub results: Vec<LiteralRow>,
}

/// A line that has a text, or that uses a constant which holds it.
#[derive(Debug, Serialize)]
pub struct LiteralRow {
    /// The file's path.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The first of the lines around it, from 1.
    pub start_line: usize,
    /// The last of the lines around it, from 1, included.
    pub end_line: usize,
    /// The qualified name of the definition that the line is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The lines.
    pub text: String,
}

impl Inspector<'_> {
    /// The lines that have a text word for word, each file's in order, and those that use a constant which holds it.
    pub fn find_literal(&self, args: &FindLiteralArgs) -> Result<Inspection<LiteralFindings>> {
        if args.text.trim().is_empty() {
            return Err(Error::invalid("the text is empty").hint("give a piece of a line"));
        }
        let (mut places, mut constants) = (Vec::new(), Vec::new());
        for path in self.files_with_text(&args.text)? {
            // A file may be gone or unreadable by now.
            let Ok(source) = self.codebase.read(&path) else { continue };
            for line in lines_with_text(&source.text, &args.text) {
                constants.extend(self.constant_at(&path, line)?);
                places.push((source.clone(), line));
            }
        }
        places.truncate(MOST_LINES);
        places.extend(self.lines_using(&constants)?);
        self.inspect_lines(places)
    }

    /// These lines with those around them, each once.
    pub(super) fn inspect_lines(
        &self,
        places: Vec<(SourceText, usize)>,
    ) -> Result<Inspection<LiteralFindings>> {
        let (mut results, mut evidence) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for (source, line) in places.into_iter().take(2 * MOST_LINES) {
            if !seen.insert((source.path.clone(), line)) {
                continue;
            }
            let (first, last) = (line.saturating_sub(AROUND).max(1), line + AROUND);
            let (place, text) = source.lines(&self.codebase.corpus, first, last)?;
            let found = self.evidence(&place, &text, "it has the text", Provenance::Syntax);
            evidence.push((format!("/results/{}", results.len()), found));
            results.push(LiteralRow {
                path: place.path.to_string(),
                line,
                start_line: place.lines.0,
                end_line: place.lines.1,
                symbol: self.definition_holding(&source.path, line)?.map(|symbol| symbol.qualified),
                text,
            });
        }
        let summary = format!("{} lines", results.len());
        Ok(Inspection { found: LiteralFindings { results }, evidence, summary })
    }

    /// The files that have the words of a text in this order, the program's own first.
    pub(super) fn files_with_text(&self, text: &str) -> Result<Vec<VaultPath>> {
        let found = self.search.find_as_written(&SearchRequest {
            query: format!("\"{}\"", text.replace('"', " ")),
            mode: SearchMode::Keyword,
            filter: PassageFilter {
                corpora: Some(vec![self.codebase.corpus.clone()]),
                ..PassageFilter::default()
            },
            limit: MOST_PASSAGES,
            per_file: OF_A_FILE,
        })?;
        let mut files: Vec<VaultPath> = Vec::new();
        for hit in found.hits {
            if self.codebase.scope.contains(&hit.place.path) && !files.contains(&hit.place.path) {
                files.push(hit.place.path);
            }
        }
        files.sort_by_key(|path| match FileRole::from_path(path.as_str()) {
            FileRole::Source => 0,
            FileRole::Extra => 1,
            FileRole::Test => 2,
            FileRole::Prose => 3,
        });
        files.truncate(MOST_FILES);
        Ok(files)
    }

    /// The innermost definition that a line is in.
    fn definition_holding(&self, path: &VaultPath, line: usize) -> Result<Option<CodeSymbol>> {
        let Some(stored) = self.codebase.structure(path)? else { return Ok(None) };
        let definitions = &stored.structure.definitions;
        let holding = definitions
            .iter()
            .enumerate()
            .filter(|(_, found)| (found.lines.0..=found.lines.1).contains(&line));
        let innermost = holding.min_by_key(|(at, found)| (found.lines.1 - found.lines.0, usize::MAX - at));
        Ok(innermost.and_then(|(at, found)| {
            Some(CodeSymbol {
                id: SymbolId::from_definition(path, definitions, at)?,
                path: path.clone(),
                at: Some(at),
                name: found.name.clone(),
                qualified: found.qualified.clone(),
                kind: found.kind,
                lines: found.lines,
            })
        }))
    }

    /// The constant of the program that a line defines, if it holds little more than that line.
    fn constant_at(&self, path: &VaultPath, line: usize) -> Result<Option<CodeSymbol>> {
        if FileRole::from_path(path.as_str()) != FileRole::Source {
            return Ok(None);
        }
        let within = self.definition_holding(path, line)?;
        Ok(within.filter(|symbol| {
            matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
                && symbol.lines.1 - symbol.lines.0 < LINES_OF_A_CONSTANT
        }))
    }

    /// The lines that use one of these constants.
    fn lines_using(&self, constants: &[CodeSymbol]) -> Result<Vec<(SourceText, usize)>> {
        let mut found = Vec::new();
        if constants.is_empty() {
            return Ok(found);
        }
        let graph = Graph::with_deadline(self.codebase, self.deadline())?;
        for constant in constants.iter().take(MOST_CONSTANTS) {
            for used in graph.references(constant)?.places.iter().filter(|used| used.role != "import") {
                let path = VaultPath::from_index(used.path.clone());
                if found.len() < MOST_LINES
                    && let Ok(source) = self.codebase.read(&path)
                    && used.line <= source.line_count()
                {
                    found.push((source, used.line));
                }
            }
        }
        Ok(found)
    }
}

/// The lines of a file, from 1, that have a text as it is written; otherwise the one line on which its words begin.
fn lines_with_text(text: &str, literal: &str) -> Vec<usize> {
    let lines = LineIndex::new(text);
    let mut found: Vec<usize> = find_whole(text, literal).map(|at| lines.line_of(at)).collect();
    found.dedup();
    if found.is_empty() {
        found.extend(find_message(text, literal).map(|line| line + 1));
    }
    found
}

/// Where a text has another, and not as a part of longer words.
pub(super) fn find_whole<'a>(text: &'a str, literal: &'a str) -> impl Iterator<Item = usize> + 'a {
    let joins = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let (first, last) = (literal.chars().next(), literal.chars().next_back());
    text.match_indices(literal).map(|(at, _)| at).filter(move |&at| {
        let (before, after) = (text[..at].chars().next_back(), text[at + literal.len()..].chars().next());
        !(joins(first) && joins(before) || joins(last) && joins(after))
    })
}

/// The line of a text, counted from 0, on which a message begins that it has word for word, whatever is between the words;
/// `None` if it does not have it.
pub fn find_message(text: &str, message: &str) -> Option<usize> {
    let words = |line: &str| -> Vec<String> {
        let words = line.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let wanted = words(message);
    let all: Vec<(usize, String)> = text
        .lines()
        .enumerate()
        .flat_map(|(at, line)| words(line).into_iter().map(move |word| (at, word)))
        .collect();
    let is_it = |part: &[(usize, String)]| part.iter().map(|(_, word)| word).eq(&wanted);
    let found = all.windows(wanted.len().max(1)).find(|part| is_it(part))?;
    found.first().map(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_on_the_lines_that_have_it_or_where_its_words_begin() {
        let code = "const A = 'too heavy'\nthrow 'too heavy'\nthrow 'too heavyset'\n";
        assert_eq!(lines_with_text(code, "too heavy"), [1, 2]);
        assert_eq!(lines_with_text("raise Heavy(\n  \"Too \"\n  \"heavy\"\n)\n", "too heavy"), [2]);
        assert_eq!(lines_with_text("next() called\n", "next() called"), [1]);
        assert_eq!(lines_with_text("nothing of it\n", "too heavy"), [0; 0]);
    }
}
