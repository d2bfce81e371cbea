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

/// First words of instructions for a user interface.
const INTERFACE_STEPS: [&str; 20] = [
    "select",
    "click",
    "press",
    "tap",
    "choose",
    "open",
    "go",
    "enter",
    "type",
    "navigate",
    "scroll",
    "drag",
    "hover",
    "check",
    "uncheck",
    "toggle",
    "install",
    "download",
    "run",
    "uncomment",
];
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
        all.extend(significant_words(title));
        Self { all, sentences }
    }
}

/// How much a quotation for a topic adds to a note, higher is better; `None` if it is not worth adding. `passages` are
/// all that were found, to recognize sentences that occur in several sources.
pub fn rate_finding(quote: &Quote, topic: &str, known: &KnownWords, passages: &[Passage<'_>]) -> Option<f32> {
    let sentences = split_sentences(&quote.text);
    let sentence = sentences.first()?;
    let plain = super::quotation::plain_text(sentence).to_lowercase();
    if is_no_statement(&plain) || is_generic(quote, passages) {
        return None;
    }
    let words: BTreeSet<String> = significant_words(&plain).into_iter().collect();
    let new = words.difference(&known.all).count() as f32 / (words.len() as f32).max(1.0);
    let repeats =
        |said: &BTreeSet<String>| words.intersection(said).count() as f32 >= REPEATS * words.len() as f32;
    if words.len() < MIN_WORDS || new < MIN_NEW || known.sentences.iter().any(repeats) {
        return None;
    }
    let about = significant_words(topic);
    let shared = about.iter().filter(|word| words.contains(*word)).count();
    let tied = words.intersection(&known.all).count();
    // A sentence about the topic, or one that is tied to the note by several of its words.
    if shared == 0 || shared < about.len() && tied < 2 || tied == 0 {
        return None;
    }
    let claims = extract_claims(sentence);
    let figures = f32::from(u8::from(!claims.numbers.is_empty() || !claims.dates.is_empty()));
    let any = |marks: &[&str]| f32::from(u8::from(marks.iter().any(|mark| plain.contains(mark))));
    let substance = 0.3 * figures + 0.25 * any(&LIMITS) + 0.15 * any(&DEFINES);
    (substance > 0.0).then(|| quote.score + substance + 0.1 * tied.min(4) as f32)
}

/// Whether a text in lower case is a question, a lead, an instruction for an interface, or a pointer.
fn is_no_statement(plain: &str) -> bool {
    let first = plain.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
    let is_step = first.is_some_and(|word| INTERFACE_STEPS.contains(&word));
    let ends = plain.trim_end().ends_with(['?', ':', ',', ';']);
    let points = POINTERS.iter().any(|lead| plain.starts_with(lead));
    is_step
        || ends
        || points
        || plain.contains('→')
        || plain.contains(" > ")
        || plain.contains("e.g.") && plain.ends_with("e.g.")
}

/// Whether several sources have the sentence: then it belongs to none of them.
fn is_generic(quote: &Quote, passages: &[Passage<'_>]) -> bool {
    let holding = passages.iter().filter(|passage| passage.text.contains(&quote.text));
    holding.map(|passage| passage.source).collect::<BTreeSet<_>>().len() >= GENERIC
}
