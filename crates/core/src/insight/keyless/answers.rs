//! The sentences, lists and table rows of passages that answer a question.

mod blocks;
mod field;
mod judgment;
mod overview;
mod reading;
mod scoring;
mod sections;
mod table;
mod unit;
mod words;

use std::cmp::Ordering;
use std::collections::BTreeSet;

use judgment::{JudgedUnit, ReadUnit};
use reading::Readings;
use scoring::{UnitScore, WeightedQuestion};
use unit::{AnswerUnit, UnitForm, read_units};
use wellread_text::{Sentence, SourceIndex, Span};
use words::CONCLUDES;

use super::passage::{Passage, Quote};
use super::question::{AskedFor, AskedQuestion};
use super::subject::{find_introduced, find_subject};
pub(super) use sections::{PlacedSection, fill_readings, read_sections};
pub use sections::{ReadableSection, SectionReading};

use super::quotation::{quote_code, quote_sentence, write_plain};

/// The most answers.
const MOST: usize = 3;
/// How similar two answers may be for both to be given.
const MAX_SIMILARITY: f32 = 0.55;
/// The most items of a list.
const MAX_ITEMS: usize = 12;
/// The longest item that is shown whole, in bytes; of longer ones the first sentence is.
const LONGEST_ITEM: usize = 220;
/// The weight of a word that every unit has, compared with 1 for one that none has.
const COMMON: f32 = 0.2;
/// A shorter sentence is shown together with the next one.
const SHORT: usize = 40;

/// A part of a passage that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundAnswer {
    /// The sentences, or the row of a table in words.
    pub quotes: Vec<Quote>,
    /// The items of the list that follows.
    pub items: Vec<Quote>,
    /// Whether the items are numbered.
    pub ordered: bool,
    /// The head of the table that the row is from.
    pub head: Option<Quote>,
    /// Whether it covers enough of the question to be an answer, and not merely the closest that was found.
    pub is_certain: bool,
}

/// Computes how near each text is to the question in meaning, as a cosine; `None` without a model for it.
pub type Nearness<'a> = dyn Fn(&[String]) -> Option<Vec<f32>> + 'a;

/// The models on this machine that help to choose an answer.
#[derive(Clone, Copy)]
pub struct AnswerModels<'a> {
    /// Compares texts with the question.
    pub nearness: &'a Nearness<'a>,
    /// Reads sections beside the question, where texts can be compared with it, too.
    pub reading: &'a SectionReading<'a>,
}

/// The best answers to a question, best first; others than the first only if they add something, or if all of them are
/// merely close. Empty if nothing in the passages comes close to it. Passages are given in the order in which they were
/// found.
pub fn find_answers(question: &str, passages: &[Passage<'_>], models: AnswerModels<'_>) -> Vec<FoundAnswer> {
    let subject = find_subject(question);
    let asked = AskedQuestion::parse(subject.unwrap_or(question));
    let all = passages.iter().enumerate().flat_map(|(number, passage)| read_units(number, *passage));
    let mut places = BTreeSet::new();
    let units: Vec<AnswerUnit<'_>> = all
        .filter(|unit| {
            let is_list = matches!(unit.form, UnitForm::List { .. });
            places.insert((unit.of.source, unit.of.start + unit.at, is_list))
        })
        .collect();
    if subject.is_some() {
        let overview = overview::find_overview(&asked, &units);
        if !overview.is_empty() {
            return overview;
        }
    }
    let introduced = find_introduced(question).map(AskedQuestion::parse);
    let introduction = introduced.and_then(|named| overview::find_introduction(&named, &units));
    if let (AskedFor::Person, Some(introduction)) = (asked.asked_for, &introduction) {
        return vec![introduction.clone()];
    }
    let answers = choose_answers(&asked, &units, passages, models);
    match introduction {
        // What begins a note need not say what the thing is.
        Some(begins) if !answers.first().is_some_and(|best| best.is_certain) => {
            vec![FoundAnswer { is_certain: false, ..begins }]
        }
        _ => answers,
    }
}

/// The best of these units as answers, as far as any of them answers the question or comes close to it.
fn choose_answers(
    asked: &AskedQuestion,
    units: &[AnswerUnit<'_>],
    passages: &[Passage<'_>],
    models: AnswerModels<'_>,
) -> Vec<FoundAnswer> {
    let weights = weights(asked, units);
    let question = WeightedQuestion { asked, weights: &weights };
    let scored = units.iter().map(|unit| (unit.score(question), unit));
    let scored: Vec<(UnitScore, &AnswerUnit<'_>)> =
        scored.filter(|(score, unit)| !unit.is_pointer(score.asked_above)).collect();
    let Some(mut ranked) = judgment::judge_by_meaning(&scored, models.nearness) else {
        let mut by_words: Vec<_> = scored.iter().filter_map(JudgedUnit::by_words).collect();
        sort_by_rank(&mut by_words);
        return choose(asked, &by_words);
    };
    sort_by_rank(&mut ranked);
    if let Some(readings) = Readings::make(passages, &ranked, models.reading) {
        let promising = readings.find_promising(&scored, &ranked);
        ranked.extend(judgment::judge_near(&promising, models.nearness).unwrap_or_default());
        ranked = judge_by_reading(ranked, &readings, asked);
    }
    choose(asked, &ranked)
}

/// Judges anew what was read, best first.
fn judge_by_reading<'u, 'a>(
    ranked: Vec<JudgedUnit<'u, 'a>>,
    readings: &Readings,
    asked: &AskedQuestion,
) -> Vec<JudgedUnit<'u, 'a>> {
    let read = |judged: JudgedUnit<'u, 'a>| Some(judged.rank_with(readings.of(judged.unit)?));
    let mut read: Vec<ReadUnit<'u, 'a>> = ranked.into_iter().filter_map(read).collect();
    read.sort_by(|one, other| compare_ranks(&one.judged, &other.judged));
    // The best is ahead of the next one that is elsewhere, and by its own rank at most: alone it proves nothing.
    let ahead = read.first().map_or(0.0, |best| {
        let next = read.iter().find(|next| !next.judged.is_at(&best.judged));
        best.judged.rank - next.map_or(0.0, |next| next.judged.rank.max(0.0))
    });
    let judged = read.into_iter().enumerate();
    judged.map(|(at, unit)| unit.judge(if at == 0 { ahead } else { 0.0 }, &asked.asked_for)).collect()
}

fn compare_ranks(one: &JudgedUnit<'_, '_>, other: &JudgedUnit<'_, '_>) -> Ordering {
    let places = (one.unit.passage, one.unit.at).cmp(&(other.unit.passage, other.unit.at));
    other.rank.total_cmp(&one.rank).then(places)
}

fn sort_by_rank(judged: &mut [JudgedUnit<'_, '_>]) {
    judged.sort_by(compare_ranks);
}

/// The weight of each word of the question: higher, the fewer units have it.
fn weights(asked: &AskedQuestion, units: &[AnswerUnit<'_>]) -> Vec<f32> {
    let all: f32 = units.len() as f32;
    let rarest = (1.0 + (all + 0.5) / 0.5_f32).ln();
    let weight = |term: &super::question::QuestionTerm| {
        let with = units.iter().filter(|unit| unit.holds(term) > 0.0).count() as f32;
        let rarity: f32 = (1.0_f32 + (all - with + 0.5) / (with + 0.5)).ln() / rarest.max(1.0);
        term.weight * (COMMON + rarity)
    };
    asked.terms.iter().map(weight).collect()
}

fn choose(asked: &AskedQuestion, ranked: &[JudgedUnit<'_, '_>]) -> Vec<FoundAnswer> {
    let mut chosen: Vec<(&AnswerUnit<'_>, FoundAnswer)> = Vec::new();
    let mut best: Option<&JudgedUnit<'_, '_>> = None;
    for judged in ranked {
        let unit = judged.unit;
        let is_worth_it = match best {
            None => judged.is_certain || judged.is_close,
            Some(best) => {
                let is_near = judged.rank >= best.rank - best.allowance;
                is_near && (judged.is_certain || !best.is_certain)
            }
        };
        let adds = best.is_none() || adds_something(asked, unit, &chosen);
        if chosen.len() == MOST || !is_worth_it || !adds {
            continue;
        }
        if let Some(answer) = unit.render(asked, &judged.score, judged.is_certain) {
            let is_whole = !answer.items.is_empty() || answer.head.is_some();
            chosen.push((unit, answer));
            if best.is_none() && (is_whole && judged.is_certain || judged.is_alone) {
                break;
            }
            best.get_or_insert(judged);
        }
    }
    // What is merely close stands beside what is merely close.
    let is_certain = chosen.first().is_some_and(|(_, answer)| answer.is_certain);
    chosen.into_iter().map(|(_, answer)| FoundAnswer { is_certain, ..answer }).collect()
}

/// Whether a further unit says something that the chosen ones do not.
fn adds_something(
    asked: &AskedQuestion,
    unit: &AnswerUnit<'_>,
    chosen: &[(&AnswerUnit<'_>, FoundAnswer)],
) -> bool {
    if !matches!(unit.form, UnitForm::Sentence { .. }) {
        return false;
    }
    let figures = |text: &str| -> BTreeSet<String> {
        let digits = text.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| !digits.is_empty());
        digits.map(str::to_owned).collect()
    };
    let differs = |other: &AnswerUnit<'_>| {
        let is_figure = matches!(asked.asked_for, AskedFor::Amount | AskedFor::Time | AskedFor::Definition);
        is_figure && !figures(&unit.plain).is_subset(&figures(&other.plain))
    };
    chosen.iter().all(|(other, answer)| {
        let overlaps = answer
            .quotes
            .iter()
            .any(|quote| quote.passage == unit.passage && quote.span.contains(&(unit.of.start + unit.at)));
        !overlaps
            && (similarity(unit, other) < MAX_SIMILARITY
                || differs(other) && unit.of.source != other.of.source)
    })
}

fn similarity(one: &AnswerUnit<'_>, other: &AnswerUnit<'_>) -> f32 {
    let set = |unit: &AnswerUnit<'_>| unit.stems.iter().cloned().collect::<BTreeSet<_>>();
    let (one, other) = (set(one), set(other));
    one.intersection(&other).count() as f32 / (one.union(&other).count() as f32).max(1.0)
}

impl AnswerUnit<'_> {
    /// The unit as quotations; `None` if it can't be quoted.
    fn render(&self, asked: &AskedQuestion, score: &UnitScore, is_certain: bool) -> Option<FoundAnswer> {
        let mut answer =
            FoundAnswer { quotes: Vec::new(), items: Vec::new(), ordered: false, head: None, is_certain };
        match &self.form {
            UnitForm::Sentence { code, .. } => {
                answer.quotes = self.quote_sentences(asked, score)?;
                let shows_last = answer.quotes.iter().any(|quote| quote.text.trim_end().ends_with(':'));
                if shows_last {
                    answer.items =
                        code.iter().flat_map(|span| self.quote_code_block(span, score.score)).collect();
                }
            }
            UnitForm::List { lead, items, ordered } => {
                answer.ordered = *ordered;
                answer.quotes.extend(lead.iter().filter_map(|lead| self.quote_one(lead, score.score)));
                answer.items = items
                    .iter()
                    .take(MAX_ITEMS)
                    .filter_map(|item| self.quote_item(item, score.score))
                    .collect();
                if answer.items.len() < 2 {
                    return None;
                }
            }
            UnitForm::Row(row) => {
                let whole = |span: &Span, quoted| self.of.quote(self.passage, span, quoted, score.score);
                answer.quotes.push(whole(&row.span, write_plain_text(&row.render())));
                answer.head = Some(whole(&row.head, String::new()));
            }
        }
        Some(answer)
    }

    /// A sentence with those that it needs: a short one says little, a conclusion has its reason before it, and a
    /// heading that asks the question is answered by the paragraph.
    fn quote_sentences(&self, asked: &AskedQuestion, score: &UnitScore) -> Option<Vec<Quote>> {
        let UnitForm::Sentence { sentence, prior, rest, after, .. } = &self.form else { return None };
        let explains = matches!(
            asked.asked_for,
            AskedFor::Reason | AskedFor::Confirmation | AskedFor::Steps | AskedFor::Effect
        );
        let more = if score.asked_above && explains && self.opens { 2 } else { 0 };
        let concludes = CONCLUDES.iter().any(|lead| self.plain.starts_with(lead));
        let reason = prior.iter().filter(|_| concludes && asked.asked_for == AskedFor::Reason);
        let mut quotes: Vec<Quote> = reason.filter_map(|prior| self.quote_one(prior, score.score)).collect();
        let mut length = 0;
        let after = after.iter().filter(|_| more > 0);
        for (at, sentence) in std::iter::once(sentence.as_ref()).chain(rest).chain(after).enumerate() {
            if at > more && length >= SHORT {
                break;
            }
            if let Some(quote) = self.quote_one(sentence, score.score) {
                length += quote.quoted.chars().count();
                quotes.push(quote);
            } else if at == 0 {
                return None;
            }
        }
        (!quotes.is_empty()).then_some(quotes)
    }

    fn quote_one(&self, sentence: &Sentence, score: f32) -> Option<Quote> {
        let span = self.span_of(sentence);
        let source = SourceIndex::new(&self.of.text[span.clone()], true);
        let plain = || write_plain(std::slice::from_ref(sentence));
        let quoted = quote_sentence(sentence, &source).or_else(plain)?;
        Some(self.of.quote(self.passage, &span, quoted, score))
    }

    fn quote_item(&self, item: &[Sentence], score: f32) -> Option<Quote> {
        let (first, last) = (item.first()?, item.last()?);
        let whole = last.span.end - first.span.start <= LONGEST_ITEM;
        let shown = if whole { item } else { &item[..1] };
        let span = first.span.start..shown.last()?.span.end;
        let span = super::quotation::trim_marks(self.of.text, &span);
        Some(self.of.quote(self.passage, &span, write_plain(shown)?, score))
    }

    /// The lines of a short block of code.
    fn quote_code_block(&self, span: &Span, score: f32) -> Vec<Quote> {
        let text = &self.of.text[span.clone()];
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() > 8 {
            return Vec::new();
        }
        let mut at = span.start;
        let mut quotes = Vec::new();
        for line in text.split_inclusive('\n') {
            let inner = line.trim();
            let start = at + line.len() - line.trim_start().len();
            at += line.len();
            if inner.starts_with("```") || inner.starts_with("~~~") || inner.is_empty() {
                continue;
            }
            let place = start..start + inner.len();
            let source = SourceIndex::new(inner, false);
            if let Some(quoted) = quote_code(inner, &source) {
                quotes.push(self.of.quote(self.passage, &place, quoted, score));
            }
        }
        quotes
    }
}

fn write_plain_text(text: &str) -> String {
    text.replace(['[', ']'], "")
}
