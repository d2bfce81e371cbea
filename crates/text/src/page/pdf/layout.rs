//! Joins pieces of text into lines and lines into paragraphs, in drawing order.

use super::operators::TextPiece;

struct TextRow {
    text: String,
    from: f64,
    to: f64,
    base: f64,
    size: f64,
}

/// The text of a page: one line per paragraph, separated by blank lines.
pub(super) fn paragraphs(pieces: &[TextPiece]) -> String {
    let rows = rows(pieces);
    let mut out = String::new();
    let mut left = f64::MAX;
    let mut listed = false;
    let mut before: Option<&TextRow> = None;
    for row in &rows {
        match before {
            Some(before) if is_continuation(before, row, left, listed) => join(&mut out, &row.text),
            _ => {
                if before.is_some() {
                    out.push_str("\n\n");
                }
                left = row.from;
                listed = is_item(&row.text);
                out.push_str(&row.text);
            }
        }
        // An indented first line does not change where the other lines begin.
        left = left.min(row.from);
        before = Some(row);
    }
    out
}

fn rows(pieces: &[TextPiece]) -> Vec<TextRow> {
    let mut rows: Vec<TextRow> = Vec::new();
    for piece in pieces {
        let size = piece.size.max(0.1);
        match rows.last_mut() {
            Some(row)
                if (row.base - piece.base).abs() < 0.5 * size.max(row.size)
                    && piece.from > row.to - 2.0 * size.max(row.size)
                    && piece.from < row.to + 12.0 * size.max(row.size) =>
            {
                let gap = piece.from - row.to;
                let is_parted =
                    row.text.ends_with(char::is_whitespace) || piece.text.starts_with(char::is_whitespace);
                if gap > 0.17 * size && !is_parted {
                    row.text.push(' ');
                }
                row.text.push_str(&piece.text);
                row.to = piece.to;
                row.size = row.size.max(size);
            }
            _ => rows.push(TextRow {
                text: piece.text.clone(),
                from: piece.from,
                to: piece.to,
                base: piece.base,
                size,
            }),
        }
    }
    rows.retain(|row| !row.text.trim().is_empty());
    for row in &mut rows {
        row.text = row.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    rows
}

/// Whether a row continues the paragraph of the row before.
fn is_continuation(before: &TextRow, row: &TextRow, left: f64, listed: bool) -> bool {
    let size = before.size.max(row.size);
    let down = before.base - row.base;
    let same_size = (before.size - row.size).abs() < 0.15 * size;
    let next_line = down > 0.0 && down < 1.75 * size;
    // A line that begins further right begins a paragraph, unless the line before did too.
    let indented = !listed && row.from > left + 0.8 * size && row.from > before.from + 0.8 * size;
    // From one column to the next, or across a page footer.
    let jumps = down < 0.0
        && row.text.starts_with(char::is_lowercase)
        && !before.text.ends_with(['.', '!', '?', ':']);
    same_size && !is_item(&row.text) && ((next_line && !indented) || jumps)
}

/// Whether the row begins an item of a list.
fn is_item(text: &str) -> bool {
    text.starts_with(['•', '◦', '▪', '‣', '∗', '○']) || text.starts_with("– ")
}

/// Appends a line to a paragraph; a word hyphenated at the end of the line is joined again.
fn join(out: &mut String, text: &str) {
    let mut ending = out.chars().rev();
    let last = ending.next();
    let is_parted =
        matches!(last, Some('-' | '\u{ad}' | '‐')) && ending.next().is_some_and(char::is_lowercase);
    if is_parted && text.starts_with(char::is_lowercase) {
        out.pop();
    } else {
        out.push(' ');
    }
    out.push_str(text);
}
