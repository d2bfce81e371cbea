//! Links in the frontmatter: `up: "[[Note]]"`.

use super::lexer::{ScalarStyle, styled_spans};
use super::{Frontmatter, yaml};
use crate::note::links::{is_external, markdown_link, wikilinks};
use crate::note::markdown::Destination;
use crate::{Link, Span};

/// Finds wikilinks everywhere and Markdown links in quoted and block text, none in comments. Lines are left at 0.
pub(crate) fn frontmatter_links(text: &str, frontmatter: &Frontmatter) -> Vec<Link> {
    let inner = &frontmatter.inner;
    let styled = styled_spans(text, inner);
    let comments: Vec<Span> = styled
        .iter()
        .filter(|(_, style)| *style == ScalarStyle::Comment)
        .map(|(span, _)| span.clone())
        .collect();
    let mut links = wikilinks(text, inner.clone(), &comments);
    for (span, style) in &styled {
        if *style != ScalarStyle::Comment {
            links.extend(markdown_links(text, span));
        }
    }
    links.sort_by_key(|link| link.span.start);
    let mut styles = styled.iter().peekable();
    for link in &mut links {
        link.in_frontmatter = true;
        while styles.next_if(|(span, _)| span.end <= link.span.start).is_some() {}
        let style = styles.peek().filter(|(span, _)| span.start <= link.span.start).map(|(_, style)| *style);
        let style = style.unwrap_or(ScalarStyle::Plain);
        link.target = unescape_scalar(&link.target, style);
        link.subpath = link.subpath.take().map(|subpath| unescape_scalar(&subpath, style));
        link.alias = link.alias.take().map(|alias| unescape_scalar(&alias, style));
    }
    links
}

/// The meaning of a part of a quoted scalar.
fn unescape_scalar(written: &str, style: ScalarStyle) -> String {
    match style {
        ScalarStyle::Single => written.replace("''", "'"),
        ScalarStyle::Double if written.contains('\\') => {
            let read = yaml::parse(&format!("k: \"{written}\"")).ok();
            let value = read.and_then(|fields| fields.map.get("k")?.as_str().map(str::to_owned));
            value.unwrap_or_else(|| written.to_owned())
        }
        _ => written.to_owned(),
    }
}

/// Finds `[text](path)` on one line, without the finer rules of Markdown.
fn markdown_links(text: &str, within: &Span) -> Vec<Link> {
    let mut links = vec![];
    let mut at = within.start;
    while let Some(found) = text[at..within.end].find("](") {
        let middle = at + found;
        let open = text[at..middle].rfind(['[', '\n']).map(|offset| at + offset);
        at = middle + 2;
        let Some(open) = open.filter(|&open| text[open..].starts_with('[')) else { continue };
        let line_rest = &text[middle + 2..within.end];
        let line_rest = &line_rest[..line_rest.find('\n').unwrap_or(line_rest.len())];
        // Whoever writes links into frontmatter encodes parentheses inside a path.
        let Some(close) = line_rest.find(')') else { continue };
        let written = middle + 2..middle + 2 + close;
        if text[written.clone()].contains([' ', '"', '<']) || is_external(&text[written.clone()]) {
            continue;
        }
        at = written.end + 1;
        let image = open > within.start && text.as_bytes()[open - 1] == b'!';
        let span = open - usize::from(image)..at;
        links
            .extend(markdown_link(text, &Destination { span, image, text: Some(open + 1..middle), written }));
    }
    links
}
