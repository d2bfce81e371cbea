//! Finds the web addresses of a text: links, and bare addresses outside of code.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::Span;

/// A web address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The whole link, its text included.
    pub span: Span,
    /// The address.
    pub url: String,
}

/// Finds all web addresses, in the order of the text.
pub fn find_addresses(text: &str) -> Vec<Address> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let (mut found, mut in_link, mut in_code) = (Vec::new(), 0_usize, 0_usize);
    for (event, span) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                in_link += 1;
                if is_web(&dest_url) {
                    found.push(Address { span, url: dest_url.into_string() });
                }
            }
            Event::End(TagEnd::Link) => in_link -= 1,
            Event::Start(Tag::CodeBlock(_)) => in_code += 1,
            Event::End(TagEnd::CodeBlock) => in_code -= 1,
            Event::Text(_) if in_link == 0 && in_code == 0 => collect_bare_addresses(text, span, &mut found),
            _ => {}
        }
    }
    found
}

fn is_web(url: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(scheme))
            && url.len() > scheme.len()
    })
}

/// Finds bare addresses in running text: up to white space, without the punctuation of the sentence.
fn collect_bare_addresses(text: &str, within: Span, found: &mut Vec<Address>) {
    let ends = |letter: char| letter.is_whitespace() || "<>\"`()[]{}|\\^".contains(letter);
    let mut at = within.start;
    while let Some(offset) = text[at..within.end].find("http") {
        let start = at + offset;
        let rest = &text[start..within.end];
        let end = rest.find(ends).unwrap_or(rest.len());
        let url = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_']);
        let joined = text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
        at = start + 4;
        if is_web(url) && !joined {
            at = start + url.len();
            found.push(Address { span: start..at, url: url.to_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_addresses_by_themselves_are_found_where_they_stand() {
        let text = "See [wax](https://wax.org/a_(b) \"t\"), <http://b.org/>, https://c.org/x?y=1. [n](note.md) `https://d.org` \
                    xhttps://e.org http:// mailto:a@b.c\n\n    https://in.code\n\n[r][ref]\n\n[ref]: HTTPS://f.org/\n";
        let found = find_addresses(text);
        let seen: Vec<(&str, &str)> =
            found.iter().map(|address| (&text[address.span.clone()], address.url.as_str())).collect();
        assert_eq!(
            seen,
            [
                ("[wax](https://wax.org/a_(b) \"t\")", "https://wax.org/a_(b)"),
                ("<http://b.org/>", "http://b.org/"),
                ("https://c.org/x?y=1", "https://c.org/x?y=1"),
                ("[r][ref]", "HTTPS://f.org/"),
            ]
        );
    }
}
