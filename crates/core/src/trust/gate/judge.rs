//! Checks an answer against the ledger that it cites.

use wellread_text::{Claims, SHORTEST_QUOTATION, Sentence, SourceIndex, content_words, to_comparable};

use super::cited_sources::{CitedSources, judge_cited};
use super::cited_text::{CitedText, Surroundings};
use super::places::{EvidenceReader, PlaceState};
use super::sentence_check::SentenceChecker;
use crate::domain::evidence::{Evidence, Ledger, Source};
use crate::domain::id::EvidenceId;
use crate::domain::verdict::{CitedQuote, GateReport, JudgedSentence, Verdict, VerdictReason};

/// Judges each sentence of a text by the evidence that it cites.
pub fn judge(text: &str, ledger: &Ledger, places: &EvidenceReader<'_>) -> GateReport {
    let mut cited = CitedSources::new(places.verifier);
    cited.add_evidence(text, ledger, places);
    judge_cited(text, &cited, &[])
}

/// Judges a sentence by the texts that it cites; `why` says what else it cites and can't.
pub(super) fn judge_by_texts(
    sentence: &Sentence,
    claims: &Claims,
    cited: &[&CitedText],
    mut why: Vec<VerdictReason>,
    checker: &mut SentenceChecker<'_>,
) -> JudgedSentence {
    let judged = |verdict, why, evidence| JudgedSentence {
        text: sentence.text.clone(),
        span: sentence.span.clone(),
        verdict,
        connective: verdict == Verdict::Uncited && is_connective(sentence, claims),
        why,
        evidence,
    };
    if sentence.citations.is_empty() {
        return judged(Verdict::Uncited, Vec::new(), Vec::new());
    }
    let mut check = checker.check(sentence, claims, cited);
    checker.consult_verifier(sentence, cited, &mut check);
    if why.is_empty() || !cited.is_empty() {
        why.append(&mut check.why);
    }
    let evidence: Vec<CitedQuote> =
        cited.iter().zip(&check.lines).map(|(cited_text, lines)| cited_text.quote_lines(*lines)).collect();
    judged(check.verdict(&why), why, evidence)
}

/// Loads the evidence with this id, provided that it may be cited and still has its text.
pub(super) fn load_cited_text(
    id: &str,
    ledger: &Ledger,
    places: &EvidenceReader<'_>,
) -> Result<CitedText, VerdictReason> {
    let id_text = || id.to_owned();
    let Ok(parsed) = EvidenceId::parse(id) else { return Err(VerdictReason::UnknownId { id: id_text() }) };
    let Some(entry) = ledger.entry(&parsed) else {
        let own = parsed.run() == ledger.run();
        return Err(if own {
            VerdictReason::UnknownId { id: id_text() }
        } else {
            VerdictReason::OtherRun { id: id_text() }
        });
    };
    if ledger.citable_entry(&parsed).is_none() {
        return Err(VerdictReason::NotShown { id: id_text() });
    }
    match places.place_state(entry) {
        PlaceState::Holds { start_line } => {
            let around = match is_markdown(entry) {
                true => places.find_surroundings(entry, start_line),
                false => Surroundings::default(),
            };
            Ok(cited_text_from_entry(entry, start_line, around))
        }
        PlaceState::Moved { .. } | PlaceState::Changed { .. } => {
            Err(VerdictReason::PlaceChanged { id: id_text() })
        }
        PlaceState::Gone => Err(VerdictReason::PlaceGone { id: id_text() }),
        PlaceState::Unreachable(because) => Err(VerdictReason::PlaceUnreachable { id: id_text(), because }),
    }
}

/// Whether the evidence has these words without gaps: at least [`SHORTEST_QUOTATION`] characters of them, compared as
/// quotations are.
pub fn has_words(entry: &Evidence, words: &str) -> bool {
    let wanted = to_comparable(words);
    wanted.chars().count() >= SHORTEST_QUOTATION
        && SourceIndex::new(entry.text.expose(), is_markdown(entry)).find_quotation(&wanted).is_some()
}

fn is_markdown(entry: &Evidence) -> bool {
    match &entry.source {
        Source::Code { place, .. } => place.path.as_str().ends_with(".md"),
        _ => true,
    }
}

fn cited_text_from_entry(entry: &Evidence, start_line: usize, around: Surroundings) -> CitedText {
    let is_markdown = is_markdown(entry);
    let mut about = entry.source.location();
    let path = match &entry.source {
        Source::Note(place) | Source::Code { place, .. } => place.path.as_str().to_owned(),
        Source::Page(page) | Source::Paper { place: page, .. } => {
            about = format!("{about} {}", page.title.as_deref().unwrap_or_default());
            page.url.clone()
        }
    };
    if let Source::Paper { arxiv, .. } = &entry.source {
        about = format!("{about} {arxiv}");
    }
    if let Source::Code { commit: Some(commit), .. } = &entry.source {
        about = format!("{about} {commit}");
    }
    if let Some(symbol) = &entry.symbol {
        about = format!("{about} {}", symbol.id);
    }
    let cited = CitedText::new(entry.text.expose().to_owned(), &about, is_markdown, around);
    CitedText { id: Some(entry.id.clone()), path, start_line, ..cited }
}

/// Openings of sentences about the answer itself.
const CONNECTIVE_OPENINGS: [&str; 22] = [
    "i ",
    "we ",
    "here ",
    "below",
    "in short",
    "in summary",
    "to summarise",
    "to summarize",
    "the following",
    "this answer",
    "nothing ",
    "no answer found",
    "no evidence",
    "no source",
    "there is no evidence",
    "there is nothing",
    "the evidence ",
    "the sources ",
    "see ",
    "hope ",
    "let me",
    "more on",
];

/// Verbs that say something of what stands before them.
const STATES: [&str; 16] = [
    "is", "are", "was", "were", "has", "have", "had", "ist", "sind", "war", "hat", "hatte", "est", "sont",
    "es", "son",
];

/// The most content words of a sentence about the answer itself: what says more makes a claim, however it begins.
const MOST_WORDS_ABOUT_ITSELF: usize = 4;

/// Whether a sentence is a mere transition without a claim: it ends in a colon, is a question, has hardly any content
/// words, or is short and about the answer itself.
pub(super) fn is_connective(sentence: &Sentence, claims: &Claims) -> bool {
    if !claims.is_empty() || sentence.kind != wellread_text::SentenceKind::Prose || sentence.text.len() > 300
    {
        return false;
    }
    let text = sentence.text.trim_end_matches(['*', '_', ' ']).to_lowercase();
    let words = content_words(sentence).len();
    let is_about_itself =
        words <= MOST_WORDS_ABOUT_ITSELF && CONNECTIVE_OPENINGS.iter().any(|lead| text.starts_with(lead));
    // `Nadja is vegetarian.` says something of her; `Great question.` says nothing.
    let states = || text.split_whitespace().any(|word| STATES.contains(&word));
    let is_of_name = || claims.opener.is_some() && words > 1 && states();
    text.ends_with([':', '?']) || is_about_itself || words <= 2 && !is_of_name()
}
