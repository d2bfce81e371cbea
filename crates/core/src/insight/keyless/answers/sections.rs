//! The sections of passages as a reader of questions takes them: the names above, and piece by piece what stands below.

use std::collections::BTreeMap;

use super::blocks::{BlockKind, PassageBlock, read_blocks};
use super::table::TableRow;
use crate::insight::keyless::passage::Passage;
use crate::insight::keyless::quotation::plain_text;

/// A section that has so many characters goes on as another one, so that a page without headings is no single task.
const LONG_SECTION: usize = 2_000;
/// The most characters of a block of code that are read.
const CODE_READ: usize = 200;

/// A section of a passage: what is above it, and its sentences, list items, rows of tables and code, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadableSection {
    /// The name of the note, and the nearest heading.
    pub context: String,
    /// The pieces in plain text.
    pub pieces: Vec<String>,
}

/// Computes how well each piece of each section answers the question; above zero, it rather does than not. `None` without
/// a reader.
pub type SectionReading<'a> = dyn Fn(&[ReadableSection]) -> Option<Vec<Vec<f32>>> + 'a;

/// A section, with the place of each piece in its passage, and how well each answers the question, once it was read.
#[derive(Debug)]
pub(in crate::insight::keyless) struct PlacedSection {
    pub section: ReadableSection,
    pub readings: Option<Vec<f32>>,
    starts: Vec<usize>,
    size: usize,
}

impl PlacedSection {
    /// The piece that begins last before a place in the passage, or right there.
    pub fn piece_at(&self, at: usize) -> Option<usize> {
        self.starts.partition_point(|start| *start <= at).checked_sub(1)
    }
}

/// The sections of a passage, in order.
pub(in crate::insight::keyless) fn read_sections(passage: &Passage<'_>) -> Vec<PlacedSection> {
    let mut sections: Vec<PlacedSection> = Vec::new();
    for block in read_blocks(passage) {
        let context = context_of(passage, &block);
        let goes_on = |last: &PlacedSection| last.section.context == context && last.size < LONG_SECTION;
        if !sections.last().is_some_and(goes_on) {
            let section = ReadableSection { context, pieces: Vec::new() };
            sections.push(PlacedSection { section, readings: None, starts: Vec::new(), size: 0 });
        }
        let Some(last) = sections.last_mut() else { continue };
        for (start, piece) in pieces_of(passage, &block) {
            last.starts.push(start);
            last.size += piece.len();
            last.section.pieces.push(piece);
        }
    }
    sections
}

fn context_of(passage: &Passage<'_>, block: &PassageBlock) -> String {
    let nearest = block.callout.as_ref().or(block.headings.last());
    format!("{} > {}", passage.title(), nearest.map(String::as_str).unwrap_or_default())
}

fn pieces_of(passage: &Passage<'_>, block: &PassageBlock) -> Vec<(usize, String)> {
    let row = |span| TableRow::read(passage.text, span).map(|row| row.render());
    let pieces = block.sentences.iter().map(|sentence| {
        let text = match block.kind {
            BlockKind::Row => row(&sentence.span).unwrap_or_else(|| plain_text(sentence)),
            BlockKind::Code => {
                let lines: Vec<&str> = sentence.text.lines().map(str::trim).collect();
                lines.join(" ").chars().take(CODE_READ).collect()
            }
            BlockKind::Prose | BlockKind::Item { .. } => plain_text(sentence),
        };
        (sentence.span.start, text)
    });
    pieces.collect()
}

/// Has the chosen sections read, each by the number of its passage and its own there, and keeps what the reader says of them. `None`
/// without a reader.
pub(in crate::insight::keyless) fn fill_readings(
    sections: &mut BTreeMap<usize, Vec<PlacedSection>>,
    chosen: &[(usize, usize)],
    reading: &SectionReading<'_>,
) -> Option<()> {
    let find = |(number, index): &(usize, usize)| sections.get(number)?.get(*index);
    let texts: Vec<ReadableSection> = chosen.iter().filter_map(find).map(|one| one.section.clone()).collect();
    let readings = if texts.is_empty() { Vec::new() } else { reading(&texts)? };
    for ((number, index), values) in chosen.iter().zip(readings) {
        if let Some(section) = sections.get_mut(number).and_then(|own| own.get_mut(*index)) {
            section.readings = Some(values);
        }
    }
    Some(())
}
