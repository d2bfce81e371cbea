//! Finds `[[wikilinks]]` and `![[embeds]]`.

use super::{Link, LinkForm};
use crate::Span;

/// The links in `within` that do not begin in an `opaque` span; these are sorted by their starts.
///
/// A link takes precedence over code or math that begins inside of it, as in `[[US$]] and [[A$]]`. Its line is left
/// at 0.
pub(crate) fn wikilinks(text: &str, within: Span, opaque: &[Span]) -> Vec<Link> {
    let mut links = vec![];
    let mut opaque = opaque.iter().peekable();
    let mut at = within.start;
    while let Some(found) = text[at..within.end].find("[[") {
        let open = at + found;
        let mut covered_to = open;
        while let Some(span) = opaque.next_if(|span| span.start <= open) {
            covered_to = covered_to.max(span.end);
        }
        if covered_to > open {
            at = covered_to.min(within.end);
            continue;
        }
        match wikilink(text, open, within.end) {
            Ok(link) => {
                at = link.span.end;
                // A span that begins inside a link is not opaque.
                while opaque.next_if(|span| span.start < at).is_some() {}
                links.push(link);
            }
            Err(next) => at = next,
        }
    }
    links
}

/// The link that opens here, or the position at which to search for the next one.
fn wikilink(text: &str, open: usize, end: usize) -> Result<Link, usize> {
    let bytes = text.as_bytes();
    let inner_start = open + 2;
    if bytes.get(inner_start) == Some(&b'[') || is_escaped(bytes, open) {
        return Err(open + 1);
    }
    let close = find_closing(bytes, inner_start, end)?;
    let inner = inner_start..close;
    let pieces = pieces(&text[inner.clone()]);
    let target = trim_span(text, &inner, &pieces.target);
    let subpath = pieces.subpath.map(|part| &text[trim_span(text, &inner, &part)]);
    let alias = pieces.alias.map(|part| &text[trim_span(text, &inner, &part)]);
    let named = &text[target.clone()];
    if named.contains(['[', ']', '\0']) || named.contains("://") {
        return Err(close);
    }
    if named.is_empty() && subpath.is_none_or(str::is_empty) {
        return Err(close);
    }
    let embed = open > 0 && bytes[open - 1] == b'!' && !is_escaped(bytes, open - 1);
    Ok(Link {
        form: LinkForm::Wiki,
        embed,
        in_frontmatter: false,
        target: named.to_owned(),
        subpath: subpath.map(str::to_owned),
        alias: alias.filter(|alias| !alias.is_empty()).map(str::to_owned),
        span: open - usize::from(embed)..close + 2,
        target_span: target,
        line: 0,
    })
}

/// The position of `]]`. A line break or another `[[` before it means that there is no link: the error is where to
/// continue.
fn find_closing(bytes: &[u8], start: usize, end: usize) -> Result<usize, usize> {
    let mut at = start;
    while at < end {
        match (bytes[at], bytes.get(at + 1)) {
            (b'\n', _) => return Err(at),
            (b'[', Some(b'[')) => return Err(at),
            (b']', Some(b']')) if at + 1 < end => return Ok(at),
            _ => at += 1,
        }
    }
    Err(end)
}

/// Whether an odd number of backslashes precedes this byte.
fn is_escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// The parts between the brackets, as ranges of that text.
struct WikilinkParts {
    target: Span,
    subpath: Option<Span>,
    alias: Option<Span>,
}

/// Splits `target#subpath|alias`. In a table the `|` is written `\|`, and the backslash belongs to it.
fn pieces(inner: &str) -> WikilinkParts {
    let pipe = inner.find('|');
    let head = pipe.map_or(inner.len(), |at| if inner[..at].ends_with('\\') { at - 1 } else { at });
    let hash = inner[..head].find('#');
    WikilinkParts {
        target: 0..hash.unwrap_or(head),
        subpath: hash.map(|at| at + 1..head),
        alias: pipe.map(|at| at + 1..inner.len()),
    }
}

/// A part of the inner text, trimmed, as a span of the whole text.
fn trim_span(text: &str, inner: &Span, part: &Span) -> Span {
    let start = inner.start + part.start;
    let written = &text[start..inner.start + part.end];
    let start = start + (written.len() - written.trim_start().len());
    start..start + written.trim().len()
}
