//! Which sentences of other notes are worth adding to a note in the eyes of a reader: a small model that has the beginning of the
//! note before it, and the whole section that a sentence stands in.
//!
//! The weights were learned from vaults in which the sentences that their owners would keep are marked (see
//! `docs/benchmarks.md`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wellread_text::{SourceIndex, significant_words};

use super::answers::{PlacedSection, SectionReading, fill_readings, read_sections};
use super::findings::{KnownWords, is_pointer};
use super::passage::{Passage, Quote};
use super::quotation::plain_text;
use super::quotes::{SentenceCandidate, candidates, is_mostly_links, points_elsewhere, sentence_similarity};
use super::standalone::{Leaning, find_leaning, says_nothing_alone};
use super::strip_generated_sections;

/// The most sections that are read for a note.
const MOST_SECTIONS: usize = 64;
/// The most of one passage: of a long page, those that share most words with the note.
const OF_A_PASSAGE: usize = 6;
/// The most characters of a note that a reader gets.
const LONGEST_OPENING: usize = 700;
/// How sure it must be that the note's owner would keep a sentence.
const WORTH_ADDING: f32 = 0.55;
/// How similar two sentences may be for both to be added.
const MAX_SIMILARITY: f32 = 0.55;
/// The longest quotation of two sentences, in bytes.
const LONGEST_QUOTATION: usize = 420;
/// The fewest telling words of a sentence.
const MIN_WORDS: usize = 3;
/// The share of a sentence's words in one sentence of the note from which it repeats that sentence.
const REPEATS: f32 = 0.7;
/// What the reader must say of a sentence at the least: below that, shared words make up most of what speaks for it.
const LEAST_READING: f32 = 3.0;
/// Where a reading, words and rare words that are shared stop to count for more.
const READING_LIMIT: f32 = 8.0;
const MANY_WORDS: usize = 20;
const TIED_LIMIT: f32 = 4.0;

/// A note as a reader of what is worth adding gets it: what to do, its name, and how it begins.
pub fn describe_note(title: &str, text: &str) -> String {
    let own = strip_generated_sections(text);
    let passage =
        Passage { source: title, text: &own, start: 0, first_line: 1, headings: &[], is_prose: true };
    let mut said = format!("add to note {title}:");
    let mut above = String::new();
    for section in read_sections(&passage) {
        let heading = section.section.context.split_once(" > ").map_or("", |(_, heading)| heading);
        let is_named = heading.is_empty() || heading == title || heading == above;
        let heading_once = (!is_named).then(|| heading.to_owned());
        for piece in heading_once.iter().chain(&section.section.pieces) {
            said.push(' ');
            said.push_str(piece);
            if said.len() >= LONGEST_OPENING {
                return said;
            }
        }
        above = heading.to_owned();
    }
    said
}

/// The sentences of passages that are worth adding to a note, best first; `None` without a reader. Passages are given in the order
/// in which they shall be read.
pub fn find_additions(
    known: &KnownWords,
    passages: &[Passage<'_>],
    reading: &SectionReading<'_>,
) -> Option<Vec<Quote>> {
    let sections = read_passages(known, passages, reading)?;
    let all = candidates(passages);
    let rarity = Rarity::among(&all);
    let mut rated: Vec<(f32, &SentenceCandidate<'_>)> = Vec::new();
    for candidate in &all {
        let reading = sections.get(&candidate.passage).and_then(|own| reading_at(own, candidate.span.start));
        let features = reading.and_then(|reading| AdditionFeatures::of(candidate, reading, known, &rarity));
        rated.extend(features.map(|features| (features.certainty(), candidate)));
    }
    rated.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.order().cmp(&other.1.order())));
    let mut chosen: Vec<&SentenceCandidate<'_>> = Vec::new();
    let mut additions = Vec::new();
    for (certainty, candidate) in rated.into_iter().take_while(|(certainty, _)| *certainty >= WORTH_ADDING) {
        let is_like =
            |other: &&SentenceCandidate<'_>| sentence_similarity(other, candidate) >= MAX_SIMILARITY;
        if chosen.iter().any(is_like)
            || candidate.is_generic(passages)
            || is_quoted(&additions, passages, candidate)
        {
            continue;
        }
        let before = candidate.with_previous(&all).filter(|joined| !is_quoted(&additions, passages, joined));
        let line = candidate.with_line(&all).filter(|line| !overlaps(&additions, passages, line));
        if let Some(addition) = quote_in_context(candidate, line, before, certainty) {
            additions.push(addition);
            chosen.push(candidate);
        }
    }
    Some(additions)
}

/// Whether the beginning of a sentence is in one of these quotations already.
fn is_quoted(additions: &[Quote], passages: &[Passage<'_>], candidate: &SentenceCandidate<'_>) -> bool {
    let start = candidate.of.start + candidate.span.start;
    let is_same = |quote: &Quote| passages[quote.passage].source == candidate.of.source;
    additions.iter().any(|quote| is_same(quote) && quote.span.contains(&start))
}

/// Whether one of these quotations has a part of it already.
fn overlaps(additions: &[Quote], passages: &[Passage<'_>], candidate: &SentenceCandidate<'_>) -> bool {
    let start = candidate.of.start + candidate.span.start;
    let end = candidate.of.start + candidate.span.end;
    let is_same = |quote: &Quote| passages[quote.passage].source == candidate.of.source;
    additions.iter().any(|quote| is_same(quote) && quote.span.start < end && start < quote.span.end)
}

/// A sentence as a quotation: with the whole of its line, if that is short; or else together with the one before it, `joined`, if it
/// leans on that. `None` if it can't be understood.
fn quote_in_context(
    candidate: &SentenceCandidate<'_>,
    line: Option<SentenceCandidate<'_>>,
    joined: Option<SentenceCandidate<'_>>,
    certainty: f32,
) -> Option<Quote> {
    let in_line = line.and_then(|line| quote_alone(&line, certainty));
    let leaves_open = |quote: &Quote| find_leaning(&quote.text) == Some(Leaning::Reference);
    if let Some(quote) = in_line.filter(|quote| !leaves_open(quote)) {
        return Some(quote);
    }
    let leaning = find_leaning(&plain_text(candidate.sentence.as_ref()?));
    let joined = joined.filter(|joined| leaning.is_some() && joined.span.len() <= LONGEST_QUOTATION);
    if joined.is_none() && leaning == Some(Leaning::Reference) {
        return None;
    }
    quote_alone(joined.as_ref().unwrap_or(candidate), certainty)
}

fn quote_alone(shown: &SentenceCandidate<'_>, certainty: f32) -> Option<Quote> {
    let source = SourceIndex::new(shown.of.text, shown.of.is_prose);
    let quoted = shown.quote(&source)?;
    Some(shown.of.quote(shown.passage, &shown.span, quoted, certainty))
}

/// The sections of the passages by the number of their passage, with what the reader says of those that it read: the first ones.
fn read_passages(
    known: &KnownWords,
    passages: &[Passage<'_>],
    reading: &SectionReading<'_>,
) -> Option<BTreeMap<usize, Vec<PlacedSection>>> {
    let mut sections: BTreeMap<usize, Vec<PlacedSection>> = BTreeMap::new();
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    let mut places = BTreeSet::new();
    for (number, passage) in passages.iter().enumerate() {
        if passage.is_prose && chosen.len() < MOST_SECTIONS && places.insert((passage.source, passage.start))
        {
            let own = read_sections(passage);
            chosen.extend(choose_sections(&own, known).into_iter().map(|index| (number, index)));
            sections.insert(number, own);
        }
    }
    chosen.truncate(MOST_SECTIONS);
    fill_readings(&mut sections, &chosen, reading)?;
    Some(sections)
}

/// The numbers of the sections that are read of a passage: those that share most words with the note.
fn choose_sections(sections: &[PlacedSection], known: &KnownWords) -> Vec<usize> {
    let shared = |index: &usize| {
        let words = sections[*index].section.pieces.iter().flat_map(|piece| significant_words(piece));
        known.shared(&words.collect()).count()
    };
    let mut ranked: Vec<usize> = (0..sections.len()).collect();
    if ranked.len() > OF_A_PASSAGE {
        ranked.sort_by_cached_key(|index| std::cmp::Reverse(shared(index)));
        ranked.truncate(OF_A_PASSAGE);
    }
    ranked
}

fn reading_at(sections: &[PlacedSection], at: usize) -> Option<f32> {
    let section = sections.iter().rfind(|section| section.piece_at(at).is_some())?;
    section.readings.as_ref()?.get(section.piece_at(at)?).copied()
}

/// How rare each word is among the sentences that were found: 1 for one that hardly any has.
struct Rarity {
    with: HashMap<String, usize>,
    all: f32,
}

impl Rarity {
    fn among(candidates: &[SentenceCandidate<'_>]) -> Self {
        let mut with: HashMap<String, usize> = HashMap::new();
        for sentence in candidates.iter().filter_map(|candidate| candidate.sentence.as_ref()) {
            for word in significant_words(&plain_text(sentence)).into_iter().collect::<BTreeSet<_>>() {
                *with.entry(word).or_default() += 1;
            }
        }
        Self { with, all: candidates.len() as f32 + 1.0 }
    }

    fn of(&self, word: &str) -> f32 {
        let with = self.with.get(word).copied().unwrap_or_default() as f32;
        (self.all / (with + 0.5)).ln() / self.all.ln().max(1.0)
    }
}

/// What speaks for adding a sentence.
struct AdditionFeatures {
    /// What the reader says.
    reading: f32,
    /// The largest share of its words that one sentence of the note has.
    repeated: f32,
    /// How much it says, from 0 to 1.
    length: f32,
    /// The share of the note's name that it has.
    named: f32,
    /// How rare the words are that it shares with the note: together, and the rarest of them.
    tied: f32,
    rarest: f32,
    /// Whether it has figures.
    figures: f32,
    /// How early its passage was found, from 1 down.
    early: f32,
}

impl AdditionFeatures {
    /// `None` if the reader does not find it worth adding, if the note says it already, or if it says nothing by itself.
    fn of(
        candidate: &SentenceCandidate<'_>,
        reading: f32,
        known: &KnownWords,
        rarity: &Rarity,
    ) -> Option<Self> {
        let sentence = candidate.sentence.as_ref().filter(|_| reading >= LEAST_READING)?;
        let plain = plain_text(sentence);
        let words: BTreeSet<String> = significant_words(&plain).into_iter().collect();
        let has_links = candidate.unlinked.len() < candidate.stems.len();
        // `{doc}` and the like are links, too, of which nothing is left but a name.
        let points =
            is_pointer(&plain.to_lowercase()) || plain.starts_with('{') || points_elsewhere(sentence);
        if points || says_nothing_alone(&plain) || has_links && is_mostly_links(sentence) {
            return None;
        }
        let repeated = known.repeated_share(&words);
        if words.len() < MIN_WORDS || repeated >= REPEATS || plain.ends_with(['?', ':']) {
            return None;
        }
        let shared: Vec<f32> = known.shared(&words).map(|word| rarity.of(word)).collect();
        let has_figures = plain.contains(|letter: char| letter.is_ascii_digit());
        Some(Self {
            reading: reading.clamp(-READING_LIMIT, READING_LIMIT),
            repeated,
            length: words.len().min(MANY_WORDS) as f32 / MANY_WORDS as f32,
            named: known.named_share(&words),
            tied: shared.iter().sum::<f32>().min(TIED_LIMIT) / TIED_LIMIT,
            rarest: shared.iter().copied().fold(0.0, f32::max),
            figures: f32::from(u8::from(has_figures)),
            early: 1.0 / (1.0 + 0.1 * candidate.passage as f32),
        })
    }

    /// How sure it is that the note's owner would keep the sentence, from 0 to 1.
    fn certainty(&self) -> f32 {
        let sum = 0.325 * self.reading
            + 2.9 * self.repeated
            + 0.46 * self.length
            + 1.1 * self.named
            + 2.6 * self.tied
            + 0.75 * self.rarest
            + 0.5 * self.figures
            + 1.4 * self.early
            - 5.38;
        1.0 / (1.0 + (-sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::super::answers::ReadableSection;
    use super::*;

    const NOTE: &str =
        "# Boiler\n\nFitted by Wolff in March 2019.\n\n## Warranty\n\nThe heat exchanger is covered.\n";

    fn passage<'a>(source: &'a str, text: &'a str) -> Passage<'a> {
        Passage { source, text, start: 0, first_line: 1, headings: &[], is_prose: true }
    }

    /// Texts that a reader with these words in mind would add.
    fn additions(passages: &[Passage<'_>], wanted: &str) -> Option<Vec<String>> {
        additions_by(passages, |piece| if piece.contains(wanted) { 8.0 } else { -8.0 })
    }

    fn additions_by(passages: &[Passage<'_>], value: impl Fn(&String) -> f32) -> Option<Vec<String>> {
        let known = KnownWords::from_note("Boiler", NOTE);
        let reading = |sections: &[ReadableSection]| {
            Some(sections.iter().map(|section| section.pieces.iter().map(&value).collect()).collect())
        };
        let found = find_additions(&known, passages, &reading)?;
        Some(found.into_iter().map(|quote| quote.text).collect())
    }

    #[test]
    fn a_note_is_described_by_its_name_and_how_it_begins() {
        let described = describe_note("Boiler", &format!("{NOTE}\n## Research\n\nWritten by a run.\n"));
        let expected =
            "add to note Boiler: Fitted by Wolff in March 2019. Warranty The heat exchanger is covered.";
        assert_eq!(described, expected);
        assert!(describe_note("Long", &"Many words here. ".repeat(500)).len() < LONGEST_OPENING + 100);
    }

    #[test]
    fn what_a_reader_wants_is_added_unless_the_note_says_it() {
        let insurance = "Wolff must service the boiler each year, or the warranty on the exchanger ends in 2029.\n\n\
                         Kitchen tiles cost 900.\n";
        let copy = "Fitted by Wolff in March 2019.\n";
        let passages = [passage("Money/Insurance.md", insurance), passage("Copy.md", copy)];
        let serviced =
            "Wolff must service the boiler each year, or the warranty on the exchanger ends in 2029.";
        assert_eq!(additions(&passages, "service").unwrap(), [serviced]);
        assert!(additions(&passages, "Fitted").unwrap().is_empty());
        assert!(additions(&passages, "nothing of it").unwrap().is_empty());
    }

    #[test]
    fn shared_words_do_not_make_up_for_what_the_reader_says() {
        let text =
            "Wolff says that the heat exchanger of the boiler is covered since March 2019 until 2029.\n";
        let passages = [passage("Money/Insurance.md", text)];
        assert_eq!(additions_by(&passages, |_| LEAST_READING).unwrap().len(), 1);
        assert!(additions_by(&passages, |_| LEAST_READING - 0.1).unwrap().is_empty());
    }

    #[test]
    fn a_sentence_of_several_sources_and_a_question_are_not_added() {
        let text =
            "Wolff must service the boiler in March 2029, the warranty of the exchanger asks for it.\n";
        let twice = [passage("One.md", text), passage("Two.md", text)];
        assert!(additions(&twice, "service").unwrap().is_empty());
        let question = "Must Wolff service the boiler in March 2029 for the warranty of the exchanger?\n";
        assert!(additions(&[passage("One.md", question)], "service").unwrap().is_empty());
        assert_eq!(additions(&twice[..1], "service").unwrap().len(), 1);
        for pointer in [
            "How Wolff must service the boiler for the warranty of March 2029 is in [[Boiler]].\n",
            "See what Wolff says of how to service the boiler for the warranty of March 2029.\n",
            "{doc}`How Wolff must service the boiler for the warranty of March 2029`\n",
            "Service: [[Boiler]], [[Wolff]], [[Warranty of March 2029]], [[Heat exchanger]].\n",
        ] {
            let found = additions(&[passage("One.md", pointer)], "ervice").unwrap();
            assert!(found.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn of_a_long_page_what_shares_words_with_the_note_is_read() {
        let about = "Wolff must service the boiler in March 2029, the warranty of the exchanger asks for it.";
        let mut page = String::new();
        for number in 0..40 {
            let text = if number == 30 { about } else { "Somebody else has another garden elsewhere." };
            page.push_str(&format!("## Part {number}\n\n{text}\n\n"));
        }
        let many: Vec<Passage<'_>> = vec![passage("https://a.example/", &page)];
        assert_eq!(additions(&many, "service").unwrap(), [about]);
        // What is not read is not taken for what stands before it.
        assert!(additions(&many, "garden").unwrap().is_empty());
    }

    #[test]
    fn a_sentence_that_leans_on_the_one_before_comes_with_it() {
        let both = "Wolff must service the boiler in March 2029. It costs 180, or the warranty of the exchanger ends.";
        let passages = [passage("One.md", both)];
        assert_eq!(additions(&passages, "It costs").unwrap(), [both]);
        // What stands in a quotation is not quoted once more.
        let all = additions_by(&passages, |_| 8.0).unwrap().join("\n");
        assert_eq!((all.matches("March 2029").count(), all.matches("It costs").count()), (1, 1), "{all}");
        let alone = "This keeps the warranty of the exchanger by Wolff alive until March 2029.";
        assert!(additions(&[passage("One.md", alone)], "keeps").unwrap().is_empty());
        let step = "Select the warranty of the exchanger by Wolff in March 2029 and save it.";
        assert!(additions(&[passage("One.md", step)], "Select").unwrap().is_empty());
    }

    #[test]
    fn without_a_reader_there_are_none() {
        let known = KnownWords::from_note("Boiler", NOTE);
        assert_eq!(find_additions(&known, &[passage("One.md", NOTE)], &|_| None), None);
    }
}
