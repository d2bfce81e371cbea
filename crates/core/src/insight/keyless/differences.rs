//! Numbers and dates that differ between notes about the same thing.
//!
//! Tuned for precision: both sides have to name the same thing in nearly the same words, with the same unit, and
//! nothing nearby may distinguish them: another year, another name, `first` here and `last` there.

mod pairs;

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use wellread_text::{
    Amount, Figure, FigureWord, Sentence, SourceIndex, Terms, extract_figures, fold, significant_words,
};

use self::pairs::StatementPairs;
use super::passage::{Passage, Quote};
use super::quotation::plain_text;
use super::quotation::{is_found, quote_sentence, trim_marks};

/// Two different figures for the same thing.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureDifference {
    /// What both are about, in the words of the first.
    pub what: String,
    /// The values as written: `3 %`, `2 %`.
    pub values: (String, String),
    /// The sentence with the first value.
    pub one: Quote,
    /// The sentence with the second value.
    pub other: Quote,
}

/// The differences between sources, in the order of the passages: if the researched note comes first, its own come
/// first. With `about`, such as that note's text, differences about other things are left out.
pub fn find_differences(passages: &[Passage<'_>], about: Option<&str>, most: usize) -> Vec<FigureDifference> {
    let all = statements(passages);
    let about: Option<BTreeSet<String>> =
        about.map(|text| Terms::from_text(text).words.split(' ').map(str::to_owned).collect());
    let mut found: Vec<FigureDifference> = Vec::new();
    let pairs = StatementPairs::new(&all);
    for (at, one) in all.iter().enumerate() {
        for other in pairs.candidates_for(at).map(|other| &all[other]) {
            if found.len() == most {
                return found;
            }
            let is_about = || about.as_ref().is_none_or(|words| one.is_about(other, words));
            if one.of.source == other.of.source || !one.differs(other) || !is_about() {
                continue;
            }
            let same = |known: &FigureDifference| {
                known.one.text == one.text() && known.other.text == other.text()
                    || known.one.text == other.text() && known.other.text == one.text()
            };
            if found.iter().any(same) {
                continue;
            }
            if let (Some(first), Some(second)) = (one.quote(), other.quote()) {
                let values = (one.figure.written.clone(), other.figure.written.clone());
                found.push(FigureDifference {
                    what: one.shared_words(other),
                    values,
                    one: first,
                    other: second,
                });
            }
        }
    }
    found
}

/// A figure with its surroundings.
struct Statement<'a> {
    passage: usize,
    of: Passage<'a>,
    sentence: Rc<Sentence>,
    figure: Figure,
    /// What the note is about, if the sentence leaves its subject out.
    subject: BTreeSet<String>,
    /// Numbers, years and letters in the headings above, except for those that the sentence repeats.
    scene: BTreeSet<String>,
}

fn statements<'a>(passages: &[Passage<'a>]) -> Vec<Statement<'a>> {
    let mut found: Vec<Statement<'a>> = Vec::new();
    let mut known: HashSet<(&str, usize, String)> = HashSet::new();
    for (passage, &of) in passages.iter().enumerate() {
        let above: Vec<String> =
            of.headings.iter().map(String::as_str).chain([of.title()]).flat_map(marks_in).collect();
        for sentence in of.sentences().into_iter().map(Rc::new) {
            for figure in extract_figures(&sentence) {
                let place = of.start + sentence.span.start;
                if !known.insert((of.source, place, figure.written.clone())) {
                    continue;
                }
                let subject = if leaves_subject_out(&sentence, &figure) {
                    significant_words(of.title()).into_iter().collect()
                } else {
                    BTreeSet::new()
                };
                let (scene, sentence) = (unstated_numbers(&above, &figure), sentence.clone());
                found.push(Statement { passage, of, sentence, figure, subject, scene });
            }
        }
    }
    found
}

/// The years and numbers in the headings above a figure that its sentence does not repeat.
fn unstated_numbers(above: &[String], figure: &Figure) -> BTreeSet<String> {
    let said = &figure.qualifiers;
    let year = match &figure.amount {
        Amount::Day(date) => date.year.map(|year| year.to_string()),
        _ => None,
    };
    let is_said = |number: &&String| {
        said.contains(*number)
            || year.as_ref() == Some(*number)
            || said.iter().any(|said| said.contains(&format!("Some({number})")))
    };
    above.iter().filter(|number| !is_said(number)).cloned().collect()
}

/// Whether a list item is about the note's subject: it neither begins as a sentence nor names anything.
fn leaves_subject_out(sentence: &Sentence, figure: &Figure) -> bool {
    const ARTICLES: [&str; 12] =
        ["the ", "a ", "an ", "der ", "die ", "das ", "ein ", "eine ", "le ", "la ", "un ", "une "];
    let in_list = !sentence.block.prefix.trim().is_empty();
    let is_named = || figure.before.iter().any(|word| word.is_name);
    let has_article = || {
        let begins = plain_text(sentence).to_lowercase();
        ARTICLES.iter().any(|article| begins.starts_with(article))
    };
    in_list && !is_named() && !has_article()
}

/// The numbers in a title, and the letters behind its first word: `Batch 7`, `Plan B`.
fn marks_in(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty());
    let is_letter = |part: &str| {
        let mut letters = part.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.next().is_none() && part != "I"
    };
    let is_mark = |(at, part): &(usize, &str)| {
        part.contains(|letter: char| letter.is_ascii_digit()) || *at > 0 && is_letter(part)
    };
    parts.enumerate().filter(is_mark).map(|(_, part)| fold(part)).collect()
}

impl Statement<'_> {
    fn text(&self) -> &str {
        &self.of.text[trim_marks(self.of.text, &self.sentence.span)]
    }

    fn quote(&self) -> Option<Quote> {
        let quoted = quote_sentence(&self.sentence, &SourceIndex::new(self.of.text, true))?;
        let span = trim_marks(self.of.text, &self.sentence.span);
        let alone = SourceIndex::new(&self.of.text[span.clone()], true);
        is_found(&quoted, &alone).then(|| self.of.quote(self.passage, &span, quoted, 1.0))
    }

    fn stems(&self) -> BTreeSet<&str> {
        self.figure.before.iter().chain(&self.figure.after).map(|word| word.stem.as_str()).collect()
    }

    /// The words that both share, as the first has them.
    fn shared_words(&self, other: &Self) -> String {
        let theirs = other.stems();
        let mut words: Vec<String> = Vec::new();
        for written in plain_text(&self.sentence).split_whitespace() {
            let bare = written.trim_matches(|letter: char| !letter.is_alphanumeric());
            let stems = significant_words(bare);
            if stems.iter().any(|stem| theirs.contains(stem.as_str()))
                && !words.iter().any(|word| word == bare)
            {
                words.push(bare.to_owned());
            }
        }
        words.join(" ")
    }

    /// Whether these words contain all but one of those that both share.
    fn is_about(&self, other: &Self, words: &BTreeSet<String>) -> bool {
        let theirs = other.stems();
        let shared: Vec<&str> = self.stems().into_iter().filter(|stem| theirs.contains(stem)).collect();
        let known = shared.iter().filter(|stem| words.contains(**stem)).count();
        known >= 2 && known + 1 >= shared.len()
    }

    fn differs(&self, other: &Self) -> bool {
        is_different_amount(&self.figure, &other.figure)
            && self.figure.qualifiers == other.figure.qualifiers
            && self.scene == other.scene
            && !self.is_sibling(other)
            && self.is_same_thing(other)
    }

    /// Whether their notes are of one kind: `Batch 7` and `Batch 8`, `Linden hive` and `Hawthorn hive`. Between such
    /// notes only what a sentence names itself can be compared.
    fn is_sibling(&self, other: &Self) -> bool {
        let words = |passage: &Passage<'_>| significant_words(passage.title());
        let (one, two) = (words(&self.of), words(&other.of));
        let differing = one.iter().filter(|word| !two.contains(word)).count();
        let is_kin = self.of.folder() == other.of.folder()
            && one.len() == two.len()
            && one.len() > 1
            && differing == 1;
        is_kin && !self.figure.before.iter().chain(&self.figure.after).any(|word| word.is_name)
    }

    fn is_same_thing(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.stems(), other.stems());
        let names_it = |one: &Self, stems: &BTreeSet<&str>, two: &Self| {
            one.subject.iter().all(|stem| stems.contains(stem.as_str()) || two.subject.contains(stem))
        };
        if !names_it(self, &theirs, other) || !names_it(other, &ours, self) {
            return false;
        }
        let shared: BTreeSet<&str> = ours.intersection(&theirs).copied().collect();
        if shared.len() < 2 || !shared.iter().any(|stem| stem.chars().count() > 3) {
            return false;
        }
        let extra = |figure: &Figure| {
            let count =
                |word: &[FigureWord]| word.iter().filter(|word| !shared.contains(word.stem.as_str())).count();
            (count(&figure.before), count(&figure.after))
        };
        let ((before, after), (their_before, their_after)) = (extra(&self.figure), extra(&other.figure));
        let names = |figure: &Figure| {
            figure
                .before
                .iter()
                .chain(&figure.after)
                .any(|word| word.is_name && !shared.contains(word.stem.as_str()))
        };
        if names(&self.figure)
            || names(&other.figure)
            || modifies(&self.figure, &shared)
            || modifies(&other.figure, &shared)
        {
            return false;
        }
        let counts_a_thing = !matches!(
            self.figure.amount,
            Amount::Number { is_measure: true, .. } | Amount::Day(_) | Amount::Year(_)
        );
        let spare = if shared.len() >= 3 && !counts_a_thing { 1 } else { usize::from(shared.len() >= 4) };
        before + their_before <= spare && (after == 0 || their_after == 0) && after + their_after <= 3
    }
}

/// Whether a word that only one side has is right before one that both have: `an empty hive`, `the queen's cell`.
fn modifies(figure: &Figure, shared: &BTreeSet<&str>) -> bool {
    figure.before.iter().any(|word| {
        !shared.contains(word.stem.as_str()) && word.next.as_deref().is_some_and(|next| shared.contains(next))
    })
}

/// Whether two amounts have the same kind and unit, and differ.
fn is_different_amount(one: &Figure, other: &Figure) -> bool {
    match (&one.amount, &other.amount) {
        (
            Amount::Number { from, to, decimals, unit, .. },
            Amount::Number { from: low, to: high, decimals: places, unit: same, .. },
        ) => {
            if unit != same || (from <= high && low <= to) {
                return false;
            }
            let close = (from - low).abs() / from.abs().max(low.abs()).max(f64::MIN_POSITIVE);
            if (one.is_loose || other.is_loose) && close < 0.15 {
                return false;
            }
            // One may be the other, rounded.
            let least = i32::try_from(*decimals.min(places)).unwrap_or(0);
            let rounded = |value: f64| (value * 10_f64.powi(least)).round();
            decimals == places || rounded(*from) != rounded(*low)
        }
        (Amount::Day(one), Amount::Day(other)) => {
            one.year == other.year && (one.month, one.day) != (other.month, other.day)
        }
        (Amount::Year(one), Amount::Year(other)) => one != other,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
