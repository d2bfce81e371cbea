//! What a model is told in the one repair round.
//!
//! In our own words: sentences are named by their number, and nothing that a source or the answer says is repeated, but
//! ids of evidence and figures.

use std::fmt::Write as _;

use super::{Judged, Report, Verdict, Why};

/// Which sentences fail and why. Empty where none does.
pub fn objections(report: &Report) -> String {
    let failing = report.sentences.iter().enumerate().filter(|(_, judged)| !judged.stays());
    let mut out = String::new();
    for (index, judged) in failing {
        let number = index + 1;
        let _ = writeln!(out, "- Sentence {number} is {}: {}.", judged.verdict.name(), reasons(judged));
    }
    if out.is_empty() {
        return out;
    }
    let coverage = report.coverage;
    format!(
        "{} of {} sentences are supported. These are not, counted from the first sentence of the answer (headings are not \
         counted, a row of a table and a block of code are one each):\n{out}Correct each from the evidence that it cites, \
         cite the evidence that bears it, or leave it out.\n",
        coverage.supported, coverage.sentences
    )
}

fn reasons(judged: &Judged) -> String {
    if judged.verdict == Verdict::Uncited && judged.why.is_empty() {
        return "it cites no evidence".to_owned();
    }
    let mut all: Vec<String> = judged.why.iter().map(reason).collect();
    all.dedup();
    all.join("; ")
}

pub(super) fn reason(why: &Why) -> String {
    match why {
        Why::UnknownId { id } => format!("there is no evidence {}", plain(id)),
        Why::OtherRun { id } => format!("{} is evidence of another run", plain(id)),
        Why::NotShown { id } => format!("{} was never shown", plain(id)),
        Why::PlaceChanged { id } => format!("the place of {} has changed since", plain(id)),
        Why::PlaceGone { id } => format!("the place of {} is gone", plain(id)),
        Why::PlaceUnreachable { id, .. } => format!("the place of {} could not be read again", plain(id)),
        Why::QuotationNotFound { .. } => {
            "a quotation is not in what it cites, word for word and as one run".to_owned()
        }
        Why::QuotationDiffers { .. } => {
            "a quotation differs from what it cites by a few characters".to_owned()
        }
        Why::NumberMissing { number } => format!("the number {} is not in what it cites", plain(number)),
        Why::NumberDiffers { number, source } if source.is_empty() => {
            format!("{} counts something else in what it cites", plain(number))
        }
        Why::NumberDiffers { number, source } => {
            format!("it says {} where what it cites says {}", plain(number), plain(source))
        }
        Why::DateMissing { .. } => "a date is not in what it cites".to_owned(),
        Why::DateDiffers { source, .. } => {
            format!("a date differs from the one that it cites, {}", plain(source))
        }
        Why::NameMissing { .. } => "a name is not in what it cites".to_owned(),
        Why::IdentifierMissing { .. } => {
            "an identifier, a path or an address is not in what it cites".to_owned()
        }
        Why::NothingInCommon => "what it cites speaks of something else".to_owned(),
        Why::Lowered { .. } => "a second check found that it does not follow from what it cites".to_owned(),
    }
}

/// Ids and figures alone: whatever else was put in their place is left out.
fn plain(written: &str) -> String {
    let fits = written.len() <= 40
        && written.chars().all(|letter| letter.is_ascii_alphanumeric() || "-.,:".contains(letter));
    if fits { written.to_owned() } else { "(not shown here)".to_owned() }
}
