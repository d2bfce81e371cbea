//! An index of a source, to look up quotations, numbers, dates, names and identifiers with their lines.
//!
//! The text is read as it is, and as a reader sees it: Markdown without emphasis, link targets and the marks of lists and
//! quotes, code without the marks of comments. A match in either reading counts. Lines count from 1.

mod columns;
mod plain;

use columns::ColumnUnits;
pub(crate) use plain::plain_texts;
use plain::without_comment_marks;
pub use plain::without_struck_out;

use std::collections::{HashMap, HashSet};

use crate::prose::claims::{MONTHS, dates, name_key, numbers, word_runs};
use crate::words::scripts::is_unspaced;
use crate::words::terms::{is_common_stem, stem_word};
use crate::{Date, Terms, to_comparable};

/// The index of one source.
#[derive(Debug, Default)]
pub struct SourceIndex {
    raw: ComparableLines,
    /// The text as a reader sees it; `None` if it equals `raw`.
    plain: Option<ComparableLines>,
    is_prose: bool,
    names: HashSet<String>,
    numbers: HashMap<String, Vec<NumberOccurrence>>,
    /// The numbers and lines by unit.
    counts: HashMap<String, Vec<(String, usize)>>,
    dates: Vec<(Date, usize)>,
    /// The lines of each stem.
    words: HashMap<String, Vec<u32>>,
    lines: usize,
}

/// An occurrence of a number in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberOccurrence {
    /// The line, from 1.
    pub line: usize,
    /// Whether a minus sign precedes it.
    pub negative: bool,
    /// The canonical unit, or the stem of the next word.
    pub unit: Option<String>,
    /// The stems of the words after it.
    pub after: Vec<String>,
}

/// A text in comparable form, with the starts of its lines.
#[derive(Debug, Default)]
pub(crate) struct ComparableLines {
    text: String,
    starts: Vec<usize>,
}

impl ComparableLines {
    pub(crate) fn from_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut folded = Self::default();
        for line in lines {
            let line = to_comparable(line);
            if !folded.text.is_empty() && !line.is_empty() {
                folded.text.push(' ');
            }
            folded.starts.push(folded.text.len());
            folded.text.push_str(&line);
        }
        folded
    }

    /// A line, from 1; empty beyond the last.
    fn line(&self, number: usize) -> &str {
        let start = self.starts.get(number.saturating_sub(1)).copied().unwrap_or(self.text.len());
        let end = self.starts.get(number).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end()
    }

    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at).max(1)
    }

    fn find(&self, wanted: &str) -> Option<(usize, usize)> {
        let at = find_whole(&self.text, wanted)?;
        Some((self.line_of(at), self.line_of(at + wanted.len() - 1)))
    }
}

/// Finds a text that neither begins nor ends inside a word or a number.
fn find_whole(text: &str, wanted: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find(wanted).map(|offset| from + offset) {
        let end = at + wanted.len();
        if !is_inside_word(text, at) && !is_inside_word(text, end) {
            return Some(at);
        }
        from = at + wanted.chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// The text with its first letter in the other case, if it begins with a plain word of several.
fn turn_first_letter(text: &str) -> Option<String> {
    let first = text.chars().next()?;
    let rest = &text[first.len_utf8()..];
    let word = rest.split(' ').next().filter(|word| word.len() < rest.len())?;
    if !word.chars().all(|letter| letter.is_lowercase() || letter == '\'') {
        return None;
    }
    let turned: String =
        if first.is_lowercase() { first.to_uppercase().collect() } else { first.to_lowercase().collect() };
    (!turned.starts_with(first)).then(|| turned + rest)
}

/// Whether a word or a number extends across this position. Words of a script without spaces have no boundaries.
fn is_inside_word(text: &str, at: usize) -> bool {
    let (before, after) = (text[..at].chars().next_back(), text[at..].chars().next());
    let (Some(before), Some(after)) = (before, after) else { return false };
    let spaced = |letter: char| (letter.is_alphanumeric() || letter == '_') && !is_unspaced(letter);
    if spaced(before) && spaced(after) || unicode_normalization::char::is_combining_mark(after) {
        return true;
    }
    let digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    let joins = |letter: char| letter == '.' || letter == ',';
    joins(before) && after.is_ascii_digit() && digit(text[..at].chars().rev().nth(1))
        || joins(after) && before.is_ascii_digit() && digit(text[at..].chars().nth(1))
}

/// The maximum number of recorded occurrences of one number.
const MOST: usize = 64;

impl SourceIndex {
    /// Indexes a source. `is_markdown` says whether to read it as Markdown too.
    pub fn new(text: &str, is_markdown: bool) -> Self {
        Self::build(text, is_markdown, None)
    }

    /// Indexes rows of a table whose head stands above them, as [`find_table_head`](crate::find_table_head) finds it.
    pub fn below_head(head: &str, text: &str) -> Self {
        Self::build(text, true, Some(head))
    }

    fn build(text: &str, is_markdown: bool, head: Option<&str>) -> Self {
        let valid = if is_markdown { without_struck_out(text) } else { text.into() };
        let text = &*valid;
        let lines: Vec<&str> = text.split('\n').collect();
        let mut index = Self {
            raw: ComparableLines::from_lines(lines.iter().copied()),
            lines: lines.len(),
            ..Self::default()
        };
        index.is_prose = is_markdown;
        let plain = if is_markdown {
            ComparableLines::from_lines(plain_texts(text, lines.len()).iter().map(String::as_str))
        } else {
            ComparableLines::from_lines(without_comment_marks(&lines))
        };
        index.plain = Some(plain).filter(|plain| plain.text != index.raw.text);
        let columns = if is_markdown { ColumnUnits::read(&lines, head) } else { ColumnUnits::default() };
        index.index_text(&columns);
        for (line, number) in lines.iter().zip(1_u32..) {
            let terms = Terms::from_text(line);
            for word in
                terms.words.split(' ').chain(terms.parts.split(' ')).filter(|word| !is_common_stem(word))
            {
                let on = index.words.entry(word.to_owned()).or_default();
                if on.last() != Some(&number) {
                    on.push(number);
                }
            }
        }
        index
    }

    fn index_text(&mut self, columns: &ColumnUnits) {
        let raw = std::mem::take(&mut self.raw);
        let plain = self.plain.take();
        if let Some(plain) = &plain {
            self.index_lines(plain, columns, |_| true);
        }
        let known: HashSet<String> = self.numbers.keys().cloned().collect();
        self.index_lines(&raw, columns, |value| !known.contains(value));
        let mut seen = HashSet::new();
        self.dates.retain(|dated| seen.insert(*dated));
        (self.raw, self.plain) = (raw, plain);
    }

    fn index_lines(
        &mut self,
        folded: &ComparableLines,
        columns: &ColumnUnits,
        is_new: impl Fn(&str) -> bool,
    ) {
        for (_, run) in word_runs(&folded.text) {
            self.names.insert(name_key(run));
        }
        for (span, dated) in dates(&folded.text) {
            let line = folded.line_of(span.start);
            for date in dated.readings {
                self.names.extend(MONTHS[usize::from(date.month) - 1].iter().map(|name| (*name).to_owned()));
                let parts = [date.year.map(usize::from), date.day.map(usize::from)];
                for part in parts.into_iter().flatten() {
                    self.add_number(
                        part.to_string(),
                        NumberOccurrence { line, negative: false, unit: None, after: Vec::new() },
                    );
                }
                self.dates.push((date, line));
            }
        }
        for (span, number) in numbers(&folded.text) {
            if !is_new(&number.value) {
                continue;
            }
            let line = folded.line_of(span.start);
            let behind = &folded.text[span.end..];
            let after: Vec<String> = word_runs(&behind[..behind.floor_char_boundary(60)])
                .take(4)
                // What the next number counts, this one does not.
                .take_while(|(_, run)| !run.starts_with(|letter: char| letter.is_ascii_digit()))
                .map(|(_, run)| stem_word(run))
                .collect();
            let above = || columns.unit(line, &folded.text[folded.starts[line - 1]..span.start]);
            let unit = number.unit.or_else(|| above().map(str::to_owned));
            let at = NumberOccurrence { line, negative: number.negative, unit, after };
            if let Some(unit) = &at.unit {
                let all = self.counts.entry(unit.clone()).or_default();
                if all.len() < MOST {
                    all.push((number.value.clone(), line));
                }
            }
            // In a table or a list, `1 000` may also be two numbers.
            let written = &folded.text[span];
            if written.contains(' ') {
                for part in written.split(' ') {
                    let at = NumberOccurrence { unit: None, after: Vec::new(), ..at.clone() };
                    self.add_number(part.to_owned(), at);
                }
            }
            self.add_number(number.value, at);
        }
    }

    fn add_number(&mut self, value: String, at: NumberOccurrence) {
        let all = self.numbers.entry(value).or_default();
        if all.len() < MOST {
            all.push(at);
        }
    }

    /// The number of lines of the source.
    pub fn line_count(&self) -> usize {
        self.lines
    }

    /// The first and last line of this text, given in comparable form. A full stop or comma at its end is optional,
    /// since the writer may have added it, and its first letter may be large or small.
    pub fn find_quotation(&self, wanted: &str) -> Option<(usize, usize)> {
        self.find_as_written(wanted).or_else(|| self.find_as_written(&turn_first_letter(wanted)?))
    }

    fn find_as_written(&self, wanted: &str) -> Option<(usize, usize)> {
        let open = wanted.strip_suffix(['.', ',']).filter(|open| !open.ends_with('.'));
        let forms = std::iter::once(wanted).chain(open).filter(|form| !form.is_empty());
        let found = forms.clone().find_map(|form| self.readings().find_map(|folded| folded.find(form)));
        if found.is_some() || !self.is_prose || !wanted.contains(['"', '\'']) {
            return found;
        }
        // A nested quotation has other quotation marks. Both are one byte, so positions stay valid.
        let single = |text: &str| text.replace('"', "'");
        let mut readings = self.readings().map(|folded| (folded, single(&folded.text)));
        readings.find_map(|(folded, text)| {
            forms.clone().find_map(|form| {
                let at = find_whole(&text, &single(form))?;
                Some((folded.line_of(at), folded.line_of(at + form.len() - 1)))
            })
        })
    }

    /// The text in comparable form: first as it is, then as a reader sees it.
    pub fn comparable_texts(&self) -> impl Iterator<Item = &str> {
        self.readings().map(|folded| folded.text.as_str())
    }

    fn readings(&self) -> impl Iterator<Item = &ComparableLines> {
        std::iter::once(&self.raw).chain(&self.plain)
    }

    /// Whether the source contains these few words, in any case.
    pub fn has_words(&self, wanted: &str) -> bool {
        self.find_quotation(wanted).is_some()
            || word_runs(wanted).all(|(_, run)| self.names.contains(&name_key(run)))
    }

    /// Whether the source contains this word of a name, given in lower case.
    pub fn has_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether the source contains this code, or each of its names if it consists only of names: `Foo::bar()`,
    /// `cut(text, at)`.
    pub fn has_code(&self, code: &str) -> bool {
        if find_whole(&self.raw.text, code).is_some() {
            return true;
        }
        let joins = |letter: char| ".:(),&#/@\"'[]{};$ ".contains(letter);
        let named = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        if !code.chars().all(|letter| joins(letter) || named(letter)) {
            return false;
        }
        let mut names = code.split(|letter| !named(letter)).filter(|name| !name.is_empty());
        names.all(|name| find_whole(&self.raw.text, name).is_some())
    }

    /// The occurrences of a number, given in its normalized form.
    pub fn numbers(&self, value: &str) -> &[NumberOccurrence] {
        self.numbers.get(value).map_or(&[], Vec::as_slice)
    }

    /// The numbers with this unit, with their lines.
    pub fn counts(&self, unit: &str) -> &[(String, usize)] {
        self.counts.get(unit).map_or(&[], Vec::as_slice)
    }

    /// The dates of the source, with their lines.
    pub fn dates(&self) -> &[(Date, usize)] {
        &self.dates
    }

    /// The lines that contain a stem, in order.
    pub fn lines_with(&self, stem: &str) -> &[u32] {
        self.words.get(stem).map_or(&[], Vec::as_slice)
    }

    /// How many of these stems are in the same sentence of a line as a number.
    pub fn words_beside(&self, number: &str, line: usize, stems: &[String]) -> usize {
        let text = self.raw.line(line);
        let count = |sentence: &str| {
            let own: HashSet<String> = word_runs(sentence).map(|(_, run)| stem_word(run)).collect();
            stems.iter().filter(|stem| own.contains(*stem)).count()
        };
        text.split(". ")
            .filter(|sentence| find_whole(sentence, number).is_some())
            .map(count)
            .max()
            .unwrap_or(0)
    }

    /// The numbers on a line.
    pub fn numbers_on(&self, line: usize) -> impl Iterator<Item = &str> {
        self.numbers
            .iter()
            .filter(move |(_, all)| all.iter().any(|at| at.line == line))
            .map(|(value, _)| value.as_str())
    }
}

#[cfg(test)]
mod tests;
