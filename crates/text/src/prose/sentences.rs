//! Splits Markdown text, such as an answer, into sentences with their spans and citations.
//!
//! | text | result |
//! | --- | --- |
//! | prose in paragraphs, list items, footnotes and callouts | split into sentences |
//! | a paragraph of a block quote | one sentence, and a quotation as a whole |
//! | a row of a table | one sentence; the table head is none |
//! | a code block, an HTML block that contains words | one sentence, and a quotation as a whole |
//! | headings, rules, blank lines, frontmatter | no sentence |
//! | `Citations:`, `Source: https://…`, and lines of only links and citations | no sentence |
//!
//! Emphasis, links, code spans and quotations are never split: after a sentence is removed, the rest is still valid
//! Markdown. A citation belongs to the sentence that contains it or that it directly follows. The citations of a
//! block that cannot contain any (code, quotes, tables) may be in a paragraph of citations right below it; those of
//! code and quotes also in the sentence with a colon right above it.

mod blocks;
mod citations;
mod leaf;
mod line_breaks;
mod quotes;
mod split;

use blocks::leaves;
use citations::{ListingKind, classify_line, find_citation_groups};
use leaf::{Leaf, LeafKind};
use split::split;

pub use citations::{Citation, CitationGroup, find_citations};
pub(crate) use quotes::quotations;
pub(crate) use split::is_initial;

use crate::Span;

/// A sentence of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The bytes of the sentence.
    pub span: Span,
    /// The kind of text it comes from.
    pub kind: SentenceKind,
    /// The sentence as written, on one line and without the marks of its containers. Code keeps its lines.
    pub text: String,
    /// The content of the sentence in order, without its citations.
    pub parts: Vec<SentencePart>,
    /// The citations of the sentence.
    pub citations: Vec<Citation>,
    /// The block that contains the sentence.
    pub block: SentenceBlock,
}

/// The kind of text that a sentence comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentenceKind {
    /// Running text.
    Prose,
    /// A block quote: somebody else's words.
    Quote,
    /// A row of a table.
    Row,
    /// A code block or an HTML block.
    Code,
}

/// A part of a sentence's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentencePart {
    /// Running text.
    Prose(String),
    /// A code span or code block.
    Code(String),
    /// The destination of a link.
    Address(String),
}

/// The block that contains a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentenceBlock {
    /// The bytes of the block.
    pub span: Span,
    /// The whole lines that can be removed once the block is empty. `None` if they contain something else as well.
    pub lines: Option<Span>,
    /// The text before the block on its first line: `> `, `  - `.
    pub prefix: String,
}

/// Splits a text into its sentences, in order. They do not overlap.
pub fn split_sentences(text: &str) -> Vec<Sentence> {
    let mut walk = SentenceWalker { text, found: Vec::new(), in_listing: false, carriers: 0 };
    for leaf in leaves(text) {
        walk.leaf(&leaf);
    }
    walk.found
}

struct SentenceWalker<'a> {
    text: &'a str,
    found: Vec<Sentence>,
    /// Whether the current position is below `Citations:` or a heading of that name.
    in_listing: bool,
    /// How many of the last sentences belong to blocks whose citations may be right below.
    carriers: usize,
}

impl SentenceWalker<'_> {
    fn leaf(&mut self, leaf: &Leaf) {
        match leaf.kind {
            LeafKind::Heading => {
                self.in_listing = citations::is_label(&self.text[leaf.span.clone()]);
                self.carriers = 0;
            }
            LeafKind::Head => self.carriers = 0,
            LeafKind::Code => self.block(leaf, SentenceKind::Code),
            LeafKind::Row => self.block(leaf, SentenceKind::Row),
            LeafKind::Prose | LeafKind::Quote => self.prose(leaf),
        }
    }

    fn block(&mut self, leaf: &Leaf, kind: SentenceKind) {
        let groups = find_citation_groups(self.text, leaf.span.clone());
        if self.push(leaf, leaf.span.clone(), kind, &groups) {
            self.carriers += 1;
        }
    }

    fn prose(&mut self, leaf: &Leaf) {
        let groups = find_citation_groups(self.text, leaf.span.clone());
        let (mut start, mut at, mut any) = (leaf.span.start, leaf.span.start, false);
        let before = std::mem::take(&mut self.carriers);
        for line in self.text[leaf.span.clone()].split_inclusive('\n') {
            let span = at..at + line.len();
            at = span.end;
            let inner = span.start..span.start + line.trim_end().len();
            let listed = classify_line(self.text, &inner, &groups, self.in_listing);
            match listed {
                // A line of only citations belongs to the text before it in the block.
                ListingKind::No => any = true,
                ListingKind::Citations if any => {}
                ListingKind::Citations => {
                    self.share_citations(before, &groups, &inner);
                    start = at;
                }
                ListingKind::Label | ListingKind::Places => {
                    self.in_listing |= listed == ListingKind::Label;
                    self.split_stretch(leaf, start..span.start, &groups);
                    (start, any) = (at, false);
                }
            }
        }
        if any {
            self.split_stretch(leaf, start..leaf.span.end, &groups);
            self.in_listing &= leaf.in_item;
        }
    }

    /// Assigns the citations of a line to the blocks right above it that have none.
    fn share_citations(&mut self, carriers: usize, groups: &[CitationGroup], line: &Span) {
        let given: Vec<Citation> = groups
            .iter()
            .filter(|group| line.contains(&group.span.start))
            .flat_map(|group| group.ids.clone())
            .collect();
        let from = self.found.len() - carriers.min(self.found.len());
        for sentence in self.found[from..].iter_mut().filter(|sentence| sentence.citations.is_empty()) {
            sentence.citations.clone_from(&given);
        }
    }

    fn split_stretch(&mut self, leaf: &Leaf, span: Span, groups: &[CitationGroup]) {
        if leaf.kind == LeafKind::Prose {
            for part in split(self.text, leaf, span, groups) {
                self.push(leaf, part, SentenceKind::Prose, groups);
            }
            return;
        }
        // The attribution of a quote is below the words, after a dash.
        let words = &self.text[span.clone()];
        let dash = words
            .match_indices('\n')
            .map(|(at, _)| at + 1)
            .find(|&at| words[at..].trim_start_matches([' ', '\t', '>']).starts_with(['—', '–', '―']));
        let end = dash.map_or(span.end, |at| span.start + at);
        if self.push(leaf, span.start..end, SentenceKind::Quote, groups) {
            self.carriers = 1;
        }
        if end < span.end {
            let skipped = self.text[end..span.end].trim_start_matches([' ', '\t', '>']).len();
            self.push(leaf, span.end - skipped..span.end, SentenceKind::Prose, groups);
        }
    }

    fn push(&mut self, leaf: &Leaf, span: Span, kind: SentenceKind, groups: &[CitationGroup]) -> bool {
        let raw = &self.text[span.clone()];
        let lead = raw.len() - raw.trim_start().len();
        let span = span.start + lead..span.start + raw.trim_end().len().max(lead);
        let first = groups.partition_point(|group| group.span.end <= span.start);
        let own: Vec<&CitationGroup> =
            groups[first..].iter().take_while(|group| group.span.start < span.end).collect();
        let parts = leaf.collect_parts(self.text, &span, &own);
        let has_words = parts.iter().any(|part| match part {
            SentencePart::Prose(text) | SentencePart::Code(text) => text.contains(char::is_alphanumeric),
            SentencePart::Address(_) => false,
        });
        if !has_words {
            return false;
        }
        let mut citations: Vec<Citation> = own.iter().flat_map(|group| group.ids.clone()).collect();
        if citations.is_empty() && matches!(kind, SentenceKind::Code | SentenceKind::Quote) {
            citations = self.lead_in_citations();
        }
        let text = leaf.flatten(self.text, &span, kind);
        self.found.push(Sentence { span, kind, text, parts, citations, block: leaf.block.clone() });
        true
    }

    /// The citations of the previous sentence if it ends with a colon.
    fn lead_in_citations(&self) -> Vec<Citation> {
        let Some(before) = self.found.last().filter(|before| before.kind == SentenceKind::Prose) else {
            return Vec::new();
        };
        let is_lead_in = match before
            .parts
            .iter()
            .rev()
            .find(|part| !matches!(part, SentencePart::Prose(text) if text.trim().is_empty()))
        {
            Some(SentencePart::Prose(text)) => text.trim_end().ends_with(':'),
            _ => false,
        };
        if is_lead_in { before.citations.clone() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
