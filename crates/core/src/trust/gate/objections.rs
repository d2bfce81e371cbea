//! The objections that a model gets in its one repair round.
//!
//! They are in our own words: sentences are referred to by number, and nothing from a source or the answer is repeated
//! except ids of evidence and figures.

use std::fmt::Write as _;

use crate::domain::verdict::{GateReport, JudgedSentence, Verdict, VerdictReason};

/// Lists the sentences that fail and why. Empty if none fails.
pub fn render_objections(report: &GateReport) -> String {
    let failing = report.sentences.iter().enumerate().filter(|(_, judged)| !judged.passes());
    let mut out = String::new();
    for (index, judged) in failing {
        let number = index + 1;
        let _ =
            writeln!(out, "- Sentence {number} is {}: {}.", judged.verdict.name(), render_reasons(judged));
    }
    if out.is_empty() {
        return out;
    }
    let coverage = report.coverage;
    format!(
        "{} of {} sentences are supported. These are not, counted from the first sentence of the answer (headings are not \
         counted, a row of a table and a block of code are one each):\n{out}Correct each from the evidence that it cites, \
         cite the evidence that bears it, or leave it out.\n",
        coverage.borne_out(),
        coverage.sentences
    )
}

fn render_reasons(judged: &JudgedSentence) -> String {
    if judged.verdict == Verdict::Uncited && judged.why.is_empty() {
        return "it cites no evidence".to_owned();
    }
    let mut all: Vec<String> = judged.why.iter().map(render_reason).collect();
    all.dedup();
    all.join("; ")
}

pub(super) fn render_reason(why: &VerdictReason) -> String {
    match why {
        VerdictReason::UnknownId { id } => format!("there is no evidence {}", redact_unless_plain(id)),
        VerdictReason::OtherRun { id } => format!("{} is evidence of another run", redact_unless_plain(id)),
        VerdictReason::NotShown { id } => format!("{} was never shown", redact_unless_plain(id)),
        VerdictReason::PlaceChanged { id } => {
            format!("the place of {} has changed since", redact_unless_plain(id))
        }
        VerdictReason::PlaceGone { id } => format!("the place of {} is gone", redact_unless_plain(id)),
        VerdictReason::PlaceUnreachable { id, .. } => {
            format!("the place of {} could not be read again", redact_unless_plain(id))
        }
        VerdictReason::QuotationNotFound { .. } => {
            "a quotation is not in the cited text word for word".to_owned()
        }
        VerdictReason::QuotationDiffers { .. } => {
            "a quotation differs from the cited text by a few characters".to_owned()
        }
        VerdictReason::NumberMissing { number } => {
            format!("the number {} is not in the cited text", redact_unless_plain(number))
        }
        VerdictReason::NumberDiffers { number, source } if source.is_empty() => {
            format!("{} counts something else in the cited text", redact_unless_plain(number))
        }
        VerdictReason::NumberDiffers { number, source } => {
            format!(
                "it says {} where the cited text says {}",
                redact_unless_plain(number),
                redact_unless_plain(source)
            )
        }
        VerdictReason::DateMissing { .. } => "a date is not in the cited text".to_owned(),
        VerdictReason::DateDiffers { source, .. } => {
            format!("a date differs from the cited one, {}", redact_unless_plain(source))
        }
        VerdictReason::NameMissing { .. } => "a name is not in the cited text".to_owned(),
        VerdictReason::IdentifierMissing { .. } => {
            "an identifier, a path or an address is not in the cited text".to_owned()
        }
        VerdictReason::NothingInCommon => "the cited text is about something else".to_owned(),
        VerdictReason::Lowered { .. } => {
            "a second check found that it does not follow from the cited text".to_owned()
        }
        other => render_difference(other),
    }
}

/// How a sentence differs from what the cited text says of the same thing.
fn render_difference(why: &VerdictReason) -> String {
    match why {
        VerdictReason::OtherSubject { written, source } => format!(
            "{} belongs to something else in the cited text, which has {} here",
            redact_unless_plain(written),
            redact_unless_plain(source)
        ),
        VerdictReason::NegationDiffers { .. } => {
            "only one of the sentence and the cited text is negated".to_owned()
        }
        VerdictReason::DirectionDiffers { written, source, .. } => format!(
            "it says {} where the cited text says {}",
            redact_unless_plain(written),
            redact_unless_plain(source)
        ),
        VerdictReason::Overstated { .. } => "it claims more than the cited text".to_owned(),
        VerdictReason::Outdated => "the cited text says that it was so, not that it is".to_owned(),
        VerdictReason::RolesSwapped { .. } => {
            "who does what is the other way round in the cited text".to_owned()
        }
        VerdictReason::OtherLanguage => {
            "the cited text is in another language, and the rules can't compare them".to_owned()
        }
        _ => "the cited text does not bear it".to_owned(),
    }
}

/// Keeps ids and figures; anything else in their place is left out.
fn redact_unless_plain(written: &str) -> String {
    let fits = written.len() <= 40
        && written.chars().all(|letter| letter.is_ascii_alphanumeric() || "-.,:".contains(letter));
    if fits { written.to_owned() } else { "(not shown here)".to_owned() }
}
