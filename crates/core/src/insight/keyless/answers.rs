//! The sentences, lists and table rows of passages that answer a question.

mod blocks;
mod comparing;
mod corrections;
mod count;
mod entries;
mod field;
mod judgment;
mod names;
mod overview;
mod properties;
mod reading;
mod render;
mod scoring;
mod sections;
mod table;
mod unit;
mod words;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use field::read_field_names;
use judgment::{JudgedUnit, ReadUnit};
use names::Names;
use overview::OtherNames;
use reading::Readings;
use scoring::{UnitScore, WeightedQuestion};
use unit::{AnswerUnit, UnitForm, read_units};

use super::passage::{Passage, Quote};
use super::question::{AskedFor, AskedQuestion};
use super::subject::{find_introduced, find_subject};
pub(super) use names::{PEOPLE, small_words};
pub(super) use properties::read_field_stems;
pub(super) use sections::{PlacedSection, fill_readings, read_sections};
pub use sections::{ReadableSection, SectionReading};

/// The most answers.
const MOST: usize = 3;
/// How similar two answers may be for both to be given.
const MAX_SIMILARITY: f32 = 0.55;
/// The weight of a word that every unit has, compared with 1 for one that none has.
const COMMON: f32 = 0.2;

/// A part of a passage that answers a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundAnswer {
    /// The sentences, or the row of a table in words.
    pub quotes: Vec<Quote>,
    /// The items of the list that follows.
    pub items: Vec<Quote>,
    /// Whether the items are numbered.
    pub ordered: bool,
    /// The head of the table that the row is from.
    pub head: Option<Quote>,
    /// Whether it states the one property or figure that was asked for, however short it is.
    pub is_property: bool,
    /// Whether it covers enough of the question to be an answer, and not merely the closest that was found.
    pub is_certain: bool,
}

/// What was found for a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerSearch {
    /// The best answers, best first; others than the first only if they add something, or if all of them are merely close.
    pub answers: Vec<FoundAnswer>,
    /// Where nothing comes close, the lines that a reader would look at first, each of another section.
    pub nearest: Vec<FoundAnswer>,
}

impl From<Vec<FoundAnswer>> for AnswerSearch {
    fn from(answers: Vec<FoundAnswer>) -> Self {
        Self { answers, nearest: Vec::new() }
    }
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

/// Searches passages for answers to a question. They are given in the order in which they were found.
pub fn find_answers(question: &str, passages: &[Passage<'_>], models: AnswerModels<'_>) -> AnswerSearch {
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
    let names = OtherNames::read(passages);
    if subject.is_some() {
        let overview = overview::find_overview(&asked, &units, &names);
        if !overview.is_empty() {
            return overview.into();
        }
    }
    let introduced = find_introduced(question).map(AskedQuestion::parse);
    let introduction = introduced.and_then(|named| overview::find_introduction(&named, &units, &names));
    if let (AskedFor::Person, Some(introduction)) = (asked.asked_for, &introduction) {
        return vec![introduction.clone()].into();
    }
    let named = Names::read(subject.unwrap_or(question), &asked, passages);
    let found = choose_answers((&asked, &named), &units, passages, models);
    match introduction {
        // What begins a note need not say what the thing is.
        Some(begins) if !found.answers.first().is_some_and(|best| best.is_certain) => {
            vec![FoundAnswer { is_certain: false, ..begins }].into()
        }
        _ => found,
    }
}

/// The best of these units as answers, as far as any of them answers the question or comes close to it.
fn choose_answers(
    (asked, named): (&AskedQuestion, &Names<'_>),
    units: &[AnswerUnit<'_>],
    passages: &[Passage<'_>],
    models: AnswerModels<'_>,
) -> AnswerSearch {
    let (weights, fields) = (weights(asked, units), read_field_names(units));
    let question = WeightedQuestion { asked, named, weights: &weights, fields: &fields };
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
        ranked = judge_by_reading(ranked, &readings, models.reading, asked);
    }
    choose(asked, &ranked)
}

/// Judges anew what was read, best first: by its own section, then beside the others.
fn judge_by_reading<'u, 'a>(
    ranked: Vec<JudgedUnit<'u, 'a>>,
    readings: &Readings,
    reading: &SectionReading<'_>,
    asked: &AskedQuestion,
) -> Vec<JudgedUnit<'u, 'a>> {
    let read = |judged: JudgedUnit<'u, 'a>| Some(judged.rank_with(readings.of(judged.unit)?));
    let mut read: Vec<ReadUnit<'u, 'a>> = ranked.into_iter().filter_map(read).collect();
    let sort = |read: &mut [ReadUnit<'u, 'a>]| {
        read.sort_by(|one, other| compare_ranks(&one.judged, &other.judged));
    };
    sort(&mut read);
    let ahead = how_far_ahead(&read);
    let each = |at: usize, ahead: f32| if at == 0 { ahead } else { 0.0 };
    for (at, unit) in read.iter_mut().enumerate() {
        unit.judge_by_section(each(at, ahead), &asked.asked_for);
    }
    comparing::compare_best(&mut read, reading);
    sort(&mut read);
    let ahead = how_far_ahead(&read);
    read.into_iter().enumerate().map(|(at, unit)| unit.judge(each(at, ahead), &asked.asked_for)).collect()
}

/// How far the best is ahead of the next one that is elsewhere, and by its own rank at most: alone it proves nothing.
fn how_far_ahead(read: &[ReadUnit<'_, '_>]) -> f32 {
    let Some(best) = read.first() else { return 0.0 };
    let next = read.iter().find(|next| !next.judged.is_at(&best.judged));
    best.judged.rank - next.map_or(0.0, |next| next.judged.rank.max(0.0))
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

fn choose(asked: &AskedQuestion, ranked: &[JudgedUnit<'_, '_>]) -> AnswerSearch {
    let whole = complete_leads(ranked);
    let mut answers = choose_close(asked, &whole);
    if let Some(corrected) = correct_best(asked, &whole, &answers) {
        answers = corrected;
    }
    let nearest = if answers.is_empty() { choose_nearest(asked, ranked) } else { Vec::new() };
    AnswerSearch { answers, nearest }
}

/// The same units, with the whole list in place of the sentence that leads to it.
fn complete_leads<'u, 'a>(ranked: &[JudgedUnit<'u, 'a>]) -> Vec<JudgedUnit<'u, 'a>> {
    let led: BTreeMap<(usize, usize), &'u AnswerUnit<'a>> =
        ranked.iter().filter_map(|judged| Some((judged.unit.find_lead()?, judged.unit))).collect();
    let complete = |judged: &JudgedUnit<'u, 'a>| {
        let place = (judged.unit.passage, judged.unit.at);
        let list = led.get(&place).filter(|_| matches!(judged.unit.form, UnitForm::Sentence { .. }));
        JudgedUnit { unit: list.copied().unwrap_or(judged.unit), ..*judged }
    };
    ranked.iter().map(complete).collect()
}

/// Where another sentence takes back what answers, or a later note says something about the same, that one and then the answer, as
/// what is merely close: which of them holds is for the reader to say.
fn correct_best(
    asked: &AskedQuestion,
    ranked: &[JudgedUnit<'_, '_>],
    answers: &[FoundAnswer],
) -> Option<Vec<FoundAnswer>> {
    let (best, first) = (ranked.first()?, answers.first()?);
    let is_best = first.quotes.iter().any(|quote| quote.passage == best.unit.passage);
    let later_entry =
        || entries::find_later_entry(asked, best, ranked).filter(|_| !corrections::asks_for_own_time(asked));
    let correction = corrections::find_correction(asked, best, ranked)
        .or_else(|| corrections::find_later(asked, best, ranked))
        .or_else(|| corrections::find_news(asked, best, ranked))
        .filter(|_| first.is_certain)
        .or_else(later_entry)
        .filter(|_| is_best)?;
    let shown = correction.unit.render(asked, &correction.score, false)?;
    let texts =
        |answer: &FoundAnswer| answer.quotes.iter().map(|quote| quote.text.clone()).collect::<Vec<_>>();
    if texts(&shown) == texts(first) {
        // Both stand on one line.
        return Some(vec![FoundAnswer { is_certain: false, ..first.clone() }]);
    }
    let is_there = answers.iter().any(|answer| answer.quotes.first() == shown.quotes.first());
    let first = FoundAnswer { is_certain: false, ..first.clone() };
    (!is_there).then(|| vec![shown, first])
}

/// The best units, each of another section. Of a list that is the item that comes closest.
fn choose_nearest(asked: &AskedQuestion, ranked: &[JudgedUnit<'_, '_>]) -> Vec<FoundAnswer> {
    let mut chosen: Vec<(&AnswerUnit<'_>, FoundAnswer)> = Vec::new();
    let is_list = |judged: &&JudgedUnit<'_, '_>| matches!(judged.unit.form, UnitForm::List { .. });
    for judged in ranked.iter().filter(|judged| !is_list(judged)) {
        let unit = judged.unit;
        let is_elsewhere = chosen
            .iter()
            .all(|(other, _)| other.of.source != unit.of.source || other.heading_text != unit.heading_text);
        if chosen.len() < MOST && is_elsewhere {
            let answer = unit.render(asked, &judged.score, false);
            chosen.extend(answer.map(|answer| (unit, answer)));
        }
    }
    chosen.into_iter().map(|(_, answer)| answer).collect()
}

/// The best units, as far as they answer or come close.
fn choose_close(asked: &AskedQuestion, ranked: &[JudgedUnit<'_, '_>]) -> Vec<FoundAnswer> {
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
        let overlaps =
            answer.quotes.iter().chain(&answer.items).any(|quote| {
                quote.passage == unit.passage && quote.span.contains(&(unit.of.start + unit.at))
            });
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
