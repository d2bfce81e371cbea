//! What a model said, held against the evidence: one round in which it may mend it, then what fails is set apart.
//!
//! It is the same for every recipe; who repairs, and what becomes of sentences that cite nothing, is for the recipe.

use std::future::Future;

use serde_json::{Value, json};

use crate::Result;
use crate::event::Event;
use crate::gate::{self, Places, Report, Verdict};
use crate::prompt::REPAIR;
use crate::run::Run;

/// What becomes of a sentence that claims something and cites nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncited {
    /// It is counted as such and stays: a conversation is no report.
    Stays,
    /// It goes where everything goes that is not supported.
    Goes,
}

/// A text that passed, and what the gate said of it in the end.
#[derive(Debug, Clone)]
pub struct Checked {
    pub text: String,
    /// None where nothing was to be checked.
    pub report: Option<Report>,
    /// How many sentences were set apart.
    pub moved: usize,
}

/// Judges a text, has it mended once where it fails, and sets apart what fails then. `repair` is told the problems and gives
/// the whole text anew, or nothing.
pub async fn checked<R: Future<Output = Option<String>>>(
    run: &Run,
    places: &Places<'_>,
    text: String,
    uncited: Uncited,
    repair: impl FnOnce(String) -> R,
) -> Result<Checked> {
    let mut text = text;
    let mut report = judged(run, places, &text)?;
    let nothing = report.sentences.iter().all(|sentence| sentence.verdict == Verdict::Uncited);
    if nothing && uncited == Uncited::Stays {
        return Ok(Checked { text, report: None, moved: 0 });
    }
    let problems = gate::objections(&lenient(&report, uncited));
    // A model that fails now has answered before: what it said then is settled as it stands.
    if !problems.is_empty()
        && let Some(mended) = repair(REPAIR.fill(&[("problems", &problems)])?).await
        && !mended.trim().is_empty()
    {
        report = judged(run, places, &mended)?;
        text = mended;
    }
    run.note(&Event::Verdict { report: told(&report) })?;
    let settled = gate::settle(&text, &lenient(&report, uncited));
    Ok(Checked { text: settled.text, report: Some(report), moved: settled.moved })
}

/// What the gate says. The places are read once: run again, the run comes to the same whatever became of them.
pub fn judged(run: &Run, places: &Places<'_>, text: &str) -> Result<Report> {
    let ledger = run.ledger();
    run.draw("verdict", || gate::judge(text, &ledger, places))
}

/// The report as the log keeps it: with the share of sentences that are supported.
pub fn told(report: &Report) -> Value {
    let mut told = json!(report);
    told["counts"] = told["coverage"].take();
    told["coverage"] = json!(report.coverage.supported as f64 / report.coverage.sentences.max(1) as f64);
    told
}

/// The same report with what cites nothing let through, where it may stay.
fn lenient(report: &Report, uncited: Uncited) -> Report {
    let mut report = report.clone();
    for sentence in report.sentences.iter_mut().filter(|_| uncited == Uncited::Stays) {
        sentence.connective |= sentence.verdict == Verdict::Uncited;
    }
    report
}

/// What the gate says of sentences that cite nothing, held against everything that was shown: a short answer need not say
/// where each of its sentences is from.
pub fn found_in_evidence(run: &Run, text: &str) -> Result<Report> {
    let ledger = run.ledger();
    run.draw("found", || {
        let shown = ledger.shown().filter_map(|id| ledger.entry(id));
        let sources: Vec<(String, String)> =
            shown.map(|entry| (entry.id.to_string(), entry.text.look().to_owned())).collect();
        gate::judge_against(text, &sources)
    })
}
