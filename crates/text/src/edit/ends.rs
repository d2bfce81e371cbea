//! Adds text at the beginning or the end of a note.

use crate::note::scan::list_mark;
use crate::span::{bom_len, with_line_ending};
use crate::{Frontmatter, Splice, line_ending};

/// Appends content on its own lines. A missing final newline stays missing.
///
/// A blank line separates the two if they would merge otherwise: prose after a list or a quote would become part of
/// it, and a rule under a paragraph would turn it into a heading. A list item after a list continues the list.
///
/// Nothing is closed: if the note leaves a fence or a comment open, the content becomes part of it, as if the user
/// typed it there.
pub fn append(text: &str, content: &str) -> Splice {
    let eol = line_ending(text);
    let end = text.len();
    let content = fit_content(content, eol);
    let gap = if would_run_together(text, &content) { eol } else { "" };
    let text = if content.is_empty() {
        String::new()
    } else if end == bom_len(text) || text.ends_with('\n') {
        format!("{gap}{content}{eol}")
    } else {
        format!("{eol}{gap}{content}")
    };
    Splice { span: end..end, text }
}

/// Whether the first line of the content would change the meaning of the text's last line, or become part of it.
fn would_run_together(text: &str, content: &str) -> bool {
    let last = text.trim_end_matches(['\r', '\n']).rsplit('\n').next().unwrap_or_default();
    let first = content.lines().next().unwrap_or_default();
    if last.trim().is_empty() || text.ends_with("\n\n") || text.ends_with("\n\r\n") {
        return false;
    }
    let underline = ["-", "="].iter().any(|mark| first.trim().chars().all(|c| mark.contains(c)));
    if underline && !first.trim().is_empty() {
        return true;
    }
    let in_block = |line: &str| line.starts_with([' ', '\t', '>']) || list_mark(line).is_some();
    in_block(last) && !in_block(first) && !first.starts_with(['#', '`', '~', '|', '<'])
}

/// Inserts content before the body: after the frontmatter and a blank line, or at the very top. A blank line follows.
pub fn prepend(text: &str, content: &str) -> Splice {
    let eol = line_ending(text);
    let content = fit_content(content, eol);
    let frontmatter = Frontmatter::parse(text);
    let after = frontmatter.as_ref().map_or_else(|| bom_len(text), |found| found.span.end);
    let body = &text[after..];
    if content.is_empty() {
        return Splice { span: after..after, text: String::new() };
    }
    let before = match &frontmatter {
        // A rule at the very top would open a frontmatter, which the next rule of the body would close.
        None if content.starts_with("---") && !body.trim().is_empty() => eol.to_owned(),
        None => String::new(),
        Some(_) if text[..after].ends_with('\n') => eol.to_owned(),
        Some(_) => format!("{eol}{eol}"),
    };
    let follows = if body.trim().is_empty() {
        // Nothing follows. A frontmatter without a final newline leaves the note without one.
        let ends_open = frontmatter.is_some() && !text[..after].ends_with('\n');
        if ends_open { String::new() } else { eol.to_owned() }
    } else if body.starts_with(['\r', '\n']) {
        eol.to_owned()
    } else {
        format!("{eol}{eol}")
    };
    Splice { span: after..after, text: format!("{before}{content}{follows}") }
}

/// The content with the note's line ending and without line breaks at both ends.
pub(crate) fn fit_content(content: &str, eol: &str) -> String {
    let content = content.strip_prefix(crate::BOM).unwrap_or(content);
    let leading = content.len() - content.trim_start_matches(['\r', '\n']).len();
    with_line_ending(content[leading..].trim_end_matches(['\r', '\n']), eol)
}

#[cfg(test)]
mod tests;
