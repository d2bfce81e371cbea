//! Finds source lines that print a message which the text quotes.
//!
//! A printed message differs from the source: values have replaced the placeholders. So both are compared word by word,
//! and what counts is how much of the message occurs in one piece, or in several pieces in order.

use wellread_text::fold;

use super::frames::StackTraces;
use super::issue_template::find_options;
use super::places::definition_at;
use super::signals::{SignalKind, SignalsByFile};
use super::weights;
use super::words::{search_codebase, test_weight};
use crate::Result;
use crate::code::codebase::Codebase;
use crate::library::search::{SearchMode, Searcher};

/// The most messages that are taken from one text, and the most characters of each.
const MOST: usize = 12;
const LONGEST: usize = 300;
/// The fewest consecutive words that must match, and how many bytes they must have together.
const LEAST_WORDS: usize = 2;
const LEAST_LETTERS: usize = 8;
/// The share of a message that must match.
const LEAST_SHARE: f32 = 0.3;

pub fn add_message_signals(
    search: &Searcher,
    codebase: &Codebase,
    traces: &StackTraces,
    text: &str,
    signals: &mut SignalsByFile,
) -> Result<()> {
    for message in extract_messages(text, traces) {
        let words = words(&message);
        if words.len() < LEAST_WORDS {
            continue;
        }
        // The query has words only: punctuation could be query syntax.
        let query: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        let (hits, _) = search_codebase(search, codebase, &query.join(" "), SearchMode::Keyword)?;
        let matched = hits.iter().filter_map(|hit| Some((hit, match_message(&words, &hit.text)?)));
        let mut matched: Vec<_> = matched.collect();
        let best = matched.iter().map(|(_, matched)| matched.share).fold(0.0, f32::max);
        matched.retain(|(_, matched)| matched.share >= best * 0.75);
        let rarity = 1.0 / (matched.len().max(1) as f32).sqrt();
        for (hit, matched) in matched {
            let line = hit.place.lines.0 + matched.line;
            let weight =
                if matched.is_said { weights::MESSAGE } else { weights::MESSAGE_TOLD } * test_weight(hit);
            let reason = format!("contains the message \"{}\", line {line}", matched.piece);
            let within = definition_at(codebase, &hit.place.path, line)?;
            signals.add(
                &hit.place.path,
                (SignalKind::Message, weight * matched.share.min(1.0) * rarity),
                reason,
                within,
            );
        }
    }
    Ok(())
}

/// Adds signals for source lines that have an option which the text names.
pub fn add_option_signals(
    search: &Searcher,
    codebase: &Codebase,
    traces: &StackTraces,
    text: &str,
    signals: &mut SignalsByFile,
) -> Result<()> {
    for option in find_options(traces.prose(text)).into_iter().take(MOST) {
        let query = option.replace('-', " ");
        let (hits, _) = search_codebase(search, codebase, query.trim(), SearchMode::Keyword)?;
        let line_with = |text: &str| text.lines().position(|line| has_literal(line, &option));
        let holding: Vec<_> = hits.iter().filter_map(|hit| Some((hit, line_with(&hit.text)?))).collect();
        let rarity = 1.0 / (holding.len().max(1) as f32).sqrt();
        for (hit, at) in holding {
            let line = hit.place.lines.0 + at;
            let within = definition_at(codebase, &hit.place.path, line)?;
            let weight = weights::OPTION * rarity * test_weight(hit);
            let reason = format!("contains the option `{option}`, line {line}");
            signals.add(&hit.place.path, (SignalKind::Message, weight), reason, within);
        }
    }
    Ok(())
}

/// Whether a line has this text, and not as a part of a longer word.
fn has_literal(line: &str, literal: &str) -> bool {
    line.match_indices(literal).any(|(at, _)| {
        let joins = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
        !line[at + literal.len()..].starts_with(joins) && !line[..at].ends_with(joins)
    })
}

/// The messages that the text quotes: between quotation marks, or after the name of an error.
fn extract_messages(text: &str, traces: &StackTraces) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |message: &str| {
        let message: String = message.trim().chars().take(LONGEST).collect();
        if message.split_whitespace().nth(1).is_some() && !found.contains(&message) && found.len() < MOST {
            found.push(message);
        }
    };
    // A single line is usually the message itself.
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    if let (Some(only), None) = (lines.next(), lines.next()) {
        add(only);
    }
    let mut after_panic = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if after_panic {
            add(trimmed);
        }
        after_panic = trimmed.contains(" panicked at ") && trimmed.ends_with(':');
        if let Some((_, old)) = trimmed.split_once(" panicked at '")
            && let Some((message, _)) = old.rsplit_once("', ")
        {
            add(message);
        }
    }
    for line in traces.prose(text) {
        if let Some(message) = message_after_error(line.trim()) {
            add(message);
        }
        for (open, close) in [('"', '"'), ('“', '”'), ('«', '»'), ('`', '`'), ('\'', '\'')] {
            text_between(line, open, close).into_iter().for_each(&mut add);
        }
    }
    found
}

/// The message after the name of an error: `PayloadError: the checksum does not match`, `error: …`, `panic: …`.
fn message_after_error(line: &str) -> Option<&str> {
    let (before, message) = line.split_once(": ")?;
    let name = before.rsplit(' ').next().unwrap_or(before);
    let name =
        name.trim_end_matches(|letter: char| letter == ')' || letter == ']' || letter.is_ascii_digit());
    let name = name.to_ascii_lowercase();
    let is_error = ["error", "exception", "panic", "fatal", "warning", "failed", "fehler"]
        .iter()
        .any(|known| name.ends_with(known) || name.starts_with(&format!("{known}[")));
    is_error.then_some(message)
}

/// The texts between these marks. An apostrophe inside a word is not a mark.
fn text_between(line: &str, open: char, close: char) -> Vec<&str> {
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let mut found = Vec::new();
    let mut begun: Option<usize> = None;
    for (at, letter) in line.char_indices() {
        let before = line[..at].chars().next_back();
        let after = line[at + letter.len_utf8()..].chars().next();
        match begun {
            Some(start) if letter == close && !(is_letter(after) && is_letter(before)) => {
                found.push(&line[start..at]);
                begun = None;
            }
            None if letter == open && !is_letter(before) => begun = Some(at + letter.len_utf8()),
            _ => {}
        }
    }
    found
}

/// The words of a text, case-folded, each with its position in bytes.
fn words(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match (letter.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(begun)) => {
                found.push((fold(&text[begun..at]), begun));
                start = None;
            }
            _ => {}
        }
    }
    found
}

struct MessageMatch {
    /// The share of the message that occurs there, by length.
    share: f32,
    /// The line, counted from 0 at the passage's first line.
    line: usize,
    /// The longest matching piece, as the source has it.
    piece: String,
    /// Whether it is in a string, not in a comment.
    is_said: bool,
}

/// How well a passage matches a message; `None` if too little of it does.
fn match_message(message: &[(String, usize)], passage: &str) -> Option<MessageMatch> {
    let source = words(passage);
    let letters = |words: &[(String, usize)]| words.iter().map(|(word, _)| word.len()).sum::<usize>();
    let whole = letters(message).max(1);
    let mut best: Option<(usize, usize, usize)> = None;
    // The longest run of words that both have; both texts are short.
    let mut row = vec![0usize; message.len() + 1];
    for (at, (word, _)) in source.iter().enumerate() {
        for (column, (wanted, _)) in message.iter().enumerate().rev() {
            row[column + 1] = if word == wanted { row[column] + 1 } else { 0 };
            let run = row[column + 1];
            let length = letters(&message[column + 1 - run..=column]);
            if best.is_none_or(|(known, ..)| length > known) && run >= LEAST_WORDS {
                best = Some((length, at + 1 - run, run));
            }
        }
    }
    let (length, first, run) = best.filter(|(length, ..)| *length >= LEAST_LETTERS)?;
    let (start, last) = (source[first].1, source[first + run - 1].1);
    let end =
        passage[last..].find(|letter: char| !letter.is_alphanumeric()).map_or(passage.len(), |at| last + at);
    let piece = &passage[start..end];
    let line_start = passage[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = passage[start..].find('\n').map_or(passage.len(), |at| start + at);
    let line = &passage[line_start..line_end];
    // What else of the message is on the line, in order.
    let mut rest = line;
    let beside: usize = message
        .iter()
        .filter_map(|(word, _)| {
            let at = fold(rest).find(word.as_str())?;
            rest = rest.get(at + word.len()..)?;
            Some(word.len())
        })
        .sum();
    let share = length.max(beside) as f32 / whole as f32;
    let before = line.get(..start - line_start)?;
    let is_comment = ["//", "#", "*", "--", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    (share >= LEAST_SHARE).then(|| MessageMatch {
        share,
        line: passage[..start].matches('\n').count(),
        piece: piece.split_whitespace().collect::<Vec<_>>().join(" "),
        is_said: before.contains(['"', '\'', '`']) && !is_comment,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::locate::frames::parse_traces;

    #[test]
    fn messages_stand_in_quotation_marks_or_behind_an_error() {
        let text = "It says \"could not open 'x'\" and `two words`, but don't quote 'one'.\n\
                    payload.PayloadError: the checksum does not match\nerror[E0277]: no such luck\nNote: nothing here\n\
                    thread 'main' panicked at src/a.rs:1:2:\nindex out of bounds: the len is 3\n";
        assert_eq!(
            extract_messages(text, &parse_traces(text)),
            [
                "index out of bounds: the len is 3",
                "could not open 'x'",
                "two words",
                "the checksum does not match",
                "no such luck",
            ]
        );
    }

    #[test]
    fn a_message_is_found_around_the_values_in_it() {
        for (message, source, share, piece) in [
            ("expected 10 bytes, got 7", "raise E(f\"expected {N} bytes, got {len(x)}\")", 0.8, "bytes, got"),
            (
                "could not open '/tmp/x': denied",
                "format!(\"could not open '{}': {error}\")",
                0.5,
                "could not open",
            ),
            (
                "the checksum does not match",
                "    raise E(\"the checksum does not match\")",
                1.0,
                "the checksum does not match",
            ),
        ] {
            let matched = match_message(&words(message), source).unwrap();
            assert!(matched.share >= share && matched.is_said, "{message}: {}", matched.share);
            assert_eq!(matched.piece, piece);
        }
        assert!(
            match_message(&words("could not open it"), "// we could not open\nlet x = 1;")
                .is_some_and(|matched| !matched.is_said)
        );
        assert!(match_message(&words("something else entirely"), "fn something() -> Entirely").is_none());
        assert!(match_message(&words("a b"), "a b").is_none());
        let matched =
            match_message(&words("Datei nicht geöffnet: Größe"), "err(\"Datei nicht geöffnet\")").unwrap();
        assert_eq!(matched.piece, "Datei nicht geöffnet");
    }
}
