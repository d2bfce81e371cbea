//! Which line breaks of a paragraph end a sentence.
//!
//! In a text that was filled to a width, a break says nothing: the next word had no room. In notes that were jotted down, each line
//! stands for itself, and Obsidian shows it so.

use crate::Span;

/// Words that end no sentence.
const JOINS: [&str; 46] = [
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "by", "with", "and", "or", "from", "is", "are",
    "was", "were", "that", "which", "who", "as", "than", "into", "his", "her", "their", "its", "our", "my",
    "der", "die", "das", "den", "dem", "von", "mit", "und", "im", "le", "la", "les", "de", "du", "et", "des",
];
/// No line that is filled is shorter, in characters.
const FILLED: usize = 60;
/// A break is no accident where so many characters more than the next word had room.
const AMPLE: usize = 12;
/// Such a word is an address, for which a line may be wider than the others.
const LONGEST_WORD: usize = 30;
/// The most words of a label before its colon.
const LABEL_WORDS: usize = 3;

/// The starts of those of these breaks, in order, that the author meant.
pub(super) fn find_meant_breaks(text: &str, paragraph: &Span, breaks: &[Span]) -> Vec<usize> {
    if breaks.is_empty() {
        return Vec::new();
    }
    let breaks: Vec<LineBreak<'_>> = breaks.iter().map(|at| LineBreak::new(text, at)).collect();
    let all = text[paragraph.clone()].split('\n').map(Line::new);
    let plain = all.filter(|line| !line.is_title() && !line.has_address());
    let widest = plain.map(|line| line.width).max().unwrap_or(0);
    // A text that was filled and edited later may have a few short lines.
    let ample = breaks.iter().filter(|found| found.had_room(AMPLE, widest)).count();
    let is_jotted = 2 * ample >= breaks.len();
    let is_meant = |found: &&LineBreak<'_>| {
        let LineBreak { line, next, .. } = found;
        let is_short = found.had_room(0, FILLED) && next.begins_large();
        !line.is_title()
            && !line.goes_on()
            && (is_short || is_jotted && (next.begins_large() || next.begins_with_label()))
    };
    breaks.iter().filter(is_meant).map(|found| found.at).collect()
}

/// A break with the lines on both sides.
struct LineBreak<'a> {
    at: usize,
    line: Line<'a>,
    next: Line<'a>,
}

impl<'a> LineBreak<'a> {
    fn new(text: &'a str, span: &Span) -> Self {
        let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at);
        let (line, next) = (Line::new(&text[start..span.start]), Line::new(&text[span.end..end]));
        Self { at: span.start, line, next }
    }

    /// Whether the next line's first word had room before the break, in lines of this width, and so many characters more.
    fn had_room(&self, more: usize, width: usize) -> bool {
        let word = self.next.text.split_whitespace().next().unwrap_or_default();
        self.line.width + 1 + word.chars().take(width).count() + more <= width
    }
}

/// A line without the marks of its quotes and callouts.
struct Line<'a> {
    text: &'a str,
    /// In characters.
    width: usize,
}

impl<'a> Line<'a> {
    fn new(line: &'a str) -> Self {
        let text = line.trim_start_matches([' ', '\t', '>']).trim_end();
        Self { text, width: text.chars().count() }
    }

    /// Whether it names the kind of a callout.
    fn is_title(&self) -> bool {
        self.text.starts_with("[!")
    }

    fn has_address(&self) -> bool {
        self.text.split_whitespace().any(|word| word.chars().nth(LONGEST_WORD).is_some())
    }

    /// Whether its last word or mark says that more follows.
    fn goes_on(&self) -> bool {
        let last = self.text.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        self.text.ends_with([',', ';', '-', '–', '—', '/', '&', '('])
            || JOINS.contains(&last.to_lowercase().as_str())
    }

    fn begins_large(&self) -> bool {
        self.text.starts_with(|letter: char| letter.is_uppercase() || letter.is_ascii_digit())
    }

    /// Whether it begins like `maths tutor: no longer`.
    fn begins_with_label(&self) -> bool {
        let Some((label, _)) = self.text.split_once(": ") else { return false };
        let is_word = |word: &str| word == "/" || word == "+" || word.chars().all(char::is_alphanumeric);
        let words: Vec<&str> = label.split_whitespace().take(LABEL_WORDS + 1).collect();
        (1..=LABEL_WORDS).contains(&words.len()) && words.into_iter().all(is_word)
    }
}
