//! Finds the stretch of a text that is most like another text: where something stands now that was edited since.
//!
//! Words are compared, without case and whatever form their characters take, so that a text which was wrapped or indented
//! anew is found as well. A word that is rare in the text counts for more than one that is everywhere, or every two
//! functions of a file would be alike.

use std::collections::HashMap;

use crate::fold::fold;
use crate::span::Span;

/// What a word weighs that occurs once.
const WEIGHT: u64 = 64;

/// The rest of a line is taken in where so much of the likeness is left, or the whole is no heavier than so many times
/// what is looked for: a word at the end of the line may just have been replaced.
const STILL_LIKE: f64 = 0.85;
const HARDLY_HEAVIER: f64 = 1.25;

/// The words of a text, to be compared with others.
#[derive(Debug)]
pub struct Wording<'a> {
    text: &'a str,
    ids: HashMap<String, usize>,
    /// By id.
    weights: Vec<u64>,
    words: Vec<(usize, Span)>,
}

/// A stretch of a text that is like another.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    pub span: Span,
    /// From 0, no word in common, to 1, the same words as often.
    pub likeness: f64,
}

impl<'a> Wording<'a> {
    pub fn of(text: &'a str) -> Self {
        let mut ids = HashMap::new();
        let mut counts: Vec<u64> = Vec::new();
        let mut words = Vec::new();
        for span in word_spans(text) {
            let next = ids.len();
            let id = *ids.entry(fold(&text[span.clone()])).or_insert(next);
            if id == counts.len() {
                counts.push(0);
            }
            counts[id] += 1;
            words.push((id, span));
        }
        let weights = counts.iter().map(|&count| WEIGHT / u64::from(1 + count.ilog2())).collect();
        Self { text, ids, weights, words }
    }

    /// The stretch that is most like `old`; of several that are equally so, the one nearest to the byte `near`. Whole lines,
    /// unless that takes in much else. Nothing where either text has no word.
    pub fn nearest(&self, old: &str, near: usize) -> Option<Nearest> {
        let wanted: Vec<Option<usize>> =
            word_spans(old).map(|span| self.ids.get(&fold(&old[span])).copied()).collect();
        let (many, all) = (wanted.len(), self.words.len());
        let length = many.min(all);
        if length == 0 {
            return None;
        }
        let mut window = Window::new(self, &wanted);
        window.settle((0..=all - length).map(|start| (start, start + length)), near);
        // Something may have been put in, or taken out, at either end or in between.
        let Window { start, end, .. } = window;
        window.settle((end..=(end + many).min(all)).map(|end| (start, end)), near);
        let Window { start, end, .. } = window;
        window.settle((start.saturating_sub(many)..end).rev().map(|start| (start, end)), near);
        let Window { start, end, .. } = window;
        window.settle((start + 1..=end).rev().map(|end| (start, end)), near);
        let likeness = window.likeness();
        let span = self.whole_lines(&mut window, old);
        Some(Nearest { span, likeness })
    }

    fn begins_line(&self, word: usize) -> bool {
        let before = word.checked_sub(1).map_or(0, |before| self.words[before].1.end);
        before == 0 || self.text[before..self.words[word].1.start].contains('\n')
    }

    /// The bytes of the window, out to the ends of its lines where that takes in little else, with the lines without a
    /// word that `old` begins and ends with.
    fn whole_lines(&self, window: &mut Window<'_>, old: &str) -> Span {
        let likeness = window.likeness();
        let (start, end) = (window.start, window.end);
        let (mut from, mut to) = (self.words[start].1.start, self.words[end - 1].1.end);
        let line = self.text[..from].rfind('\n').map_or(0, |at| at + 1);
        window.to(self.words.partition_point(|(_, span)| span.start < line), end);
        if window.is_still(likeness) {
            from = wordless_before(self.text, line, old);
        } else {
            window.to(start, end);
            from -= ends_alike(&self.text[..from], before_words(old));
        }
        let start = window.start;
        let line = self.text[to..].find('\n').map_or(self.text.len(), |at| to + at + 1);
        window.to(start, self.words.partition_point(|(_, span)| span.start < line));
        if window.is_still(likeness) {
            to = wordless_after(self.text, line, old);
            if !old.ends_with('\n') {
                let whole = &self.text[from..to];
                to = from + whole.strip_suffix('\n').map_or(whole, |cut| cut.trim_end_matches('\r')).len();
            }
        } else if self.text[to..].starts_with(after_words(old)) {
            to += after_words(old).len();
        }
        from..to
    }
}

/// A run of words of a text, and what it has in common with the words that are wanted.
struct Window<'a> {
    of: &'a Wording<'a>,
    start: usize,
    end: usize,
    wanted: Vec<usize>,
    wanted_weight: u64,
    held: Vec<usize>,
    weight: u64,
    common: u64,
}

impl<'a> Window<'a> {
    fn new(of: &'a Wording<'a>, words: &[Option<usize>]) -> Self {
        let mut wanted = vec![0; of.weights.len()];
        for id in words.iter().flatten() {
            wanted[*id] += 1;
        }
        let wanted_weight = words.iter().map(|id| id.map_or(WEIGHT, |id| of.weights[id])).sum();
        let held = vec![0; of.weights.len()];
        Self { of, start: 0, end: 0, wanted, wanted_weight, held, weight: 0, common: 0 }
    }

    /// Twice what both have, by what each has.
    fn likeness(&self) -> f64 {
        2.0 * self.common as f64 / (self.wanted_weight + self.weight) as f64
    }

    fn is_still(&self, likeness: f64) -> bool {
        self.likeness() >= likeness * STILL_LIKE
            || self.weight as f64 <= self.wanted_weight as f64 * HARDLY_HEAVIER
    }

    /// Goes through these places, and stays at the one that is most like what is wanted; of several, at one that begins a
    /// line, and then at the nearest.
    fn settle(&mut self, places: impl Iterator<Item = (usize, usize)>, near: usize) {
        let mut best: Option<(f64, (bool, usize), (usize, usize))> = None;
        for (start, end) in places.filter(|(start, end)| start < end) {
            self.to(start, end);
            let (likeness, away) = (self.likeness(), self.of.words[start].1.start.abs_diff(near));
            let rank = (!self.of.begins_line(start), away);
            let better =
                best.is_none_or(|(best, so_far, _)| likeness > best || likeness == best && rank < so_far);
            if better {
                best = Some((likeness, rank, (start, end)));
            }
        }
        if let Some((_, _, (start, end))) = best {
            self.to(start, end);
        }
    }

    fn to(&mut self, start: usize, end: usize) {
        if start >= self.end || end <= self.start {
            while self.end > self.start {
                self.end -= 1;
                self.take(self.end);
            }
            (self.start, self.end) = (start, start);
        }
        while self.end < end {
            self.put(self.end);
            self.end += 1;
        }
        while self.start > start {
            self.start -= 1;
            self.put(self.start);
        }
        while self.end > end {
            self.end -= 1;
            self.take(self.end);
        }
        while self.start < start {
            self.take(self.start);
            self.start += 1;
        }
    }

    fn put(&mut self, word: usize) {
        let id = self.of.words[word].0;
        self.weight += self.of.weights[id];
        self.held[id] += 1;
        if self.held[id] <= self.wanted[id] {
            self.common += self.of.weights[id];
        }
    }

    fn take(&mut self, word: usize) {
        let id = self.of.words[word].0;
        self.weight -= self.of.weights[id];
        if self.held[id] <= self.wanted[id] {
            self.common -= self.of.weights[id];
        }
        self.held[id] -= 1;
    }
}

/// Runs of letters, digits and marks; where a script puts no blanks between words, each character.
fn word_spans(text: &str) -> impl Iterator<Item = Span> {
    let mut letters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = letters.find(|(_, letter)| is_letter(*letter))?;
        let mut end = start + first.len_utf8();
        if !is_word_itself(first) {
            while let Some((at, more)) =
                letters.next_if(|(_, letter)| is_letter(*letter) && !is_word_itself(*letter))
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

fn is_word_itself(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn before_words(text: &str) -> &str {
    &text[..word_spans(text).next().map_or(0, |word| word.start)]
}

fn after_words(text: &str) -> &str {
    &text[text.rfind(is_letter).map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8))..]
}

/// How many bytes at the end of `text` are `end`: all of it or none.
fn ends_alike(text: &str, end: &str) -> usize {
    if text.ends_with(end) { end.len() } else { 0 }
}

/// Where the lines begin that stand before `line` as they stand in `old` before its first word.
fn wordless_before(text: &str, line: usize, old: &str) -> usize {
    let head = before_words(old);
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

/// Where the lines end that stand after `line` as they stand in `old` after its last word.
fn wordless_after(text: &str, line: usize, old: &str) -> usize {
    let tail = after_words(old);
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
