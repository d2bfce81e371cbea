//! Checks a model's text against the evidence: the model may correct it once, and sentences that still fail are moved
//! under their own heading.
//!
//! It is the same for every recipe; who repairs, and what becomes of sentences that cite nothing, is for the recipe.

use std::future::Future;

use serde_json::{Value, json};

use crate::Result;
use crate::domain::verdict::{GateReport, Verdict};
use crate::engine::run::Run;
use crate::ports::event::RunEvent;
use crate::trust::gate::{self, EvidenceReader};
use crate::trust::prompt::REPAIR;

/// What becomes of a sentence that claims something and cites nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UncitedPolicy {
    /// It is counted as such and stays: a conversation is no report.
    Stays,
    /// It goes where everything goes that is not supported.
    Goes,
}

/// A text that passed, and what the gate said of it in the end.
#[derive(Debug, Clone)]
pub struct CheckedText {
    /// The text after the gate.
    pub text: String,
    /// None where nothing was to be checked.
    pub report: Option<GateReport>,
    /// How many sentences were set apart.
    pub moved: usize,
}

/// Judges a text, has it mended once where it fails, and sets apart what fails then. `repair` is told the problems and gives
/// the whole text anew, or nothing.
pub async fn check_and_repair<R: Future<Output = Option<String>>>(
    run: &Run,
    places: &EvidenceReader<'_>,
    text: String,
    uncited: UncitedPolicy,
    repair: impl FnOnce(String) -> R,
) -> Result<CheckedText> {
    let mut text = text;
    let mut report = judge_text(run, places, &text)?;
    let nothing = report.sentences.iter().all(|sentence| sentence.verdict == Verdict::Uncited);
    if nothing && uncited == UncitedPolicy::Stays {
        return Ok(CheckedText { text, report: None, moved: 0 });
    }
    let problems = gate::render_objections(&allow_uncited(&report, uncited));
    // A model that fails now has answered before: what it said then is settled as it stands.
    if !problems.is_empty()
        && let Some(mended) = repair(REPAIR.fill(&[("problems", &problems)])?).await
        && !mended.trim().is_empty()
    {
        report = judge_text(run, places, &mended)?;
        text = mended;
    }
    run.record_event(&RunEvent::Verdict { report: report_to_json(&report) })?;
    let settled = gate::move_unsupported(&text, &allow_uncited(&report, uncited));
    Ok(CheckedText { text: settled.text, report: Some(report), moved: settled.moved })
}

/// What the gate says. The places are read once: run again, the run comes to the same whatever became of them.
pub fn judge_text(run: &Run, places: &EvidenceReader<'_>, text: &str) -> Result<GateReport> {
    let ledger = run.ledger();
    run.draw("verdict", || gate::judge(text, &ledger, places))
}

/// The report as the log keeps it: with the share of sentences that are supported.
pub fn report_to_json(report: &GateReport) -> Value {
    let mut told = json!(report);
    told["counts"] = told["coverage"].take();
    told["coverage"] = json!(report.coverage.supported as f64 / report.coverage.sentences.max(1) as f64);
    told
}

/// The report with uncited sentences let through, if the policy allows it.
fn allow_uncited(report: &GateReport, uncited: UncitedPolicy) -> GateReport {
    let mut report = report.clone();
    for sentence in report.sentences.iter_mut().filter(|_| uncited == UncitedPolicy::Stays) {
        sentence.connective |= sentence.verdict == Verdict::Uncited;
    }
    report
}

/// What the gate says of sentences that cite nothing, held against everything that was shown: a short answer need not say
/// where each of its sentences is from.
pub fn judge_against_evidence(run: &Run, text: &str) -> Result<GateReport> {
    let ledger = run.ledger();
    run.draw("found", || {
        let shown = ledger.shown_ids().filter_map(|id| ledger.entry(id));
        let sources: Vec<(String, String)> =
            shown.map(|entry| (entry.id.to_string(), entry.text.expose().to_owned())).collect();
        gate::judge_against(text, &sources)
    })
}
