//! What a Markdown parser sees: links, images, HTML, code. Programs read Markdown differently, so the text is read in
//! three ways, and counts as code only where all three agree.

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::address::{LinkVerdict, judge};
use super::edit::{InertEdit, RemovedKind};
use super::fence::{fence, runs_inline};
use super::{AllowedLinks, REMOVED_LINK};
use crate::Span;
use crate::note::markdown::written_destination;
use crate::note::mask::mask;
use crate::note::scan::{Scan, scan};

/// The findings of all readings. Spans are sorted, and those of one list are disjoint.
#[derive(Debug, Default)]
pub(super) struct MarkdownReadings {
    /// Code in every reading, and destinations that may stay: not searched for marks.
    pub closed: Vec<Span>,
    /// Math in any reading.
    pub math: Vec<Span>,
    pub tables: Vec<Span>,
    pub edits: Vec<InertEdit>,
}

fn all_options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
}

impl MarkdownReadings {
    /// Reads the text as Markdown with the usual extensions, without any, and as Obsidian with comments and math
    /// blocks.
    pub(super) fn from_text(text: &str, allowed: &AllowedLinks<'_>) -> Self {
        let seen = scan(text);
        let obsidian = mask(text, &seen);
        let common = mask(text, &Scan::default());
        let one = read(text, &common, all_options(), allowed);
        let two = read(text, &common, Options::empty(), allowed);
        let three = read(text, &obsidian, all_options(), allowed);
        let code = intersect_spans(&intersect_spans(&one.code, &two.code), &three.code);
        let closed = merge_spans([code, one.kept, two.kept, three.kept].concat());
        let math = merge_spans([one.math, three.math, seen.math].concat());
        let mut edits = [one.edits, two.edits, three.edits].concat();
        edits.sort_by(|a, b| {
            (a.span.start, a.span.end, &a.with, a.kind).cmp(&(b.span.start, b.span.end, &b.with, b.kind))
        });
        edits.dedup();
        Self { closed, math, tables: merge_spans(one.tables), edits }
    }
}

#[derive(Default)]
struct MarkdownReading {
    code: Vec<Span>,
    kept: Vec<Span>,
    math: Vec<Span>,
    tables: Vec<Span>,
    edits: Vec<InertEdit>,
}

struct OpenLink {
    span: Span,
    image: bool,
    link_type: LinkType,
    verdict: LinkVerdict,
    /// The end of the part of its text seen so far.
    text_end: usize,
}

/// Reads a text once. `body` is what the parser may see of it, with the same length in bytes.
fn read(text: &str, body: &str, options: Options, allowed: &AllowedLinks<'_>) -> MarkdownReading {
    let mut events = Parser::new_ext(body, options).into_offset_iter();
    let mut reader = MarkdownReader {
        text,
        allowed,
        reading: MarkdownReading::default(),
        links: vec![],
        containers: 0,
        after_list: false,
    };
    for (event, span) in events.by_ref() {
        reader.step(event, span);
    }
    let mut reading = reader.reading;
    for (label, found) in events.reference_definitions().iter() {
        definition(text, label, &found.dest, &found.span, allowed, &mut reading);
    }
    reading.code.sort_by_key(|span| span.start);
    reading
}

/// Collects a reading from the parser's events.
struct MarkdownReader<'a> {
    text: &'a str,
    allowed: &'a AllowedLinks<'a>,
    reading: MarkdownReading,
    links: Vec<OpenLink>,
    /// The number of open lists, quotes and footnotes.
    containers: usize,
    /// Whether the last block was a list, a quote or a footnote.
    after_list: bool,
}

impl MarkdownReader<'_> {
    fn step(&mut self, event: Event<'_>, span: Span) {
        match event {
            Event::Start(
                Tag::Link { link_type, dest_url, id, .. } | Tag::Image { link_type, dest_url, id, .. },
            ) => {
                let image = self.text[span.start..].starts_with("![");
                let text_end = span.start + if image { 2 } else { 1 };
                let verdict = judge_labeled(&dest_url, &id, self.allowed);
                self.links.push(OpenLink { span, image, link_type, verdict, text_end });
                return;
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some(link) = self.links.pop() {
                    end_link(self.text, &link, &mut self.reading);
                }
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                let (edit, content) = fence(self.text, &span);
                self.reading.edits.extend(edit);
                self.reading.code.push(content..span.end);
            }
            // Near a list, programs disagree on what is code.
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))
                if self.containers == 0 && !self.after_list =>
            {
                self.reading.code.push(span.clone());
            }
            Event::Start(Tag::List(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)) => {
                self.containers += 1;
            }
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition) => {
                self.containers -= 1;
                self.after_list = self.containers == 0;
            }
            Event::Start(Tag::Paragraph | Tag::Heading { .. }) if self.containers == 0 => {
                self.after_list = false;
            }
            Event::Start(Tag::Table(_)) => self.reading.tables.push(span.clone()),
            Event::Code(content) => self.code_span(&content, &span),
            Event::InlineMath(_) | Event::DisplayMath(_) => self.reading.math.push(span.clone()),
            _ => {}
        }
        if let Some(link) = self.links.last_mut()
            && span.end < link.span.end
        {
            link.text_end = link.text_end.max(span.end);
        }
    }

    /// Records a code span, and escapes its first character if a plugin would run it.
    fn code_span(&mut self, content: &str, span: &Span) {
        if runs_inline(content) {
            let ticks = self.text[span.clone()].bytes().take_while(|&byte| byte == b'`').count();
            let inner = self.text[span.start + ticks..span.end].trim_start();
            let at = span.end - inner.len();
            let first = inner.chars().next().map_or(0, char::len_utf8);
            let with = format!("\\{}", &inner[..first]);
            self.reading.edits.push(InertEdit::new(at..at + first, with).with_kind(RemovedKind::Plugin));
        }
        self.reading.code.push(span.clone());
    }
}

fn end_link(text: &str, link: &OpenLink, reading: &mut MarkdownReading) {
    let OpenLink { ref span, image, link_type, verdict, text_end } = *link;
    if verdict == LinkVerdict::Stays {
        match link_type {
            LinkType::Autolink => reading.kept.push(span.clone()),
            LinkType::Inline => reading.kept.extend(destination(text, text_end, span.end)),
            _ => {}
        }
        if image {
            // Replace all of them; otherwise the one before would make an image again.
            let marks = text[..=span.start].bytes().rev().take_while(|&byte| byte == b'!').count();
            let start = span.start + 1 - marks;
            reading.edits.push(InertEdit::new(start..span.start + 1, "").with_kind(RemovedKind::Image));
        }
        return;
    }
    let kind = match verdict {
        LinkVerdict::Script => RemovedKind::Script,
        _ if image => RemovedKind::Image,
        LinkVerdict::NoNote => RemovedKind::Note,
        _ => RemovedKind::Link,
    };
    match link_type {
        LinkType::Autolink => reading.edits.push(InertEdit::new(span.clone(), REMOVED_LINK).with_kind(kind)),
        LinkType::Email => {
            reading.edits.push(InertEdit::new(span.start..span.start + 1, "").with_kind(RemovedKind::Link));
            reading.edits.push(InertEdit::new(span.end - 1..span.end, ""));
        }
        _ => {
            let opening = span.start..span.start + if image { 2 } else { 1 };
            reading.edits.push(InertEdit::new(opening, "").with_kind(kind));
            reading.edits.push(InertEdit::new(text_end..span.end, ""));
        }
    }
}

/// Judges a link with a label. Without footnotes, `[^1]: Word` is a link definition; it leads nowhere and stays.
fn judge_labeled(dest: &str, label: &str, allowed: &AllowedLinks<'_>) -> LinkVerdict {
    match judge(dest, allowed) {
        LinkVerdict::NoNote if label.starts_with('^') => LinkVerdict::Stays,
        verdict => verdict,
    }
}

/// The destination of an inline link, its angle brackets included.
fn destination(text: &str, text_end: usize, end: usize) -> Option<Span> {
    let bracket = text_end + text.get(text_end..end)?.find("](")?;
    let written = written_destination(text, bracket + 2..end)?;
    Some(with_angles(text, written))
}

fn with_angles(text: &str, written: Span) -> Span {
    let angles = text[..written.start].ends_with('<') && text[written.end..].starts_with('>');
    if angles { written.start - 1..written.end + 1 } else { written }
}

fn definition(
    text: &str,
    label: &str,
    dest: &str,
    span: &Span,
    allowed: &AllowedLinks<'_>,
    reading: &mut MarkdownReading,
) {
    let verdict = judge_labeled(dest, label, allowed);
    let Some(colon) = text[span.clone()].find("]:").map(|at| span.start + at + 1) else {
        if verdict != LinkVerdict::Stays {
            reading.edits.push(InertEdit::new(span.clone(), REMOVED_LINK).with_kind(RemovedKind::Link));
        }
        return;
    };
    let written = written_destination(text, colon + 1..span.end).filter(|written| !written.is_empty());
    match (verdict, written) {
        (LinkVerdict::Stays, _) if label.starts_with('^') => {}
        (LinkVerdict::Stays, Some(written)) => reading.kept.push(with_angles(text, written)),
        (LinkVerdict::Stays, None) => {}
        // Without its colon it is text.
        (LinkVerdict::NoNote, _) => {
            reading.edits.push(InertEdit::new(colon..colon + 1, "\\:").with_kind(RemovedKind::Note))
        }
        (_, Some(written)) => {
            let kind = if verdict == LinkVerdict::Script { RemovedKind::Script } else { RemovedKind::Link };
            reading.edits.push(InertEdit::new(with_angles(text, written), REMOVED_LINK).with_kind(kind));
        }
        (_, None) => {
            reading.edits.push(InertEdit::new(span.clone(), REMOVED_LINK).with_kind(RemovedKind::Link))
        }
    }
}

/// Whether a simple check of the parser's events finds anything active. It shares only the verdicts on destinations
/// with the reading above.
pub(super) fn is_live(text: &str, allowed: &AllowedLinks<'_>) -> bool {
    [Options::empty(), all_options()].into_iter().any(|options| {
        let mut events = Parser::new_ext(text, options);
        let live = events.by_ref().any(|event| match event {
            Event::Start(Tag::Link { dest_url, id, .. }) => {
                judge_labeled(&dest_url, &id, allowed) != LinkVerdict::Stays
            }
            Event::Start(Tag::Image { .. } | Tag::HtmlBlock) | Event::Html(_) | Event::InlineHtml(_) => true,
            _ => false,
        });
        let mut definitions = events.reference_definitions().iter();
        live || definitions
            .any(|(label, found)| judge_labeled(&found.dest, label, allowed) != LinkVerdict::Stays)
    })
}

/// Sorts spans and merges those that touch.
fn merge_spans(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| span.start);
    let mut out: Vec<Span> = vec![];
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => out.push(span),
        }
    }
    out
}

/// The intersection of two lists of spans.
fn intersect_spans(one: &[Span], other: &[Span]) -> Vec<Span> {
    let (mut out, mut i, mut j) = (vec![], 0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        let shared = a.start.max(b.start)..a.end.min(b.end);
        if !shared.is_empty() {
            out.push(shared);
        }
        if a.end < b.end { i += 1 } else { j += 1 }
    }
    out
}
