//! An answer about code as it is handed out: short, its citations on lines of their own, and the run that it is of.

use std::collections::BTreeSet;

use wellread_text::{Allowed, Splice, citations, inert, sentences, splice};

use super::{CodeAnswer, StepTaken};
use crate::citing::Citation;
use crate::event::Outcome;
use crate::evidence::{Evidence, Ledger};
use crate::gate::Coverage;
use crate::id::EvidenceId;
use crate::research::Done;
use crate::run::Run;

/// As much as an answer may be, in tokens of about four bytes, its citations included.
const MOST_TOKENS: usize = 780;
const CUT: &str = "[The answer was cut here: it is longer than an answer may be]";

/// What an investigation came to, before it is handed out.
pub(super) struct Told {
    /// With ids for citations.
    pub text: String,
    /// Our own words below it, which need no evidence.
    pub remarks: String,
    pub confidence: f64,
    pub coverage: Option<Coverage>,
    pub notice: Option<String>,
    pub steps: Vec<StepTaken>,
}

/// Puts it together: what is handed out, and what the run keeps to be judged again.
pub(super) fn answered(run: &Run, told: Told, outcome: Outcome) -> Done<CodeAnswer> {
    let Told { text, remarks, confidence, coverage, notice, steps } = told;
    let ledger = run.ledger();
    let text = without_strangers(&harmless(&text), &ledger);
    let (text, cited) = fitting(&text, &remarks, &ledger, run);
    let answer = whole(&text, &remarks, &cited, run);
    // What is judged again is what the evidence bears, and not what we say about it.
    let text = text.replace(CUT, "");
    let citations = cited.iter().filter_map(Citation::of).collect();
    let report = if text.trim().is_empty() { remarks } else { text }.trim().to_owned() + "\n";
    let run_id = run.id().to_string();
    let value = CodeAnswer { answer, citations, confidence, run_id, notice, coverage, steps };
    Done { value, report, outcome }
}

/// Nothing that would be fetched, followed or run where it is shown.
pub(super) fn harmless(text: &str) -> String {
    let no = |_: &str| false;
    inert(text.trim(), &Allowed { urls: &no, notes: &no }).text.trim().to_owned()
}

/// The text without citations of what is no evidence of this run.
fn without_strangers(text: &str, ledger: &Ledger) -> String {
    let known = |id: &str| EvidenceId::parse(id).is_ok_and(|id| ledger.citable(&id).is_some());
    let strange = citations(text).into_iter().filter(|group| !group.ids.iter().all(|cited| known(&cited.id)));
    let edits: Vec<Splice> = strange
        .map(|group| {
            let kept = group.ids.iter().filter(|cited| known(&cited.id));
            let kept: String = kept.map(|cited| format!("[{}]", cited.id)).collect();
            // The blank before a citation was there for it.
            let before = text[..group.span.start].trim_end_matches(' ').len();
            let start = if kept.is_empty() { before } else { group.span.start };
            Splice { span: start..group.span.end, text: kept }
        })
        .collect();
    splice(text, &edits).unwrap_or_else(|_| text.to_owned())
}

/// What a text cites, each once, in order.
fn cited(text: &str, ledger: &Ledger) -> Vec<Evidence> {
    let mut seen = BTreeSet::new();
    let groups = citations(text);
    let ids = groups.iter().flat_map(|group| &group.ids);
    let ids = ids.filter_map(|cited| EvidenceId::parse(&cited.id).ok());
    ids.filter(|id| seen.insert(id.clone())).filter_map(|id| ledger.entry(&id).cloned()).collect()
}

/// As much of the text as fits, sentence by sentence, with what it cites.
fn fitting(text: &str, remarks: &str, ledger: &Ledger, run: &Run) -> (String, Vec<Evidence>) {
    let fits = |text: &str, cited: &[Evidence]| whole(text, remarks, cited, run).len() / 4 <= MOST_TOKENS;
    let all = cited(text, ledger);
    if fits(text, &all) {
        return (text.to_owned(), all);
    }
    for end in sentences(text).iter().map(|sentence| sentence.span.end).rev() {
        // The citation behind a sentence belongs to it.
        let end = citations(text).iter().map(|group| group.span.clone()).fold(end, |end, group| {
            if text.get(end..group.start).is_some_and(|between| between.trim().is_empty()) {
                group.end
            } else {
                end
            }
        });
        let short = format!("{}\n\n{CUT}", text[..end].trim_end());
        let cited = cited(&short, ledger);
        if fits(&short, &cited) {
            return (short, cited);
        }
    }
    let few: String = text.chars().take(MOST_TOKENS).collect();
    (format!("{few}\n\n{CUT}"), Vec::new())
}

fn whole(text: &str, remarks: &str, cited: &[Evidence], run: &Run) -> String {
    let mut whole = text.trim().to_owned();
    if !remarks.is_empty() {
        whole.push_str(&format!("\n\n{}", remarks.trim()));
    }
    if !cited.is_empty() {
        whole.push_str("\n\nCitations:");
        for entry in cited {
            whole.push_str(&Citation::of(entry).map(|cited| format!("\n{cited}")).unwrap_or_default());
        }
    }
    whole.push_str(&format!("\n\nRun: {}", run.id()));
    whole.trim_start().to_owned()
}
