//! The blocks of a text that contain words, as the Markdown parser finds them.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::leaf::{Leaf, LeafKind, has_words};
use super::line_breaks::find_meant_breaks;
use super::{SentenceBlock, SentencePart, quotations};
use crate::note::mask::mask;
use crate::note::scan::{Scan, list_mark};
use crate::span::{bom_len, line_end};
use crate::{Frontmatter, Span};

/// The blocks of a text in order, without the frontmatter.
pub(super) fn leaves(text: &str) -> Vec<Leaf> {
    let base = Frontmatter::parse(text).map_or_else(|| bom_len(text), |found| found.span.end);
    let body = &text[base..];
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_WIKILINKS;
    let masked = mask(body, &Scan::default());
    let mut walk = LeafWalker {
        text,
        quotes: Vec::new(),
        items: Vec::new(),
        depth: 0,
        row: None,
        open: None,
        done: Vec::new(),
    };
    for (event, span) in Parser::new_ext(&masked, options).into_offset_iter() {
        // The parser reports a missing cell of a row past the end of the text.
        let end = (span.end + base).min(text.len());
        walk.step(event, (span.start + base).min(end)..end);
    }
    walk.close();
    walk.done
}

/// Collects blocks from the parser's events.
struct LeafWalker<'a> {
    text: &'a str,
    /// The open block quotes, each with whether it is a callout.
    quotes: Vec<bool>,
    items: Vec<Span>,
    /// The number of open emphases and links.
    depth: usize,
    /// The current part of a table: its head or a row.
    row: Option<LeafKind>,
    open: Option<Leaf>,
    done: Vec<Leaf>,
}

impl LeafWalker<'_> {
    fn step(&mut self, event: Event<'_>, span: Span) {
        match event {
            Event::Start(tag) => self.start(&tag, span),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_open(LeafKind::Code) => {
                self.piece(span, SentencePart::Code(text.into_string()));
            }
            Event::Text(text) => self.piece(span, SentencePart::Prose(text.into_string())),
            Event::Code(text) => {
                self.mark_whole(span.clone());
                self.piece(span, SentencePart::Code(text.into_string()));
            }
            Event::Html(text) if self.is_open(LeafKind::Code) => {
                self.piece(span, SentencePart::Code(text.into_string()));
            }
            Event::Html(_) => {}
            Event::InlineHtml(_) | Event::FootnoteReference(_) => {
                self.mark_whole(span.clone());
                self.extend_leaf(span);
            }
            Event::SoftBreak => self.line_break(span, false),
            Event::HardBreak => self.line_break(span, true),
            Event::Rule | Event::TaskListMarker(_) => self.close(),
            Event::InlineMath(_) | Event::DisplayMath(_) => self.extend_leaf(span),
        }
    }

    /// A break that the author meant ends a sentence; one that only fills lines does not.
    fn line_break(&mut self, span: Span, is_hard: bool) {
        self.piece(span.clone(), SentencePart::Prose(" ".to_owned()));
        let Some(leaf) = self.open.as_mut().filter(|_| self.depth == 0) else { return };
        if is_hard {
            leaf.breaks.push(span.start);
        } else {
            leaf.soft_breaks.push(span);
        }
    }

    fn start(&mut self, tag: &Tag<'_>, span: Span) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {
                self.inline(span);
            }
            Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. } => {
                self.inline(span.clone());
                let same =
                    matches!(link_type, LinkType::Autolink | LinkType::Email | LinkType::WikiLink { .. });
                if !same {
                    self.piece(span.start..span.start + 1, SentencePart::Address(dest_url.to_string()));
                }
            }
            Tag::Paragraph => {
                let quoted = !self.quotes.is_empty() && self.quotes.iter().all(|callout| !callout);
                self.open(if quoted { LeafKind::Quote } else { LeafKind::Prose }, span);
            }
            Tag::Heading { .. } => self.open(LeafKind::Heading, span),
            Tag::CodeBlock(_) => self.open(LeafKind::Code, span),
            Tag::HtmlBlock if has_words(&self.text[span.clone()]) => self.open(LeafKind::Code, span),
            Tag::TableHead => {
                self.row = Some(LeafKind::Head);
                self.open(LeafKind::Head, span);
            }
            Tag::TableRow => {
                self.row = Some(LeafKind::Row);
                self.open(LeafKind::Row, span);
            }
            Tag::TableCell => {
                if let Some(leaf) = &mut self.open {
                    leaf.pieces.push((span.start..span.start + 1, SentencePart::Prose(" | ".to_owned())));
                }
            }
            Tag::BlockQuote(_) => {
                self.close();
                let first = &self.text[span];
                let first = first.trim_start_matches([' ', '\t']);
                let first = first.strip_prefix('>').unwrap_or(first);
                self.quotes.push(first.trim_start_matches([' ', '\t']).starts_with("[!"));
            }
            Tag::Item => {
                self.close();
                self.items.push(span);
            }
            _ => self.close(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image => self.depth = self.depth.saturating_sub(1),
            TagEnd::TableCell => {}
            TagEnd::BlockQuote(_) => {
                self.close();
                self.quotes.pop();
            }
            TagEnd::Item => {
                self.close();
                self.items.pop();
            }
            _ => {
                self.row = None;
                self.close();
            }
        }
    }

    fn is_open(&self, kind: LeafKind) -> bool {
        self.open.as_ref().is_some_and(|leaf| leaf.kind == kind)
    }

    fn inline(&mut self, span: Span) {
        if self.depth == 0 {
            self.mark_whole(span.clone());
        }
        self.depth += 1;
        self.extend_leaf(span);
    }

    fn mark_whole(&mut self, span: Span) {
        if self.depth == 0 {
            self.extend_leaf(span.clone());
            if let Some(leaf) = &mut self.open {
                leaf.whole.push(span);
            }
        }
    }

    fn piece(&mut self, span: Span, part: SentencePart) {
        self.extend_leaf(span.clone());
        if let Some(leaf) = &mut self.open {
            leaf.pieces.push((span, part));
        }
    }

    /// Extends the block to inline text seen here. In a tight list such text has no paragraph.
    fn extend_leaf(&mut self, span: Span) {
        if self.open.is_none() {
            let escaped = self.text[..span.start].ends_with('\\');
            self.open(LeafKind::Prose, span.start - usize::from(escaped)..span.end);
        }
        if let Some(leaf) = &mut self.open {
            leaf.span.end = leaf.span.end.max(span.end);
        }
    }

    fn open(&mut self, kind: LeafKind, span: Span) {
        self.close();
        self.depth = 0;
        let block = SentenceBlock { span: span.clone(), lines: None, prefix: String::new() };
        self.open = Some(Leaf {
            kind,
            span,
            block,
            in_item: !self.items.is_empty(),
            whole: Vec::new(),
            breaks: Vec::new(),
            soft_breaks: Vec::new(),
            quotes: self.quotes.len(),
            pieces: Vec::new(),
        });
    }

    fn close(&mut self) {
        let Some(mut leaf) = self.open.take() else { return };
        leaf.breaks.extend(find_meant_breaks(self.text, &leaf.span, &leaf.soft_breaks));
        leaf.breaks.sort_unstable();
        let raw = &self.text[leaf.span.clone()];
        leaf.span.end = leaf.span.start + raw.trim_end().len();
        let words = self.text[leaf.span.clone()].trim_start();
        leaf.span.start = leaf.span.end - words.len();
        // The first line of a callout names its kind.
        if words.starts_with("[!") && self.quotes.last() == Some(&true) {
            let end = words.find(']').map_or(0, |at| at + 1);
            leaf.span.start += end;
            leaf.pieces.retain(|(at, _)| at.end > leaf.span.start);
        }
        if matches!(leaf.kind, LeafKind::Prose) {
            let code: Vec<Span> = leaf
                .pieces
                .iter()
                .filter(|(_, part)| matches!(part, SentencePart::Code(_)))
                .map(|(at, _)| at.clone())
                .collect();
            let inner = leaf.span.clone();
            leaf.whole.extend(quotations(self.text, &inner, &code));
            leaf.whole = merge_spans(std::mem::take(&mut leaf.whole));
        }
        if !leaf.span.is_empty() {
            leaf.block = self.block(&leaf);
            self.done.push(leaf);
        }
    }

    fn block(&self, leaf: &Leaf) -> SentenceBlock {
        let start = self.text[..leaf.span.start].rfind('\n').map_or(0, |at| at + 1);
        let mut prefix = &self.text[start..leaf.span.start];
        let whole_line = prefix.chars().all(|letter| " \t>-+*.)0123456789\u{feff}[]xX".contains(letter));
        prefix = if whole_line { prefix } else { "" };
        let end = line_end(self.text, leaf.span.end.saturating_sub(1).max(leaf.span.start));
        // A list item that continues after its first block needs that block.
        let first_of_item = list_mark(prefix.trim_start_matches([' ', '\t', '>'])).is_some();
        let goes_on = first_of_item
            && self.items.last().is_some_and(|item| {
                self.text
                    .get(end..item.end)
                    .is_some_and(|rest| rest.contains(|letter: char| !" \t\r\n>".contains(letter)))
            });
        let lines = (whole_line && !goes_on).then_some(start..end);
        SentenceBlock { span: leaf.span.clone(), lines, prefix: prefix.to_owned() }
    }
}

/// Sorts spans and merges those that touch or overlap.
fn merge_spans(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut out: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => out.push(span),
        }
    }
    out
}
