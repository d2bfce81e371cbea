//! The blocks of a passage that an answer may be taken from: paragraphs, list items, rows of tables, code.

use wellread_text::{Note, Sentence, SentenceKind, split_sentences, unwrap_admonitions};

use super::properties::read_properties;
use crate::insight::keyless::generated_sections::{find_generated_sections, is_within};
use crate::insight::keyless::passage::Passage;

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Prose,
    /// A list item, indented this far.
    Item {
        indent: usize,
        ordered: bool,
    },
    Row,
    Code,
}

/// A block with its sentences.
#[derive(Debug)]
pub(super) struct PassageBlock {
    pub kind: BlockKind,
    pub sentences: Vec<Sentence>,
    /// The headings above it in its passage, with those of the passage itself; the nearest last.
    pub headings: Vec<String>,
    /// The title of the callout that it is in.
    pub callout: Option<String>,
    /// Whether it is the first block below its heading.
    pub opens: bool,
    /// Whether it is a task or a field, which answers questions and tells nobody what a note is about.
    pub is_detail: bool,
}

/// The blocks of a passage that somebody wrote, in order; of frontmatter, its fields. Cancelled tasks, tags and what Wellread
/// wrote are left out.
pub(super) fn read_blocks(passage: &Passage<'_>) -> Vec<PassageBlock> {
    if passage.is_frontmatter() {
        return read_properties(passage.text).into_iter().map(PassageBlock::from_field).collect();
    }
    if !passage.is_prose || passage.is_generated() {
        return Vec::new();
    }
    let text = unwrap_admonitions(passage.text);
    let note = Note::parse(&text);
    let own = if passage.start == 0 { find_generated_sections(&note, &text) } else { Vec::new() };
    let mut blocks: Vec<PassageBlock> = Vec::new();
    let (mut last_block, mut last_heading) = (None, usize::MAX);
    for sentence in split_sentences(&text) {
        if is_within(&sentence.span, &own) || is_only_tags(&sentence) {
            continue;
        }
        let Some(sentence) = passage.valid_part(sentence) else { continue };
        if last_block == Some(sentence.block.span.start) && sentence.kind != SentenceKind::Row {
            if let Some(block) = blocks.last_mut() {
                block.sentences.push(sentence);
            }
            continue;
        }
        last_block = Some(sentence.block.span.start);
        let above =
            note.headings.iter().take_while(|heading| heading.span.start < sentence.span.start).count();
        let opens = above != last_heading && (above > 0 || passage.start == 0);
        last_heading = above;
        let Some(kind) = classify_block(&sentence) else { continue };
        blocks.push(PassageBlock {
            kind,
            headings: headings_above(passage, &note, above),
            callout: callout_title(&text, &sentence),
            opens,
            is_detail: is_task(&sentence),
            sentences: vec![sentence],
        });
    }
    blocks
}

impl PassageBlock {
    fn from_field(field: Sentence) -> Self {
        let (headings, callout) = (Vec::new(), None);
        Self {
            kind: BlockKind::Prose,
            sentences: vec![field],
            headings,
            callout,
            opens: false,
            is_detail: true,
        }
    }
}

/// Whether a sentence says nothing but the note's tags.
fn is_only_tags(sentence: &Sentence) -> bool {
    sentence.kind != SentenceKind::Code && sentence.text.split_whitespace().all(|word| word.starts_with('#'))
}

/// Whether the box of a task is ticked.
pub(super) fn is_done(sentence: &Sentence) -> bool {
    ["[x]", "[X]"].iter().any(|done| sentence.block.prefix.contains(done))
}

/// Whether a sentence is a task, done or not.
fn is_task(sentence: &Sentence) -> bool {
    sentence.block.prefix.contains('[')
}

/// The kind of the block that a sentence begins; `None` for a cancelled task.
fn classify_block(sentence: &Sentence) -> Option<BlockKind> {
    match sentence.kind {
        SentenceKind::Row => return Some(BlockKind::Row),
        SentenceKind::Code => return Some(BlockKind::Code),
        SentenceKind::Prose | SentenceKind::Quote => {}
    }
    let prefix = sentence.block.prefix.trim_start_matches('>');
    let mark = prefix.split('[').next().unwrap_or_default().trim();
    // A row of a table without a head is no sentence. What stands in the box of a task says what became of it.
    let text = sentence.text.trim_start();
    if ["|", "[-]"].iter().any(|lead| text.starts_with(lead)) {
        return None;
    }
    let ordered = mark.ends_with(['.', ')']) && mark.starts_with(|letter: char| letter.is_ascii_digit());
    let is_item = ordered || ["-", "*", "+"].contains(&mark);
    let indent = prefix.len() - prefix.trim_start().len();
    Some(if is_item { BlockKind::Item { indent, ordered } } else { BlockKind::Prose })
}

fn headings_above(passage: &Passage<'_>, note: &Note, above: usize) -> Vec<String> {
    let mut path: Vec<(u8, String)> = Vec::new();
    for heading in &note.headings[..above] {
        let level = heading.level;
        path.retain(|(outer, _)| *outer < level);
        path.push((level, heading.text.clone()));
    }
    let inside: Vec<String> = path.into_iter().map(|(_, text)| text).collect();
    let outside = passage.headings.iter().filter(|heading| !inside.contains(heading)).cloned();
    // A heading of the passage that stands in its text has replaced those beside it.
    if inside.is_empty() || passage.headings.last() == inside.last() {
        let mut all: Vec<String> = outside.collect();
        all.extend(inside);
        return all;
    }
    inside
}

/// The title of the callout that a sentence is in, if it has one of its own.
fn callout_title(text: &str, sentence: &Sentence) -> Option<String> {
    if !sentence.block.prefix.contains('>') && !text[..sentence.span.start].ends_with(['>', ' ', ']']) {
        return None;
    }
    let before = &text[..sentence.span.start];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let mut lines: Vec<&str> = text[..start].lines().rev().take_while(|line| line.starts_with('>')).collect();
    lines.insert(0, &text[start..sentence.span.end]);
    let title = lines.iter().find_map(|line| line.trim_start_matches(['>', ' ']).strip_prefix("[!"))?;
    let title = title.split_once(']')?.1.trim_start_matches(['+', '-']).lines().next()?.trim();
    (!title.is_empty()).then(|| title.to_owned())
}
