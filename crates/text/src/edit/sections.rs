//! Finds, replaces and extends the section under a heading.
//!
//! Uses the headings of [`Note`]: a `#` inside a fence, a comment or a quote is not a heading.

use unicode_normalization::UnicodeNormalization;

use crate::edit::ends::fit_content;
use crate::{EditError, Heading, Note, Span, Splice, line_ending};

/// Error messages list at most this many headings.
const LISTED: usize = 30;

/// A heading and the text below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub heading: Heading,
    /// Heading and body, up to the next heading of the same or a higher level, or to the end.
    pub span: Span,
}

/// Parses a heading given as `## Research` into level and text.
pub fn parse_heading(written: &str) -> Result<(u8, String), EditError> {
    let written = written.trim();
    let level = written.bytes().take_while(|&byte| byte == b'#').count();
    let text = &written[level..];
    if level == 0 {
        return Err(EditError::invalid(format!(
            "a heading is given with its marks, such as `## {}`",
            if written.is_empty() { "Research" } else { written }
        )));
    }
    if level > 6 || !(text.is_empty() || text.starts_with([' ', '\t'])) || text.contains(['\n', '\r']) {
        return Err(EditError::invalid(format!(
            "`{written}` is not a heading: one to six `#`, a space, and its text"
        )));
    }
    Ok((level as u8, crate::note::heading_text(written)))
}

/// Finds the only section with this heading: same level, and the same text apart from case and white space.
pub fn find_section(text: &str, heading: &str) -> Result<Section, EditError> {
    let (level, wanted) = parse_heading(heading)?;
    let headings = Note::parse(text).headings;
    let wanted = heading_key(&wanted);
    let mut found = (0..headings.len())
        .filter(|&at| headings[at].level == level && heading_key(&headings[at].text) == wanted);
    let Some(index) = found.next() else { return Err(not_found_error(heading, &headings)) };
    let others: Vec<usize> = found.collect();
    if !others.is_empty() {
        let lines = std::iter::once(index).chain(others).take(LISTED).map(|at| headings[at].line.to_string());
        let lines = lines.collect::<Vec<_>>().join(", ");
        return Err(EditError::ambiguous(format!(
            "the heading `{}` appears more than once, on lines {lines}",
            heading.trim()
        )));
    }
    let next = headings[index + 1..].iter().find(|next| next.level <= level);
    let end = next.map_or(text.len(), |next| next.span.start);
    let heading = headings[index].clone();
    Ok(Section { span: heading.span.start..end, heading })
}

/// Replaces a heading and its body with the content.
///
/// The content may begin with a heading of its own or not, or be empty. If another heading follows, one blank line
/// stays before it; otherwise the end of the note stays as it was.
pub fn replace_section(text: &str, heading: &str, content: &str) -> Result<Splice, EditError> {
    let section = find_section(text, heading)?;
    let eol = line_ending(text);
    let content = fit_content(content, eol);
    let is_last = section.span.end == text.len();
    let replacement = if content.is_empty() {
        String::new()
    } else if is_last {
        let ending = if text.ends_with('\n') { eol } else { "" };
        format!("{content}{ending}")
    } else {
        format!("{content}{eol}{eol}")
    };
    if is_last && content.is_empty() && !text.ends_with('\n') {
        // Remove the line break before the heading too; otherwise a missing final newline would appear.
        let before = text[..section.span.start].trim_end_matches(['\n', '\r']).len();
        let start = if before == 0 { section.span.start } else { before };
        return Ok(Splice { span: start..text.len(), text: replacement });
    }
    Ok(Splice { span: section.span, text: replacement })
}

/// Appends the content to a section, after a blank line.
///
/// The blank lines at the end of the section come after the content, so that the next heading keeps its distance; a
/// heading without one gets one. If the section leaves a fence or a comment open, the content becomes part of it.
pub fn append_to_section(text: &str, heading: &str, content: &str) -> Result<Splice, EditError> {
    let section = find_section(text, heading)?;
    let eol = line_ending(text);
    let content = fit_content(content, eol);
    let body = text[section.span.clone()].trim_end_matches(['\n', '\r', ' ', '\t']);
    // The last line of text keeps its own ending, trailing white space included.
    let body_end = section.span.start + body.len();
    let body_end =
        text[body_end..section.span.end].find(['\r', '\n']).map_or(section.span.end, |at| body_end + at);
    if content.is_empty() {
        return Ok(Splice { span: body_end..body_end, text: String::new() });
    }
    let rest = &text[body_end..section.span.end];
    let has_blank_line = rest.matches('\n').count() > 1;
    let distance = if section.span.end < text.len() && !has_blank_line { eol } else { "" };
    Ok(Splice { span: body_end..body_end, text: format!("{eol}{eol}{content}{distance}") })
}

fn not_found_error(heading: &str, headings: &[Heading]) -> EditError {
    if headings.is_empty() {
        return EditError::not_found(format!("no heading `{}`: the note has no headings", heading.trim()));
    }
    let listed = headings
        .iter()
        .take(LISTED)
        .map(|found| format!("`{} {}`", "#".repeat(found.level.into()), found.text));
    let listed = listed.collect::<Vec<_>>().join(", ");
    let more = headings.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    EditError::not_found(format!("no heading `{}`; the note has {listed}{more}", heading.trim()))
}

/// The form in which headings are compared: case, composition and the amount of white space are ignored.
fn heading_key(text: &str) -> String {
    let folded: String = text.nfc().flat_map(char::to_lowercase).nfc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
