//! A text with its place, and a quoted sentence of it.

use wellread_text::{ChunkKind, LineIndex, Note, Sentence, SentenceKind, Span, fold, split_sentences};

use super::generated_sections::{find_generated_sections, is_within};
use super::quotation::remarks_on_struck_out;
use crate::domain::corpus::Place;
use crate::domain::untrusted::Untrusted;
use crate::library::search::Hit;
use crate::library::vault::NoteText;

/// A range of a file or a page that sentences are taken from.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    /// The path or address that identifies its source.
    pub source: &'a str,
    /// The text.
    pub text: &'a str,
    /// Where it begins in its file or snapshot, in bytes.
    pub start: usize,
    /// The line that it begins on, from 1.
    pub first_line: usize,
    /// The headings above it.
    pub headings: &'a [String],
    /// Whether it is Markdown; otherwise it is code.
    pub is_prose: bool,
}

/// A sentence as it is in its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// The index of its passage in the input.
    pub passage: usize,
    /// The sentence, byte for byte.
    pub text: String,
    /// The range in bytes in the file or snapshot.
    pub span: Span,
    /// The first and the last line, from 1.
    pub lines: (usize, usize),
    /// The sentence as a quotation in Markdown, quotation marks included: on one line, without links. The gate finds it
    /// both in the whole passage and in [`text`](Self::text) alone.
    pub quoted: String,
    /// Higher is better; between 0 and about 1.5.
    pub score: f32,
}

impl Quote {
    /// The quotation's own place, in the file of the passage.
    pub fn place(&self, passage: &Place) -> Place {
        Place { lines: self.lines, span: self.span.clone(), ..passage.clone() }
    }
}

/// Replaces each blockquote marker before a line with a blank: offsets stay the same.
fn blank_quote_marks(line: &str) -> String {
    let words = line.trim_start_matches([' ', '\t', '>']);
    " ".repeat(line.len() - words.len()) + words
}

impl<'a> Passage<'a> {
    /// The passage of a search hit.
    pub fn from_hit(hit: &'a Hit) -> Self {
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
    pub fn from_note(note: &'a NoteText) -> Self {
        Self::new(note.path.as_str(), &note.text)
    }

    /// The stored text of a page, or a search service's excerpt of it.
    pub fn from_page(address: &'a str, text: &'a Untrusted) -> Self {
        Self::new(address, text.expose())
    }

    fn new(source: &'a str, text: &'a str) -> Self {
        Self { source, text, start: 0, first_line: 1, headings: &[], is_prose: true }
    }

    /// The file's name without folder and extension.
    pub fn title(&self) -> &'a str {
        let name = self.source.rsplit('/').next().unwrap_or(self.source);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// The day in the name of a daily note or of minutes, as written: "2026-08-20".
    pub(super) fn day(&self) -> Option<&'a str> {
        let is_day = |text: &&str| {
            let mut at = text.bytes().enumerate();
            at.all(|(at, byte)| if [4, 7].contains(&at) { byte == b'-' } else { byte.is_ascii_digit() })
        };
        let title = self.title();
        (0..title.len()).filter_map(|at| title.get(at..at + 10)).find(is_day)
    }

    pub(super) fn folder(&self) -> &'a str {
        self.source.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether it is the frontmatter of its file.
    pub fn is_frontmatter(&self) -> bool {
        !self.is_prose
            && self.start == 0
            && self.text.lines().next().is_some_and(|line| line.trim_end() == "---")
    }

    /// Whether Wellread wrote the section that it is in.
    pub(super) fn is_generated(&self) -> bool {
        self.headings.iter().any(|heading| fold(heading) == "research")
    }

    /// The sentences that somebody wrote: no headings, tables and code, and nothing that Wellread wrote.
    pub(super) fn sentences(&self) -> Vec<Sentence> {
        if !self.is_prose || self.is_generated() {
            return Vec::new();
        }
        let own = if self.start == 0 {
            find_generated_sections(&Note::parse(self.text), self.text)
        } else {
            Vec::new()
        };
        let is_text = |sentence: &Sentence| match sentence.kind {
            SentenceKind::Prose => true,
            SentenceKind::Quote => sentence.text.len() <= 300,
            SentenceKind::Row | SentenceKind::Code => false,
        };
        let all = split_sentences(self.text).into_iter();
        let all = all.filter(|sentence| is_text(sentence) && !is_within(&sentence.span, &own));
        all.filter_map(|sentence| self.valid_part(sentence)).collect()
    }

    /// A sentence without the title of the callout that it begins with; `None` if it is nothing else, or a remark on what is struck out.
    pub(super) fn valid_part(&self, sentence: Sentence) -> Option<Sentence> {
        if remarks_on_struck_out(&sentence) {
            return None;
        }
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
        // Blockquote markers are not part of the text.
        let marked = &self.text[start..sentence.span.end];
        let unmarked: Vec<String> = marked.split_inclusive('\n').map(blank_quote_marks).collect();
        let mut rest = split_sentences(&unmarked.concat()).into_iter();
        let mut only = rest.next().filter(|only| only.span.start == 0 && rest.next().is_none())?;
        only.span = start..start + only.span.end;
        only.block = sentence.block;
        Some(only)
    }

    /// These bytes of the passage as a quotation, written as `quoted`.
    pub(super) fn quote(&self, passage: usize, span: &Span, quoted: String, score: f32) -> Quote {
        let lines = LineIndex::new(self.text);
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
