//! Checks a model's text against the evidence: the model may correct it once, and sentences that still fail are moved
//! under their own heading. A correction never makes it worse: it is merged into the first text sentence by sentence.
//!
//! Shared by all recipes; who repairs, and what happens to sentences that cite nothing, is up to the recipe.

mod merge;

use std::future::Future;

use serde_json::{Value, json};
use wellread_text::strip_filler;

pub use self::merge::{JudgedText, merge_repair};
use crate::Result;
use crate::domain::verdict::{GateReport, JudgedSentence, Verdict};
use crate::engine::run::Run;
use crate::engine::second_opinion::SecondOpinion;
use crate::ports::Verifier;
use crate::ports::event::RunEvent;
use crate::trust::citations::tidy_citations;
use crate::trust::gate::{self, EvidenceReader};
use crate::trust::prompt::REPAIR;

/// What happens to a sentence that makes a claim and cites nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UncitedPolicy {
    /// It is counted as uncited and stays: a conversation is not a report.
    Stays,
    /// It is moved with everything else that is not supported.
    Goes,
}

impl UncitedPolicy {
    /// Whether the sentence may stay although it cites nothing.
    fn allows(self, sentence: &JudgedSentence) -> bool {
        self == Self::Stays && sentence.verdict == Verdict::Uncited
    }
}

/// A checked text with the gate's final report.
#[derive(Debug, Clone)]
pub struct CheckedText {
    /// The text after the gate.
    pub text: String,
    /// `None` if there was nothing to check.
    pub report: Option<GateReport>,
    /// How many sentences stayed because the evidence supports them.
    pub supported: usize,
    /// How many sentences were moved as unsupported.
    pub moved: usize,
}

/// Judges a text, has it repaired once if it fails, has what passed judged a second time, and moves what still fails.
/// `repair` gets the problems and returns the whole new text, or `None`. Of a report, what is said around the answer is
/// removed first. Quotations need no second opinion.
pub async fn check_and_repair<R: Future<Output = Option<String>>>(
    run: &Run,
    (places, opinion): (&EvidenceReader<'_>, Option<SecondOpinion<'_>>),
    text: String,
    uncited: UncitedPolicy,
    repair: impl FnOnce(String) -> R,
) -> Result<CheckedText> {
    let clean = |text: &str| tidy_citations(&strip_filler(text));
    let text = if uncited == UncitedPolicy::Goes { clean(&text) } else { tidy_citations(&text) };
    let report = judge_text(run, places, &text)?;
    let nothing = report.sentences.iter().all(|sentence| sentence.verdict == Verdict::Uncited);
    if nothing && uncited == UncitedPolicy::Stays {
        return Ok(CheckedText { text, report: None, supported: 0, moved: 0 });
    }
    let mut judged = JudgedText { text, report };
    let problems = gate::render_objections(&allow_uncited(&judged.report, uncited));
    // If the repair fails, the first text is used as it is.
    if !problems.is_empty()
        && let Some(mended) = repair(REPAIR.fill(&[("problems", &problems)])?).await
        && let text = clean(&mended)
        && !text.trim().is_empty()
    {
        let report = judge_text(run, places, &text)?;
        judged = merge_repair(judged, JudgedText { text, report }, |sentence| uncited.allows(sentence));
    }
    if let Some(opinion) = opinion {
        opinion.review(run, &mut [&mut judged.report]).await?;
    }
    run.record_event(&RunEvent::Verdict { report: report_to_json(&judged.report) })?;
    let settled = gate::move_unsupported(&judged.text, &allow_uncited(&judged.report, uncited));
    let (supported, moved) = (settled.supported, settled.moved);
    Ok(CheckedText { text: settled.text, report: Some(judged.report), supported, moved })
}

/// The gate's report on a text, without a second opinion. The result is logged, so a replay gets the same report even if the sources have
/// changed.
pub fn judge_text(run: &Run, places: &EvidenceReader<'_>, text: &str) -> Result<GateReport> {
    let ledger = run.ledger();
    run.draw("verdict", || gate::judge(text, &ledger, places))
}

/// The report as it is logged: `coverage` is the share of supported sentences, `counts` the numbers.
pub fn report_to_json(report: &GateReport) -> Value {
    let mut value = json!(report);
    value["counts"] = value["coverage"].take();
    value["coverage"] = json!(report.coverage.borne_out() as f64 / report.coverage.sentences.max(1) as f64);
    value
}

/// The report with uncited sentences let through, if the policy allows it.
fn allow_uncited(report: &GateReport, uncited: UncitedPolicy) -> GateReport {
    let mut report = report.clone();
    for sentence in &mut report.sentences {
        sentence.connective |= uncited.allows(sentence);
    }
    report
}

/// Judges text without citations against all evidence that was shown: a short answer need not cite a source for each
/// sentence.
pub fn judge_against_evidence(run: &Run, text: &str, verifier: Option<&dyn Verifier>) -> Result<GateReport> {
    let ledger = run.ledger();
    run.draw("found", || {
        let shown = ledger.shown_ids().filter_map(|id| ledger.entry(id));
        let sources: Vec<(String, String)> =
            shown.map(|entry| (entry.id.to_string(), entry.text.expose().to_owned())).collect();
        gate::judge_against(text, &sources, verifier)
    })
}
