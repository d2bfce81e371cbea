//! A page written up by a model: what it says and how it relates to the notes, each sentence checked.

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{AllowedLinks, Splice, apply_splices, find_citations, make_inert, strip_filler};

use super::task::TaskJob;
use crate::Result;
use crate::domain::corpus::CorpusName;
use crate::domain::id::{EvidenceId, FindingId};
use crate::domain::untrusted::Untrusted;
use crate::domain::verdict::{GateReport, JudgedSentence};
use crate::engine::gather::{LibraryPassage, Likeness, PageText};
use crate::engine::llm::ask_structured;
use crate::engine::repair::{JudgedText, judge_text, merge_repair};
use crate::engine::run::{ModelCallFailure, Run, RunModelClient};
use crate::ports::agenda::{Finding, FindingEvidence, FindingPart, FindingSentence, FindingStatus};
use crate::ports::{Model, ModelRequest};
use crate::research::model_calls::follow_up_request;
use crate::research::note::single_line;
use crate::research::{TaskStep, Work};
use crate::trust::gate::render_objections;
use crate::trust::prompt::{FINDING, Prompt, PromptDocument, REPAIR};

/// How many passages of notes a page is compared with.
pub(super) const NOTES: usize = 4;
/// How many spans of a page are shown.
const OF_A_PAGE: usize = 6;
const CONCEPTS: usize = 5;
const LONGEST_CONCEPT: usize = 60;
const LONGEST_TITLE: usize = 200;
const LONGEST_TEXT: usize = 2_000;
const RELATED: usize = 5;

/// A checked write-up of a page.
pub(super) struct FindingDraft {
    pub summary: String,
    pub bearing: String,
    pub concepts: Vec<String>,
    pub related: Vec<String>,
    pub sentences: Vec<FindingSentence>,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
struct FindingReply {
    summary: String,
    #[serde(default)]
    bearing: String,
    #[serde(default)]
    concepts: Vec<String>,
    #[serde(default, alias = "relatedNotes")]
    related_notes: Vec<String>,
}

impl FindingDraft {
    /// A draft of the supported sentences; `None` if no sentence of the summary is supported.
    pub fn from_reports(
        reports: &[GateReport; 2],
        concepts: Vec<String>,
        related: Vec<String>,
    ) -> Option<Self> {
        let sentences = collect_sentences(reports);
        let summary = supported_text(&sentences, FindingPart::Summary);
        let bearing = supported_text(&sentences, FindingPart::Bearing);
        (!summary.is_empty()).then_some(Self { summary, bearing, concepts, related, sentences })
    }

    pub fn into_finding(
        self,
        run: &Run,
        job: &TaskJob,
        page: &PageText,
        like: Likeness,
        created: Timestamp,
    ) -> Finding {
        let cited: BTreeSet<&String> =
            self.sentences.iter().flat_map(|sentence| &sentence.evidence).collect();
        let ledger = run.ledger();
        let entries = cited.into_iter().filter_map(|id| ledger.entry(&EvidenceId::parse(id).ok()?));
        let evidence = entries.map(FindingEvidence::from_evidence).collect();
        // The title is untrusted and shown in many places: plain words, with angle brackets replaced.
        let words = |title: &str| plain_text(&title.replace('<', "‹").replace('>', "›"));
        let title = page.title.as_deref().map(|title| single_line(&words(title), LONGEST_TITLE));
        let title = title.filter(|title| !title.is_empty());
        let mut related = job.task.related_notes.clone();
        related.extend(self.related);
        let mut seen = BTreeSet::new();
        related.retain(|path| seen.insert(path.clone()));
        related.truncate(RELATED);
        Finding {
            id: FindingId::new(&job.task.id, &page.url),
            agenda_id: job.agenda.clone(),
            task_id: job.task.id.clone(),
            run_id: run.id().clone(),
            url: page.url.clone(),
            title: title.unwrap_or_else(|| page.url.clone()),
            summary: self.summary,
            bearing: self.bearing,
            concepts: self.concepts,
            sentences: self.sentences,
            evidence,
            related_notes: related,
            motivation: job.task.motivation.clone(),
            query: job.task.query.clone(),
            source: job.task.source,
            similarity: like.similarity,
            nearest: like.nearest,
            snapshot: page.snapshot,
            status: FindingStatus::New,
            note_path: None,
            operation: None,
            created,
            decided: None,
            accepting: None,
            accepted_as: None,
        }
    }
}

impl Work<'_, TaskJob> {
    /// Has the model write up a page; `None` if it can't be asked, or nothing in the summary is supported.
    pub(super) async fn write_finding(
        &self,
        model: &dyn Model,
        page: &PageText,
        passages: &[LibraryPassage],
    ) -> Result<Option<FindingDraft>> {
        let request = self.finding_request(page, passages)?;
        let Some(mut reply) = self.ask_for_finding(model, request.clone()).await? else {
            return Ok(None);
        };
        self.report_step(TaskStep::Check, &page.url);
        let mut parts = self.judge_finding(&reply)?;
        let problems: String = parts.iter().map(|part| render_objections(&part.report)).collect();
        if !problems.is_empty() {
            let said = serde_json::to_string(&reply).unwrap_or_default();
            let objections = REPAIR.fill(&[("problems", &problems)])?;
            let again = follow_up_request(&request, &said, objections);
            if let Some(mended) = self.ask_for_finding(model, again).await? {
                let [summary, bearing] = self.judge_finding(&mended)?;
                let [first_summary, first_bearing] = parts;
                parts = [
                    merge_repair(first_summary, summary, |_| false),
                    merge_repair(first_bearing, bearing, |_| false),
                ];
                reply.concepts.extend(mended.concepts);
                reply.related_notes.extend(mended.related_notes);
            }
        }
        let shown: BTreeSet<&str> = passages.iter().map(|passage| passage.hit.place.path.as_str()).collect();
        let related = reply.related_notes.into_iter().filter(|path| shown.contains(path.as_str())).collect();
        let concepts = check_concepts(page, &reply.concepts);
        let reports = parts.map(|part| part.report);
        Ok(FindingDraft::from_reports(&reports, concepts, related))
    }

    fn finding_request(&self, page: &PageText, passages: &[LibraryPassage]) -> Result<ModelRequest> {
        let task = &self.job.task;
        let mut ids = Vec::new();
        for span in page.spans_about(&task.query, OF_A_PAGE) {
            ids.push(self.gatherer.add_page_evidence(page, &span, "it may be worth keeping")?);
        }
        for passage in passages.iter().filter(|passage| passage.hit.place.corpus == CorpusName::Vault) {
            ids.push(self.gatherer.add_passage_evidence(passage, "the page may bear on it")?);
        }
        let approved = Untrusted::from_note(format!("{}\n{}", task.query, task.motivation));
        let cap = self.research.settings.page_chars;
        let mut prompt = Prompt::new(&FINDING.fill(&[])?).document(PromptDocument {
            who: "a proposal that the user approved",
            name: "what was asked",
            text: &approved,
            cap,
            id: None,
        });
        let ledger = self.run.ledger();
        for id in &ids {
            let Some(entry) = ledger.entry(id) else { continue };
            let who = if entry.source.page().is_some() { "a page of the web" } else { "the user, in a note" };
            let (name, id) = (entry.source.location(), id.to_string());
            prompt =
                prompt.document(PromptDocument { who, name: &name, text: &entry.text, cap, id: Some(&id) });
        }
        self.request_showing(prompt, &format!("nonce {}", page.url))
    }

    /// Asks for a write-up; `None` if the model fails or its reply does not fit. `Err` if the log can't be written.
    async fn ask_for_finding(
        &self,
        model: &dyn Model,
        request: ModelRequest,
    ) -> Result<Option<FindingReply>> {
        let client = RunModelClient::new(self.run, model);
        match ask_structured::<FindingReply>(&client, request, "finding").await {
            Ok(answer) => Ok(Some(answer.value)),
            Err(_) => match client.take_failure() {
                Some(ModelCallFailure::Log(error)) => Err(error),
                _ => Ok(None),
            },
        }
    }

    fn judge_finding(&self, reply: &FindingReply) -> Result<[JudgedText; 2]> {
        let judge = |text: &str| -> Result<JudgedText> {
            let text = strip_filler(&plain_text(text));
            Ok(JudgedText { report: judge_text(self.run, &self.evidence_reader(), &text)?, text })
        };
        Ok([judge(&reply.summary)?, judge(&reply.bearing)?])
    }
}

/// Plain text of limited length on one line: no links and no active markup.
pub(super) fn plain_text(text: &str) -> String {
    let no = |_: &str| false;
    let cut: String = text.chars().take(LONGEST_TEXT).collect();
    let plain = make_inert(cut.trim(), &AllowedLinks { urls: &no, notes: &no }).text;
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The supported sentences of one part.
fn supported_text(sentences: &[FindingSentence], part: FindingPart) -> String {
    let kept = sentences.iter().filter(|known| known.part == part && known.verdict.is_borne_out());
    kept.map(|known| known.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The judged sentences of both parts.
fn collect_sentences([summary, bearing]: &[GateReport; 2]) -> Vec<FindingSentence> {
    let judged = |part: FindingPart, sentence: &JudgedSentence| FindingSentence {
        part,
        text: strip_citations(&sentence.text),
        verdict: sentence.verdict,
        evidence: sentence.evidence.iter().filter_map(|cited| Some(cited.id.as_ref()?.to_string())).collect(),
    };
    let summary = summary.sentences.iter().map(|sentence| judged(FindingPart::Summary, sentence));
    let bearing = bearing.sentences.iter().map(|sentence| judged(FindingPart::Bearing, sentence));
    summary.chain(bearing).collect()
}

fn strip_citations(text: &str) -> String {
    let cuts: Vec<Splice> = find_citations(text)
        .into_iter()
        .map(|group| Splice { span: group.span, text: String::new() })
        .collect();
    let cut = apply_splices(text, &cuts).unwrap_or_else(|_| text.to_owned());
    cut.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".")
}

/// The proposed concepts that the page has, each once. One that it does not have is left out, and nothing takes its place.
fn check_concepts(page: &PageText, proposed: &[String]) -> Vec<String> {
    let proposed = proposed.iter().map(|concept| plain_text(&single_line(concept, LONGEST_CONCEPT)));
    first_different(proposed.filter(|concept| page.has_all_words(concept)))
}

/// The page's own key phrases, for a finding that no model wrote up.
pub(super) fn extract_concepts(page: &PageText) -> Vec<String> {
    let phrases = page.phrases(CONCEPTS * 2).into_iter();
    first_different(phrases.map(|phrase| single_line(&plain_text(&phrase), LONGEST_CONCEPT)))
}

/// The first few concepts, each once.
fn first_different(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut concepts: Vec<String> = Vec::new();
    for concept in all {
        let is_known = concepts.iter().any(|known| known.to_lowercase() == concept.to_lowercase());
        if concepts.len() < CONCEPTS && !concept.is_empty() && !is_known {
            concepts.push(concept);
        }
    }
    concepts
}
