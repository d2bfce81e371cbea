//! Renders an answer about code: brief, each statement with its place, the citations on separate lines, and the run's id.

use std::collections::BTreeSet;

use wellread_text::{AllowedLinks, Splice, apply_splices, find_citations, make_inert, split_sentences};

use super::{CodeAnswer, InvestigationStep};
use crate::domain::evidence::{Evidence, Ledger};
use crate::domain::id::EvidenceId;
use crate::domain::verdict::VerdictCounts;
use crate::engine::run::Run;
use crate::ports::event::RunOutcome;
use crate::research::RecipeOutcome;
use crate::trust::citations::{Citation, show_places};
use crate::trust::gate::supported_part;

/// The most tokens, of about four bytes, of an answer with its citations.
const MOST_TOKENS: usize = 780;
/// The same in bytes.
pub(super) const MOST_BYTES: usize = MOST_TOKENS * 4;
const CUT: &str = "[The answer was cut here: it is longer than an answer may be]";

/// The result of an investigation, before it is rendered.
pub(super) struct CodeAnswerDraft {
    /// The text, with evidence ids as citations.
    pub text: String,
    /// Remarks of our own below the text, which need no evidence.
    pub remarks: String,
    pub confidence: f64,
    pub coverage: Option<VerdictCounts>,
    pub notice: Option<String>,
    pub steps: Vec<InvestigationStep>,
}

/// Renders the answer for the user, and the report that the run stores to be judged again.
pub(super) fn finish_answer(
    run: &Run,
    draft: CodeAnswerDraft,
    outcome: RunOutcome,
) -> RecipeOutcome<CodeAnswer> {
    let CodeAnswerDraft { text, remarks, confidence, coverage, notice, steps } = draft;
    let ledger = run.ledger();
    let text = strip_unknown_citations(&inert_text(&text), &ledger);
    let (text, cited) = fit_to_limit(&text, &remarks, &ledger, run);
    let answer = render_answer(&text, &remarks, &cited, run);
    // Only text that needs evidence is judged again, not our own remarks.
    let text = text.replace(CUT, "");
    let citations = cited.iter().filter_map(Citation::from_evidence).collect();
    let report = if text.trim().is_empty() { remarks } else { text }.trim().to_owned() + "\n";
    let run_id = run.id().to_string();
    let value = CodeAnswer { answer, citations, confidence, run_id, notice, coverage, steps };
    RecipeOutcome { value, report, outcome }
}

/// Text with nothing that would be fetched, followed or executed where it is shown.
pub(super) fn inert_text(text: &str) -> String {
    let no = |_: &str| false;
    make_inert(text.trim(), &AllowedLinks { urls: &no, notes: &no }).text.trim().to_owned()
}

/// Removes citations that are not evidence of this run.
fn strip_unknown_citations(text: &str, ledger: &Ledger) -> String {
    let known = |id: &str| EvidenceId::parse(id).is_ok_and(|id| ledger.citable_entry(&id).is_some());
    let strange =
        find_citations(text).into_iter().filter(|group| !group.ids.iter().all(|cited| known(&cited.id)));
    let edits: Vec<Splice> = strange
        .map(|group| {
            let kept = group.ids.iter().filter(|cited| known(&cited.id));
            let kept: String = kept.map(|cited| format!("[{}]", cited.id)).collect();
            // The space before a citation goes with it.
            let before = text[..group.span.start].trim_end_matches(' ').len();
            let start = if kept.is_empty() { before } else { group.span.start };
            Splice { span: start..group.span.end, text: kept }
        })
        .collect();
    apply_splices(text, &edits).unwrap_or_else(|_| text.to_owned())
}

/// The evidence that a text cites for what it bears out, each piece once, in order.
fn collect_cited(text: &str, ledger: &Ledger) -> Vec<Evidence> {
    let mut seen = BTreeSet::new();
    let groups = find_citations(&supported_part(text));
    let ids = groups.iter().flat_map(|group| &group.ids);
    let ids = ids.filter_map(|cited| EvidenceId::parse(&cited.id).ok());
    ids.filter(|id| seen.insert(id.clone())).filter_map(|id| ledger.entry(&id).cloned()).collect()
}

/// As many sentences as fit the limit, and the evidence they cite.
fn fit_to_limit(text: &str, remarks: &str, ledger: &Ledger, run: &Run) -> (String, Vec<Evidence>) {
    let fits =
        |text: &str, cited: &[Evidence]| render_answer(text, remarks, cited, run).len() / 4 <= MOST_TOKENS;
    let all = collect_cited(text, ledger);
    if fits(text, &all) {
        return (text.to_owned(), all);
    }
    for end in split_sentences(text).iter().map(|sentence| sentence.span.end).rev() {
        // The citation behind a sentence belongs to it.
        let end = find_citations(text).iter().map(|group| group.span.clone()).fold(end, |end, group| {
            if text.get(end..group.start).is_some_and(|between| between.trim().is_empty()) {
                group.end
            } else {
                end
            }
        });
        let short = format!("{}\n\n{CUT}", text[..end].trim_end());
        let cited = collect_cited(&short, ledger);
        if fits(&short, &cited) {
            return (short, cited);
        }
    }
    let few: String = text.chars().take(MOST_TOKENS).collect();
    (format!("{few}\n\n{CUT}"), Vec::new())
}

fn render_answer(text: &str, remarks: &str, cited: &[Evidence], run: &Run) -> String {
    let mut whole = show_places(text.trim(), &run.ledger()).0;
    if !remarks.is_empty() {
        whole.push_str(&format!("\n\n{}", remarks.trim()));
    }
    if !cited.is_empty() {
        whole.push_str("\n\nCitations:");
        for entry in cited {
            whole.push_str(
                &Citation::from_evidence(entry).map(|cited| format!("\n{cited}")).unwrap_or_default(),
            );
        }
    }
    whole.push_str(&format!("\n\nRun: {}", run.id()));
    whole.trim_start().to_owned()
}
