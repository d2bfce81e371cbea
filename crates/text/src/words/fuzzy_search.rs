//! Finds the passage of a text that is most similar to another text: where a passage is after it was edited.
//!
//! Words are compared without case and in a normal form, so a passage that was wrapped or indented differently is
//! found as well. A word that is long, or rare in the text, weighs more than one that is short and frequent;
//! otherwise any two functions of a file would be similar.

use std::collections::HashMap;

use crate::fold::fold;
use crate::span::Span;
use crate::words::scripts::is_unspaced;

/// The weight of each letter of a word that occurs once, and how many letters of a word count.
const WEIGHT: u64 = 64;
const LONG_WORD: usize = 8;

/// Whole lines are preferred if they keep this share of the similarity; a smaller share is enough if they are hardly
/// heavier than the wanted text, because a word at the end of a line may just have been replaced.
const STILL_LIKE: f64 = 0.85;
const STILL_LIKE_IF_LIGHT: f64 = 0.7;
const HARDLY_HEAVIER: f64 = 1.25;

/// How many words away the ends of whole lines are searched.
const SLACK: usize = 1000;

/// The words of a text, prepared for finding similar passages.
#[derive(Debug)]
pub struct FuzzySearch<'a> {
    text: &'a str,
    ids: HashMap<String, usize>,
    /// Weights by word id.
    weights: Vec<u64>,
    words: Vec<(usize, Span)>,
}

/// A passage that is similar to the wanted text.
#[derive(Debug, Clone, PartialEq)]
pub struct FuzzyMatch {
    /// The bytes of the passage.
    pub span: Span,
    /// From 0 (no common word) to 1 (the same words, equally often).
    pub likeness: f64,
    /// Whether the passage consists of whole lines.
    pub is_whole_lines: bool,
}

impl<'a> FuzzySearch<'a> {
    /// Reads the words of a text.
    pub fn new(text: &'a str) -> Self {
        let mut ids = HashMap::new();
        let mut counts: Vec<(u64, u64)> = Vec::new();
        let mut words = Vec::new();
        for span in word_spans(text) {
            let (next, word) = (ids.len(), fold(&text[span.clone()]));
            let weight = weight(&word);
            let id = *ids.entry(word).or_insert(next);
            if id == counts.len() {
                counts.push((0, weight));
            }
            counts[id].0 += 1;
            words.push((id, span));
        }
        let weights = counts.iter().map(|(count, weight)| weight / u64::from(1 + count.ilog2())).collect();
        Self { text, ids, weights, words }
    }

    /// Finds the passage that is most similar to `old`, and among equally similar ones the one nearest to the byte
    /// `near`. Whole lines are preferred unless they include much else. `None` if either text has no words.
    pub fn find_nearest(&self, old: &str, near: usize) -> Option<FuzzyMatch> {
        let wanted: Vec<(Option<usize>, u64)> = word_spans(old)
            .map(|span| fold(&old[span]))
            .map(|word| (self.ids.get(&word).copied(), weight(&word)))
            .collect();
        let (many, all) = (wanted.len(), self.words.len());
        let length = many.min(all);
        if length == 0 {
            return None;
        }
        let mut window = Window::new(self, &wanted);
        window.settle((0..=all - length).map(|start| (start, start + length)), near);
        // Words may have been added or removed at either end or in between.
        let Window { start, end, .. } = window;
        window.settle((end..=(end + many).min(all)).map(|end| (start, end)), near);
        let Window { start, end, .. } = window;
        window.settle((start.saturating_sub(many)..end).rev().map(|start| (start, end)), near);
        let Window { start, end, .. } = window;
        window.settle((start + 1..=end).rev().map(|end| (start, end)), near);
        Some(
            self.match_whole_lines(&mut window, old, near)
                .unwrap_or_else(|| self.match_in_lines(&window, old)),
        )
    }

    fn begins_line(&self, word: usize) -> bool {
        let before = word.checked_sub(1).map_or(0, |before| self.words[before].1.end);
        before == 0 || self.text[before..self.words[word].1.start].contains('\n')
    }

    /// The best whole lines at the window, unless they include much else, with the wordless lines that `old` begins
    /// and ends with. Without such lines the window stays as it was.
    fn match_whole_lines(&self, window: &mut Window<'_>, old: &str, near: usize) -> Option<FuzzyMatch> {
        let (likeness, start, end) = (window.likeness(), window.start, window.end);
        let slack = window.wanted_count.min(SLACK);
        let starts = start.saturating_sub(slack)..(start + slack + 1).min(end);
        let starts = starts.filter(|&start| self.begins_line(start));
        let last = (end + slack).min(self.words.len());
        let ends = |start: usize| {
            let ends = (start + 1).max(end.saturating_sub(slack))..=last;
            ends.filter(|&end| end == self.words.len() || self.begins_line(end))
        };
        window.settle(starts.flat_map(|start| ends(start).map(move |end| (start, end))), near);
        let is_light = window.weight as f64 <= window.wanted_weight as f64 * HARDLY_HEAVIER;
        let least = if is_light { STILL_LIKE_IF_LIGHT } else { STILL_LIKE };
        let is_whole = self.begins_line(window.start)
            && (window.end == self.words.len() || self.begins_line(window.end));
        if !is_whole || window.likeness() < likeness * least {
            window.move_to(start, end);
            return None;
        }
        let (from, to) = (self.words[window.start].1.start, self.words[window.end - 1].1.end);
        let from = wordless_before(self.text, self.text[..from].rfind('\n').map_or(0, |at| at + 1), old);
        let line = self.text[to..].find('\n').map_or(self.text.len(), |at| to + at + 1);
        let mut to = wordless_after(self.text, line, old);
        if !old.ends_with('\n') {
            let whole = &self.text[from..to];
            to = from + whole.strip_suffix('\n').map_or(whole, |cut| cut.trim_end_matches('\r')).len();
        }
        Some(FuzzyMatch { span: from..to, likeness, is_whole_lines: true })
    }

    /// The window itself, with the characters that surround the words of `old`.
    fn match_in_lines(&self, window: &Window<'_>, old: &str) -> FuzzyMatch {
        let (from, to) = (self.words[window.start].1.start, self.words[window.end - 1].1.end);
        let (head, tail) = (text_before_words(old), text_after_words(old));
        let from = if self.text[..from].ends_with(head) { from - head.len() } else { from };
        let to = if self.text[to..].starts_with(tail) { to + tail.len() } else { to };
        FuzzyMatch { span: from..to, likeness: window.likeness(), is_whole_lines: false }
    }
}

/// A run of words of a text, compared with the wanted words.
struct Window<'a> {
    search: &'a FuzzySearch<'a>,
    /// How many words are wanted.
    wanted_count: usize,
    start: usize,
    end: usize,
    wanted: Vec<usize>,
    wanted_weight: u64,
    counts: Vec<usize>,
    weight: u64,
    common: u64,
}

impl<'a> Window<'a> {
    fn new(search: &'a FuzzySearch<'a>, words: &[(Option<usize>, u64)]) -> Self {
        let mut wanted = vec![0; search.weights.len()];
        for id in words.iter().filter_map(|(id, _)| *id) {
            wanted[id] += 1;
        }
        let wanted_weight = words.iter().map(|(id, once)| id.map_or(*once, |id| search.weights[id])).sum();
        let counts = vec![0; search.weights.len()];
        Self {
            search,
            wanted_count: words.len(),
            start: 0,
            end: 0,
            wanted,
            wanted_weight,
            counts,
            weight: 0,
            common: 0,
        }
    }

    /// The Dice coefficient: twice the common weight, divided by the sum of both weights.
    fn likeness(&self) -> f64 {
        2.0 * self.common as f64 / (self.wanted_weight + self.weight) as f64
    }

    /// Visits these places and stays at the most similar one; among several, at one that begins a line, and then at
    /// the nearest.
    fn settle(&mut self, places: impl Iterator<Item = (usize, usize)>, near: usize) {
        let (mut best, mut nearest, mut chosen) = (-1.0, (true, usize::MAX), (self.start, self.end));
        for (start, end) in places.filter(|(start, end)| start < end) {
            self.move_to(start, end);
            let (likeness, away) = (self.likeness(), self.search.words[start].1.start.abs_diff(near));
            let rank = (!self.search.begins_line(start), away);
            if likeness > best || likeness == best && rank < nearest {
                (best, nearest, chosen) = (likeness, rank, (start, end));
            }
        }
        self.move_to(chosen.0, chosen.1);
    }

    fn move_to(&mut self, start: usize, end: usize) {
        if start >= self.end || end <= self.start {
            while self.end > self.start {
                self.end -= 1;
                self.remove_word(self.end);
            }
            (self.start, self.end) = (start, start);
        }
        while self.end < end {
            self.add_word(self.end);
            self.end += 1;
        }
        while self.start > start {
            self.start -= 1;
            self.add_word(self.start);
        }
        while self.end > end {
            self.end -= 1;
            self.remove_word(self.end);
        }
        while self.start < start {
            self.remove_word(self.start);
            self.start += 1;
        }
    }

    fn add_word(&mut self, word: usize) {
        let id = self.search.words[word].0;
        self.weight += self.search.weights[id];
        self.counts[id] += 1;
        if self.counts[id] <= self.wanted[id] {
            self.common += self.search.weights[id];
        }
    }

    fn remove_word(&mut self, word: usize) {
        let id = self.search.words[word].0;
        self.weight -= self.search.weights[id];
        if self.counts[id] <= self.wanted[id] {
            self.common -= self.search.weights[id];
        }
        self.counts[id] -= 1;
    }
}

/// The weight of a word that occurs once.
fn weight(word: &str) -> u64 {
    WEIGHT * word.chars().take(LONG_WORD).count() as u64
}

/// The spans of the words: runs of letters, digits and marks; in a script without spaces, each character.
fn word_spans(text: &str) -> impl Iterator<Item = Span> {
    let mut letters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = letters.find(|(_, letter)| is_letter(*letter))?;
        let mut end = start + first.len_utf8();
        if !is_unspaced(first) {
            while let Some((at, more)) =
                letters.next_if(|(_, letter)| is_letter(*letter) && !is_unspaced(*letter))
            {
                end = at + more.len_utf8();
            }
        }
        Some(start..end)
    })
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric()
        || letter == '_'
        || !letter.is_ascii() && unicode_normalization::char::is_combining_mark(letter)
}

fn text_before_words(text: &str) -> &str {
    &text[..word_spans(text).next().map_or(0, |word| word.start)]
}

fn text_after_words(text: &str) -> &str {
    &text[text.rfind(is_letter).map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8))..]
}

/// The start of the lines before `line` that equal the wordless lines at the start of `old`.
fn wordless_before(text: &str, line: usize, old: &str) -> usize {
    let head = text_before_words(old);
    let above = &head[..head.rfind('\n').map_or(0, |at| at + 1)];
    let mut from = line;
    for wanted in above.split_inclusive('\n').rev() {
        let before = text[..from].strip_suffix('\n').map(|text| text.rfind('\n').map_or(0, |at| at + 1));
        match before.filter(|&start| text[start..from].trim() == wanted.trim()) {
            Some(start) => from = start,
            None => break,
        }
    }
    from
}

/// The end of the lines after `line` that equal the wordless lines at the end of `old`.
fn wordless_after(text: &str, line: usize, old: &str) -> usize {
    let tail = text_after_words(old);
    let below = tail.find('\n').map_or("", |at| &tail[at + 1..]);
    let mut to = line;
    for wanted in below.split_inclusive('\n') {
        match text[to..].split_inclusive('\n').next().filter(|next| next.trim() == wanted.trim()) {
            Some(next) => to += next.len(),
            None => break,
        }
    }
    to
}

#[cfg(test)]
mod tests;
