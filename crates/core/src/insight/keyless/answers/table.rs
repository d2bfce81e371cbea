//! A row of a table with the names of its columns.

use wellread_text::{Span, split_sentences};

use crate::insight::keyless::quotation::plain_text;

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableRow {
    pub span: Span,
    /// The span of the table's head.
    pub head: Span,
    pub columns: Vec<String>,
    pub cells: Vec<String>,
}

impl TableRow {
    /// The row at a span of a text, if the head of its table is in the text as well.
    pub fn read(text: &str, span: &Span) -> Option<Self> {
        let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let (mut at, mut below) = (start, None);
        // Up to the delimiter; the line above it is the head.
        while at > 0 {
            let line = text[..at - 1].rfind('\n').map_or(0, |before| before + 1);
            let written = text[line..at - 1].trim();
            if below == Some(()) {
                let (columns, cells) = (split_cells(written), split_cells(text[start..end].trim()));
                let fits = columns.len() > 1 && cells.len() <= columns.len();
                return fits.then(|| Self { span: start..end, head: line..at - 1, columns, cells });
            }
            if !written.contains('|') {
                return None;
            }
            if written.contains('-') && written.chars().all(|letter| "|-: ".contains(letter)) {
                below = Some(());
            }
            at = line;
        }
        None
    }

    /// The row in words: each column with its cell.
    pub fn render(&self) -> String {
        let named = self.columns.iter().zip(&self.cells).filter(|(_, cell)| !cell.is_empty());
        named.map(|(column, cell)| format!("{column}: {cell}")).collect::<Vec<_>>().join(" · ")
    }
}

/// The cells of a line in plain text.
fn split_cells(line: &str) -> Vec<String> {
    let inner = line.strip_prefix('|').unwrap_or(line);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let (mut cells, mut cell, mut before) = (Vec::new(), String::new(), ' ');
    for letter in inner.chars() {
        if letter == '|' && before != '\\' {
            cells.push(plain_cell(&cell));
            cell.clear();
        } else {
            cell.push(letter);
        }
        before = letter;
    }
    cells.push(plain_cell(&cell));
    cells
}

/// A cell without links and emphasis.
fn plain_cell(cell: &str) -> String {
    let cell = cell.replace("\\|", "|");
    let plain = split_sentences(&cell).iter().map(plain_text).collect::<Vec<_>>().join(" ");
    if plain.is_empty() { cell.trim().to_owned() } else { plain }
}
