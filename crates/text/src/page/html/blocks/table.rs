//! Reads data tables as rows of cells. Tables used for layout are ignored.

use super::inline::{LineBuilder, TextLine};
use super::is_block;
use crate::page::html::address::BaseUrl;
use crate::page::html::tree::{NodeData, NodeId, Tree, WalkStep};

const MOST_COLUMNS: usize = 40;

/// The rows of a table, if each cell is one line and there are at least two rows and two columns.
pub(super) fn rows(tree: &Tree, table: NodeId, base: &BaseUrl) -> Option<Vec<Vec<TextLine>>> {
    let mut rows: Vec<Vec<TextLine>> = Vec::new();
    let (mut lines, mut in_cell, mut paragraphs) = (LineBuilder::default(), false, 0);
    let mut walk = tree.walk(table);
    while let Some(step) = walk.next() {
        match step {
            WalkStep::Into(id) => match &tree.node(id).data {
                NodeData::Text(text) if in_cell => lines.text(text),
                // Text outside of cells does not fit into a table.
                NodeData::Text(text) if !text.trim().is_empty() => return None,
                NodeData::Text(_) | NodeData::Other => {}
                NodeData::Element(element) => match element.tag() {
                    "table" if id != table => return None,
                    "ul" | "ol" | "dl" | "pre" | "blockquote" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                        return None;
                    }
                    "caption" => walk.skip_children(id),
                    "tr" => rows.push(Vec::new()),
                    "td" | "th" => (in_cell, paragraphs) = (true, 0),
                    "a" => lines.open_link(element.attribute("href").and_then(|href| base.resolve(href))),
                    "code" | "kbd" | "samp" | "tt" => lines.open_code(),
                    "br" => lines.text(" "),
                    tag if is_block(tag) => {
                        paragraphs += usize::from(tag == "p");
                        if paragraphs > 1 {
                            return None;
                        }
                        lines.text(" ");
                    }
                    _ => {}
                },
            },
            WalkStep::OutOf(id) => match tree.tag(id) {
                "td" | "th" => {
                    in_cell = false;
                    let row = rows.last_mut()?;
                    row.push(lines.take());
                    if row.len() > MOST_COLUMNS {
                        return None;
                    }
                }
                "a" => lines.close_link(),
                "code" | "kbd" | "samp" | "tt" => lines.close_code(),
                tag if is_block(tag) => lines.text(" "),
                _ => {}
            },
        }
    }
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let wide = rows.iter().filter(|row| row.len() > 1).count();
    if rows.len() < 2 || columns < 2 || wide < 2 {
        return None;
    }
    for row in &mut rows {
        row.resize_with(columns, TextLine::default);
    }
    Some(rows)
}

/// The caption of a table as one line.
pub(super) fn caption(tree: &Tree, table: NodeId, base: &BaseUrl) -> Option<TextLine> {
    let caption = tree.children(table).find(|&child| tree.tag(child) == "caption")?;
    let mut lines = LineBuilder::default();
    for step in tree.walk(caption) {
        let (WalkStep::Into(id) | WalkStep::OutOf(id)) = step;
        match (&tree.node(id).data, step) {
            (NodeData::Text(text), WalkStep::Into(_)) => lines.text(text),
            (NodeData::Element(element), WalkStep::Into(_)) => match element.tag() {
                "a" => lines.open_link(element.attribute("href").and_then(|href| base.resolve(href))),
                "code" | "kbd" | "samp" | "tt" => lines.open_code(),
                tag if tag == "br" || is_block(tag) => lines.text(" "),
                _ => {}
            },
            (NodeData::Element(element), WalkStep::OutOf(_)) => match element.tag() {
                "a" => lines.close_link(),
                "code" | "kbd" | "samp" | "tt" => lines.close_code(),
                tag if is_block(tag) => lines.text(" "),
                _ => {}
            },
            _ => {}
        }
    }
    Some(lines.take()).filter(|line| !line.is_empty())
}

/// Whether the table has a caption or a head, and no other table inside.
pub(super) fn is_described(tree: &Tree, table: NodeId) -> bool {
    let mut is_described = false;
    for step in tree.walk(table) {
        let WalkStep::Into(id) = step else { continue };
        match tree.tag(id) {
            "table" if id != table => return false,
            "caption" | "thead" => is_described = true,
            _ => {}
        }
    }
    is_described
}
