//! The paragraph of an answer, written by a model from the evidence.

use super::wording::{MOST_SENTENCES, join_words, plain_text, render_place};
use super::{AskAnswerKind, AskJob, LONGEST_QUESTION, MODEL_FAILED, NOT_BORNE_OUT, Paragraph, SHORTEST};
use crate::Result;
use crate::domain::evidence::Source;
use crate::domain::id::EvidenceId;
use crate::domain::verdict::{GateReport, JudgedSentence, Verdict};
use crate::engine::gather::Gatherer;
use crate::engine::repair::{JudgedText, judge_against_evidence, judge_text, merge_repair};
use crate::engine::run::ModelCallFailure;
use crate::ports::{Model, ModelRequest};
use crate::research::model_calls::{follow_up_request, strip_thinking};
use crate::research::note::{OF_A_PAGE, TopicMaterial};
use crate::research::{ResearchStage, Work};
use crate::trust::gate::render_objections;
use crate::trust::prompt::{ASK, Prompt, PromptDocument, REPAIR};

/// A model's reply, and the gate's report on it.
struct JudgedReply {
    said: String,
    report: GateReport,
}

/// A sentence that stays in the answer.
struct KeptSentence {
    /// As the model wrote it, with its citations.
    text: String,
    /// The evidence that supports it.
    by: Vec<EvidenceId>,
}

impl Work<'_, AskJob> {
    /// Has the model answer from the evidence; `Err` says why it did not: it can't be asked, says nothing usable, or nothing that
    /// the evidence bears out.
    pub(super) async fn write_paragraph(
        &self,
        model: &dyn Model,
        material: &TopicMaterial,
    ) -> Result<std::result::Result<Paragraph, &'static str>> {
        let ids = register_evidence(&self.gatherer, &self.job.query, material)?;
        let request = self.paragraph_request(&ids)?;
        let Some(mut reply) = self.ask_for_paragraph(model, &request).await? else {
            return Ok(Err(MODEL_FAILED));
        };
        let kept = self.keep_supported(&mut reply).await?;
        let coverage = Some(reply.report.coverage);
        if plain_text(&kept.iter().map(|sentence| sentence.text.as_str()).collect::<String>()).chars().count()
            >= SHORTEST
        {
            let (text, source, others) = self.name_sources(&kept);
            return Ok(Ok(Paragraph {
                text,
                source,
                others,
                kind: AskAnswerKind::Answer,
                coverage,
                notice: None,
            }));
        }
        let is_short = plain_text(&reply.said).chars().count() < SHORTEST;
        Ok(Err(if is_short { MODEL_FAILED } else { NOT_BORNE_OUT }))
    }

    fn paragraph_request(&self, ids: &[EvidenceId]) -> Result<ModelRequest> {
        let ledger = self.run.ledger();
        let question = format!("Question: {}", self.job.query);
        let mut prompt = Prompt::new(&ASK.fill(&[])?).user(&question, LONGEST_QUESTION + 20);
        for id in ids {
            let Some(entry) = ledger.entry(id) else { continue };
            let who =
                if entry.source.page().is_some() { "a page of the web" } else { "the user's own files" };
            let (name, id) = (entry.source.location(), id.to_string());
            let cap = self.research.settings.page_chars;
            prompt =
                prompt.document(PromptDocument { who, name: &name, text: &entry.text, cap, id: Some(&id) });
        }
        self.request_showing(prompt, "nonce")
    }

    /// Asks for the paragraph, and once more if the gate objects to it.
    async fn ask_for_paragraph(
        &self,
        model: &dyn Model,
        request: &ModelRequest,
    ) -> Result<Option<JudgedReply>> {
        let said = match self.run.ask_model(model, request, &|_| {}).await {
            Ok(reply) => strip_thinking(&reply.text).to_owned(),
            Err(ModelCallFailure::Log(error)) => return Err(error),
            Err(_) => return Ok(None),
        };
        self.begin_stage(ResearchStage::Check, "");
        let report = judge_text(self.run, &self.evidence_reader(), &said)?;
        let problems = render_objections(&exempt_uncited(&report));
        if !problems.is_empty() {
            let objections = REPAIR.fill(&[("problems", &problems)])?;
            let again = follow_up_request(request, &said, objections);
            if let Ok(text) = self.ask_model(model, &again).await
                && !text.is_empty()
            {
                let repaired =
                    JudgedText { report: judge_text(self.run, &self.evidence_reader(), &text)?, text };
                let is_uncited = |sentence: &JudgedSentence| sentence.verdict == Verdict::Uncited;
                let merged = merge_repair(JudgedText { text: said, report }, repaired, is_uncited);
                return Ok(Some(JudgedReply { said: merged.text, report: merged.report }));
            }
        }
        Ok(Some(JudgedReply { said, report }))
    }

    /// The sentences in one line, the source of most of them, and the others. Where no source bears all of them out, each names its
    /// own.
    fn name_sources(&self, kept: &[KeptSentence]) -> (String, Option<Source>, Vec<Source>) {
        let ledger = self.run.ledger();
        let source_of = |id: &EvidenceId| ledger.entry(id).map(|entry| entry.source.clone());
        let cited: Vec<EvidenceId> = kept.iter().flat_map(|sentence| sentence.by.iter().cloned()).collect();
        let most = most_cited(&cited);
        let is_whole = most.as_ref().is_some_and(|id| kept.iter().all(|sentence| sentence.by.contains(id)));
        let source = most.as_ref().and_then(source_of);
        if is_whole {
            let words: Vec<&str> = kept.iter().map(|sentence| sentence.text.as_str()).collect();
            return (join_words(&words.join(" ")), source, Vec::new());
        }
        let own = |sentence: &KeptSentence| {
            let source =
                most.iter().filter(|id| sentence.by.contains(id)).chain(&sentence.by).find_map(source_of);
            let place = source.as_ref().map(|source| format!(" ({})", render_place(source)));
            (format!("{}{}", sentence.text.trim_end(), place.unwrap_or_default()), source)
        };
        let (lines, places): (Vec<String>, Vec<Option<Source>>) = kept.iter().map(own).unzip();
        (join_words(&lines.join(" ")), source, places.into_iter().flatten().collect())
    }

    /// The supported sentences, each with the evidence that supports it.
    async fn keep_supported(&self, reply: &mut JudgedReply) -> Result<Vec<KeptSentence>> {
        let mut elsewhere = judge_against_evidence(self.run, &reply.said, self.verifier())?;
        for (sentence, other) in reply.report.sentences.iter().zip(&mut elsewhere.sentences) {
            // One that cites is judged by what it cites.
            if sentence.verdict != Verdict::Uncited {
                other.verdict = Verdict::Uncited;
            }
        }
        self.second_opinion().review(self.run, &mut [&mut reply.report, &mut elsewhere]).await?;
        let mut kept: Vec<KeptSentence> = Vec::new();
        for (sentence, other) in reply.report.sentences.iter().zip(&elsewhere.sentences) {
            let by: Vec<EvidenceId> = match (sentence.verdict, other.verdict) {
                (Verdict::Quoted | Verdict::Supported, _) => {
                    sentence.evidence.iter().filter_map(|cited| cited.id.clone()).collect()
                }
                // This report names sources by evidence id.
                (Verdict::Uncited, Verdict::Quoted | Verdict::Supported) => {
                    other.evidence.iter().filter_map(|cited| EvidenceId::parse(&cited.path).ok()).collect()
                }
                _ => Vec::new(),
            };
            if !by.is_empty() && kept.len() < MOST_SENTENCES {
                let text = reply.said.get(sentence.span.clone()).unwrap_or_default().to_owned();
                kept.push(KeptSentence { text, by });
            }
        }
        Ok(kept)
    }
}

/// Adds everything found to the ledger: pages first, then search snippets, then notes and code.
fn register_evidence(
    gatherer: &Gatherer<'_>,
    query: &str,
    material: &TopicMaterial,
) -> Result<Vec<EvidenceId>> {
    let reason = "it may answer the question";
    let mut ids = Vec::new();
    for (page, _) in &material.pages {
        for span in page.spans_about(query, OF_A_PAGE) {
            ids.push(gatherer.add_page_evidence(page, &span, reason)?);
        }
    }
    for result in material.web.answer.results.iter().filter(|result| result.snippet.size() > 0) {
        ids.push(gatherer.add_snippet_evidence(result, reason)?);
    }
    for passage in &material.passages {
        ids.push(gatherer.add_passage_evidence(passage, reason)?);
    }
    Ok(ids)
}

/// The report with uncited sentences exempted: those are checked against all of the evidence instead.
fn exempt_uncited(report: &GateReport) -> GateReport {
    let mut report = report.clone();
    for sentence in &mut report.sentences {
        sentence.connective |= sentence.verdict == Verdict::Uncited;
    }
    report
}

fn most_cited(ids: &[EvidenceId]) -> Option<EvidenceId> {
    let count = |id: &EvidenceId| ids.iter().filter(|other| *other == id).count();
    // Of equals the first.
    ids.iter().rev().max_by_key(|id| count(id)).cloned()
}
