//! Any text against sources that are given with it: nothing is cited, so each sentence is looked for.
//!
//! A sentence is supported where one stretch of few lines of one source has enough of its words and all its quotations,
//! numbers and dates; names and identifiers may stand anywhere in that source, since a heading or the title says them once.

use std::collections::HashSet;

use wellread_text::{Claims, Held, Language, Sentence, claims, content_words, sentences};

use super::weigh::{Scales, Witness};
use super::{Judged, Report, Why, verdict};

/// How many lines are one place.
const LINES: usize = 8;
/// Which part of a sentence's words have to stand there.
const ENOUGH: f64 = 0.6;
/// How many places are looked at closely, and how many roughly.
const CLOSELY: usize = 4;
const ROUGHLY: usize = 200;

/// Judges a text by sources, each with its name.
pub fn judge_against(text: &str, sources: &[(String, String)]) -> Report {
    let sources: Vec<Source<'_>> = sources.iter().map(Source::of).collect();
    let all = sentences(text);
    let claimed: Vec<Claims> = all.iter().map(claims).collect();
    let mut scales =
        Scales::new(claimed.iter().flat_map(|claims| &claims.names).cloned().collect::<HashSet<_>>());
    let judged =
        all.iter().zip(&claimed).map(|(sentence, claims)| one(sentence, claims, &sources, &mut scales));
    Report::of(judged.collect())
}

struct Source<'a> {
    name: &'a str,
    lines: Vec<&'a str>,
    held: Held,
    is_markdown: bool,
}

impl<'a> Source<'a> {
    fn of((name, text): &'a (String, String)) -> Self {
        let is_markdown = Language::of_path(name).is_none();
        Self { name, lines: text.split('\n').collect(), held: Held::of(text, is_markdown), is_markdown }
    }

    /// The stretch of lines, from 1, as a text of its own.
    fn witness(&self, (first, last): (usize, usize)) -> Witness {
        let text = self.lines[first - 1..last].join("\n");
        let held = Held::of(&text, self.is_markdown);
        Witness {
            id: None,
            path: self.name.to_owned(),
            start_line: first,
            text,
            held,
            about: Held::of(self.name, false),
        }
    }

    /// Stretches that may bear the sentence, with how many of its words they have.
    fn candidates(&self, claims: &Claims, words: &[String]) -> Vec<(usize, (usize, usize))> {
        let around = |first: usize, last: usize| {
            let first = first.saturating_sub(LINES / 2).max(1);
            (first, (last + LINES / 2).min(self.lines.len()))
        };
        let mut places: Vec<(usize, usize)> = claims
            .quotations
            .iter()
            .filter_map(|quotation| self.held.quotation(quotation))
            .map(|(first, last)| around(first, last))
            .collect();
        let mut rarest: Vec<&String> =
            words.iter().filter(|word| !self.held.lines_with(word).is_empty()).collect();
        rarest.sort_by_key(|word| self.held.lines_with(word).len());
        let lines = rarest.iter().flat_map(|word| self.held.lines_with(word)).take(ROUGHLY);
        places.extend(lines.flat_map(|&line| {
            let line = line as usize;
            [
                around(line, line),
                (line, (line + LINES).min(self.lines.len())),
                (line.saturating_sub(LINES).max(1), line),
                (line, line),
            ]
        }));
        places.sort_unstable();
        places.dedup();
        let held = |&(first, last): &(usize, usize)| {
            let within = |word: &&&String| {
                let lines = self.held.lines_with(word);
                lines
                    .get(lines.partition_point(|&on| (on as usize) < first))
                    .is_some_and(|&on| on as usize <= last)
            };
            rarest.iter().filter(within).count()
        };
        places.into_iter().map(|place| (held(&place), place)).collect()
    }
}

fn one(sentence: &Sentence, claims: &Claims, sources: &[Source<'_>], scales: &mut Scales) -> Judged {
    let words = content_words(sentence);
    let mut places: Vec<(usize, usize, (usize, usize))> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        places.extend(
            source.candidates(claims, &words).into_iter().map(|(count, place)| (count, index, place)),
        );
    }
    // Most words first, then the shorter place.
    places
        .sort_by_key(|&(count, index, (first, last))| (std::cmp::Reverse(count), last - first, index, first));
    places.truncate(CLOSELY);
    let mut best: Option<(Vec<Why>, Vec<super::Cited>)> = None;
    for (_, index, place) in places {
        let source = &sources[index];
        let witness = source.witness(place);
        let mut weighed = scales.weigh(sentence, claims, &[&witness]);
        weighed.why.retain(|why| match why {
            Why::NameMissing { name } => !source.held.has_name(name),
            Why::IdentifierMissing { identifier } => !source.held.has_code(identifier),
            Why::NothingInCommon => false,
            _ => true,
        });
        if weighed.share < ENOUGH {
            weighed.why.push(Why::NothingInCommon);
        }
        let cited: Vec<super::Cited> = weighed.lines.iter().map(|&lines| witness.cited(lines)).collect();
        if best.as_ref().is_none_or(|(why, _)| weighed.why.len() < why.len()) {
            best = Some((weighed.why, cited));
        }
    }
    let (why, evidence) = best.unwrap_or_else(|| (vec![Why::NothingInCommon], Vec::new()));
    let (text, span) = (sentence.text.clone(), sentence.span.clone());
    Judged { text, span, verdict: verdict(&why), connective: false, why, evidence }
}
