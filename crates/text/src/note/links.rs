//! Links from a note to other files of the vault, in Obsidian's three forms, and the cards of a canvas.

mod encoding;
mod wiki;

pub(crate) use encoding::{decode, encode};
pub(crate) use wiki::wikilinks;

use crate::Span;
use crate::note::markdown::Destination;

/// The syntax of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkForm {
    /// `[[note]]`
    Wiki,
    /// `[text](note.md)`
    Markdown,
    /// `[label]: note.md`
    Reference,
    /// The path of a canvas's file card, from the vault's root.
    Card,
}

/// A link to a file of the vault. Links to the web are not included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The syntax of the link.
    pub form: LinkForm,
    /// Whether it is an embed: `![[…]]` or `![…](…)`.
    pub embed: bool,
    /// Whether the link is in the frontmatter.
    pub in_frontmatter: bool,
    /// The decoded path without the subpath. Empty for `[[#heading of this note]]`.
    pub target: String,
    /// The part after the first `#`: `heading`, `a#b`, `^block`.
    pub subpath: Option<String>,
    /// The displayed text: after the `|`, or between the brackets.
    pub alias: Option<String>,
    /// The whole link.
    pub span: Span,
    /// The path as written: still encoded, without angle brackets, without the subpath.
    pub target_span: Span,
    /// The number of the link's line, from 1.
    pub line: usize,
}

/// The link that a Markdown destination makes, if it names a file. Its line is left at 0.
pub(crate) fn markdown_link(text: &str, found: &Destination) -> Option<Link> {
    let written = &text[found.written.clone()];
    if is_external(written) {
        return None;
    }
    let (path, subpath) = match split_subpath(written) {
        Some(at) => (&written[..at], Some(decode(&written[at + 1..]))),
        None => (written, None),
    };
    let target = decode(path);
    if target.is_empty() && subpath.as_deref().is_none_or(str::is_empty) {
        return None;
    }
    let start = found.written.start;
    let alias = found.text.clone().map(|span| text[span].to_owned());
    Some(Link {
        form: if found.text.is_some() { LinkForm::Markdown } else { LinkForm::Reference },
        embed: found.image,
        in_frontmatter: false,
        target,
        subpath,
        alias: alias.filter(|alias| !alias.is_empty()),
        span: found.span.clone(),
        target_span: start..start + path.len(),
        line: 0,
    })
}

/// Whether a destination leads out of the vault: it has a scheme or names a host.
pub(crate) fn is_external(destination: &str) -> bool {
    if destination.starts_with("//") {
        return true;
    }
    let scheme =
        destination.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte)).count();
    destination.starts_with(|first: char| first.is_ascii_alphabetic())
        && destination[scheme..].starts_with(':')
}

/// The position of the subpath's `#` in a destination.
fn split_subpath(written: &str) -> Option<usize> {
    let bytes = written.as_bytes();
    (0..bytes.len()).find(|&at| bytes[at] == b'#' && (at == 0 || bytes[at - 1] != b'\\'))
}
