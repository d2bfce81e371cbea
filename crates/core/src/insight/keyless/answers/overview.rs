//! What notes say about a subject: the beginning of the note or section that is named for it, and what others say of it.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::Note;

use super::unit::{AnswerUnit, UnitForm};
use super::words::has_stem;
use super::{FoundAnswer, MAX_SIMILARITY, similarity};
use crate::insight::keyless::passage::{Passage, Quote};
use crate::insight::keyless::question::AskedQuestion;

/// The most sentences of what is named for the subject, and of what is not.
const OPENING: usize = 3;
const BESIDE_OPENING: usize = 2;
const WITHOUT_OPENING: usize = 3;
/// A sentence of fewer words outside of links says nothing by itself.
const FEWEST_WORDS: usize = 3;
/// How a sentence begins that sends the reader elsewhere.
const POINTS: [&str; 5] = ["see ", "cf. ", "siehe ", "voir ", "zie "];

/// The other names of notes, by their sources, as far as their frontmatter is among the passages.
pub(super) struct OtherNames<'a>(BTreeMap<&'a str, Vec<Vec<String>>>);

impl<'a> OtherNames<'a> {
    pub fn read(passages: &[Passage<'a>]) -> Self {
        let fields = passages.iter().filter(|passage| passage.is_frontmatter());
        let names = fields.map(|passage| {
            let aliases = Note::parse(passage.text).aliases();
            (passage.source, aliases.iter().map(|alias| telling_stems(alias)).collect())
        });
        Self(names.collect())
    }

    /// Whether the unit's note is named for the subject.
    fn are_of(&self, unit: &AnswerUnit<'_>, subject: &AskedQuestion) -> bool {
        let others = self.0.get(unit.of.source).map(Vec::as_slice).unwrap_or_default();
        is_name_of(unit.title.iter(), subject) || others.iter().any(|name| is_name_of(name.iter(), subject))
    }
}

/// The stems of a name, as of a question: without articles.
fn telling_stems(name: &str) -> Vec<String> {
    AskedQuestion::parse(name).terms.into_iter().map(|term| term.stem).collect()
}

/// What is said about the subject, best first. Empty if no sentence names it.
pub(super) fn find_overview(
    subject: &AskedQuestion,
    units: &[AnswerUnit<'_>],
    names: &OtherNames<'_>,
) -> Vec<FoundAnswer> {
    if subject.terms.is_empty() {
        return Vec::new();
    }
    let telling: Vec<&AnswerUnit<'_>> = units.iter().filter(|unit| unit.says_something()).collect();
    let mut chosen = choose_opening(subject, &telling, names);
    let mut answers: Vec<FoundAnswer> = quote_together(&chosen).into_iter().collect();
    let most = if answers.is_empty() { WITHOUT_OPENING } else { BESIDE_OPENING };
    let named = chosen.len();
    let mut sources: BTreeSet<&str> = chosen.iter().map(|unit| unit.of.source).collect();
    for unit in telling.into_iter().filter(|unit| unit.mentions(subject)) {
        let is_new = chosen.iter().all(|known| similarity(unit, known) < MAX_SIMILARITY);
        if chosen.len() - named == most || !is_new || sources.contains(unit.of.source) {
            continue;
        }
        if let Some(answer) = quote_together(&[unit]) {
            answers.push(answer);
            chosen.push(unit);
            sources.insert(unit.of.source);
        }
    }
    answers
}

/// The beginning of the note or section that is named for it, and for nothing else; `None` if there is none, or it says nothing.
pub(super) fn find_introduction(
    subject: &AskedQuestion,
    units: &[AnswerUnit<'_>],
    names: &OtherNames<'_>,
) -> Option<FoundAnswer> {
    if subject.terms.is_empty() {
        return None;
    }
    let telling: Vec<&AnswerUnit<'_>> = units.iter().filter(|unit| unit.says_something()).collect();
    quote_together(&choose_opening(subject, &telling, names))
}

/// The first sentences of the note that is named for the subject, or else of a section that is.
fn choose_opening<'u, 'a>(
    subject: &AskedQuestion,
    telling: &[&'u AnswerUnit<'a>],
    names: &OtherNames<'_>,
) -> Vec<&'u AnswerUnit<'a>> {
    let note = telling.iter().find(|unit| names.are_of(unit, subject));
    let section = telling.iter().find(|unit| is_name_of(unit.heading.iter(), subject));
    let mut own: Vec<&AnswerUnit<'_>> = match (note, section) {
        (Some(note), _) => telling.iter().filter(|unit| unit.of.source == note.of.source).copied().collect(),
        (None, Some(section)) => {
            let is_own = |unit: &&&AnswerUnit<'_>| {
                unit.of.source == section.of.source && unit.heading == section.heading
            };
            telling.iter().filter(is_own).copied().collect()
        }
        (None, None) => return Vec::new(),
    };
    own.sort_by_key(|unit| unit.of.start + unit.at);
    own.truncate(OPENING);
    own
}

/// Whether these words are the subject's name: all of it, and nothing else.
fn is_name_of<'a>(mut words: impl Iterator<Item = &'a String> + Clone, subject: &AskedQuestion) -> bool {
    let names = || subject.terms.iter().map(|term| &term.stem);
    names().all(|stem| has_stem(words.clone(), stem)) && words.all(|word| has_stem(names(), word))
}

/// Sentences of one source as one answer; `None` if none of them can be quoted.
fn quote_together(units: &[&AnswerUnit<'_>]) -> Option<FoundAnswer> {
    let quote = |unit: &&AnswerUnit<'_>| match &unit.form {
        UnitForm::Sentence { sentence, .. } => unit.quote_one(sentence, 1.0),
        UnitForm::List { .. } | UnitForm::Row(_) => None,
    };
    let quotes: Vec<Quote> = units.iter().filter_map(quote).collect();
    let is_empty = quotes.is_empty();
    let answer = FoundAnswer { quotes, is_certain: true, ..FoundAnswer::default() };
    (!is_empty).then_some(answer)
}

impl AnswerUnit<'_> {
    /// Whether it is a sentence that says something by itself: not a mere link, a question, the id of a block, or what leads to a list.
    fn says_something(&self) -> bool {
        let UnitForm::Sentence { sentence, .. } = &self.form else { return false };
        let is_block_id = sentence.text.trim_start().starts_with('^');
        let is_statement = !is_block_id && !self.is_detail && !self.plain.trim_end().ends_with(['?', ':']);
        is_statement && self.unlinked.len() >= FEWEST_WORDS
    }

    /// Whether it names the subject itself.
    fn mentions(&self, subject: &AskedQuestion) -> bool {
        subject.terms.iter().all(|term| has_stem(self.stems.iter(), &term.stem))
    }

    /// Whether it says no more than which note to look at: "See [[Index]].", or a bare link, unless the heading above asks for it.
    pub(super) fn is_pointer(&self, asked_above: bool) -> bool {
        let UnitForm::Sentence { sentence, .. } = &self.form else { return false };
        let is_bare = self.unlinked.is_empty() && !asked_above;
        let points = self.unlinked.len() <= 2 && POINTS.iter().any(|word| self.plain.starts_with(word));
        sentence.text.contains("[[") && (is_bare || points)
    }
}
