//! What other notes say of the very thing that a note is about: their lines that name it and give a figure, a date, a state or a
//! decision which the note does not have.
//!
//! Names are matched as words that are written large, or as links to the note, so that a note called "Options" does not get every line
//! that has this word.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use wellread_text::{Note, SourceIndex, fold, significant_words};

use super::answers::{PEOPLE, read_field_stems, small_words};
use super::findings::{KnownWords, is_pointer};
use super::passage::{Passage, Quote};
use super::quotation::plain_text;
use super::quotes::{SentenceCandidate, candidates, is_mostly_links, points_elsewhere, sentence_similarity};
use super::standalone::{Leaning, find_leaning, says_nothing_alone};
use crate::library::vault::parse_day;

/// The most lines, and the most of one note.
const MOST: usize = 4;
const OF_A_SOURCE: usize = 2;
/// The most words of a name.
const LONGEST_NAME: usize = 4;
/// A name that more notes have says little about any of them: then only what is dated counts.
const MANY_NOTES: usize = 8;
/// The fewest telling words of a line besides the name.
const MIN_WORDS: usize = 3;
/// The share of a line's words that must be new to the note, and the share that one sentence of the note may have.
const MIN_NEW: f32 = 0.3;
const REPEATS: f32 = 0.6;
const MAX_SIMILARITY: f32 = 0.55;
/// A line with more commas is a list.
const MOST_COMMAS: usize = 4;
/// Words of a state or a decision.
const STATES: [&str; 34] = [
    " no ",
    " not ",
    "n't ",
    " never ",
    " only ",
    " until ",
    " since ",
    " because ",
    "decided",
    "decision",
    "agreed",
    "moved",
    "postponed",
    "cancelled",
    "canceled",
    "broken",
    " broke ",
    "replaced",
    " lost ",
    " sold",
    " bought ",
    " paid ",
    " came ",
    "arrived",
    " leaves ",
    " left ",
    " died",
    " must ",
    " nicht ",
    " kein",
    " nur ",
    " pas ",
    " seit ",
    " depuis ",
];
/// What stands before a name and is no part of it.
const TITLES: [&str; 16] = [
    "mr", "mrs", "ms", "miss", "dr", "prof", "sir", "herr", "frau", "monsieur", "madame", "mme", "don",
    "señor", "señora", "pater",
];
/// Tags and values of `type` of notes about people.
const PERSON: [&str; 4] = ["person", "people", "contact", "friend"];

/// The names by which other notes speak of a note: its own and those of its field `aliases`; of a note about a person also the words of
/// the name that none of the `others` has, which are the paths of all other notes. None of a daily note.
pub fn collect_names(path: &str, text: &str, others: &[String]) -> Vec<String> {
    let title = title_of(path);
    if parse_day(title).is_ok() || significant_words(title).is_empty() {
        return Vec::new();
    }
    let note = Note::parse(text);
    let mut names = vec![title.to_owned()];
    names.extend(note.aliases());
    if is_in_people(path) || note.all_tags().iter().any(|tag| PERSON.contains(&fold(tag).as_str())) {
        let folder = folder_of(path);
        let people = others.iter().filter(|other| is_in_people(other) || folder_of(other) == folder);
        let taken: BTreeSet<&str> = people.flat_map(|other| words(title_of(other))).collect();
        let own = words(title).filter(|word| {
            let is_title = TITLES.contains(&fold(word).as_str());
            word.chars().count() > 2
                && !is_title
                && !taken.contains(word)
                && word.starts_with(char::is_uppercase)
        });
        names.extend(own.map(str::to_owned));
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| (1..=LONGEST_NAME).contains(&words(name).count()) && seen.insert(fold(name)));
    names
}

/// The lines that name what a note is about and say something that it does not, best first: those about one of its fields, then the
/// latest, then those without a date. `names` has the note's own name first.
pub fn find_mentions(
    names: &[String],
    text: &str,
    known: &KnownWords,
    passages: &[Passage<'_>],
) -> Vec<Quote> {
    let all = candidates(passages);
    let subject = Subject::new(names, text, &all);
    let naming: BTreeSet<&str> =
        all.iter().filter(|one| subject.is_named_in(one)).map(|one| one.of.source).collect();
    let is_common = naming.len() > MANY_NOTES;
    let mut found: Vec<(MentionRank<'_>, SentenceCandidate<'_>)> = Vec::new();
    for candidate in all.iter().filter(|one| one.of.is_prose && subject.is_named_in(one)) {
        let day = candidate.of.day();
        let line = candidate.with_line(&all);
        let shown = line.filter(|line| is_telling(line)).unwrap_or_else(|| candidate.clone());
        let is_new = subject.is_news(&shown, known) && !candidate.is_generic(passages);
        if is_telling(&shown) && is_new && (day.is_some() || !is_common) {
            found.push((Reverse((day.is_some() && subject.is_about_field(&shown), day)), shown));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.order().cmp(&other.1.order())));
    choose_mentions(found.into_iter().map(|(_, mention)| mention))
}

/// Whether a dated line is about one of the note's fields, and its day: the greatest comes first.
type MentionRank<'a> = Reverse<(bool, Option<&'a str>)>;

/// The first of these that can be quoted, few of one note, and no two that say the same.
fn choose_mentions<'a>(ranked: impl Iterator<Item = SentenceCandidate<'a>>) -> Vec<Quote> {
    let mut chosen: Vec<(SentenceCandidate<'_>, Quote)> = Vec::new();
    for mention in ranked {
        let of_source = chosen.iter().filter(|(other, _)| other.of.source == mention.of.source).count();
        let is_like = |(other, _): &(SentenceCandidate<'_>, Quote)| {
            sentence_similarity(other, &mention) >= MAX_SIMILARITY
        };
        if chosen.len() == MOST || of_source == OF_A_SOURCE || chosen.iter().any(is_like) {
            continue;
        }
        let source = SourceIndex::new(mention.of.text, true);
        if let Some(quoted) = mention.quote(&source) {
            let quote = mention.of.quote(mention.passage, &mention.span, quoted, 1.0);
            chosen.push((mention, quote));
        }
    }
    chosen.into_iter().map(|(_, quote)| quote).collect()
}

/// What a note is about, by its names.
struct Subject<'a> {
    /// The names that are written large, in words.
    written: Vec<Vec<&'a str>>,
    /// The note's own name, as links give it.
    title: String,
    /// The words of all names.
    words: BTreeSet<String>,
    /// The names of its fields.
    fields: BTreeSet<String>,
}

impl<'a> Subject<'a> {
    fn new(names: &'a [String], text: &str, all: &[SentenceCandidate<'_>]) -> Self {
        let common: BTreeSet<&str> =
            all.iter().flat_map(|one| small_words(&one.of.text[one.span.clone()])).collect();
        let is_large = |word: &&str| word.starts_with(char::is_uppercase);
        let is_name = |name: &Vec<&str>| {
            let mut telling = name.iter().filter(|word| !significant_words(word).is_empty()).peekable();
            telling.peek().is_some()
                && telling.clone().all(is_large)
                && telling.any(|word| !common.contains(word.to_lowercase().as_str()))
        };
        Self {
            written: names.iter().map(|name| words(name).collect()).filter(is_name).collect(),
            title: names.first().map(|name| fold(name)).unwrap_or_default(),
            words: names.iter().flat_map(|name| significant_words(name)).collect(),
            fields: read_field_stems(text),
        }
    }

    /// Whether a sentence has one of the names, or a link to the note.
    fn is_named_in(&self, candidate: &SentenceCandidate<'_>) -> bool {
        let Some(sentence) = &candidate.sentence else { return false };
        let plain = plain_text(sentence);
        let said: Vec<&str> = words(&plain).collect();
        let has = |name: &Vec<&str>| said.windows(name.len()).any(|here| here == name.as_slice());
        let leads_here = || {
            let links = Note::parse(&sentence.text).links;
            links.iter().any(|link| fold(title_of(&link.target)) == self.title)
        };
        self.written.iter().any(has) || leads_here()
    }

    /// Whether the note does not say it yet.
    fn is_news(&self, candidate: &SentenceCandidate<'_>, known: &KnownWords) -> bool {
        let Some(sentence) = &candidate.sentence else { return false };
        let mut said: BTreeSet<String> = significant_words(&plain_text(sentence)).into_iter().collect();
        said.retain(|word| !self.words.contains(word));
        said.len() >= MIN_WORDS && known.new_share(&said) >= MIN_NEW && known.repeated_share(&said) < REPEATS
    }

    /// Whether it speaks of something that a field of the note gives.
    fn is_about_field(&self, candidate: &SentenceCandidate<'_>) -> bool {
        candidate.stems.iter().any(|stem| self.fields.contains(stem))
    }
}

/// Whether a sentence states something that can be understood: it has a figure or tells of a state, and is no question, lead or pointer.
fn is_telling(candidate: &SentenceCandidate<'_>) -> bool {
    let Some(sentence) = &candidate.sentence else { return false };
    let plain = plain_text(sentence);
    let lower = format!(" {} ", plain.to_lowercase());
    let has_figure = plain.contains(|letter: char| letter.is_ascii_digit());
    let states = has_figure || STATES.iter().any(|word| lower.contains(word));
    let has_links = candidate.unlinked.len() < candidate.stems.len();
    let points = is_pointer(lower.trim_start()) || points_elsewhere(sentence) && !has_figure;
    let says_nothing = says_nothing_alone(&plain) || has_links && is_mostly_links(sentence);
    let leads_on = plain.trim_end().ends_with(['?', ':']) || find_leaning(&plain) == Some(Leaning::Reference);
    let is_row = sentence.text.trim_start().starts_with('|') || plain.contains(" | ");
    // Who was there, or what there is.
    let enumerates = plain.matches(',').count() > MOST_COMMAS;
    states && !points && !says_nothing && !leads_on && !is_row && !enumerates
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn title_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    [".md", ".markdown", ".txt"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_in_people(path: &str) -> bool {
    let folder = folder_of(path).to_lowercase();
    folder.split('/').any(|folder| PEOPLE.contains(&folder))
}
