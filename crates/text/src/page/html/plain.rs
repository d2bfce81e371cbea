//! Renders blocks as plain text: one line for each paragraph, item and row.

use super::blocks::{BlockKind, Inline, PageBlock, TextLine};

pub(super) fn render_plain(blocks: &[PageBlock]) -> String {
    let mut out = String::new();
    for block in blocks {
        let text = match &block.kind {
            BlockKind::Heading(_, line) | BlockKind::Paragraph(line) => words(line),
            BlockKind::Code { text, .. } => text.clone(),
            BlockKind::Table(rows) => {
                let rows = rows.iter().map(|cells| cells.iter().map(words).collect::<Vec<_>>().join("\t"));
                rows.collect::<Vec<_>>().join("\n")
            }
        };
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&text);
        out.push('\n');
    }
    out
}

fn words(line: &TextLine) -> String {
    line.0.iter().fold(String::new(), |mut out, inline| {
        match inline {
            Inline::Text(text) | Inline::Code(text) | Inline::Link { text, .. } => out.push_str(text),
            Inline::Break => out.push('\n'),
        }
        out
    })
}
