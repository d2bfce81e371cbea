//! Closes blocks that a text leaves open, so that they cannot swallow the text after it.

use crate::note::scan::{OpenBlock, scan};
use crate::span::bom_len;
use crate::{Note, line_ending};

/// Appends the closing line if the text leaves a code fence, a comment or an HTML block open.
///
/// The line scanner knows fences, the containers around them, and comments; the Markdown parser knows all other open
/// blocks and decides.
pub fn close_open_blocks(text: &str) -> String {
    let closed = match scan(&text[bom_len(text)..]).open {
        None => text.to_owned(),
        Some(OpenBlock::Fence(fence)) => append_line(text, &fence.closing_line()),
        Some(OpenBlock::Comment) => append_line(text, "%%"),
        Some(OpenBlock::Html) => append_line(text, "-->"),
    };
    if find_closer(&closed).is_none() {
        return closed;
    }
    match find_closer(text) {
        Some(closing) => append_line(text, &closing),
        None => text.to_owned(),
    }
}

/// Appends a line. A missing final newline stays missing.
fn append_line(text: &str, line: &str) -> String {
    let eol = line_ending(text);
    if text.ends_with('\n') { format!("{text}{line}{eol}") } else { format!("{text}{eol}{line}") }
}

/// The line that closes the block which would swallow a heading after the text; `None` if there is no such block.
fn find_closer(text: &str) -> Option<String> {
    // Starts with a line break: the text has no frontmatter, though it may begin with a rule.
    let probe = format!("\n{}\n\n# next", &text[bom_len(text)..]);
    let note = Note::parse(&probe);
    if note.headings.last().is_some_and(|heading| heading.span.end == probe.len()) {
        return None;
    }
    let start = note.opaque.iter().filter(|span| span.end == probe.len()).map(|span| span.start).min()?;
    let opening: String = probe[start..].trim_start().chars().take(16).collect();
    let opening = opening.to_ascii_lowercase();
    if let Some(mark) = opening.chars().next().filter(|mark| matches!(mark, '`' | '~')) {
        let block = probe[start..].trim_start();
        return Some(block.chars().take_while(|&letter| letter == mark).collect());
    }
    let closings = [
        ("<!--", "-->"),
        ("<?", "?>"),
        ("<![cdata[", "]]>"),
        ("<!", ">"),
        ("<script", "</script>"),
        ("<pre", "</pre>"),
        ("<style", "</style>"),
        ("<textarea", "</textarea>"),
    ];
    closings.iter().find(|(open, _)| opening.starts_with(open)).map(|&(_, close)| close.to_owned())
}

#[cfg(test)]
mod tests;
