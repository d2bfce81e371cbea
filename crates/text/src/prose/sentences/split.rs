//! Finds the boundaries of sentences in a block of prose.

use super::citations::CitationGroup;
use super::leaf::Leaf;
use crate::Span;

/// Abbreviations that never end a sentence.
const ABBREVIATIONS: [&str; 44] = [
    "e.g", "i.e", "cf", "vs", "dr", "mr", "mrs", "ms", "prof", "st", "approx", "ca", "al", "fig", "figs",
    "eq", "sec", "ch", "vol", "pp", "ed", "eds", "inc", "ltd", "co", "corp", "jr", "sr", "dept", "resp",
    "gen", "rev", "hon", "mt", "z.b", "d.h", "u.a", "bzw", "vgl", "sog", "bspw", "evtl", "ggf", "u.s",
];

/// Abbreviations that do not end a sentence if a number follows.
const BEFORE_NUMBERS: [&str; 18] = [
    "no", "nos", "nr", "p", "s", "v", "ver", "art", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep",
    "oct", "dec",
];

/// Month names that may follow a day with a full stop: `5. März`.
const MONTHS: [&str; 12] = [
    "januar",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
];

/// Splits a part of a block into sentences; each byte belongs to one of them.
pub(super) fn split(text: &str, leaf: &Leaf, within: Span, groups: &[CitationGroup]) -> Vec<Span> {
    let mut cutting = SentenceCutter { text, leaf, end: within.end, groups, whole: 0, group: 0, hard: 0 };
    let mut parts: Vec<Span> = Vec::new();
    let (mut start, mut at) = (within.start, within.start);
    // Whether there were words since the start, and up to where that was checked.
    let (mut has_text, mut seen) = (false, start);
    while at < within.end {
        let (next, ends) = cutting.step(at, start);
        at = next;
        if ends {
            has_text |= has_words(text, seen..at, groups);
            seen = at;
            match parts.last_mut() {
                // Text without words belongs to the sentence before it.
                Some(last) if !has_text => last.end = at,
                None if !has_text => continue,
                _ => parts.push(start..at),
            }
            (start, has_text) = (at, false);
        }
    }
    if start < within.end {
        match parts.last_mut() {
            Some(last) if !has_words(text, start..within.end, groups) => last.end = within.end,
            _ => parts.push(start..within.end),
        }
    }
    parts
}

fn has_words(text: &str, span: Span, groups: &[CitationGroup]) -> bool {
    let mut from = span.start;
    let first = groups.partition_point(|group| group.span.end <= span.start);
    for group in groups[first..].iter().take_while(|group| group.span.start < span.end) {
        if text[from.min(group.span.start)..group.span.start].contains(char::is_alphanumeric) {
            return true;
        }
        from = group.span.end;
    }
    text.get(from..span.end).is_some_and(|rest| rest.contains(char::is_alphanumeric))
}

struct SentenceCutter<'a> {
    text: &'a str,
    leaf: &'a Leaf,
    end: usize,
    groups: &'a [CitationGroup],
    /// How many spans and groups have been passed.
    whole: usize,
    group: usize,
    hard: usize,
}

impl SentenceCutter<'_> {
    /// Moves on from `at`: the new position, and whether a sentence ends there.
    fn step(&mut self, at: usize, start: usize) -> (usize, bool) {
        if self.leaf.breaks.get(self.hard).is_some_and(|&hard| hard <= at) {
            self.hard += 1;
            if at > start {
                return (at, true);
            }
        }
        while self.leaf.whole.get(self.whole).is_some_and(|span| span.end <= at) {
            self.whole += 1;
        }
        if let Some(span) =
            self.leaf.whole.get(self.whole).filter(|span| span.start == at && span.end <= self.end)
        {
            let inner = self.text[span.clone()].trim_end_matches(is_closer);
            let stops = inner.ends_with(is_stop) && inner.len() + 8 > span.len();
            return self.end_after(span.end, stops, None);
        }
        self.pass_groups(at);
        if let Some(group) =
            self.groups.get(self.group).filter(|group| group.span.start == at && group.span.end <= self.end)
        {
            return (group.span.end, false);
        }
        let Some(letter) = self.text[at..self.end].chars().next() else { return (self.end, false) };
        let next = at + letter.len_utf8();
        if !is_stop(letter) {
            return (next, false);
        }
        let word = (letter == '.').then(|| last_word(&self.text[start..at]));
        self.end_after(next, true, word)
    }

    fn pass_groups(&mut self, at: usize) {
        while self.groups.get(self.group).is_some_and(|group| group.span.end <= at) {
            self.group += 1;
        }
    }

    /// Handles the position after a full stop, or after something that may end with one.
    fn end_after(&mut self, at: usize, stops: bool, word: Option<&str>) -> (usize, bool) {
        if !stops {
            return (at, false);
        }
        let rest = &self.text[at..self.end];
        let closed =
            at + rest.len() - rest.trim_start_matches(|letter| is_closer(letter) || is_stop(letter)).len();
        // Marks that open something later are not closing marks.
        let closed = self
            .leaf
            .whole
            .get(self.whole)
            .filter(|span| span.start >= at && span.start < closed)
            .map_or(closed, |span| span.start);
        let (end, cited) = self.skip_citations(closed);
        let rest = &self.text[end..self.end];
        let next = rest.trim_start_matches([' ', '\t', '\r', '\n', '>']);
        let wide = self.text[..at].ends_with(['。', '！', '？']);
        let gap = next.len() < rest.len() || rest.is_empty() || wide || cited;
        let goes_on =
            next.chars().find(|letter| !"*_\"'([“‘„«".contains(*letter)).is_some_and(char::is_lowercase);
        if !gap || goes_on || (word.is_some_and(|word| closed == at && !cited && is_abbreviation(word, next)))
        {
            return (closed, false);
        }
        (end, true)
    }

    /// The position after the citations that follow a full stop, and whether another stop follows them.
    fn skip_citations(&mut self, from: usize) -> (usize, bool) {
        let (mut end, mut cited) = (from, false);
        let mut index =
            self.group + self.groups[self.group..].partition_point(|group| group.span.end <= from);
        while let Some(group) = self.groups.get(index).filter(|group| group.span.end <= self.end) {
            let gap = self.text.get(end..group.span.start);
            if !gap.is_some_and(|gap| gap.chars().all(|letter| letter.is_whitespace() || letter == '>')) {
                break;
            }
            (end, cited) = (group.span.end, true);
            let rest = &self.text[end..self.end];
            end += rest.len() - rest.trim_start_matches(['.', ',', ';']).len();
            index += 1;
        }
        (end, cited)
    }
}

fn is_stop(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

fn is_closer(letter: char) -> bool {
    matches!(
        letter,
        '"' | '\''
            | '”'
            | '’'
            | '»'
            | '›'
            | '」'
            | '』'
            | '）'
            | ')'
            | ']'
            | '}'
            | '*'
            | '_'
            | '~'
            | '='
            | '`'
    )
}

/// The last word, with inner full stops and a degree sign; only a few of its letters count.
fn last_word(text: &str) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take(12)
        .take_while(|(_, letter)| letter.is_alphanumeric() || ".°".contains(*letter))
        .last()
        .map_or(text.len(), |(at, _)| at);
    &text[start..]
}

fn is_abbreviation(word: &str, next: &str) -> bool {
    let lower = word.to_lowercase();
    let mut letters = word.chars();
    let initial = matches!((letters.next(), letters.next()), (Some(first), None) if first.is_uppercase());
    let number_next = next.starts_with(|letter: char| letter.is_ascii_digit());
    let day = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let next_word = next.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    initial
        || ABBREVIATIONS.contains(&lower.as_str())
        || (number_next && BEFORE_NUMBERS.contains(&lower.as_str()))
        || (day && next_word.len() <= 12 && MONTHS.contains(&next_word.to_lowercase().as_str()))
}
