//! The lines of code that answer a question best.
//!
//! A line is scored together with the comment above it and the names around it: `SWARM_DROP_KG = 1.5` says little by
//! itself, and everything together with them.

use std::collections::BTreeSet;

use wellread_text::{FileRole, SourceIndex, Terms, significant_words};

use super::quotation::quote_code;
use crate::domain::evidence::{Evidence, Source};

/// The weight of a question's word that occurs only in the comment above, or in a name around the line.
const COMMENT_WEIGHT: f32 = 0.8;
const SURROUNDINGS_WEIGHT: f32 = 0.4;
/// The share of the question that a line must match together with its surroundings.
const MIN_COVERAGE: f32 = 0.3;
/// A longer comment does not belong to one line.
const MAX_COMMENT_LINES: usize = 12;

/// Words of a question that asks for a value.
const VALUE_WORDS: [&str; 20] = [
    "which setting",
    "which option",
    "which flag",
    "which port",
    "environment variable",
    "how many",
    "how much",
    "how long",
    "how far",
    "how often",
    "how large",
    "how big",
    "how old",
    "how high",
    "limit",
    "threshold",
    "maximum",
    "minimum",
    "default",
    "at most",
];

/// Lines of a file to choose from.
#[derive(Debug, Clone, Copy)]
pub struct CodeText<'a> {
    /// The file's path.
    pub path: &'a str,
    /// The lines.
    pub text: &'a str,
    /// The number of the first line, from 1.
    pub first_line: usize,
    /// The qualified name of the definition that they are in; empty if there is none.
    pub symbol: &'a str,
}

/// A line that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct RelevantLine {
    /// The index of its text in the input.
    pub of: usize,
    /// The line's number, from 1.
    pub line: usize,
    /// The line as inline code in Markdown. The gate finds it in the line.
    pub quoted: String,
    /// How well it fits; higher is better.
    pub score: f32,
}

struct LineCandidate<'a> {
    of: usize,
    is_test: bool,
    line: usize,
    text: &'a str,
    own: BTreeSet<String>,
    above: BTreeSet<String>,
    surroundings: BTreeSet<String>,
}

/// The best lines for a question, best first, at most `most`, and at most `per_text` of one text. The same line of a
/// file counts once.
pub fn find_relevant_lines(
    question: &str,
    texts: &[CodeText<'_>],
    most: usize,
    per_text: usize,
) -> Vec<RelevantLine> {
    let query = significant_words(question);
    let candidates = candidates(texts);
    let count = candidates.len() as f32;
    let weight = |stem: &String| {
        let with =
            candidates.iter().filter(|one| one.own.contains(stem) || one.above.contains(stem)).count() as f32;
        (1.0 + (count - with + 0.5) / (with + 0.5)).ln() + 0.3
    };
    let weights: Vec<f32> = query.iter().map(weight).collect();
    let wants_value = asks_for_value(question);
    let mut ranked: Vec<(f32, &LineCandidate<'_>)> =
        candidates.iter().filter_map(|one| Some((one.score(&query, &weights, wants_value)?, one))).collect();
    ranked.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then((one.1.of, one.1.line).cmp(&(other.1.of, other.1.line)))
    });
    let mut chosen: Vec<RelevantLine> = Vec::new();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for (score, one) in ranked {
        if chosen.len() == most {
            break;
        }
        if chosen.iter().filter(|other| other.of == one.of).count() >= per_text || used.contains(one.text) {
            continue;
        }
        if let Some(quoted) = quote_code(one.text, &SourceIndex::new(one.text, false)) {
            used.insert(one.text);
            chosen.push(RelevantLine { of: one.of, line: one.line, quoted, score });
        }
    }
    chosen
}

/// Whether a question asks for a value: a limit, a default, an amount, a setting.
pub fn asks_for_value(question: &str) -> bool {
    let lower = question.to_lowercase();
    VALUE_WORDS.iter().any(|words| lower.contains(words))
}

/// The best lines for a question among evidence that is lines of files.
pub fn find_lines_in_evidence(
    question: &str,
    entries: &[&Evidence],
    most: usize,
    per_text: usize,
) -> Vec<RelevantLine> {
    let nowhere = CodeText { path: "", text: "", first_line: 1, symbol: "" };
    let texts: Vec<CodeText<'_>> =
        entries.iter().map(|entry| code_text_from_evidence(entry).unwrap_or(nowhere)).collect();
    find_relevant_lines(question, &texts, most, per_text)
}

fn code_text_from_evidence(entry: &Evidence) -> Option<CodeText<'_>> {
    let place = match &entry.source {
        // Documentation about code is not a line of it.
        Source::Note(place) | Source::Code { place, .. }
            if !place.path.is_note() && !place.path.is_other_prose() =>
        {
            place
        }
        Source::Note(_) | Source::Code { .. } | Source::Page(_) | Source::Paper { .. } => return None,
    };
    let symbol = entry.symbol.as_ref().and_then(|symbol| symbol.id.rsplit("::").next()).unwrap_or_default();
    Some(CodeText {
        path: place.path.as_str(),
        text: entry.text.expose(),
        first_line: place.start_line,
        symbol,
    })
}

impl LineCandidate<'_> {
    fn score(&self, query: &[String], weights: &[f32], wants_value: bool) -> Option<f32> {
        let all: f32 = weights.iter().sum();
        let (mut covered, mut near) = (0.0, false);
        for (stem, weight) in query.iter().zip(weights) {
            if self.own.contains(stem) {
                covered += weight;
                near = true;
            } else if self.above.contains(stem) {
                covered += weight * COMMENT_WEIGHT;
                near = true;
            } else if self.surroundings.contains(stem) {
                covered += weight * SURROUNDINGS_WEIGHT;
            }
        }
        let coverage = covered / all.max(f32::MIN_POSITIVE);
        // Earlier texts rank higher; a value says more than a name.
        let found = 0.1 / (1.0 + self.of as f32 * 0.3);
        let value = match (has_value(self.text), wants_value) {
            (true, true) => 0.3,
            (true, false) => 0.1,
            (false, _) => 0.0,
        };
        let form = if self.is_test { 0.6 } else { 1.0 };
        (near && coverage >= MIN_COVERAGE).then_some((coverage + found + value) * form)
    }
}

fn candidates<'a>(texts: &[CodeText<'a>]) -> Vec<LineCandidate<'a>> {
    let mut found: Vec<LineCandidate<'a>> = Vec::new();
    let mut seen: BTreeSet<(&str, usize)> = BTreeSet::new();
    for (of, text) in texts.iter().enumerate() {
        let surroundings: BTreeSet<String> = stems(text.symbol).into_iter().chain(stems(text.path)).collect();
        let is_test = is_test(text.path, text.symbol);
        let mut comment: Vec<&str> = Vec::new();
        for (n, line) in text.text.lines().enumerate() {
            let (inner, number) = (line.trim(), text.first_line + n);
            if is_comment(inner) {
                comment.push(inner);
                continue;
            }
            let above = comment.iter().rev().take(MAX_COMMENT_LINES).flat_map(|line| stems(line)).collect();
            // Attributes are between a comment and what it is about.
            if !(inner.starts_with("#[") || inner.starts_with('@')) {
                comment.clear();
            }
            let says = inner.chars().filter(|letter| letter.is_alphabetic()).count() > 3;
            if says && seen.insert((text.path, number)) {
                let own = stems(inner).into_iter().collect();
                found.push(LineCandidate {
                    of,
                    is_test,
                    line: number,
                    text: inner,
                    own,
                    above,
                    surroundings: surroundings.clone(),
                });
            }
        }
    }
    found
}

/// Whether a definition in a file is a test, which shows how a thing is used; what it is is defined elsewhere. Some
/// languages have tests in the tested file.
pub fn is_test(path: &str, symbol: &str) -> bool {
    let outer = symbol.split('.').next().unwrap_or_default();
    FileRole::from_path(path) == FileRole::Test
        || matches!(outer, "test" | "tests")
        || outer.starts_with("test_")
}

/// Whether a line is a comment, in a file that is no test.
pub fn is_own_comment(path: &str, line: &str) -> bool {
    is_comment(line.trim()) && FileRole::from_path(path) != FileRole::Test
}

/// Whether a line of code, without the blanks before it, is a comment.
pub fn is_comment(line: &str) -> bool {
    let starts = ["//", "/*", "*", "--", "\"\"\"", "'''"].iter().any(|mark| line.starts_with(mark));
    let hash = line.starts_with('#')
        && !["#[", "#!", "#include", "#define", "#if"].iter().any(|no| line.starts_with(no));
    starts || hash
}

pub(super) fn has_value(line: &str) -> bool {
    line.split_once('=')
        .is_some_and(|(_, value)| value.chars().any(|letter| letter.is_ascii_digit() || letter == '"'))
}

pub(super) fn stems(text: &str) -> Vec<String> {
    let terms = Terms::from_text(text);
    let all = terms.words.split(' ').chain(terms.parts.split(' '));
    all.filter(|stem| !stem.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWARM: &str = "/// A hive that loses at least this much weight may have swarmed.\n\
                         pub const SWARM_DROP_KG: f64 = 1.5;\n\
                         /// How long to watch.\n\
                         pub const RECOVERY_MINUTES: i64 = 180;\n\n\
                         fn unrelated() -> bool {\n    true\n}\n";

    fn texts() -> [CodeText<'static>; 1] {
        [CodeText { path: "src/swarm.rs", text: SWARM, first_line: 7, symbol: "" }]
    }

    #[test]
    fn a_line_speaks_with_the_comment_above_it() {
        let found = find_relevant_lines("How much weight must a hive lose for a swarm?", &texts(), 3, 3);
        assert_eq!(found[0].quoted, "`pub const SWARM_DROP_KG: f64 = 1.5;`");
        assert_eq!((found[0].of, found[0].line), (0, 8));
    }

    #[test]
    fn what_speaks_of_something_else_is_left_out() {
        assert!(find_relevant_lines("Which printer is used?", &texts(), 3, 3).is_empty());
        assert!(find_relevant_lines("", &texts(), 3, 3).is_empty());
        assert!(find_relevant_lines("swarm", &[], 3, 3).is_empty());
    }

    #[test]
    fn the_same_line_counts_once() {
        let twice = [texts()[0], texts()[0]];
        let found = find_relevant_lines("swarm drop", &twice, 5, 5);
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
