//! The lines of code that answer a question best.
//!
//! A line is read with the comment above it and the names it stands in: `SWARM_DROP_KG = 1.5` says little by itself, and all
//! there is to say together with them.

use std::collections::BTreeSet;

use wellread_text::{Held, Terms, telling_words};

use super::quotable::quoted_code;
use crate::evidence::{Evidence, Source};

/// What a word of the question counts that only stands in the comment above, or in a name around the line.
const ABOVE: f32 = 0.8;
const AROUND: f32 = 0.4;
/// How much of a question a line has to speak of, all of this included, and by itself.
const ENOUGH: f32 = 0.3;
/// More lines of comment than these are not one line's.
const COMMENT: usize = 12;

/// Who asks so wants to know a value.
const OF_A_VALUE: [&str; 15] = [
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

/// Some lines of a file.
#[derive(Debug, Clone, Copy)]
pub struct CodeText<'a> {
    pub path: &'a str,
    pub text: &'a str,
    pub first_line: usize,
    /// The qualified name of the definition that they are in, or nothing.
    pub symbol: &'a str,
}

/// A line that tells something.
#[derive(Debug, Clone, PartialEq)]
pub struct TellingLine {
    /// Which of the texts it is of.
    pub of: usize,
    pub line: usize,
    /// As it can be written into markdown, its marks included. The gate finds it in the line.
    pub quoted: String,
    pub score: f32,
}

struct Candidate<'a> {
    of: usize,
    is_test: bool,
    line: usize,
    text: &'a str,
    own: BTreeSet<String>,
    above: BTreeSet<String>,
    around: BTreeSet<String>,
}

/// The best lines for a question, best first, at most so many, and of one text at most `per_text`. The same line of a file
/// counts once.
pub fn lines_for(question: &str, texts: &[CodeText<'_>], most: usize, per_text: usize) -> Vec<TellingLine> {
    let asked = telling_words(question);
    let candidates = candidates(texts);
    let count = candidates.len() as f32;
    let weight = |stem: &String| {
        let with =
            candidates.iter().filter(|one| one.own.contains(stem) || one.above.contains(stem)).count() as f32;
        (1.0 + (count - with + 0.5) / (with + 0.5)).ln() + 0.3
    };
    let weights: Vec<f32> = asked.iter().map(weight).collect();
    let lower = question.to_lowercase();
    let of_a_value = OF_A_VALUE.iter().any(|words| lower.contains(words));
    let mut ranked: Vec<(f32, &Candidate<'_>)> =
        candidates.iter().filter_map(|one| Some((one.score(&asked, &weights, of_a_value)?, one))).collect();
    ranked.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then((one.1.of, one.1.line).cmp(&(other.1.of, other.1.line)))
    });
    let mut chosen: Vec<TellingLine> = Vec::new();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for (score, one) in ranked {
        if chosen.len() == most {
            break;
        }
        if chosen.iter().filter(|other| other.of == one.of).count() >= per_text || told.contains(one.text) {
            continue;
        }
        if let Some(quoted) = quoted_code(one.text, &Held::of(one.text, false)) {
            told.insert(one.text);
            chosen.push(TellingLine { of: one.of, line: one.line, quoted, score });
        }
    }
    chosen
}

/// The same of evidence, as far as it is lines of files.
pub fn lines_in_evidence(
    question: &str,
    entries: &[&Evidence],
    most: usize,
    per_text: usize,
) -> Vec<TellingLine> {
    let nowhere = CodeText { path: "", text: "", first_line: 1, symbol: "" };
    let texts: Vec<CodeText<'_>> =
        entries.iter().map(|entry| of_evidence(entry).unwrap_or(nowhere)).collect();
    lines_for(question, &texts, most, per_text)
}

fn of_evidence(entry: &Evidence) -> Option<CodeText<'_>> {
    let place = match &entry.source {
        // What documents say of code is no line of it.
        Source::Note(place) | Source::Code { place, .. } if !place.path.is_note() => place,
        Source::Note(_) | Source::Code { .. } | Source::Page(_) | Source::Paper { .. } => return None,
    };
    let symbol = entry.symbol.as_ref().and_then(|symbol| symbol.id.rsplit("::").next()).unwrap_or_default();
    Some(CodeText {
        path: place.path.as_str(),
        text: entry.text.look(),
        first_line: place.start_line,
        symbol,
    })
}

impl Candidate<'_> {
    fn score(&self, asked: &[String], weights: &[f32], of_a_value: bool) -> Option<f32> {
        let all: f32 = weights.iter().sum();
        let (mut told, mut near) = (0.0, false);
        for (stem, weight) in asked.iter().zip(weights) {
            if self.own.contains(stem) {
                told += weight;
                near = true;
            } else if self.above.contains(stem) {
                told += weight * ABOVE;
                near = true;
            } else if self.around.contains(stem) {
                told += weight * AROUND;
            }
        }
        let coverage = told / all.max(f32::MIN_POSITIVE);
        // Found first is found best; a value says more than a name.
        let found = 0.1 / (1.0 + self.of as f32 * 0.3);
        let value = match (has_value(self.text), of_a_value) {
            (true, true) => 0.3,
            (true, false) => 0.1,
            (false, _) => 0.0,
        };
        let form = if self.is_test { 0.6 } else { 1.0 };
        (near && coverage >= ENOUGH).then_some((coverage + found + value) * form)
    }
}

fn candidates<'a>(texts: &[CodeText<'a>]) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = Vec::new();
    let mut seen: BTreeSet<(&str, usize)> = BTreeSet::new();
    for (of, text) in texts.iter().enumerate() {
        let around: BTreeSet<String> = stems(text.symbol).into_iter().chain(stems(text.path)).collect();
        let is_test = is_test(text.path) || is_test(text.symbol);
        let mut comment: Vec<&str> = Vec::new();
        for (n, line) in text.text.lines().enumerate() {
            let (inner, number) = (line.trim(), text.first_line + n);
            if is_comment(inner) {
                comment.push(inner);
                continue;
            }
            let above = comment.iter().rev().take(COMMENT).flat_map(|line| stems(line)).collect();
            // An attribute stands between a comment and what it is about.
            if !(inner.starts_with("#[") || inner.starts_with('@')) {
                comment.clear();
            }
            let says = inner.chars().filter(|letter| letter.is_alphabetic()).count() > 3;
            if says && seen.insert((text.path, number)) {
                let own = stems(inner).into_iter().collect();
                found.push(Candidate {
                    of,
                    is_test,
                    line: number,
                    text: inner,
                    own,
                    above,
                    around: around.clone(),
                });
            }
        }
    }
    found
}

/// A test says how a thing is used; what it is stands elsewhere.
fn is_test(path: &str) -> bool {
    let parts = path.split(['/', '.', '_', '-']);
    parts.map(str::to_lowercase).any(|part| matches!(part.as_str(), "test" | "tests" | "spec" | "specs"))
}

fn is_comment(line: &str) -> bool {
    let starts = ["//", "/*", "*", "--", "\"\"\"", "'''"].iter().any(|mark| line.starts_with(mark));
    let hash = line.starts_with('#')
        && !["#[", "#!", "#include", "#define", "#if"].iter().any(|no| line.starts_with(no));
    starts || hash
}

fn has_value(line: &str) -> bool {
    line.split_once('=')
        .is_some_and(|(_, value)| value.chars().any(|letter| letter.is_ascii_digit() || letter == '"'))
}

fn stems(text: &str) -> Vec<String> {
    let terms = Terms::of(text);
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
        let found = lines_for("How much weight must a hive lose for a swarm?", &texts(), 3, 3);
        assert_eq!(found[0].quoted, "`pub const SWARM_DROP_KG: f64 = 1.5;`");
        assert_eq!((found[0].of, found[0].line), (0, 8));
    }

    #[test]
    fn what_speaks_of_something_else_is_left_out() {
        assert!(lines_for("Which printer is used?", &texts(), 3, 3).is_empty());
        assert!(lines_for("", &texts(), 3, 3).is_empty());
        assert!(lines_for("swarm", &[], 3, 3).is_empty());
    }

    #[test]
    fn the_same_line_counts_once() {
        let twice = [texts()[0], texts()[0]];
        let found = lines_for("swarm drop", &twice, 5, 5);
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
