//! A part of a passage that may answer a question: a sentence, a list, or a row of a table.

use std::collections::BTreeSet;

use wellread_text::{Sentence, Span, Terms};

use super::blocks::{BlockKind, PassageBlock, is_done, read_blocks};
use super::table::TableRow;
use crate::insight::keyless::lines::join_line;
use crate::insight::keyless::passage::Passage;
use crate::insight::keyless::quotation::{plain_text, trim_marks, without_links};

/// What a unit consists of.
#[derive(Debug)]
pub(super) enum UnitForm {
    /// A sentence of a block, with those after it that continue it.
    Sentence {
        sentence: Box<Sentence>,
        /// The sentence before it in its block.
        prior: Option<Box<Sentence>>,
        rest: Vec<Sentence>,
        /// The whole line that it stands on, if that is short and says more.
        line: Option<Box<Sentence>>,
        /// The code block below it.
        code: Vec<Span>,
        /// The paragraph below that code.
        after: Vec<Sentence>,
    },
    /// A list with the sentence that leads to it.
    List { lead: Option<Sentence>, items: Vec<Vec<Sentence>>, ordered: bool },
    /// A row of a table.
    Row(TableRow),
}

/// A part of a passage that may answer a question.
#[derive(Debug)]
pub(super) struct AnswerUnit<'a> {
    pub passage: usize,
    pub of: Passage<'a>,
    /// Where it begins in the passage.
    pub at: usize,
    pub form: UnitForm,
    /// Its words in plain text, in lower case.
    pub plain: String,
    pub stems: Vec<String>,
    /// The stems outside of links: a link's text names its target, and says nothing about it.
    pub unlinked: BTreeSet<String>,
    /// The stems of the nearest heading, of the callout's title, and of the sentence before a list.
    pub near: BTreeSet<String>,
    /// The nearest heading or the callout's title by itself.
    pub heading: Vec<String>,
    /// The stems of the title and the other headings.
    pub above: BTreeSet<String>,
    /// The stems of the note's title.
    pub title: BTreeSet<String>,
    /// The stems of the sentences right before it.
    pub before: BTreeSet<String>,
    /// Whether it is the first text below its heading.
    pub opens: bool,
    /// Whether it is a task or a field, which answers questions and tells nobody what a note is about.
    pub is_detail: bool,
    /// The nearest heading or the callout's title as written, in lower case.
    pub heading_text: String,
}

/// The stems of a text, compounds and their parts included.
pub(super) fn stems(text: &str) -> Vec<String> {
    let terms = Terms::from_text(text);
    let all = terms.words.split(' ').chain(terms.parts.split(' '));
    all.filter(|stem| !stem.is_empty()).map(str::to_owned).collect()
}

/// The units of a passage.
pub(super) fn read_units<'a>(number: usize, passage: Passage<'a>) -> Vec<AnswerUnit<'a>> {
    let blocks = read_blocks(&passage);
    let mut units = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let reader = UnitReader { number, passage, block, before: at.checked_sub(1).map(|at| &blocks[at]) };
        match block.kind {
            BlockKind::Row => {
                let lead = blocks[..at].iter().rev().find(|block| block.kind != BlockKind::Row);
                units.extend(reader.row(lead));
            }
            BlockKind::Code => {}
            BlockKind::Prose | BlockKind::Item { .. } => {
                units.extend(reader.sentences(&blocks[at + 1..]));
            }
        }
        if matches!(block.kind, BlockKind::Item { .. }) && !reader.continues_list() {
            let items = blocks[at..].iter().take_while(|item| {
                item.headings == block.headings && !matches!(item.kind, BlockKind::Prose | BlockKind::Row)
            });
            units.extend(reader.list(items));
        }
    }
    units
}

/// The code block below a block that ends with a colon, and the sentences of the paragraph below the code.
fn code_below(block: &PassageBlock, below: &[PassageBlock]) -> (Vec<Span>, Vec<Sentence>) {
    let leads = block.sentences.last().is_some_and(|last| last.text.trim_end().ends_with(':'));
    let Some(code) = below.first().filter(|next| leads && next.kind == BlockKind::Code) else {
        return (Vec::new(), Vec::new());
    };
    let after =
        below.get(1).filter(|after| after.kind == BlockKind::Prose && after.headings == block.headings);
    let code = code.sentences.iter().map(|sentence| sentence.span.clone()).collect();
    (code, after.map(|after| after.sentences.clone()).unwrap_or_default())
}

struct UnitReader<'a, 'b> {
    number: usize,
    passage: Passage<'a>,
    block: &'b PassageBlock,
    before: Option<&'b PassageBlock>,
}

impl<'a> UnitReader<'a, '_> {
    fn unit(&self, at: usize, form: UnitForm, plain: &str, near: &str) -> AnswerUnit<'a> {
        let title = Terms::from_text(self.passage.title()).words;
        let title: Vec<String> =
            title.split(' ').filter(|stem| !stem.is_empty()).map(str::to_owned).collect();
        let nearest = self.block.callout.as_ref().or(self.block.headings.last());
        let heading = nearest.map(|heading| stems(heading)).unwrap_or_default();
        let mut above: BTreeSet<String> = title.iter().cloned().collect();
        above.extend(stems(self.passage.folder()));
        self.block.headings.iter().for_each(|heading| above.extend(stems(heading)));
        let mut close: BTreeSet<String> = heading.iter().cloned().collect();
        close.extend(stems(near));
        AnswerUnit {
            passage: self.number,
            of: self.passage,
            at,
            form,
            unlinked: stems(plain).into_iter().collect(),
            stems: stems(plain),
            plain: plain.to_lowercase(),
            near: close,
            heading,
            above,
            title: title.into_iter().collect(),
            before: BTreeSet::new(),
            opens: self.block.opens,
            is_detail: self.block.is_detail,
            heading_text: nearest.map(|heading| heading.to_lowercase()).unwrap_or_default(),
        }
    }

    fn sentences(&self, below: &[PassageBlock]) -> Vec<AnswerUnit<'a>> {
        let all = &self.block.sentences;
        let is_prose = self.block.kind == BlockKind::Prose;
        let lead = self.lead().filter(|_| !is_prose).map(plain_text).unwrap_or_default();
        let (code, after) = if is_prose { code_below(self.block, below) } else { (Vec::new(), Vec::new()) };
        let block: Vec<&Sentence> = all.iter().collect();
        let units = all.iter().enumerate().map(|(at, sentence)| {
            let last = at + 1 == all.len();
            let prior = at.checked_sub(1).map(|at| Box::new(all[at].clone()));
            let before = prior.as_ref().map(|prior| stems(&plain_text(prior))).unwrap_or_default();
            let form = UnitForm::Sentence {
                sentence: Box::new(sentence.clone()),
                prior,
                rest: all[at + 1..].to_vec(),
                line: join_line(self.passage.text, &block, at).map(Box::new),
                code: if last { code.clone() } else { Vec::new() },
                after: if last { after.clone() } else { Vec::new() },
            };
            let mut unit = self.unit(sentence.span.start, form, &plain_text(sentence), &lead);
            unit.opens &= at == 0 && is_prose;
            unit.before = before.into_iter().collect();
            unit.unlinked = stems(&without_links(&sentence.text)).into_iter().collect();
            unit
        });
        units.collect()
    }

    /// The sentence with a colon right before a list.
    fn lead(&self) -> Option<&Sentence> {
        self.sentence_above().filter(|last| last.text.trim_end().ends_with(':'))
    }

    /// The sentence without an end on the line right above a list.
    fn line_above(&self) -> Option<&Sentence> {
        let last = self.sentence_above()?;
        let between = self.passage.text.get(last.span.end..self.block.sentences.first()?.span.start)?;
        let is_open = !last.text.trim_end().ends_with(['.', '!', '?', ';', ',']);
        (is_open && between.matches('\n').count() == 1).then_some(last)
    }

    fn sentence_above(&self) -> Option<&Sentence> {
        let before = self.before.filter(|before| before.kind == BlockKind::Prose)?;
        before.sentences.last().filter(|_| before.headings == self.block.headings)
    }

    fn continues_list(&self) -> bool {
        self.before.is_some_and(|before| {
            matches!(before.kind, BlockKind::Item { .. } | BlockKind::Code)
                && before.headings == self.block.headings
        })
    }

    fn list<'b>(&self, blocks: impl Iterator<Item = &'b PassageBlock>) -> Option<AnswerUnit<'a>> {
        let BlockKind::Item { indent: outer, ordered } = self.block.kind else { return None };
        let top =
            blocks.filter(|block| matches!(block.kind, BlockKind::Item { indent, .. } if indent <= outer));
        let mut items: Vec<Vec<Sentence>> = top.map(|block| block.sentences.clone()).collect();
        // A list of tasks is what is left to be done.
        let is_open = |item: &Vec<Sentence>| item.iter().all(|sentence| !is_done(sentence));
        if items.iter().any(is_open) {
            items.retain(is_open);
        }
        if items.len() < 2 {
            return None;
        }
        let plain = items.iter().flatten().map(plain_text).collect::<Vec<_>>().join(" ");
        let near = self.lead().map(plain_text).unwrap_or_default();
        let lead = self.lead().or_else(|| self.line_above()).cloned();
        let at = self.block.sentences.first()?.span.start;
        let mut unit = self.unit(at, UnitForm::List { lead, items, ordered }, &plain, &near);
        unit.opens = false;
        Some(unit)
    }

    fn row(&self, above: Option<&PassageBlock>) -> Option<AnswerUnit<'a>> {
        let row = TableRow::read(self.passage.text, &self.block.sentences.first()?.span)?;
        let above = above.filter(|above| above.headings == self.block.headings).into_iter();
        let above = above.flat_map(|above| above.sentences.iter().map(plain_text));
        let head = row.columns.iter().cloned().chain(above).collect::<Vec<_>>().join(" ");
        let plain = row.cells.join(" | ");
        Some(self.unit(row.span.start, UnitForm::Row(row), &plain, &head))
    }
}

impl AnswerUnit<'_> {
    /// Whether it is a single task.
    pub fn is_task(&self) -> bool {
        self.is_detail && !self.of.is_frontmatter() && matches!(self.form, UnitForm::Sentence { .. })
    }

    /// The passage of a list and where the sentence begins that leads to it.
    pub fn find_lead(&self) -> Option<(usize, usize)> {
        let UnitForm::List { lead: Some(lead), .. } = &self.form else { return None };
        Some((self.passage, lead.span.start))
    }

    /// The bytes of a sentence without its marks.
    pub fn span_of(&self, sentence: &Sentence) -> Span {
        trim_marks(self.of.text, &sentence.span)
    }
}
