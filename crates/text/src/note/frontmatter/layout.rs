//! The place of a field in the text: its lines, its value, and what is kept when the value changes.

use super::lexer::{ScalarStyle, styled_spans};
use super::{Fields, Frontmatter, yaml};
use crate::{EditError, LineIndex, Span};

/// The place of a field. All offsets are those of the whole text.
#[derive(Debug)]
pub(super) struct FieldPlace {
    /// From the start of the key's line to the end of the value's last line, its ending included. Comments and blank
    /// lines after the value do not belong to it and stay.
    pub lines: Span,
    /// From after the colon to the end of the last line, without its ending.
    pub value: Span,
    /// The comment at the end of the key's line, with the white space before it.
    pub comment: Option<Span>,
    /// The white space before the key.
    pub indent: String,
}

/// The place of an existing field, or why it cannot be changed.
pub(super) fn place(
    text: &str,
    frontmatter: &Frontmatter,
    fields: &Fields,
    name: &str,
) -> Result<FieldPlace, EditError> {
    let refuse =
        |why: &str| EditError::refused(format!("the field `{name}` cannot be changed safely: {why}"));
    let inner = &frontmatter.inner;
    let lines = LineIndex::new(&text[inner.clone()]);
    let line_at = |line: usize| lines.span(line, line).map(|span| inner.start + span.start);

    let index =
        fields.keys.iter().position(|key| key.name == name).ok_or_else(|| refuse("its key was not found"))?;
    let key = &fields.keys[index];
    let start = line_at(key.line).ok_or_else(|| refuse("its key was not found"))?;
    let indent: String = text[start..].chars().take(key.column.saturating_sub(1)).collect();
    if !indent.bytes().all(|byte| byte == b' ') {
        return Err(refuse("its key does not begin its line"));
    }
    let next = fields.keys.get(index + 1).map(|next| next.line);
    if next == Some(key.line) {
        return Err(refuse("it shares its line with another"));
    }
    let next = next.and_then(line_at).unwrap_or(inner.end);
    let end = value_end(text, inner, start..next, fields);

    let colon = colon(text, start + indent.len(), end)
        .ok_or_else(|| refuse("its key is written in an unusual way"))?;
    let first_line = start..text[start..end].find('\n').map_or(end, |at| start + at);
    let comment = styled_spans(text, inner)
        .into_iter()
        .find(|(span, style)| {
            *style == ScalarStyle::Comment && span.start > colon && first_line.contains(&span.start)
        })
        .map(|(span, _)| text[..span.start].trim_end().len()..span.end);
    let value_end = start + text[start..end].trim_end_matches(['\n', '\r']).len();
    Ok(FieldPlace { lines: start..end, value: colon..value_end.max(colon), comment, indent })
}

/// The bytes of each item of a list whose items begin on lines of their own. Blank lines and comments behind an item do not
/// belong to it. `None` if the list, which has `count` items, is written in another way: in brackets, or with an anchor.
pub(super) fn list_items(text: &str, place: &FieldPlace, count: usize) -> Option<Vec<Span>> {
    let mut items: Vec<Span> = Vec::new();
    let (mut at, mut indent) = (place.lines.start, None);
    for line in text[place.lines.clone()].split_inclusive('\n') {
        let (start, bare) = (at, line.trim_start());
        at += line.len();
        let column = line.len() - bare.len();
        let is_dash = format!("{} ", bare.trim_end()).starts_with("- ") && start > place.lines.start;
        if is_dash && indent.is_none_or(|known| known == column) {
            indent = Some(column);
            items.push(start..at);
        } else if let Some(item) = items.last_mut().filter(|_| !bare.is_empty() && !bare.starts_with('#')) {
            item.end = at;
        }
    }
    (key_line_value(text, place).is_empty() && items.len() == count).then_some(items)
}

/// Whether nothing is written as the value, or only what stands for nothing.
pub(super) fn is_written_empty(text: &str, place: &FieldPlace) -> bool {
    let (_, below) = text[place.value.clone()].split_once('\n').unwrap_or_default();
    below.trim().is_empty() && ["", "~", "null"].contains(&key_line_value(text, place))
}

/// Whether a list without items is written as the value, on one line.
pub(super) fn is_empty_list(text: &str, place: &FieldPlace) -> bool {
    let (_, below) = text[place.value.clone()].split_once('\n').unwrap_or_default();
    below.trim().is_empty() && key_line_value(text, place) == "[]"
}

/// What is written behind the colon on the key's own line, without the comment.
fn key_line_value<'a>(text: &'a str, place: &FieldPlace) -> &'a str {
    let line = text[place.value.clone()].split('\n').next().unwrap_or_default();
    let end = place.comment.as_ref().map_or(place.value.start + line.len(), |comment| comment.start);
    text[place.value.start..end].trim()
}

/// The end of a value without the blank lines and comments that follow it.
///
/// An indented comment looks like a line of a block scalar. It is a comment if removing it changes no value.
fn value_end(text: &str, inner: &Span, region: Span, fields: &Fields) -> usize {
    let trailing = |is_trailing: fn(&str) -> bool| {
        let mut end = region.end;
        for line in text[region.clone()].split_inclusive('\n').rev() {
            if end - line.len() == region.start || !is_trailing(line) {
                break;
            }
            end -= line.len();
        }
        end
    };
    let sure = trailing(|line| line.trim().is_empty() || line.starts_with('#'));
    let likely = trailing(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    if likely == sure {
        return sure;
    }
    let without = format!("{}{}", &text[inner.start..likely], &text[sure..inner.end]);
    let is_same = yaml::parse(&without).is_ok_and(|read| read.map == fields.map);
    if is_same { likely } else { sure }
}

/// The byte after the colon of the key that begins here.
fn colon(text: &str, key: usize, end: usize) -> Option<usize> {
    let written = &text[key..end];
    let after_key = if written.starts_with(['"', '\'']) {
        let (quoted, _) =
            styled_spans(text, &(key..end)).into_iter().next().filter(|(span, _)| span.start == key)?;
        quoted.len()
    } else {
        0
    };
    let line = written[after_key..].split('\n').next()?;
    let bytes = line.as_bytes();
    let ends_key =
        |at: &usize| bytes[*at] == b':' && matches!(bytes.get(at + 1), None | Some(b' ' | b'\t' | b'\r'));
    let at = (0..bytes.len()).find(ends_key)?;
    // Only white space may be between a quoted key and its colon.
    (after_key == 0 || line[..at].trim().is_empty()).then_some(key + after_key + at + 1)
}
