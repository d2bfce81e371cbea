//! What a verifier's reading of a sentence changes in the verdict of the rules.
//!
//! The rules compare words. The verifier reads meaning, less exactly: it may withdraw a reason that rests on words alone, and
//! may doubt a sentence to which the rules have no objection, unless it is in the source's own words: there it knows less than they
//! do. Where the rules say that the source says otherwise and it reads support, the sentence is merely unknown. What stands in the source word
//! for word, and everything else that the rules know (a place that is gone, a quotation that differs, a number or a date that is
//! missing), is not its business.

use wellread_text::{Sentence, SentencePart};

use super::cited_text::CitedText;
use super::sentence_check::SentenceCheck;
use super::voice;
use crate::domain::verdict::VerdictReason;
use crate::ports::{SupportShares, Verifier};

/// From this share of support on, reasons that rest on words alone are withdrawn.
const CONVINCED: f32 = 0.5;
/// From this share of support on, even a word that turns the source's statement is withdrawn as a reason.
const CONVINCED_OF_TURN: f32 = 0.8;
/// Up to this share of support, a sentence without a reason against it is doubted.
const DOUBTFUL: f32 = 0.25;
/// Up to this share of support, the rules may say that the source of a sentence says otherwise.
const MOST_OF_A_CONTRADICTION: f32 = 0.4;

/// The most bytes that are read of a cited text, around the lines that have most of the sentence's words.
const MOST_BYTES: usize = 2_400;
/// The most cited texts that are read.
const MOST_TEXTS: usize = 4;

/// Reads a sentence beside the cited texts, and changes the reasons accordingly. Returns whether anything was read.
pub(super) fn apply_reading(
    verifier: &dyn Verifier,
    sentence: &Sentence,
    cited: &[&CitedText],
    check: &mut SentenceCheck,
) -> bool {
    let is_open = check.why.iter().all(rests_on_words);
    let contradicts = check.why.iter().any(VerdictReason::contradicts);
    if check.is_quoted || cited.is_empty() || !is_open && !contradicts {
        return false;
    }
    let Some(reading) = read(verifier, sentence, cited, &check.lines) else { return false };
    if !is_open {
        if reading.supported > MOST_OF_A_CONTRADICTION {
            check.why.iter_mut().for_each(soften);
        }
    } else if reading.supported >= CONVINCED {
        check.why.retain(|why| is_turn(why) && reading.supported < CONVINCED_OF_TURN);
    } else if check.why.is_empty() && !check.is_in_source_words && reading.supported <= DOUBTFUL {
        check.why.push(VerdictReason::NotBorneOut);
    }
    true
}

/// Whether a reason rests on a comparison of words, so that a paraphrase may give it without being wrong.
fn rests_on_words(why: &VerdictReason) -> bool {
    matches!(
        why,
        VerdictReason::NothingInCommon
            | VerdictReason::NameMissing { .. }
            | VerdictReason::OtherSubject { .. }
            | VerdictReason::NegationDiffers { is_certain: false }
            | VerdictReason::DirectionDiffers { is_certain: false, .. }
            | VerdictReason::Overstated { .. }
            | VerdictReason::Outdated
            | VerdictReason::RolesSwapped { .. }
            | VerdictReason::OtherLanguage
    )
}

/// Whether a reason is that a word turns, limits or dates what the source says.
fn is_turn(why: &VerdictReason) -> bool {
    matches!(
        why,
        VerdictReason::NegationDiffers { .. }
            | VerdictReason::DirectionDiffers { .. }
            | VerdictReason::Overstated { .. }
            | VerdictReason::Outdated
    )
}

/// Takes from a reason that the source says otherwise. A quotation that differs is certain as it is.
fn soften(why: &mut VerdictReason) {
    match why {
        VerdictReason::NumberDiffers { number, .. } => {
            *why = VerdictReason::NumberMissing { number: std::mem::take(number) };
        }
        VerdictReason::DateDiffers { date, .. } => {
            *why = VerdictReason::DateMissing { date: std::mem::take(date) };
        }
        VerdictReason::NegationDiffers { is_certain }
        | VerdictReason::DirectionDiffers { is_certain, .. } => {
            *is_certain = false;
        }
        _ => {}
    }
}

/// The reading of the text that bears the sentence out best: one of the cited ones, or all of them together. `lines` are those
/// of each text that have most of the sentence's words.
fn read(
    verifier: &dyn Verifier,
    sentence: &Sentence,
    cited: &[&CitedText],
    lines: &[(usize, usize)],
) -> Option<SupportShares> {
    let statement = to_statement(sentence);
    let statements: Vec<String> = voice::to_active(&statement).into_iter().chain([statement]).collect();
    let texts: Vec<_> = cited.iter().zip(lines).take(MOST_TEXTS).collect();
    let mut best: Option<SupportShares> = None;
    let together = (texts.len() > 1).then(|| {
        let parts = texts.iter().map(|(text, lines)| text.excerpt(**lines, MOST_BYTES / texts.len()));
        parts.collect::<Vec<_>>().join("\n\n")
    });
    let alone = texts.iter().map(|(text, lines)| text.excerpt(**lines, MOST_BYTES));
    for text in alone.chain(together) {
        for statement in &statements {
            let reading = verifier.read(statement, &text);
            if best.is_none_or(|best| reading.supported > best.supported) {
                best = Some(reading);
            }
            if reading.supported >= CONVINCED {
                return best;
            }
        }
    }
    best
}

/// The sentence on one line, without its citations.
fn to_statement(sentence: &Sentence) -> String {
    let parts = sentence.parts.iter().map(|part| match part {
        SentencePart::Prose(words) => words.clone(),
        SentencePart::Code(code) => format!("`{code}`"),
        SentencePart::Address(address) => address.clone(),
    });
    parts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
