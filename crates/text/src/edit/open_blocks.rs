//! Closes what a text leaves open, so that it cannot swallow what comes after.

use crate::note::scan::{OpenBlock, scan};
use crate::span::bom_len;
use crate::{Note, line_ending};

/// Appends the closing line where the text leaves a code fence, a comment or a block of HTML open.
///
/// The line scanner knows fences, the containers they stand in, and comments; the markdown parser knows all else that
/// can be left open, and has the last word.
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

/// Adds a line. A missing last newline stays missing.
fn append_line(text: &str, line: &str) -> String {
    let eol = line_ending(text);
    if text.ends_with('\n') { format!("{text}{line}{eol}") } else { format!("{text}{eol}{line}") }
}

/// What would close the block that swallows a heading put after the text, if one does.
fn find_closer(text: &str) -> Option<String> {
    // The line break at its top: a text that goes into a note has no frontmatter, though it may begin with a rule.
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
