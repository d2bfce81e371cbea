//! Finds the boundaries of sentences in a block of prose.

use super::citations::CitationGroup;
use super::leaf::Leaf;
use crate::Span;
use crate::words::terms::is_common;

/// Abbreviations that never end a sentence.
const ABBREVIATIONS: [&str; 70] = [
    "e.g", "i.e", "cf", "vs", "dr", "mr", "mrs", "ms", "prof", "st", "approx", "ca", "al", "fig", "figs",
    "eq", "sec", "ch", "vol", "pp", "ed", "eds", "inc", "ltd", "co", "corp", "jr", "sr", "dept", "resp",
    "gen", "rev", "hon", "mt", "z.b", "d.h", "u.a", "bzw", "vgl", "sog", "bspw", "evtl", "ggf", "u.s", "fa",
    "dipl", "ing", "phil", "inkl", "exkl", "zzgl", "geb", "hrsg", "ehem", "mme", "mlle", "sra", "srta",
    "capt", "lt", "sgt", "jas", "wm", "chas", "thos", "incl", "excl", "wg", "vorm", "nachm",
];

/// Abbreviations that do not end a sentence if a number or a sum of money follows.
const BEFORE_NUMBERS: [&str; 26] = [
    "no", "nos", "nr", "p", "s", "v", "ver", "art", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep",
    "sept", "oct", "nov", "dec", "abs", "abb", "kap", "bd", "tel", "str",
];

/// The same, which are units or letters where they stand behind a number or are written large: `soak 30 min. 5 parts`.
const ONLY_BEFORE_NUMBERS: [&str; 7] = ["c", "b", "d", "est", "max", "min", "ext"];

/// Words that a single letter after them belongs to, so that it is no initial: `vitamin C`.
const LETTERED: [&str; 46] = [
    "vitamin",
    "type",
    "typ",
    "plan",
    "class",
    "klasse",
    "grade",
    "group",
    "gruppe",
    "hepatitis",
    "point",
    "punkt",
    "option",
    "step",
    "section",
    "appendix",
    "column",
    "row",
    "batch",
    "site",
    "plot",
    "team",
    "model",
    "phase",
    "level",
    "variant",
    "variante",
    "version",
    "building",
    "block",
    "hall",
    "gate",
    "platform",
    "terminal",
    "zone",
    "sample",
    "figure",
    "table",
    "part",
    "series",
    "side",
    "seite",
    "size",
    "room",
    "key",
    "answer",
];

/// Words that begin a sentence and no surname, besides the common ones of English.
const OPENERS: [&str; 36] = [
    "der", "die", "das", "ein", "eine", "er", "sie", "es", "wir", "ich", "im", "am", "bei", "le", "la",
    "les", "un", "une", "il", "elle", "el", "los", "he", "she", "his", "her", "both", "all", "each", "every",
    "most", "some", "many", "one", "no", "after",
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
        let before = (letter == '.').then(|| &self.text[start..at]);
        self.end_after(next, true, before)
    }

    fn pass_groups(&mut self, at: usize) {
        while self.groups.get(self.group).is_some_and(|group| group.span.end <= at) {
            self.group += 1;
        }
    }

    /// Handles the position after a full stop, or after something that may end with one.
    /// `before` is the sentence up to a full stop that may belong to an abbreviation.
    fn end_after(&mut self, at: usize, stops: bool, before: Option<&str>) -> (usize, bool) {
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
        if !gap
            || goes_on
            || before.is_some_and(|before| closed == at && !cited && is_abbreviation(before, next))
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

/// Whether the full stop after `before`, with `next` behind it, belongs to an abbreviation.
fn is_abbreviation(before: &str, next: &str) -> bool {
    let word = last_word(before);
    let lower = word.to_lowercase();
    let number_next = next
        .trim_start_matches(['£', '$', '€', '~', '±'])
        .starts_with(|letter: char| letter.is_ascii_digit());
    let day = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let next_word = first_word(next);
    is_initial(before, next)
        || ABBREVIATIONS.contains(&lower.as_str())
        || (number_next && BEFORE_NUMBERS.contains(&lower.as_str()))
        || (number_next && leads_to_number(before, word))
        || (day && next_word.len() <= 12 && MONTHS.contains(&next_word.to_lowercase().as_str()))
}

fn leads_to_number(before: &str, word: &str) -> bool {
    let is_known = ONLY_BEFORE_NUMBERS.iter().any(|known| known.eq_ignore_ascii_case(word));
    let is_letter = word.len() == 1 && word.starts_with(char::is_uppercase);
    let ahead = before[..before.len() - word.len()].trim_end();
    is_known && !is_letter && !ahead.ends_with(|letter: char| letter.is_ascii_digit())
}

/// Whether a text ends with an initial, and `next`, behind a full stop, may go on with the name: neither the end of a unit
/// (`mg/L`), nor a letter that belongs to the word before (`vitamin C`), nor one before the first word of a sentence.
pub(crate) fn is_initial(before: &str, next: &str) -> bool {
    let mut letters = before.chars();
    if !letters.next_back().is_some_and(char::is_uppercase) {
        return false;
    }
    let rest = letters.as_str();
    let word = rest.trim_end();
    if word.len() == rest.len() {
        return rest.is_empty() || rest.ends_with(['.', '-', '(', '[', '"', '\'', '“', '„', '*', '_']);
    }
    let word = last_word(word).to_lowercase();
    let belongs = word.ends_with(|letter: char| letter.is_ascii_digit()) || LETTERED.contains(&word.as_str());
    let opens = first_word(next).to_lowercase();
    !belongs && !(opens.len() > 1 && (is_common(&opens) || OPENERS.contains(&opens.as_str())))
}

fn first_word(text: &str) -> &str {
    text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default()
}
