//! The parts of a note's body that a Markdown parser finds: headings, links, code, and the ends of text blocks.
//!
//! Wikilinks, tags and block ids are not Markdown; other modules search for them in the remaining text.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::Span;

/// The Markdown structure of a body. All spans are byte ranges of that body.
#[derive(Debug, Default)]
pub(crate) struct MarkdownOutline {
    /// Headings outside of quotes, lists and footnotes, with their level.
    pub headings: Vec<(u8, Span)>,
    /// Code, math and HTML, in order.
    pub opaque: Vec<Span>,
    /// Links that are written with a destination; definitions last.
    pub links: Vec<Destination>,
    /// `<https://…>` and `[text][label]`: they name no file, and cannot contain tags.
    pub other_links: Vec<Span>,
    /// The ends of paragraphs, headings and list items, where a block id may be.
    pub text_ends: Vec<usize>,
}

/// A Markdown link and the place of its destination.
#[derive(Debug)]
pub(crate) struct Destination {
    pub span: Span,
    pub image: bool,
    /// The text between the brackets; `None` for a definition `[label]: path`.
    pub text: Option<Span>,
    /// The destination without angle brackets.
    pub written: Span,
}

pub(crate) fn outline(body: &str) -> MarkdownOutline {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS;
    let mut events = Parser::new_ext(body, options).into_offset_iter();
    let mut walk = OutlineWalker {
        body,
        containers: 0,
        tables: 0,
        links: vec![],
        text_end: None,
        outline: MarkdownOutline::default(),
    };
    for (event, span) in events.by_ref() {
        walk.step(&event, span);
    }
    walk.end_text();
    let mut outline = walk.outline;

    let definitions = events.reference_definitions().iter();
    let mut definitions: Vec<_> =
        definitions.filter_map(|(_, found)| definition(body, &found.span)).collect();
    definitions.sort_by_key(|definition| definition.span.start);
    outline.links.extend(definitions);
    outline
}

/// Images may nest in the text of images, and each keeps its text, so the depth needs a bound.
const MAX_NESTED_LINKS: usize = 16;

/// Collects the outline from the parser's events.
struct OutlineWalker<'a> {
    body: &'a str,
    /// The number of open quotes, lists and footnotes: a heading inside of one is not a heading of the note.
    containers: usize,
    tables: usize,
    links: Vec<OpenLink>,
    /// The end of the last text seen, while its block continues.
    text_end: Option<usize>,
    outline: MarkdownOutline,
}

struct OpenLink {
    span: Span,
    image: bool,
    /// `[text](destination)`
    inline: bool,
    /// The end of the part of its text seen so far.
    text_end: usize,
}

impl OutlineWalker<'_> {
    fn step(&mut self, event: &Event<'_>, span: Span) {
        match event {
            Event::Start(tag) => self.start(tag, span),
            Event::End(tag) => self.end(*tag, &span),
            Event::Rule => self.end_text(),
            _ => {
                if matches!(
                    event,
                    Event::Code(_)
                        | Event::InlineMath(_)
                        | Event::DisplayMath(_)
                        | Event::InlineHtml(_)
                        | Event::Html(_)
                ) {
                    self.outline.opaque.push(span.clone());
                }
                self.inline_until(span.end);
            }
        }
    }

    /// Records that inline text was seen up to this byte.
    fn inline_until(&mut self, end: usize) {
        self.text_end = Some(end);
        if let Some(link) = self.links.last_mut() {
            link.text_end = end;
        }
    }

    fn start(&mut self, tag: &Tag<'_>, span: Span) {
        match tag {
            Tag::Link { link_type, .. } | Tag::Image { link_type, .. } => {
                let image = matches!(tag, Tag::Image { .. });
                let inline = *link_type == LinkType::Inline && self.links.len() < MAX_NESTED_LINKS;
                let text_end = span.start + if image { 2 } else { 1 };
                self.links.push(OpenLink { span, image, inline, text_end });
                return;
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => return,
            Tag::Heading { level, .. } if self.containers == 0 => {
                self.outline.headings.push((*level as u8, span));
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock => self.outline.opaque.push(span),
            Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_) => self.containers += 1,
            Tag::Table(_) => self.tables += 1,
            _ => {}
        }
        self.end_text();
    }

    fn end(&mut self, tag: TagEnd, span: &Span) {
        match tag {
            TagEnd::Link | TagEnd::Image => return self.end_link(),
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => return self.inline_until(span.end),
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition => self.containers -= 1,
            TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::TableCell => self.text_end = None,
            TagEnd::Table => self.tables -= 1,
            _ => {}
        }
        self.end_text();
    }

    fn end_text(&mut self) {
        if let Some(end) = self.text_end.take()
            && self.tables == 0
        {
            self.outline.text_ends.push(end);
        }
    }

    fn end_link(&mut self) {
        let Some(link) = self.links.pop() else { return };
        self.inline_until(link.span.end);
        let found = if link.inline { inline_destination(self.body, &link) } else { None };
        match found {
            Some(destination) => self.outline.links.push(destination),
            None => self.outline.other_links.push(link.span),
        }
    }
}

fn inline_destination(body: &str, link: &OpenLink) -> Option<Destination> {
    let rest = body.get(link.text_end..link.span.end)?;
    let bracket = link.text_end + rest.find("](")?;
    let written = written_destination(body, bracket + 2..link.span.end)?;
    let text = link.span.start + if link.image { 2 } else { 1 }..bracket;
    Some(Destination { span: link.span.clone(), image: link.image, text: Some(text), written })
}

fn definition(body: &str, span: &Span) -> Option<Destination> {
    let label_end = find_unescaped(body, span.start + 1..span.end, |byte| byte == b']')?;
    let rest = body.get(label_end..span.end)?;
    let written = written_destination(body, label_end + 2..span.end).filter(|_| rest.starts_with("]:"))?;
    Some(Destination { span: span.clone(), image: false, text: None, written })
}

/// The destination that begins in this range after white space, without its angle brackets.
pub(crate) fn written_destination(body: &str, within: Span) -> Option<Span> {
    let text = body.get(within.clone())?;
    let start = within.end - text.trim_start().len();
    if body[start..within.end].starts_with('<') {
        let end = find_unescaped(body, start + 1..within.end, |byte| byte == b'>')?;
        return Some(start + 1..end);
    }
    let mut parentheses = 0usize;
    let end = find_unescaped(body, start..within.end, |byte| match byte {
        b'(' => {
            parentheses += 1;
            false
        }
        b')' if parentheses == 0 => true,
        b')' => {
            parentheses -= 1;
            false
        }
        _ => byte.is_ascii_whitespace(),
    });
    Some(start..end.unwrap_or(within.end))
}

/// The first byte in this range that `wanted` accepts and that has no backslash before it.
fn find_unescaped(body: &str, within: Span, mut wanted: impl FnMut(u8) -> bool) -> Option<usize> {
    let bytes = body.as_bytes();
    let mut at = within.start;
    while at < within.end {
        match bytes[at] {
            b'\\' => at += 2,
            byte if wanted(byte) => return Some(at),
            _ => at += 1,
        }
    }
    None
}
