//! A text with its place, and a sentence of it that is quoted.

use wellread_text::{ChunkKind, Lines, Note, Sentence, SentenceKind, Span, fold, sentences};

use super::own::{is_within, own_sections};
use crate::corpus::Place;
use crate::search::Hit;
use crate::untrusted::Untrusted;
use crate::vault::NoteText;

/// A stretch of a file or a page that sentences are taken from.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    /// Its path or address: what tells two sources apart.
    pub source: &'a str,
    pub text: &'a str,
    /// Where it begins in its file or its snapshot: the byte, and the line from 1.
    pub start: usize,
    pub first_line: usize,
    /// What it stands under.
    pub headings: &'a [String],
    /// Whether it is markdown; else it is code.
    pub is_prose: bool,
}

/// A sentence as it stands in its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// Which of the passages it is of.
    pub passage: usize,
    /// Byte for byte.
    pub text: String,
    /// In the file or the snapshot.
    pub span: Span,
    /// The first and the last line, from 1.
    pub lines: (usize, usize),
    /// As it can be written into markdown, its marks included: on one line, without links. The gate finds it both in the
    /// whole passage and in [`text`](Self::text) alone.
    pub quoted: String,
    /// Higher is better; between 0 and about 1.5.
    pub score: f32,
}

impl Quote {
    /// The quotation's own place, in the file that the passage is of.
    pub fn place(&self, passage: &Place) -> Place {
        Place { lines: self.lines, span: self.span.clone(), ..passage.clone() }
    }
}

/// A line with a blank for each mark of a quote before it: every offset stays.
fn without_quote_mark(line: &str) -> String {
    let words = line.trim_start_matches([' ', '\t', '>']);
    " ".repeat(line.len() - words.len()) + words
}

impl<'a> Passage<'a> {
    pub fn of_hit(hit: &'a Hit) -> Self {
        Self {
            source: hit.place.path.as_str(),
            text: &hit.text,
            start: hit.place.span.start,
            first_line: hit.place.lines.0,
            headings: &hit.context,
            is_prose: hit.kind == ChunkKind::Text,
        }
    }

    /// A note as a whole.
    pub fn of_note(note: &'a NoteText) -> Self {
        Self::of(note.path.as_str(), &note.text)
    }

    /// The kept text of a page, or what a search service said of it.
    pub fn of_page(address: &'a str, text: &'a Untrusted) -> Self {
        Self::of(address, text.look())
    }

    fn of(source: &'a str, text: &'a str) -> Self {
        Self { source, text, start: 0, first_line: 1, headings: &[], is_prose: true }
    }

    /// Its name without folder and ending.
    pub(super) fn title(&self) -> &'a str {
        let name = self.source.rsplit('/').next().unwrap_or(self.source);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    pub(super) fn folder(&self) -> &'a str {
        self.source.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The sentences that somebody wrote: no headings, tables and code, and nothing that we wrote ourselves.
    pub(super) fn sentences(&self) -> Vec<Sentence> {
        let ours = |heading: &String| fold(heading) == "research";
        if !self.is_prose || self.headings.iter().any(ours) {
            return Vec::new();
        }
        let own = if self.start == 0 { own_sections(&Note::parse(self.text), self.text) } else { Vec::new() };
        let told = |sentence: &Sentence| match sentence.kind {
            SentenceKind::Prose => true,
            SentenceKind::Quote => sentence.text.len() <= 300,
            SentenceKind::Row | SentenceKind::Code => false,
        };
        let all = sentences(self.text).into_iter();
        let all = all.filter(|sentence| told(sentence) && !is_within(&sentence.span, &own));
        all.filter_map(|sentence| self.below_title(sentence)).collect()
    }

    /// A sentence without the title of the callout that it begins with.
    fn below_title(&self, sentence: Sentence) -> Option<Sentence> {
        let line = self.text[..sentence.span.start].rfind('\n').map_or(0, |at| at + 1);
        let lead = self.text[line..sentence.span.start].trim_start_matches([' ', '>']);
        if !lead.starts_with("[!") {
            return Some(sentence);
        }
        let titled = &self.text[sentence.span.clone()];
        let below = titled.find('\n')? + 1;
        let below =
            below + titled[below..].len() - titled[below..].trim_start_matches([' ', '\t', '>']).len();
        let start = sentence.span.start + below;
        // The marks of the quote are no part of what it says.
        let marked = &self.text[start..sentence.span.end];
        let unmarked: Vec<String> = marked.split_inclusive('\n').map(without_quote_mark).collect();
        let mut rest = sentences(&unmarked.concat()).into_iter();
        let mut only = rest.next().filter(|only| only.span.start == 0 && rest.next().is_none())?;
        only.span = start..start + only.span.end;
        only.block = sentence.block;
        Some(only)
    }

    /// These bytes of the passage as a quotation, where it can be written as `quoted`.
    pub(super) fn quote(&self, passage: usize, span: &Span, quoted: String, score: f32) -> Quote {
        let lines = Lines::of(self.text);
        let last = span.end.saturating_sub(1).max(span.start);
        Quote {
            passage,
            text: self.text[span.clone()].to_owned(),
            span: self.start + span.start..self.start + span.end,
            lines: (
                self.first_line + lines.line_of(span.start) - 1,
                self.first_line + lines.line_of(last) - 1,
            ),
            quoted,
            score,
        }
    }
}
