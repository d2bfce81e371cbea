//! The key phrases of a note, in its own words.
//!
//! A phrase is a run of content words in one sentence or heading. Its score grows with the frequency of its words, an
//! early position, and if it is a name, in a heading or emphasized. Neither a dictionary nor a model is used, only
//! lists of stop words.

mod runs;
mod stop_words;

use std::collections::{BTreeMap, HashMap};

use runs::{WordRun, collect_runs};
pub(crate) use stop_words::StopWords;

use crate::split_sentences;
use crate::words::terms::stem_word;
use crate::{Note, Sentence, SentenceKind, SentencePart, Span, Terms};

/// A key phrase of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    /// The phrase as first written, without emphasis and links.
    pub text: String,
    /// The stems of its words, in order.
    pub stems: Vec<String>,
    /// The sentence or heading in which it first occurs.
    pub context: Span,
    /// How often it occurs.
    pub count: usize,
    /// Higher is better. Scores of different texts cannot be compared.
    pub score: f32,
}

/// The maximum number of words of a phrase.
const LONGEST: usize = 4;
/// The weight of a word in a heading, and of one that is emphasized or a name.
const IN_HEADING: f32 = 2.0;
const MARKED: f32 = 1.5;

/// Extracts the key phrases of a text outside of the `skipped` spans, best first. The weight of each stem is
/// multiplied by `rarity`, where 1 is neutral.
pub fn extract_phrases(text: &str, skipped: &[Span], rarity: &dyn Fn(&str) -> f32) -> Vec<Phrase> {
    let note = Note::parse(text);
    let is_in = |span: &Span| skipped.iter().any(|skip| skip.start <= span.start && span.end <= skip.end);
    let all = split_sentences(text);
    let sentences: Vec<&Sentence> =
        all.iter().filter(|sentence| sentence.kind != SentenceKind::Code && !is_in(&sentence.span)).collect();
    let stop = StopWords::detect(
        &sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" "),
    );
    let headings: Vec<_> = note.headings.iter().filter(|heading| !is_in(&heading.span)).collect();

    let mut found: Vec<(WordRun, Span)> = Vec::new();
    for heading in &headings {
        let parts = [SentencePart::Prose(plain_words(&heading.text))];
        found.extend(collect_runs(&parts, stop, true).into_iter().map(|run| (run, heading.span.clone())));
    }
    for sentence in &sentences {
        // Nobody emphasizes parts of a sentence that is pages long.
        let emphasized = if sentence.text.len() < 2000 { emphases(&sentence.text) } else { Vec::new() };
        for mut run in collect_runs(&sentence.parts, stop, false) {
            run.is_marked |= emphasized.iter().any(|part| part.contains(&run.text));
            found.push((run, sentence.span.clone()));
        }
    }
    score_phrases(&found, rarity)
}

/// The content words of a text as stems, in order and without duplicates.
pub fn significant_words(text: &str) -> Vec<String> {
    let stop = StopWords::detect(text);
    let mut stems: Vec<String> = Vec::new();
    let mut take = |stem: &str| {
        if !stem.is_empty() && !stems.iter().any(|seen| seen == stem) {
            stems.push(stem.to_owned());
        }
    };
    for written in text.split(|letter: char| !letter.is_alphanumeric() && !"'’-._".contains(letter)) {
        let written = written.trim_matches(['\'', '’', '-', '.', '_']);
        if !written.is_empty() && !stop.has(written) {
            Terms::from_text(written).words.split(' ').for_each(&mut take);
        }
    }
    stems
}

fn score_phrases(found: &[(WordRun, Span)], rarity: &dyn Fn(&str) -> f32) -> Vec<Phrase> {
    let mut weights: HashMap<&str, f32> = HashMap::new();
    for (run, _) in found {
        let marked = if run.in_heading {
            IN_HEADING
        } else if run.is_marked || run.is_name {
            MARKED
        } else {
            1.0
        };
        for stem in &run.stems {
            *weights.entry(stem).or_default() += marked;
        }
    }
    let weight = |stem: &str| weights.get(stem).map_or(0.0, |weight| (1.0 + weight).ln() * rarity(stem));
    let mut phrases: BTreeMap<&[String], Phrase> = BTreeMap::new();
    for (at, (run, context)) in found.iter().enumerate() {
        let early = 1.0 + 0.5 / (1.0 + at as f32).sqrt();
        let marked = if run.in_heading || run.is_name {
            1.3
        } else if run.is_marked {
            1.2
        } else {
            1.0
        };
        // Two or three words make the best phrases; one is rarely specific enough, four are too long.
        let fits = [0.6, 1.0, 1.05, 0.85][run.stems.len().min(LONGEST) - 1];
        let mean = run.stems.iter().map(|stem| weight(stem)).sum::<f32>() / run.stems.len() as f32;
        let score = mean * early * marked * fits;
        let phrase = phrases.entry(&run.stems).or_insert_with(|| Phrase {
            text: run.text.clone(),
            stems: run.stems.clone(),
            context: context.clone(),
            count: 0,
            score,
        });
        phrase.count += 1;
        phrase.score = phrase.score.max(score);
    }
    let mut phrases: Vec<Phrase> = phrases.into_values().collect();
    for phrase in &mut phrases {
        phrase.score *= 1.0 + 0.35 * (phrase.count as f32).ln();
    }
    phrases.sort_by(|one, other| {
        other
            .score
            .total_cmp(&one.score)
            .then(one.context.start.cmp(&other.context.start))
            .then(one.text.cmp(&other.text))
    });
    phrases
}

/// The emphasized parts of a text.
fn emphases(written: &str) -> Vec<&str> {
    written.split("**").skip(1).step_by(2).chain(written.split("==").skip(1).step_by(2)).collect()
}

/// The words of a heading without link brackets and emphasis.
fn plain_words(heading: &str) -> String {
    let all = split_sentences(heading);
    let parts = all.iter().flat_map(|sentence| &sentence.parts).filter_map(|part| match part {
        SentencePart::Prose(words) | SentencePart::Code(words) => Some(words.as_str()),
        SentencePart::Address(_) => None,
    });
    let plain: String = parts.collect();
    if plain.trim().is_empty() { heading.to_owned() } else { plain }
}

/// The stem of a word in lower case and without accents.
fn stem(written: &str) -> String {
    stem_word(written)
}

#[cfg(test)]
mod tests;
