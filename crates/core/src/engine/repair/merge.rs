//! Merges a repaired text into the text that was to be repaired, sentence by sentence.
//!
//! A sentence that passed the gate is kept, whatever the repair made of it. One that failed is replaced by the repair's new
//! sentence for it, or removed if the repair left it out. What a repair adds without a citation is not taken over.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::{SentenceKind, Splice, apply_splices, split_sentences};

use crate::domain::verdict::{GateReport, JudgedSentence, Verdict};
use crate::trust::gate::cut_out;

/// A text and the gate's report on it.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedText {
    /// The text.
    pub text: String,
    /// The report on this very text.
    pub report: GateReport,
}

impl JudgedText {
    /// How many sentences the evidence supports.
    pub fn count_supported(&self) -> usize {
        self.report.sentences.iter().filter(|judged| is_supported(judged)).count()
    }
}

/// The text with its repair merged into it. The result never has fewer supported sentences than the first text.
/// `may_stay` says of a sentence without a citation whether it may stay.
pub fn merge_repair(
    first: JudgedText,
    repaired: JudgedText,
    may_stay: impl Fn(&JudgedSentence) -> bool,
) -> JudgedText {
    if first.count_supported() == 0 {
        return repaired;
    }
    let passes = |judged: &JudgedSentence| judged.passes() || may_stay(judged);
    match merge_sentences(&first, &repaired, &passes) {
        Some(merged) if merged.count_supported() >= first.count_supported() => merged,
        _ => first,
    }
}

/// `None` if the sentences of the merged text are not those that were put together.
fn merge_sentences(
    first: &JudgedText,
    repaired: &JudgedText,
    passes: &dyn Fn(&JudgedSentence) -> bool,
) -> Option<JudgedText> {
    let sentences = split_sentences(&first.text);
    let (old, new) = (&first.report.sentences, &repaired.report.sentences);
    if sentences.len() != old.len() {
        return None;
    }
    let remaining: BTreeSet<&str> = new.iter().map(|judged| judged.text.as_str()).collect();
    let replaced = assign_replacements(first, repaired, passes);
    let is_repair = new.iter().any(is_supported);
    let stays: Vec<bool> = old
        .iter()
        .enumerate()
        .map(|(at, judged)| {
            let is_withdrawn = is_repair && !remaining.contains(judged.text.as_str());
            passes(judged) || replaced.contains_key(&at) || !is_withdrawn
        })
        .collect();
    let mut edits = cut_out(&first.text, &sentences, &stays);
    edits.extend(
        replaced.iter().map(|(at, text)| Splice { span: sentences[*at].span.clone(), text: text.join(" ") }),
    );
    edits.sort_by_key(|edit| edit.span.start);
    let text = apply_splices(&first.text, &edits).ok()?;
    let judged = split_sentences(&text).into_iter().map(|sentence| {
        let known = new.iter().chain(old).find(|judged| judged.text == sentence.text)?;
        Some(JudgedSentence { span: sentence.span, ..known.clone() })
    });
    let report = GateReport::new(judged.collect::<Option<Vec<_>>>()?);
    Some(JudgedText { text, report })
}

/// The new sentences of the repair by the number of the failed sentence that they replace: the next one behind the last
/// sentence that both texts have, or else any.
fn assign_replacements(
    first: &JudgedText,
    repaired: &JudgedText,
    passes: &dyn Fn(&JudgedSentence) -> bool,
) -> BTreeMap<usize, Vec<String>> {
    let old = &first.report.sentences;
    let kinds: Vec<SentenceKind> =
        split_sentences(&first.text).iter().map(|sentence| sentence.kind).collect();
    let new_kinds = split_sentences(&repaired.text);
    let mut replaced: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let (mut anchor, mut last) = (0, None);
    for (judged, sentence) in repaired.report.sentences.iter().zip(&new_kinds) {
        if let Some(known) = old.iter().position(|other| other.text == judged.text) {
            (anchor, last) = (known + 1, None);
            continue;
        }
        if judged.verdict == Verdict::Uncited || sentence.kind != SentenceKind::Prose {
            continue;
        }
        let is_free = |at: &usize| {
            !passes(&old[*at]) && kinds.get(*at) == Some(&SentenceKind::Prose) && !replaced.contains_key(at)
        };
        let free = (anchor..old.len()).find(is_free).or_else(|| (0..anchor.min(old.len())).find(is_free));
        // A sentence that became two stays together.
        match free.or(last) {
            Some(at) => {
                replaced.entry(at).or_default().push(judged.text.clone());
                last = Some(at);
            }
            None => continue,
        }
    }
    replaced
}

fn is_supported(judged: &JudgedSentence) -> bool {
    judged.passes() && judged.verdict != Verdict::Uncited
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text whose sentences pass if they cite `[ev-00000000000000-001]`, fail if they cite another, and are uncited otherwise.
    fn judged(text: &str) -> JudgedText {
        let sentences = split_sentences(text).into_iter().map(|sentence| JudgedSentence {
            verdict: match sentence.citations.first() {
                Some(cited) if cited.id.ends_with("001") => Verdict::Supported,
                Some(_) => Verdict::Unknown,
                None => Verdict::Uncited,
            },
            text: sentence.text,
            span: sentence.span,
            connective: false,
            why: Vec::new(),
            evidence: Vec::new(),
        });
        JudgedText { text: text.to_owned(), report: GateReport::new(sentences.collect()) }
    }

    fn merged(first: &str, repaired: &str) -> String {
        let id = |text: &str| {
            text.replace("[1]", "[ev-00000000000000-001]").replace("[2]", "[ev-00000000000000-002]")
        };
        let merged = merge_repair(judged(&id(first)), judged(&id(repaired)), |_| false);
        let spans = merged.report.sentences.iter().all(|one| one.span.end <= merged.text.len());
        assert!(spans, "{merged:?}");
        merged.text.replace("ev-00000000000000-001", "1").replace("ev-00000000000000-002", "2")
    }

    #[test]
    fn what_passed_is_kept_and_what_failed_is_replaced_or_removed() {
        for (first, repaired, expected) in [
            // Replaced in place; what passed stays although the repair left it out.
            (
                "Bees dance. [1] Wax melts at 90. [2] Honey keeps. [1]",
                "Wax melts at 62. [1]",
                "Bees dance. [1] Wax melts at 62. [1] Honey keeps. [1]",
            ),
            // Withdrawn.
            ("Bees dance. [1] Wax melts at 90. [2]", "Bees dance. [1]", "Bees dance. [1]"),
            // An apology and nothing else: as it was.
            (
                "Bees dance. [1] Wax melts at 90. [2]",
                "I could not correct that.",
                "Bees dance. [1] Wax melts at 90. [2]",
            ),
            // A repair that is worse than the first.
            (
                "Bees dance. [1] Wax melts at 90. [2]",
                "Bees sing. [2] Wax melts at 91. [2]",
                "Bees dance. [1] Bees sing. [2] Wax melts at 91. [2]",
            ),
            // Nothing passed: the repair is as good as anything.
            ("Bees sing. [2]", "Bees dance. [1] And so on.", "Bees dance. [1] And so on."),
            // What is added without a citation is not taken over.
            (
                "Bees dance. [1] Wax melts at 90. [2]",
                "Bees dance. [1] Wax melts at 62. [1] Bees are old.",
                "Bees dance. [1] Wax melts at 62. [1]",
            ),
            // The structure is that of the first text.
            (
                "### A\n\n- Bees dance. [1]\n- Wax melts at 90. [2]\n",
                "- Wax melts at 62. [1]\n",
                "### A\n\n- Bees dance. [1]\n- Wax melts at 62. [1]\n",
            ),
        ] {
            assert_eq!(merged(first, repaired), expected, "{first:?} {repaired:?}");
        }
    }
}
