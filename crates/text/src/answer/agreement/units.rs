//! The statements of a source: sentences, list items, rows of tables, fields and lines of code, each with the words
//! that stand above it.

use super::quantity::{Quantity, find_quantities};
use super::tokens::{Token, clause_at, tokenize, tokenize_row};
use crate::answer::support::plain_texts;
use crate::prose::claims::{cells, column_unit, dates, is_rule};
use crate::prose::phrases::StopWords;
use crate::prose::sentences::is_initial;
use crate::{Date, to_comparable};

/// One statement of a source.
#[derive(Debug)]
pub(super) struct Unit {
    /// The first and the last line, from 1.
    pub lines: (usize, usize),
    pub text: String,
    pub tokens: Vec<Token>,
    pub quantities: Vec<Quantity>,
    pub dates: Vec<DatePlace>,
    /// The words of the headings above, of the line that introduces the list, and of the table's head.
    pub context: Vec<Token>,
    /// The lines of code that enclose it.
    pub enclosing: Vec<String>,
    /// Whether it stands in a list or a table, or is a heading or a line of code.
    pub is_entry: bool,
    /// Whether it is the first statement of an item of a list, or a row of a table.
    pub begins_entry: bool,
    pub is_heading: bool,
    /// Whether it is a task that is not done.
    pub is_open_task: bool,
}

/// A date in a statement.
#[derive(Debug)]
pub(super) struct DatePlace {
    pub date: Date,
    pub clause: usize,
    /// The byte offset in the statement's text.
    pub start: usize,
}

/// No sentence is longer; the rest of such a text is data.
pub(super) const MOST_TOKENS: usize = 400;
const MOST_FIGURES: usize = 64;

/// A block while it is read.
struct Block {
    text: String,
    /// Where each line begins in the text.
    starts: Vec<(usize, usize)>,
    is_entry: bool,
    is_open_task: bool,
}

/// What a statement is part of.
#[derive(Clone, Copy)]
enum UnitForm<'a> {
    Prose,
    Heading,
    /// An item of a list, a field or a line of code; whether it is the first sentence of it.
    Entry {
        begins: bool,
        is_open_task: bool,
    },
    /// A row of a table: where each cell begins, and the unit of its column.
    Row(&'a [(usize, Option<&'static str>)]),
}

struct UnitReader {
    stop: StopWords,
    units: Vec<Unit>,
    headings: Vec<(usize, String)>,
    intro: String,
    table_head: Option<Vec<String>>,
    block: Option<Block>,
}

/// The statements of a Markdown text.
pub(super) fn read_markdown(text: &str, stop: StopWords) -> Vec<Unit> {
    let raw: Vec<&str> = text.split('\n').collect();
    let plain = plain_texts(text, raw.len());
    let mut reader = UnitReader::new(stop);
    let (mut fence, mut frontmatter) = (false, false);
    for (index, (line, plain)) in raw.iter().zip(&plain).enumerate() {
        let number = index + 1;
        let trimmed = line.trim();
        if trimmed == "---" && (index == 0 || frontmatter) {
            frontmatter = index == 0;
            continue;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            reader.close();
            fence = !fence;
            continue;
        }
        if fence || frontmatter {
            reader.entry(number, trimmed);
            continue;
        }
        let next = raw.get(index + 1).map_or("", |next| next.trim());
        reader.line(number, line, plain, next);
    }
    reader.close();
    reader.units
}

/// The statements of a source file: its lines, each below the lines that enclose it.
pub(super) fn read_code(text: &str, stop: StopWords) -> Vec<Unit> {
    let mut reader = UnitReader::new(stop);
    for (index, line) in text.split('\n').enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        reader.headings.retain(|(level, _)| *level < indent);
        reader.entry(index + 1, trimmed);
        if trimmed.ends_with(['{', ':', '(']) {
            reader.headings.push((indent, to_comparable(trimmed)));
        }
    }
    reader.units
}

impl UnitReader {
    fn new(stop: StopWords) -> Self {
        Self {
            stop,
            units: Vec::new(),
            headings: Vec::new(),
            intro: String::new(),
            table_head: None,
            block: None,
        }
    }

    fn line(&mut self, number: usize, raw: &str, plain: &str, next: &str) {
        let trimmed = raw.trim().trim_start_matches(['>', ' ']);
        if trimmed.is_empty() {
            self.close();
            self.table_head = None;
            return;
        }
        let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&level) && trimmed[level..].starts_with(' ') {
            self.close();
            self.heading(number, level, plain);
            return;
        }
        if trimmed.starts_with('|') || self.table_head.is_some() && trimmed.contains('|') {
            return self.row(number, plain, trimmed, next);
        }
        let item = item_mark(trimmed).map(|mark| trimmed[mark..].trim_start());
        let is_item = item.is_some();
        if is_item || self.block.is_none() {
            self.close();
            let is_bare = to_comparable(plain).is_empty();
            let text = if is_bare { trimmed } else { plain };
            self.block = Some(Block {
                text: to_comparable(text),
                starts: vec![(0, number)],
                is_entry: is_item,
                is_open_task: item.is_some_and(|item| item.starts_with("[ ]")),
            });
        } else if let Some(block) = &mut self.block {
            block.text.push(' ');
            block.starts.push((block.text.len(), number));
            block.text.push_str(&to_comparable(plain));
        }
    }

    fn heading(&mut self, number: usize, level: usize, plain: &str) {
        let text = to_comparable(plain);
        self.headings.retain(|(above, _)| *above < level);
        self.intro.clear();
        self.table_head = None;
        self.push_unit(text.clone(), (number, number), UnitForm::Heading);
        self.headings.push((level, text));
    }

    fn row(&mut self, number: usize, plain: &str, raw: &str, next: &str) {
        self.close();
        if is_rule(raw) {
            return;
        }
        // A row without a head is no table to the Markdown reader.
        let is_parsed = plain.starts_with(" | ");
        let cells: Vec<String> = if is_parsed {
            plain.split(" | ").skip(1).map(to_comparable).collect()
        } else {
            cells(raw).into_iter().map(to_comparable).collect()
        };
        if is_rule(next) {
            self.table_head = Some(cells);
            return;
        }
        let head = self.table_head.get_or_insert_default().clone();
        let (mut text, mut columns) = (String::new(), Vec::new());
        for (index, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            if !text.is_empty() {
                text.push_str("; ");
            }
            let name = head.get(index).map(String::as_str).unwrap_or_default();
            if index > 0 && !name.is_empty() {
                text.push_str(name);
                text.push_str(" = ");
            }
            columns.push((text.len(), column_unit(name)));
            text.push_str(cell);
        }
        let first = head.first().cloned().unwrap_or_default();
        let intro = std::mem::replace(&mut self.intro, first);
        self.push_unit(text, (number, number), UnitForm::Row(&columns));
        self.intro = intro;
    }

    /// A line that is a statement of its own.
    fn entry(&mut self, number: usize, text: &str) {
        self.close();
        self.push_unit(
            to_comparable(text),
            (number, number),
            UnitForm::Entry { begins: true, is_open_task: false },
        );
    }

    fn close(&mut self) {
        let Some(block) = self.block.take() else { return };
        let line_at = |at: usize| {
            let index = block.starts.partition_point(|(start, _)| *start <= at);
            block.starts[index.max(1) - 1].1
        };
        let mut from = 0;
        for end in sentence_ends(&block.text) {
            let text = block.text[from..end].trim();
            if text.contains(char::is_alphanumeric) {
                let lines = (line_at(from), line_at(end.max(from + 1) - 1));
                let begins = from == 0;
                let is_open_task = block.is_open_task;
                let form =
                    if block.is_entry { UnitForm::Entry { begins, is_open_task } } else { UnitForm::Prose };
                self.push_unit(text.to_owned(), lines, form);
            }
            from = end;
        }
        if !block.is_entry {
            let ends_open = block.text.trim_end().ends_with(':');
            self.intro = if ends_open { block.text } else { String::new() };
        }
    }

    fn push_unit(&mut self, text: String, lines: (usize, usize), form: UnitForm<'_>) {
        let is_row = matches!(form, UnitForm::Row(_));
        let is_entry = !matches!(form, UnitForm::Prose);
        let mut tokens = if is_row { tokenize_row(&text, self.stop) } else { tokenize(&text, self.stop) };
        tokens.truncate(MOST_TOKENS);
        let mut quantities = find_quantities(&text, &tokens);
        quantities.truncate(MOST_FIGURES);
        if let UnitForm::Row(columns) = form {
            let unit = |at: usize| columns[..columns.partition_point(|(start, _)| *start <= at)].last()?.1;
            let named = |quantity: Quantity| match unit(quantity.span.start) {
                Some(unit) => quantity.with_unit(unit),
                None => quantity,
            };
            quantities = quantities.into_iter().map(named).collect();
        }
        let dates = dates(&text)
            .into_iter()
            .flat_map(|(span, dated)| {
                let (start, clause) = (span.start, clause_at(&tokens, span.start));
                dated.readings.into_iter().map(move |date| DatePlace { date, clause, start })
            })
            .collect();
        let mut context = Vec::new();
        for (_, heading) in &self.headings {
            context.extend(tokenize(heading, self.stop));
        }
        if is_entry {
            context.extend(tokenize(&self.intro, self.stop));
        }
        let enclosing = self.headings.iter().map(|(_, line)| line.clone()).collect();
        let begins_entry = matches!(form, UnitForm::Row(_) | UnitForm::Entry { begins: true, .. });
        let is_open_task = matches!(form, UnitForm::Entry { is_open_task: true, .. });
        let is_heading = matches!(form, UnitForm::Heading);
        self.units.push(Unit {
            lines,
            text,
            tokens,
            quantities,
            dates,
            context,
            enclosing,
            is_entry,
            begins_entry,
            is_heading,
            is_open_task,
        });
    }
}

/// The length of a list item's mark.
fn item_mark(trimmed: &str) -> Option<usize> {
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let bullet = trimmed.starts_with(['-', '*', '+']) && trimmed[1..].starts_with(' ');
    let numbered = digits > 0 && digits < 4 && trimmed[digits..].starts_with(['.', ')']);
    (bullet || numbered).then_some(digits + 1)
}

/// Abbreviations that end no sentence.
const SHORT: [&str; 17] = [
    "e.g", "i.e", "vs", "approx", "ca", "dr", "mr", "mrs", "st", "no", "z.b", "bzw", "etc", "resp", "d.h",
    "nr", "fa",
];

/// Where the sentences of a block in comparable form end.
fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    for (at, mark) in text.char_indices().filter(|(_, mark)| ".!?。！？".contains(*mark)) {
        let after = at + mark.len_utf8();
        let rest = &text[after..];
        let closed = rest.trim_start_matches(['"', '\'', ')']);
        let mut next = closed.trim_start().chars();
        let begins = next.next().is_none_or(|letter| !letter.is_lowercase());
        let spaced = closed.is_empty() || closed.starts_with(' ') || "。！？".contains(mark);
        let word = text[..at].rsplit(|letter: char| !letter.is_alphanumeric() && letter != '.').next();
        let is_short = mark == '.'
            && (is_initial(&text[..at], closed.trim_start())
                || word.is_some_and(|word| {
                    SHORT.contains(&word.to_lowercase().as_str())
                        || word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() <= 2
                }));
        if spaced && begins && !is_short {
            ends.push(text.len() - closed.len());
        }
    }
    if ends.last() != Some(&text.len()) {
        ends.push(text.len());
    }
    ends
}
