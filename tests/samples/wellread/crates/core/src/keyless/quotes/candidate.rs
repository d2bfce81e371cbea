//! A sentence that may be quoted: how much it speaks of what was asked, and how well it stands by itself.

use std::collections::BTreeSet;

use wellread_text::{Held, Sentence, Span, Terms, claims, telling_words};

use crate::keyless::passage::Passage;
use crate::keyless::quotable::{bare, is_found, quoted, quoted_code};
use crate::keyless::said::plain;

/// How much of a query a sentence has to speak of, what it stands under included: more, where it has but two words.
const ENOUGH: f32 = 0.5;
const ENOUGH_OF_TWO: f32 = 0.6;
/// What scores less is not worth quoting.
const WORTH: f32 = 0.5;
/// What a word of the query counts that only stands in the title or a heading above.
const ABOVE: f32 = 0.5;
/// What one counts that only stands in a link.
const LINKED: f32 = 0.75;

/// A sentence, or a line of code, that may be quoted.
pub(super) struct Candidate<'a> {
    pub passage: usize,
    pub of: Passage<'a>,
    pub span: Span,
    pub sentence: Option<Sentence>,
    pub stems: Vec<String>,
    /// Those that stand outside of links: a link's name is what it leads to, and says nothing of it.
    pub spoken: BTreeSet<String>,
    pub above: BTreeSet<String>,
}

/// Every sentence of the passages, and every line of those that are code; the same place once.
pub(super) fn candidates<'a>(passages: &[Passage<'a>]) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = Vec::new();
    for (passage, &of) in passages.iter().enumerate() {
        let above: BTreeSet<String> = stems(of.title())
            .into_iter()
            .chain(of.headings.iter().flat_map(|heading| stems(heading)))
            .collect();
        let mut add = |span: Span,
                       sentence: Option<Sentence>,
                       stems: Vec<String>,
                       spoken: BTreeSet<String>| {
            let place = of.start + span.start;
            let known = |other: &Candidate<'_>| {
                other.of.source == of.source && other.of.start + other.span.start == place
            };
            if !found.iter().any(known) {
                found.push(Candidate { passage, of, span, sentence, stems, spoken, above: above.clone() });
            }
        };
        for sentence in of.sentences() {
            let span = bare(of.text, &sentence.span);
            let words = stems(&plain(&sentence));
            let spoken = stems(&without_links(&sentence.text)).into_iter().collect();
            add(span, Some(sentence), words, spoken);
        }
        if !of.is_prose {
            let mut at = 0;
            for line in of.text.split_inclusive('\n') {
                let inner = line.trim();
                let start = at + line.len() - line.trim_start().len();
                at += line.len();
                if inner.chars().filter(|letter| letter.is_alphabetic()).count() > 5 {
                    let words = stems(inner);
                    let spoken = words.iter().cloned().collect();
                    add(start..start + inner.len(), None, words, spoken);
                }
            }
        }
    }
    found
}

fn stems(text: &str) -> Vec<String> {
    let terms = Terms::of(text);
    let all = terms.words.split(' ').chain(terms.parts.split(' '));
    all.filter(|stem| !stem.is_empty()).map(str::to_owned).collect()
}

/// A sentence without its links.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        out.push_str(&rest[..open]);
        let inner = &rest[open..];
        let close = if inner.starts_with("[[") {
            inner.find("]]").map(|at| at + 2)
        } else {
            inner.find("](").and_then(|at| inner[at..].find(')').map(|end| at + end + 1))
        };
        match close {
            Some(end) => {
                out.push(' ');
                rest = &inner[end..];
            }
            None => {
                out.push('[');
                rest = &inner[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// What stands before a link that says where to read on.
const POINTS: [&str; 12] = [
    "see",
    "compare with",
    "is in",
    "described in",
    "as in",
    "with",
    "more on",
    "siehe",
    "voir",
    "go to",
    "are in",
    "after",
];
const REFERS: [&str; 8] = ["see ", "more on", "siehe ", "voir ", "cf.", "built into:", "related:", "source:"];
const EQUATES: [&str; 10] = ["is", "are", "was", "means", "were", "ist", "sind", "est", "sont", "heisst"];

impl Candidate<'_> {
    pub fn order(&self) -> (usize, usize) {
        (self.passage, self.span.start)
    }

    /// None where it does not speak of what was asked.
    pub fn score(&self, asked: &[String], weights: &[f32]) -> Option<f32> {
        let all: f32 = weights.iter().sum();
        let mut told = 0.0;
        let mut own = 0;
        for (stem, weight) in asked.iter().zip(weights) {
            if self.stems.contains(stem) {
                told += weight * if self.spoken.contains(stem) { 1.0 } else { LINKED };
                own += 1;
            } else if self.above.contains(stem) {
                told += weight * ABOVE;
            }
        }
        let coverage = told / all.max(f32::MIN_POSITIVE);
        let enough = if asked.len() < 3 { ENOUGH_OF_TWO } else { ENOUGH };
        if own == 0 || coverage < enough {
            return None;
        }
        let pairs = asked.windows(2).filter(|pair| self.stems.windows(2).any(|here| here == *pair)).count();
        let together = if asked.len() > 1 { 0.2 * pairs as f32 / (asked.len() - 1) as f32 } else { 0.0 };
        // Found first is found best.
        let found = 0.1 / (1.0 + self.passage as f32 * 0.5);
        let score = (coverage + together + found + self.telling(asked)) * self.form();
        (score >= WORTH).then_some(score)
    }

    /// What it tells beside the words that were asked for: numbers, dates, what a thing is.
    fn telling(&self, asked: &[String]) -> f32 {
        let Some(sentence) = &self.sentence else { return 0.0 };
        let claimed = claims(sentence);
        let figures = if claimed.numbers.is_empty() && claimed.dates.is_empty() { 0.0 } else { 0.08 };
        let words = plain(sentence).to_lowercase();
        let mut words =
            words.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).take(8);
        let defines = words.position(|word| EQUATES.contains(&word)).is_some_and(|at| {
            (1..=6).contains(&at)
                && self.stems[..at.min(self.stems.len())].iter().any(|stem| asked.contains(stem))
        });
        figures + if defines { 0.12 } else { 0.0 }
    }

    /// How well it stands by itself.
    fn form(&self) -> f32 {
        let Some(sentence) = &self.sentence else { return 0.7 };
        let plain = plain(sentence);
        let (plain, length) = (plain.trim(), plain.trim().chars().count());
        let mut form: f32 = match length {
            ..25 => 0.6,
            25..45 => 0.85,
            45..=300 => 1.0,
            _ => 0.75,
        };
        let lower = plain.to_lowercase();
        if plain.ends_with('?') {
            form *= 0.6;
        }
        if plain.ends_with(':') {
            form *= 0.7;
        }
        if REFERS.iter().any(|lead| lower.starts_with(lead)) {
            form *= 0.6;
        }
        let written = sentence.text.to_lowercase();
        if POINTS.iter().any(|lead| written.contains(&format!("{lead} ["))) {
            form *= 0.7;
        }
        if self.spoken.len() < self.stems.len() && telling_words(&without_links(&sentence.text)).len() < 4 {
            form *= 0.6;
        }
        if ["it ", "this ", "that ", "they ", "he ", "she ", "these ", "both "]
            .iter()
            .any(|lead| lower.starts_with(lead))
        {
            form *= 0.9;
        }
        form
    }

    pub fn quoted(&self, held: &Held) -> Option<String> {
        match &self.sentence {
            Some(sentence) => {
                let quoted = quoted(sentence, held)?;
                // It is found in its own bytes as well, for who cites no more than these.
                let alone = Held::of(&self.of.text[self.span.clone()], true);
                is_found(&quoted, &alone).then_some(quoted)
            }
            None => quoted_code(&self.of.text[self.span.clone()], held),
        }
    }
}
