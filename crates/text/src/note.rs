//! Notes: parsing a Markdown note of an Obsidian vault, and resolving its links.
//!
//! [`Note::parse`] reads frontmatter, headings, links, tags and block ids in one pass. `frontmatter` also edits
//! single fields, `resolve` finds the file that a link points to. `scan` and `mask` hide Obsidian's comments and math
//! from the Markdown parser. `canvas` reads the cards of a canvas, which are notes in a small way, and `prose_fields` the
//! marks of prose in other formats.

pub(crate) mod canvas;
pub(crate) mod frontmatter;
pub(crate) mod links;
pub(crate) mod markdown;
pub(crate) mod mask;
pub(crate) mod prose_fields;
pub(crate) mod resolve;
pub(crate) mod scan;
pub(crate) mod tags;

use std::collections::HashSet;

use crate::note::frontmatter::{frontmatter_links, scalar_text};
use crate::note::links::{markdown_link, wikilinks};
use crate::note::markdown::{Destination, MarkdownOutline};
use crate::note::mask::mask;
use crate::note::scan::{Scan, scan};
use crate::note::tags::{tags, tags_of_value};
use crate::span::bom_len;
use crate::{Frontmatter, LineIndex, Link, LinkForm, Span, Tag, fold};

/// The parsed parts of a note, each list in the order of the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The YAML block at the top.
    pub frontmatter: Option<Frontmatter>,
    /// The headings of the body.
    pub headings: Vec<Heading>,
    /// Links to other files of the vault, those of the frontmatter and of comments included.
    pub links: Vec<Link>,
    /// The tags of the body, those of comments included. [`Note::all_tags`] adds those of the frontmatter.
    pub tags: Vec<Tag>,
    /// The block ids of the body.
    pub blocks: Vec<BlockId>,
    /// The parts of the body that are not prose: code, math, HTML and comments. Sorted; spans may contain each other.
    pub opaque: Vec<Span>,
    /// Markdown links that do not point to a file of the vault.
    pub(crate) foreign_links: Vec<Span>,
}

/// A heading of the note itself: not one inside a quote, a callout or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The level, 1 to 6.
    pub level: u8,
    /// The text as written, without the `#` marks and surrounding white space.
    pub text: String,
    /// The number of the heading's first line, from 1.
    pub line: usize,
    /// The whole line with its ending; for an underlined heading, all its lines.
    pub span: Span,
}

/// `^id` at the end of a block, which links can point to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockId {
    /// The id without `^`.
    pub id: String,
    /// The number of its line, from 1.
    pub line: usize,
}

impl Note {
    /// Parses the whole text of a note.
    pub fn parse(text: &str) -> Note {
        let frontmatter = Frontmatter::parse(text);
        let base = frontmatter.as_ref().map_or_else(|| bom_len(text), |found| found.span.end);
        let lines = LineIndex::new(text);
        // Most notes have neither comments nor math blocks and need no scan.
        let body = &text[base..];
        let may_hold = |letter: char, twice: &str| body.contains(letter) && body.contains(twice);
        let scan = if may_hold('%', "%%") || may_hold('$', "$$") { scan(body) } else { Scan::default() };
        let outline = markdown::outline(&mask(body, &scan));
        let shift = |span: &Span| span.start + base..span.end + base;
        let hidden: Vec<Span> = scan.comments.iter().chain(&scan.math).map(shift).collect();
        let mut found = read_region(text, base..text.len(), &outline, hidden);
        // A comment hides its text from readers, and not its links and tags from Obsidian.
        for comment in &scan.comments {
            found.extend(read_comment(text, &shift(comment)));
        }
        found
            .links
            .extend(frontmatter.as_ref().map(|front| frontmatter_links(text, front)).unwrap_or_default());
        let Region { mut links, mut tags, mut opaque, mut foreign_links } = found;
        sort(&mut opaque);
        sort(&mut foreign_links);
        links.sort_by_key(|link| (link.span.start, link.span.end));
        tags.sort_by_key(|tag| tag.span.start);
        for link in &mut links {
            link.line = lines.line_of(link.span.start);
        }

        let headings =
            outline.headings.iter().map(|(level, span)| heading(text, &lines, *level, &shift(span)));
        // A line that begins inside a comment is not a heading, even if the comment ends on it.
        let begins_hidden = |heading: &Heading| {
            let start = heading.span.start.saturating_sub(base);
            is_inside_span(&scan.comments, start) || is_inside_span(&scan.math, start)
        };
        let headings = headings.filter(|heading| !begins_hidden(heading)).collect();

        Note {
            headings,
            tags,
            blocks: outline.text_ends.iter().filter_map(|&end| block_id(text, &lines, end + base)).collect(),
            frontmatter,
            links,
            opaque,
            foreign_links,
        }
    }

    /// Other names of the note, from the frontmatter fields `aliases` and `alias`.
    pub fn aliases(&self) -> Vec<String> {
        let values = self.fields_named(&["aliases", "alias"]);
        let names = values.flat_map(|value| match value {
            serde_json::Value::Array(items) => items.iter().filter_map(scalar_text).collect(),
            _ => scalar_text(value)
                .map(|text| text.split(',').map(str::to_owned).collect::<Vec<_>>())
                .unwrap_or_default(),
        });
        names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    }

    fn fields_named<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a serde_json::Value> {
        self.frontmatter.iter().flat_map(|front| front.fields_named(names))
    }

    /// The tags of frontmatter and body without `#`, each once; case is ignored.
    pub fn all_tags(&self) -> Vec<String> {
        let values = self.fields_named(&["tags", "tag"]);
        let all = values.flat_map(tags_of_value).chain(self.tags.iter().map(|tag| tag.name.clone()));
        let mut seen = HashSet::new();
        all.filter(|name| seen.insert(fold(name))).collect()
    }
}

fn sort(spans: &mut [Span]) {
    spans.sort_by_key(|span| (span.start, span.end));
}

/// Whether one of the spans, which are sorted and disjoint, extends across this byte.
fn is_inside_span(spans: &[Span], at: usize) -> bool {
    spans.get(spans.partition_point(|span| span.end <= at)).is_some_and(|span| span.start < at)
}

/// The links and tags in one part of a note: the body, or the inside of a comment.
#[derive(Default)]
struct Region {
    /// Without line numbers.
    links: Vec<Link>,
    tags: Vec<Tag>,
    opaque: Vec<Span>,
    foreign_links: Vec<Span>,
}

impl Region {
    fn extend(&mut self, other: Region) {
        self.links.extend(other.links);
        self.tags.extend(other.tags);
        self.opaque.extend(other.opaque);
        self.foreign_links.extend(other.foreign_links);
    }
}

/// Reads the links and tags of a region outside of its `hidden` spans. The outline's spans count from the region's
/// start, all others from the start of the text.
fn read_region(text: &str, within: Span, outline: &MarkdownOutline, hidden: Vec<Span>) -> Region {
    let shift = |span: &Span| span.start + within.start..span.end + within.start;
    let mut opaque: Vec<Span> = outline.opaque.iter().map(shift).chain(hidden).collect();
    sort(&mut opaque);
    let mut foreign_links: Vec<Span> = outline.other_links.iter().map(shift).collect();
    let mut markdown_links = vec![];
    for found in &outline.links {
        let found = Destination {
            span: shift(&found.span),
            image: found.image,
            text: found.text.as_ref().map(shift),
            written: shift(&found.written),
        };
        match markdown_link(text, &found) {
            Some(link) => markdown_links.push(link),
            None => foreign_links.push(found.span),
        }
    }
    let links = region_links(text, within.clone(), &opaque, markdown_links);
    let mut no_tags: Vec<Span> = opaque.iter().chain(&foreign_links).cloned().collect();
    no_tags.extend(links.iter().map(|link| link.span.clone()));
    sort(&mut no_tags);
    let tags = tags(text, within, &no_tags);
    Region { links, tags, opaque, foreign_links }
}

/// The links and tags inside a `%%comment%%`, which is read as Markdown of its own.
fn read_comment(text: &str, comment: &Span) -> Region {
    let end = if comment.len() >= 4 && text[comment.clone()].ends_with("%%") {
        comment.end - 2
    } else {
        comment.end
    };
    let within = comment.start + 2..end;
    let Some(inner) = text.get(within.clone()).filter(|inner| inner.contains(['[', '#'])) else {
        return Region::default();
    };
    let outline = markdown::outline(&mask(inner, &Scan::default()));
    read_region(text, within, &outline, vec![])
}

/// The links of a region, without line numbers. If a wikilink and a Markdown link share brackets, as in `[[a]](b)`,
/// the wikilink wins.
fn region_links(text: &str, within: Span, opaque: &[Span], markdown: Vec<Link>) -> Vec<Link> {
    let mut closed: Vec<Span> = opaque.to_vec();
    // A destination cannot contain a wikilink, but what looks like a link definition may be one.
    closed.extend(
        markdown.iter().filter(|link| link.form == LinkForm::Markdown).map(|link| link.target_span.clone()),
    );
    sort(&mut closed);
    let mut links = wikilinks(text, within, &closed);
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
    // A byte-order mark on the heading's line is not part of the heading.
    let span = whole.start.max(bom_len(text))..whole.end;
    Heading { level, text: heading_text(&text[span.clone()]), line, span }
}

/// The text of a heading: `## Like this ##`, or text underlined with `=` or `-`.
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
