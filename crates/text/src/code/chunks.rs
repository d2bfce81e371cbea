//! Splits code into chunks: one per definition, and the code between them.
//!
//! The text is divided by lines: each belongs to the innermost definition that has a chunk of its own there. A
//! function has; a type has, and so has each of its methods, which leaves to the type its head and whatever stands
//! between. A constant, a field and a function without a body have not, unless they are long: they stay with their
//! neighbors. A function inside a function is part of it, unless the outer one is too long for one chunk.

use std::collections::HashMap;

use crate::code::chunk::{CHUNK_BYTES, Chunk, ChunkKind, line_range, pack};
use crate::span::bom_len;
use crate::{LineIndex, Span};

use super::SymbolKind;
use super::leading_trivia::begins_line;
use super::nest::OutlineEntry;
use super::pieces::pieces;

/// What is longer does not stay with its neighbors.
const SMALL: usize = CHUNK_BYTES / 4;

/// Neighboring lines that belong together.
struct LineGroup {
    owner: Option<usize>,
    span: Span,
}

/// The chunks of a text with these definitions, in order.
pub(super) fn build_chunks(text: &str, lines: &LineIndex, entries: &[OutlineEntry]) -> Vec<Chunk> {
    let (owners, small) = owners(text, lines, entries);
    let alone: HashMap<Span, usize> =
        small.into_iter().map(|index| (entries[index].whole.clone(), index)).collect();
    let mut chunks = Vec::new();
    for stretch in merge_groups(text, entries, group_lines(text, lines, &owners)) {
        for span in pack(text, pieces(text, stretch.span.clone())) {
            // A chunk may turn out to be one small definition and nothing else.
            let owner = candidates(text, &span).find_map(|span| alone.get(&span).copied()).or(stretch.owner);
            chunks.push(Chunk {
                lines: line_range(lines, &span),
                span,
                kind: if owner.is_some() { ChunkKind::Definition } else { ChunkKind::Block },
                context: owner.map(|owner| entries[owner].path.clone()).unwrap_or_default(),
            });
        }
    }
    chunks
}

/// For each line the entry that it belongs to; and the entries that no line belongs to. Of several names for one
/// thing the first counts.
fn owners(text: &str, lines: &LineIndex, entries: &[OutlineEntry]) -> (Vec<Option<usize>>, Vec<usize>) {
    let (mut owners, mut small) = (vec![None; lines.count()], Vec::new());
    let mut own: Vec<Option<(usize, usize)>> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let whole = &entry.whole;
        if entry.aside {
            own.push(None);
            continue;
        }
        let range = line_range(lines, whole);
        let room = entry.parent.is_none_or(|parent| {
            let opens = own[parent].is_some_and(|(first, _)| range.0 > first);
            opens && (is_container(&entries[parent]) || entries[parent].whole.len() > CHUNK_BYTES)
        });
        let own_chunk =
            room && stands_alone(entry) && begins_line(text, lines.line_start(whole.start), whole.start);
        own.push(own_chunk.then_some(range));
        // Entries come outer ones first, and are only so deep.
        match owners.get_mut(range.0 - 1..range.1) {
            Some(owners) if own_chunk => owners.fill(Some(index)),
            _ => small.push(index),
        }
    }
    (owners, small)
}

fn is_container(entry: &OutlineEntry) -> bool {
    entry.kind.is_none_or(SymbolKind::is_container)
}

fn stands_alone(entry: &OutlineEntry) -> bool {
    let data = matches!(entry.kind, Some(SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field));
    (entry.has_body && !data) || entry.whole.len() > SMALL
}

fn group_lines(text: &str, lines: &LineIndex, owners: &[Option<usize>]) -> Vec<LineGroup> {
    let mut stretches: Vec<LineGroup> = Vec::new();
    for (index, &owner) in owners.iter().enumerate() {
        let Some(mut span) = lines.span(index + 1, index + 1) else { continue };
        if index == 0 {
            span.start = bom_len(text);
        }
        match stretches.last_mut() {
            Some(last) if last.owner == owner => last.span.end = span.end,
            _ => stretches.push(LineGroup { owner, span }),
        }
    }
    stretches
}

/// Leaves out blank stretches, and puts those that say nothing by themselves to their neighbors: what only closes
/// to the one before, the line that opens a scope to the first thing in it.
fn merge_groups(text: &str, entries: &[OutlineEntry], stretches: Vec<LineGroup>) -> Vec<LineGroup> {
    let mut joined: Vec<LineGroup> = Vec::new();
    for stretch in stretches {
        let inside = text[stretch.span.clone()].trim();
        if inside.is_empty() {
            continue;
        }
        let Some(last) = joined.last_mut() else {
            joined.push(stretch);
            continue;
        };
        if inside.lines().all(is_closing_line) {
            last.span.end = stretch.span.end;
        } else if is_opening_line(text, entries, last, &stretch) {
            last.owner = stretch.owner;
            last.span.end = stretch.span.end;
        } else {
            joined.push(stretch);
        }
    }
    joined
}

/// Whether a line only ends what was begun before: brackets, an `end`, perhaps with a comment that says of what.
fn is_closing_line(line: &str) -> bool {
    let line = line.trim();
    let word = line.strip_prefix("end").or_else(|| line.strip_prefix("#endif")).unwrap_or(line);
    let rest = word.trim_start_matches(['}', ')', ']', ';', ',', ' ']);
    let ends = rest.len() < line.len()
        && !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    let comment = ["//", "/*", "#", "--"].iter().any(|mark| rest.starts_with(mark));
    line.is_empty() || (ends && (comment || !rest.contains(char::is_alphanumeric)))
}

/// Whether one line opens the scope or the module that the other stretch is the first of.
fn is_opening_line(text: &str, entries: &[OutlineEntry], line: &LineGroup, first: &LineGroup) -> bool {
    let (Some(outer), Some(inner)) = (line.owner, first.owner) else { return false };
    matches!(entries[outer].kind, None | Some(SymbolKind::Module))
        && entries[inner].parent == Some(outer)
        && line.span.start <= entries[outer].whole.start
        && !text[line.span.clone()].trim().contains('\n')
        && first.span.end - line.span.start <= CHUNK_BYTES
}

/// The span without indentation before it, and without separators behind it, too.
fn candidates(text: &str, span: &Span) -> impl Iterator<Item = Span> {
    let inside = &text[span.clone()];
    let start = span.start + (inside.len() - inside.trim_start().len());
    let bare = span.start + inside.trim_end_matches([';', ',']).len();
    [start..span.end, start..bare.max(start)].into_iter()
}
