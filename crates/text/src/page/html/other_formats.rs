//! Reads pages that are not HTML: Markdown and plain text.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::blocks::{BlockKind, Inline, PageBlock, TextLine};
use super::{ReadablePage, markdown, meta, plain};
use crate::Frontmatter;

/// Reads a Markdown page. Its HTML is parsed, so that hidden parts are removed, and its links are resolved.
pub fn read_markdown_page(text: &str, url: Option<&str>) -> ReadablePage {
    let text = text.trim_start_matches('\u{feff}');
    let front = Frontmatter::parse(text);
    let body = front.as_ref().map_or(0, |front| front.span.end);
    let field =
        |name: &str| front.as_ref()?.field(name)?.as_str().and_then(|value| meta::to_single_line(value, 300));
    let mut page = super::read_document(&markdown_to_html(&text[body..]), url, false);
    page.title = field("title").or(page.title);
    page.author = field("author");
    page.date = field("date");
    page.language = field("lang").or_else(|| field("language"));
    page
}

/// Reads a plain-text page: paragraphs stay as they are, and text laid out with spaces keeps its layout.
pub fn read_text_page(text: &str) -> ReadablePage {
    let (seen, _) = crate::strip_hidden(text);
    let mut blocks = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let lines = seen.lines().map(|line| line.trim_end_matches(['\r', '\u{c}', ' ', '\t']));
    for line in lines.chain([""]) {
        if !line.trim().is_empty() {
            open.push(line);
        } else if !open.is_empty() {
            let within = Vec::new();
            blocks.push(PageBlock { within, kind: paragraph(&std::mem::take(&mut open)) });
        }
    }
    ReadablePage {
        markdown: markdown::render_markdown(&blocks),
        text: plain::render_plain(&blocks),
        ..ReadablePage::default()
    }
}

/// Reads text whose paragraphs are single lines separated by blank lines.
pub(crate) fn read_paragraphs(text: &str) -> ReadablePage {
    let lines = text.split("\n\n").map(str::trim).filter(|line| !line.is_empty());
    let line = |text: &str| TextLine(vec![Inline::Text(text.to_owned())]);
    let blocks: Vec<PageBlock> =
        lines.map(|text| PageBlock { within: Vec::new(), kind: BlockKind::Paragraph(line(text)) }).collect();
    ReadablePage {
        markdown: markdown::render_markdown(&blocks),
        text: plain::render_plain(&blocks),
        ..ReadablePage::default()
    }
}

fn paragraph(lines: &[&str]) -> BlockKind {
    let is_laid_out = |line: &&str| {
        line.starts_with('\t')
            || line.starts_with("    ")
            || line.trim().contains("   ")
            || line.trim().contains('\t')
    };
    if lines.iter().any(is_laid_out) {
        return BlockKind::Code { language: String::new(), text: lines.join("\n") };
    }
    let texts = lines.iter().map(|line| Inline::Text(line.trim().to_owned()));
    let line = texts.flat_map(|text| [Inline::Break, text]).skip(1);
    BlockKind::Paragraph(TextLine(line.collect()))
}

/// Renders Markdown as HTML, limited to the blocks that pages are made of.
fn markdown_to_html(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut out = String::new();
    let mut images = 0;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            _ if images > 0 => {}
            Event::Start(tag) => open(&mut out, &tag),
            Event::End(tag) => out.push_str(&format!("</{}>", name(tag))),
            Event::Text(text) => escape(&mut out, &text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                out.push_str("<code>");
                escape(&mut out, &text);
                out.push_str("</code>");
            }
            Event::Html(html) | Event::InlineHtml(html) => out.push_str(&html),
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => out.push_str("<br>"),
            Event::Rule => out.push_str("<hr>"),
            Event::FootnoteReference(label) => escape(&mut out, &format!("[{label}]")),
            Event::TaskListMarker(_) => {}
        }
    }
    out
}

fn open(out: &mut String, tag: &Tag<'_>) {
    let attribute = |out: &mut String, name: &str, value: &CowStr<'_>| {
        out.push_str(&format!(" {name}=\""));
        escape(out, value);
        out.push('"');
    };
    out.push('<');
    out.push_str(name(tag.to_end()));
    match tag {
        Tag::Link { dest_url, .. } => attribute(out, "href", dest_url),
        Tag::List(Some(start)) => attribute(out, "start", &start.to_string().into()),
        Tag::CodeBlock(CodeBlockKind::Fenced(language)) => {
            let language = language.split_whitespace().next().unwrap_or_default();
            attribute(out, "class", &format!("language-{language}").into());
        }
        _ => {}
    }
    out.push('>');
    // A parser drops the first line break.
    if matches!(tag, Tag::CodeBlock(_)) {
        out.push('\n');
    }
}

fn name(tag: TagEnd) -> &'static str {
    match tag {
        TagEnd::Paragraph => "p",
        TagEnd::Heading(level) => match level {
            HeadingLevel::H1 => "h1",
            HeadingLevel::H2 => "h2",
            HeadingLevel::H3 => "h3",
            HeadingLevel::H4 => "h4",
            HeadingLevel::H5 => "h5",
            HeadingLevel::H6 => "h6",
        },
        TagEnd::BlockQuote(_) => "blockquote",
        TagEnd::CodeBlock => "pre",
        TagEnd::List(true) => "ol",
        TagEnd::List(false) => "ul",
        TagEnd::Item => "li",
        TagEnd::Table => "table",
        TagEnd::TableHead | TagEnd::TableRow => "tr",
        TagEnd::TableCell => "td",
        TagEnd::Link => "a",
        TagEnd::Emphasis => "em",
        TagEnd::Strong => "strong",
        TagEnd::Strikethrough => "s",
        _ => "div",
    }
}

fn escape(out: &mut String, text: &str) {
    super::clean::push_escaped(out, text);
}
