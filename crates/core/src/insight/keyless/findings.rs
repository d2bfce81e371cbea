//! Which sentences are worth adding to a note: those that say something about its topics that it does not say itself.

use std::collections::BTreeSet;

use wellread_text::{extract_claims, significant_words, split_sentences};

use super::passage::{Passage, Quote};
use super::strip_generated_sections;

/// The share of a sentence's words that must be new to the note.
const MIN_NEW: f32 = 0.3;
/// The share of a sentence's words in one sentence of the note from which it repeats that sentence.
const REPEATS: f32 = 0.7;
/// The fewest telling words of a sentence.
const MIN_WORDS: usize = 5;
/// In so many sources a sentence is boilerplate.
const GENERIC: usize = 2;
/// The longest sentence worth adding, in bytes, and the most commas: with more it is a list of names.
const LONGEST: usize = 320;
const MAX_COMMAS: usize = 4;
/// A note with fewer telling words has too few by which a sentence could be tied to it.
const SHORT_NOTE: usize = 20;

/// First words of instructions: what to select, to run or to write.
const INSTRUCTIONS: &str = " select click press tap choose open go enter type navigate scroll drag hover check uncheck toggle \
    install download run uncomment use set add create put make find stage enable disable ensure remember specify configure pass \
    include remove delete move copy start stop try keep consider avoid begin define execute replace update upgrade please ";
/// First words of sentences that lean on the one before.
const LEANS: &str = " it its this that these those they their he his she her both another such so then and but or also however \
    therefore instead specifically additionally furthermore moreover otherwise likewise similarly like here there you ";
/// Beginnings of sentences that point elsewhere or lead to something that is not quoted.
const POINTERS: [&str; 14] = [
    "see ",
    "more on",
    "for more",
    "for details",
    "for example",
    "e.g.",
    "this example",
    "the following",
    "related:",
    "source:",
    "written by",
    "last updated",
    "edit this",
    "siehe ",
];
const DEFINES: [&str; 7] = [" is ", " are ", " means ", " refers to ", " ist ", " est ", " consists of "];
const LIMITS: [&str; 13] = [
    " but ",
    " except",
    " unless ",
    " only ",
    " not ",
    "n't ",
    " however",
    " although ",
    " never ",
    " because ",
    " so that ",
    " instead of ",
    " more than ",
];

/// What a note says already.
#[derive(Debug)]
pub struct KnownWords {
    title: BTreeSet<String>,
    all: BTreeSet<String>,
    sentences: Vec<BTreeSet<String>>,
}

impl KnownWords {
    /// The words of a note with this title, without what Wellread wrote into it.
    pub fn from_note(title: &str, text: &str) -> Self {
        let own = strip_generated_sections(text);
        let sentences: Vec<BTreeSet<String>> = split_sentences(&own)
            .iter()
            .map(|sentence| significant_words(&sentence.text).into_iter().collect())
            .collect();
        let mut all: BTreeSet<String> = sentences.iter().flatten().cloned().collect();
        let title: BTreeSet<String> = significant_words(title).into_iter().collect();
        all.extend(title.iter().cloned());
        Self { title, all, sentences }
    }
}

/// How much a quotation from a passage adds to a note for one of its topics, higher is better; `None` if it is not worth
/// adding. `all` are the passages that were found for the note, to recognize sentences that occur in several sources.
pub fn rate_finding(
    quote: &Quote,
    of: &Passage<'_>,
    topic: &str,
    known: &KnownWords,
    all: &[Passage<'_>],
) -> Option<f32> {
    let sentences = split_sentences(&quote.text);
    let sentence = sentences.first()?;
    let plain = super::quotation::plain_text(sentence);
    if !is_statement(&plain) || is_in_several(&quote.text, all) {
        return None;
    }
    let plain = plain.to_lowercase();
    let words: BTreeSet<String> = significant_words(&plain).into_iter().collect();
    let repeats = known.repeated_share(&words) >= REPEATS;
    if words.len() < MIN_WORDS || known.new_share(&words) < MIN_NEW || repeats {
        return None;
    }
    let tied = known.ties(&words, of, topic)?;
    let claims = extract_claims(sentence);
    let figures = f32::from(u8::from(!claims.numbers.is_empty() || !claims.dates.is_empty()));
    let any = |marks: &[&str]| f32::from(u8::from(marks.iter().any(|mark| plain.contains(mark))));
    let substance = 0.3 * figures + 0.25 * any(&LIMITS) + 0.15 * any(&DEFINES);
    (substance > 0.0).then(|| quote.score + substance + 0.1 * tied.min(4) as f32)
}

impl KnownWords {
    /// The share of words that the note does not have.
    pub(super) fn new_share(&self, words: &BTreeSet<String>) -> f32 {
        words.difference(&self.all).count() as f32 / (words.len() as f32).max(1.0)
    }

    /// The largest share of words that one sentence of the note has.
    pub(super) fn repeated_share(&self, words: &BTreeSet<String>) -> f32 {
        let shared = self.sentences.iter().map(|said| words.intersection(said).count()).max();
        shared.unwrap_or_default() as f32 / (words.len() as f32).max(1.0)
    }

    /// The words that the note has, too.
    pub(super) fn shared<'w>(&self, words: &'w BTreeSet<String>) -> impl Iterator<Item = &'w String> {
        words.iter().filter(|word| self.all.contains(*word))
    }

    /// The share of the note's own name that these words have.
    pub(super) fn named_share(&self, words: &BTreeSet<String>) -> f32 {
        self.title.intersection(words).count() as f32 / (self.title.len() as f32).max(1.0)
    }

    /// How many words besides the topic's a sentence shares with the note; `None` if it is not about the topic, or too
    /// few for a topic that is not the note's own subject.
    fn ties(&self, words: &BTreeSet<String>, of: &Passage<'_>, topic: &str) -> Option<usize> {
        let about: BTreeSet<String> = significant_words(topic).into_iter().collect();
        let title: BTreeSet<String> = significant_words(of.title()).into_iter().collect();
        let headings = of.headings.iter().flat_map(|heading| significant_words(heading));
        let named: BTreeSet<String> = title.iter().cloned().chain(headings).collect();
        let shared = about.intersection(words).count();
        let is_named = about.is_subset(&named);
        // A single word finds too much, unless a note is named for it.
        let is_short = self.all.len() < SHORT_NOTE;
        let is_found = match about.len() {
            _ if is_short => shared > 0,
            1 => shared == 1 && about == title,
            all => shared == all || shared > 0 && is_named,
        };
        let tied = words.difference(&about).filter(|word| self.all.contains(*word)).count();
        let needed = match () {
            () if is_short || about.intersection(&self.title).next().is_some() => 0,
            () if is_named => 1,
            () => 2,
        };
        (is_found && tied >= needed).then_some(tied)
    }
}

/// Whether a text in plain words says something by itself: it is no question, lead, instruction, pointer, list of names,
/// or part of a sentence, and does not lean on the sentence before it.
fn is_statement(plain: &str) -> bool {
    let starts_low = plain.starts_with(|letter: char| letter.is_lowercase() || "(|".contains(letter));
    let is_entry = plain.starts_with(|letter: char| letter.is_ascii_digit());
    let is_list = plain.matches(',').count() > MAX_COMMAS || plain.len() > LONGEST;
    let plain = plain.to_lowercase();
    let first = plain.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
    let first = first.map(|word| format!(" {word} ")).unwrap_or_default();
    let ends = plain.trim_end().ends_with(['?', ':', ',', ';']);
    let points = is_pointer(&plain);
    let is_path = plain.contains('→') || plain.contains(" > ") || plain.ends_with("e.g.");
    let is_part = starts_low || is_entry || is_list || ends || is_path;
    !is_part && !points && !INSTRUCTIONS.contains(&first) && !LEANS.contains(&first)
}

/// Whether a text in plain, small letters begins by pointing elsewhere, or by leading to something that is not quoted.
pub(super) fn is_pointer(plain: &str) -> bool {
    POINTERS.iter().any(|lead| plain.starts_with(lead))
}

/// Whether several sources have a sentence: then it belongs to none of them.
pub(super) fn is_in_several(sentence: &str, all: &[Passage<'_>]) -> bool {
    let holding = all.iter().filter(|passage| passage.text.contains(sentence));
    holding.map(|passage| passage.source).collect::<BTreeSet<_>>().len() >= GENERIC
}
