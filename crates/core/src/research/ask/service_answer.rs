//! The answer that a search service wrote by itself, judged by the results that came with it.

use super::wording::{first_sentences, lower_first};
use super::{AskAnswerKind, AskJob, Paragraph, UNSURE};
use crate::Result;
use crate::domain::id::EvidenceId;
use crate::domain::verdict::Verdict;
use crate::engine::gather::WebSearchResults;
use crate::engine::repair::judge_against_evidence;
use crate::research::Work;

const NOT_CHECKED: &str =
    "not checked: this is the search service's own answer, and its results do not bear it out";

impl Work<'_, AskJob> {
    /// The sentences of the service's answer that its results support, each with the result as its source. If they support
    /// none, the answer is uncertain and has no source. No model is asked.
    pub(super) async fn check_service_answer(&self, web: &WebSearchResults, text: &str) -> Result<Paragraph> {
        let said = first_sentences(text);
        let mut ids = Vec::new();
        for result in web.answer.results.iter().filter(|result| result.snippet.size() > 0) {
            ids.push(self.gatherer.add_snippet_evidence(result, "it came with the service's own answer")?);
        }
        self.run.mark_shown(ids)?;
        // A service that answers by itself costs no call of the model.
        let report = judge_against_evidence(self.run, &said, self.verifier())?;
        let (mut kept, mut source) = (Vec::new(), None);
        for sentence in report.sentences.iter().filter(|one| one.passes() && one.verdict != Verdict::Uncited)
        {
            // This report names sources by evidence id.
            let by = sentence.evidence.iter().find_map(|cited| EvidenceId::parse(&cited.path).ok());
            let Some(by) = by else { continue };
            kept.push(format!("{} [{by}]", sentence.text));
            source = source.or_else(|| self.run.ledger().entry(&by).map(|entry| entry.source.clone()));
        }
        let coverage = Some(report.coverage);
        if kept.is_empty() {
            let text = format!("{UNSURE} {}", lower_first(&said));
            let (kind, notice) = (AskAnswerKind::Unsure, Some(NOT_CHECKED));
            return Ok(Paragraph { text, source: None, others: Vec::new(), kind, coverage, notice });
        }
        let text = kept.join(" ");
        Ok(Paragraph {
            text,
            source,
            others: Vec::new(),
            kind: AskAnswerKind::Answer,
            coverage,
            notice: None,
        })
    }
}
