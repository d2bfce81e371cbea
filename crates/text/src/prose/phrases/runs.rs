//! Runs of content words in a sentence.

use super::stop_words::StopWords;
use super::{LONGEST, stem};
use crate::SentencePart;

/// A run of content words: a candidate for a phrase.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WordRun {
    pub text: String,
    pub stems: Vec<String>,
    /// Whether every word has a capital and none begins the sentence.
    pub is_name: bool,
    pub is_marked: bool,
    pub in_heading: bool,
}

/// A word and its separation from the word before.
struct PhraseWord<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    /// Whether a run ends before it: at punctuation or at the start of a sentence.
    apart: bool,
    opens: bool,
}

/// The runs of a sentence or a heading. Code that is a single name is a run of its own.
pub(super) fn collect_runs(parts: &[SentencePart], stop: StopWords, in_heading: bool) -> Vec<WordRun> {
    let mut found = Vec::new();
    let mut prose = String::new();
    let mut opens = true;
    for part in parts {
        match part {
            SentencePart::Prose(words) => prose.push_str(words),
            SentencePart::Code(code) => {
                push_prose_runs(&prose, stop, in_heading, opens, &mut found);
                opens = false;
                prose.clear();
                found.extend(identifier(code));
            }
            SentencePart::Address(_) => {}
        }
    }
    push_prose_runs(&prose, stop, in_heading, opens, &mut found);
    found
}

fn identifier(code: &str) -> Option<WordRun> {
    let code = code.trim();
    let named = |letter: char| letter.is_alphanumeric() || "_-.:/#".contains(letter);
    let fits = (3..=40).contains(&code.len())
        && code.contains(char::is_alphabetic)
        && code.trim_end_matches("()").chars().all(named);
    fits.then(|| WordRun {
        text: code.to_owned(),
        stems: vec![stem(code)],
        is_name: false,
        is_marked: true,
        in_heading: false,
    })
}

fn push_prose_runs(prose: &str, stop: StopWords, in_heading: bool, opens: bool, found: &mut Vec<WordRun>) {
    let mut open: Vec<PhraseWord<'_>> = Vec::new();
    let mut close = |open: &mut Vec<PhraseWord<'_>>| {
        trim(open, stop);
        found.extend(build_run(prose, open, stop, in_heading));
        open.clear();
    };
    for word in words(prose, opens) {
        if word.apart {
            close(&mut open);
        }
        let is_unit = word.text.chars().count() < 4 && crate::canonical_unit(word.text).is_some();
        if is_unit || stop.has(word.text) || !word.text.contains(char::is_alphabetic) {
            close(&mut open);
        } else {
            open.push(word);
        }
    }
    close(&mut open);
}

/// Removes adverbs from both ends; in German, whose nouns are capitalized, also everything after the last noun.
fn trim(words: &mut Vec<PhraseWord<'_>>, stop: StopWords) {
    if stop.is_german() {
        while words.last().is_some_and(|word| !word.text.starts_with(char::is_uppercase)) {
            words.pop();
        }
    }
    let loose = |word: &PhraseWord<'_>| {
        word.text.len() > 4 && word.text.ends_with("ly") && !word.text.starts_with(char::is_uppercase)
    };
    while words.last().is_some_and(loose) {
        words.pop();
    }
    let lead = words.iter().take_while(|word| loose(word)).count();
    words.drain(..lead);
}

fn build_run(prose: &str, words: &[PhraseWord<'_>], stop: StopWords, in_heading: bool) -> Option<WordRun> {
    // The last words of a long run are its head.
    let words = &words[words.len().saturating_sub(LONGEST)..];
    let (first, last) = (words.first()?, words.last()?);
    let text = &prose[first.start..last.end];
    let capital = |word: &PhraseWord<'_>| word.text.starts_with(char::is_uppercase);
    let is_name = !in_heading && !stop.is_german() && !first.opens && words.iter().all(capital);
    if words.len() == 1 && text.chars().count() < 3 && !is_name || text.chars().count() > 60 {
        return None;
    }
    Some(WordRun {
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        stems: words.iter().map(|word| stem(word.text)).collect(),
        is_name,
        is_marked: false,
        in_heading,
    })
}

fn words(prose: &str, opens: bool) -> Vec<PhraseWord<'_>> {
    let is_word =
        |letter: char| letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter);
    let mut found: Vec<PhraseWord<'_>> = Vec::new();
    let mut at = 0;
    while let Some(start) = prose[at..].find(is_word).map(|offset| at + offset) {
        let mut end = start;
        loop {
            end = prose[end..].find(|letter| !is_word(letter)).map_or(prose.len(), |length| end + length);
            // `well-known`, `bee's` and `calibrate.py` are single words.
            let mut rest = prose[end..].chars();
            match (rest.next(), rest.next()) {
                (Some(joint), Some(next)) if "-_'’.".contains(joint) && is_word(next) => {
                    end += joint.len_utf8();
                }
                _ => break,
            }
        }
        let between = &prose[at..start];
        let apart = found.is_empty() || between.contains(|letter: char| !letter.is_whitespace());
        let text = &prose[start..end];
        let text = ["'s", "’s"].iter().find_map(|ending| text.strip_suffix(ending)).unwrap_or(text);
        found.push(PhraseWord {
            text,
            start,
            end: start + text.len(),
            apart,
            opens: found.is_empty() && opens,
        });
        at = end;
    }
    found
}
