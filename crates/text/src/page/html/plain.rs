//! Blocks as plain text: the words alone, a line for each paragraph, item and row.

use super::blocks::{Block, Inline, Kind, Line};

pub(super) fn plain(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        let text = match &block.kind {
            Kind::Heading(_, line) | Kind::Paragraph(line) => words(line),
            Kind::Code { text, .. } => text.clone(),
            Kind::Table(rows) => {
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

fn words(line: &Line) -> String {
    line.0.iter().fold(String::new(), |mut out, inline| {
        match inline {
            Inline::Text(text) | Inline::Code(text) | Inline::Link { text, .. } => out.push_str(text),
            Inline::Break => out.push('\n'),
        }
        out
    })
}
