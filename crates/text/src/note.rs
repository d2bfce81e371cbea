//! All that a note holds, from one reading.

pub(crate) mod frontmatter;
pub(crate) mod links;
pub(crate) mod markdown;
pub(crate) mod mask;
pub(crate) mod resolve;
pub(crate) mod scan;
pub(crate) mod tags;

use std::collections::HashSet;

use crate::note::frontmatter::{frontmatter_links, scalar_text};
use crate::note::links::{markdown_link, wikilinks};
use crate::note::mask::mask;
use crate::note::scan::{Scan, scan};
use crate::note::tags::{tags, tags_of_value};
use crate::span::bom_len;
use crate::{Frontmatter, LineIndex, Link, LinkForm, Span, Tag, fold};

/// What was found in a note's text. Everything is in the order of the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    pub frontmatter: Option<Frontmatter>,
    pub headings: Vec<Heading>,
    pub links: Vec<Link>,
    /// Those of the body. The frontmatter's are among [`Note::all_tags`].
    pub tags: Vec<Tag>,
    pub blocks: Vec<BlockId>,
    /// What of the body is no prose: code, math, HTML and comments. Sorted; ranges may lie in each other.
    pub opaque: Vec<Span>,
    /// Where markdown's links stand that name no file of the vault.
    pub(crate) foreign_links: Vec<Span>,
}

/// A heading of the note itself: not one in a quote, a callout or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    pub level: u8,
    /// As written, without the marks and the white space around it.
    pub text: String,
    pub line: usize,
    /// The whole line with its ending; all lines of an underlined heading.
    pub span: Span,
}

/// `^id` at a block's end, to link to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockId {
    pub id: String,
    pub line: usize,
}

impl Note {
    pub fn parse(text: &str) -> Note {
        let frontmatter = Frontmatter::parse(text);
        let base = frontmatter.as_ref().map_or_else(|| bom_len(text), |found| found.span.end);
        let lines = LineIndex::new(text);
        // Most notes have neither comment nor block math, and need no look for them.
        let body = &text[base..];
        let may_hold = |letter: char, twice: &str| body.contains(letter) && body.contains(twice);
        let scan = if may_hold('%', "%%") || may_hold('$', "$$") { scan(body) } else { Scan::default() };
        let outline = markdown::outline(&mask(body, &scan));
        let shift = |span: &Span| span.start + base..span.end + base;

        let mut opaque: Vec<Span> =
            outline.opaque.iter().chain(&scan.comments).chain(&scan.math).map(shift).collect();
        sort(&mut opaque);

        let mut foreign_links: Vec<Span> = outline.other_links.iter().map(shift).collect();
        let mut markdown_links = vec![];
        for mut found in outline.links {
            found.span = shift(&found.span);
            found.written = shift(&found.written);
            found.text = found.text.as_ref().map(shift);
            match markdown_link(text, &found) {
                Some(link) => markdown_links.push(link),
                None => foreign_links.push(found.span),
            }
        }
        let mut links = body_links(text, base, &opaque, markdown_links);
        links.extend(frontmatter.as_ref().map(|found| frontmatter_links(text, found)).unwrap_or_default());
        links.sort_by_key(|link| (link.span.start, link.span.end));
        for link in &mut links {
            link.line = lines.line_of(link.span.start);
        }
        sort(&mut foreign_links);

        let mut no_tags: Vec<Span> = opaque.iter().chain(&foreign_links).cloned().collect();
        no_tags.extend(links.iter().map(|link| link.span.clone()));
        sort(&mut no_tags);

        let headings =
            outline.headings.iter().map(|(level, span)| heading(text, &lines, *level, &shift(span)));
        // A line that begins inside a comment is no heading, even where the comment ends on it.
        let begins_hidden = |heading: &Heading| {
            let start = heading.span.start.saturating_sub(base);
            is_inside_span(&scan.comments, start) || is_inside_span(&scan.math, start)
        };
        let headings = headings.filter(|heading| !begins_hidden(heading)).collect();

        Note {
            headings,
            tags: tags(text, base..text.len(), &no_tags),
            blocks: outline.text_ends.iter().filter_map(|&end| block_id(text, &lines, end + base)).collect(),
            frontmatter,
            links,
            opaque,
            foreign_links,
        }
    }

    /// Other names of the note, from its frontmatter.
    pub fn aliases(&self) -> Vec<String> {
        let fields = ["aliases", "alias"];
        let values = fields.iter().filter_map(|name| self.frontmatter.as_ref()?.field(name));
        let names = values.flat_map(|value| match value {
            serde_json::Value::Array(items) => items.iter().filter_map(scalar_text).collect(),
            _ => scalar_text(value)
                .map(|text| text.split(',').map(str::to_owned).collect::<Vec<_>>())
                .unwrap_or_default(),
        });
        names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    }

    /// The tags of the frontmatter and of the body, without `#`, each once whatever its case.
    pub fn all_tags(&self) -> Vec<String> {
        let fields = ["tags", "tag"];
        let values = fields.iter().filter_map(|name| self.frontmatter.as_ref()?.field(name));
        let all = values.flat_map(tags_of_value).chain(self.tags.iter().map(|tag| tag.name.clone()));
        let mut seen = HashSet::new();
        all.filter(|name| seen.insert(fold(name))).collect()
    }
}

fn sort(spans: &mut [Span]) {
    spans.sort_by_key(|span| (span.start, span.end));
}

/// Whether one of the spans, which are in order and apart, reaches across this place.
fn is_inside_span(spans: &[Span], at: usize) -> bool {
    spans.get(spans.partition_point(|span| span.end <= at)).is_some_and(|span| span.start < at)
}

/// The links of the body, without line numbers. Where a wikilink and markdown want the same brackets, as in
/// `[[a]](b)`, the wikilink has them.
fn body_links(text: &str, base: usize, opaque: &[Span], markdown: Vec<Link>) -> Vec<Link> {
    let mut closed: Vec<Span> = opaque.to_vec();
    // A destination is no place for a wikilink, but what looks like a definition's may be one.
    closed.extend(
        markdown.iter().filter(|link| link.form == LinkForm::Markdown).map(|link| link.target_span.clone()),
    );
    sort(&mut closed);
    let mut links = wikilinks(text, base..text.len(), &closed);
    let inside = |byte: usize| {
        let next = links.partition_point(|wiki| wiki.span.end <= byte);
        links.get(next).is_some_and(|wiki| wiki.span.start <= byte)
    };
    let rest: Vec<Link> = markdown
        .into_iter()
        .filter(|link| !inside(link.span.start) && !inside(link.target_span.start))
        .collect();
    links.extend(rest);
    links
}

fn heading(text: &str, lines: &LineIndex, level: u8, span: &Span) -> Heading {
    let line = lines.line_of(span.start);
    let last = lines.line_of(text[span.clone()].trim_end().len().saturating_sub(1) + span.start);
    let whole = lines.span(line, last).unwrap_or_else(|| span.clone());
    // A byte-order mark on the heading's line is not the heading's.
    let span = whole.start.max(bom_len(text))..whole.end;
    Heading { level, text: heading_text(&text[span.clone()]), line, span }
}

/// What a heading says: `## SimilarPlace this ##`, or like that with a line of `=` or `-` under it.
pub(crate) fn heading_text(written: &str) -> String {
    let written = written.trim();
    let marks = written.bytes().take_while(|&byte| byte == b'#').count();
    let after = &written[marks..];
    if (1..=6).contains(&marks) && (after.is_empty() || after.starts_with([' ', '\t'])) {
        let content = after.trim();
        let open = content.trim_end_matches('#');
        let closed = open.is_empty() || open.ends_with([' ', '\t']);
        return if closed { open.trim_end() } else { content }.to_owned();
    }
    let content = written.trim_end_matches(['=', '-']);
    content.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn block_id(text: &str, lines: &LineIndex, end: usize) -> Option<BlockId> {
    let line = lines.line_of(end.saturating_sub(1));
    let start = lines.span(line, line)?.start;
    let written = text.get(start..end)?.trim_end();
    let before = written.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '-');
    let id = &written[before.len()..];
    let before = before.strip_suffix('^')?;
    (!id.is_empty() && (before.is_empty() || before.ends_with([' ', '\t', '>'])))
        .then(|| BlockId { id: id.to_owned(), line })
}

#[cfg(test)]
mod tests;
