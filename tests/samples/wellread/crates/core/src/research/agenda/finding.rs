//! A page written up by a model: what it says, how that bears on the notes, each sentence checked.

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{Allowed, Splice, citations, inert, splice};

use super::super::asking::{once_more, request};
use super::super::topics::line;
use super::super::{Around, Progress, Research, TaskStep};
use super::task::Job;
use crate::agenda::{Finding, FindingEvidence, FindingSentence, FindingStatus, Part};
use crate::checking::judged;
use crate::gate::{Judged, Report, Verdict, objections};
use crate::gather::{Gather, Likeness, PageText, Passage};
use crate::id::{self, EvidenceId, FindingId};
use crate::llm::structured;
use crate::ports::{Model, ModelRequest};
use crate::prompt::{Document, FINDING, Prompt, REPAIR};
use crate::run::{ByRun, Run, Trouble};
use crate::{Result, corpus::CorpusName};

/// How many passages of notes a page is held against.
pub(super) const NOTES: usize = 4;
/// How many stretches of a page are shown.
const OF_A_PAGE: usize = 6;
const CONCEPTS: usize = 5;
const FEWEST_CONCEPTS: usize = 3;
const LONGEST_CONCEPT: usize = 60;
const LONGEST_TITLE: usize = 200;
const LONGEST_TEXT: usize = 2_000;
const RELATED: usize = 5;

/// A page, written up and checked.
pub(super) struct Written {
    pub summary: String,
    pub bearing: String,
    pub concepts: Vec<String>,
    pub related: Vec<String>,
    pub sentences: Vec<FindingSentence>,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
struct Answer {
    summary: String,
    #[serde(default)]
    bearing: String,
    #[serde(default)]
    concepts: Vec<String>,
    #[serde(default, alias = "relatedNotes")]
    related_notes: Vec<String>,
}

impl Written {
    pub fn finding(
        self,
        run: &Run,
        job: &Job,
        page: &PageText,
        like: Likeness,
        created: Timestamp,
    ) -> Finding {
        let cited: BTreeSet<&String> =
            self.sentences.iter().flat_map(|sentence| &sentence.evidence).collect();
        let ledger = run.ledger();
        let entries = cited.into_iter().filter_map(|id| ledger.entry(&EvidenceId::parse(id).ok()?));
        let evidence = entries.map(FindingEvidence::of).collect();
        // Others wrote it, and it is shown in many places: words alone, with brackets that are brackets everywhere.
        let words = |title: &str| plain(&title.replace('<', "‹").replace('>', "›"));
        let title = page.title.as_deref().map(|title| line(&words(title), LONGEST_TITLE));
        let title = title.filter(|title| !title.is_empty());
        let mut related = job.task.related_notes.clone();
        related.extend(self.related);
        let mut seen = BTreeSet::new();
        related.retain(|path| seen.insert(path.clone()));
        related.truncate(RELATED);
        Finding {
            id: FindingId::of(&job.task.id, &page.url),
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

impl Research {
    /// What the model makes of a page; nothing where it can't be asked, or says nothing that holds.
    #[allow(clippy::too_many_arguments, reason = "one stage of one recipe")]
    pub(super) async fn phrased_finding(
        &self,
        around: Around<'_>,
        run: &Run,
        model: &dyn Model,
        gather: &Gather<'_>,
        job: &Job,
        page: &PageText,
        passages: &[Passage],
    ) -> Result<Option<Written>> {
        let request = self.finding_request(run, gather, job, page, passages)?;
        let Some(mut answer) = self.finding_answer(run, model, request.clone()).await? else {
            return Ok(None);
        };
        (around.watch)(Progress::Step { step: TaskStep::Check, about: page.url.clone() });
        let mut reports = self.finding_reports(around, run, &answer)?;
        let problems: String = reports.iter().map(objections).collect();
        if !problems.is_empty() {
            let said = serde_json::to_string(&answer).unwrap_or_default();
            let told = REPAIR.fill(&[("problems", &problems)])?;
            if let Some(mended) = self.finding_answer(run, model, once_more(&request, &said, told)).await? {
                reports = self.finding_reports(around, run, &mended)?;
                answer = mended;
            }
        }
        let sentences = sentences(&reports);
        let (summary, bearing) = (supported(&sentences, Part::Summary), supported(&sentences, Part::Bearing));
        if summary.is_empty() {
            return Ok(None);
        }
        let shown: BTreeSet<&str> = passages.iter().map(|passage| passage.hit.place.path.as_str()).collect();
        let related = answer.related_notes.into_iter().filter(|path| shown.contains(path.as_str())).collect();
        let concepts = answer.concepts.iter().map(|concept| line(concept, LONGEST_CONCEPT)).collect();
        Ok(Some(Written { summary, bearing, concepts: concepts_of(page, concepts), related, sentences }))
    }

    fn finding_request(
        &self,
        run: &Run,
        gather: &Gather<'_>,
        job: &Job,
        page: &PageText,
        passages: &[Passage],
    ) -> Result<ModelRequest> {
        let mut ids = Vec::new();
        for span in page.about(&job.task.query, OF_A_PAGE) {
            ids.push(gather.passage(page, &span, "it may be worth keeping")?);
        }
        for passage in passages.iter().filter(|passage| passage.hit.place.corpus == CorpusName::Vault) {
            ids.push(gather.hit(passage, "the page may bear on it")?);
        }
        let asked = crate::untrusted::Untrusted::note(format!("{}\n{}", job.task.query, job.task.motivation));
        let cap = self.settings.page_chars;
        let mut prompt = Prompt::new(&FINDING.fill(&[])?).document(Document {
            who: "a proposal that the user approved",
            name: "what was asked",
            text: &asked,
            cap,
            id: None,
        });
        let ledger = run.ledger();
        for id in &ids {
            let Some(entry) = ledger.entry(id) else { continue };
            let who = if entry.source.page().is_some() { "a page of the web" } else { "the user, in a note" };
            let (name, id) = (entry.source.shown(), id.to_string());
            prompt = prompt.document(Document { who, name: &name, text: &entry.text, cap, id: Some(&id) });
        }
        let nonce = format!("nonce {}", page.url);
        let built = prompt.build(&mut || run.draw(&nonce, id::nonce).unwrap_or_default())?;
        run.show(built.shown.iter().filter_map(|id| EvidenceId::parse(id).ok()).collect())?;
        Ok(request(&self.settings, built.text))
    }

    /// A model that can't be asked, or answers with something else, gives nothing; a log that can't be written ends the run.
    async fn finding_answer(
        &self,
        run: &Run,
        model: &dyn Model,
        request: ModelRequest,
    ) -> Result<Option<Answer>> {
        let ask = ByRun::new(run, model);
        match structured::<Answer>(&ask, request, "finding").await {
            Ok(answer) => Ok(Some(answer.value)),
            Err(_) => match ask.trouble() {
                Some(Trouble::Log(error)) => Err(error),
                _ => Ok(None),
            },
        }
    }

    fn finding_reports(&self, around: Around<'_>, run: &Run, answer: &Answer) -> Result<[Report; 2]> {
        let judged = |text: &str| judged(run, &self.places(around), &plain(text));
        Ok([judged(&answer.summary)?, judged(&answer.bearing)?])
    }
}

/// Words alone, and not many: no links, no marks that do something.
pub(super) fn plain(text: &str) -> String {
    let no = |_: &str| false;
    let cut: String = text.chars().take(LONGEST_TEXT).collect();
    let plain = inert(cut.trim(), &Allowed { urls: &no, notes: &no }).text;
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentences of a part that hold.
pub(super) fn supported(sentences: &[FindingSentence], part: Part) -> String {
    let kept = sentences.iter().filter(|known| known.part == part && known.verdict == Verdict::Supported);
    kept.map(|known| known.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// What the gate says of the sentences of both parts.
pub(super) fn sentences([summary, bearing]: &[Report; 2]) -> Vec<FindingSentence> {
    let told = |part: Part, sentence: &Judged| FindingSentence {
        part,
        text: without_ids(&sentence.text),
        verdict: sentence.verdict,
        evidence: sentence.evidence.iter().filter_map(|cited| Some(cited.id.as_ref()?.to_string())).collect(),
    };
    let summary = summary.sentences.iter().map(|sentence| told(Part::Summary, sentence));
    let bearing = bearing.sentences.iter().map(|sentence| told(Part::Bearing, sentence));
    summary.chain(bearing).collect()
}

fn without_ids(text: &str) -> String {
    let cuts: Vec<Splice> =
        citations(text).into_iter().map(|group| Splice { span: group.span, text: String::new() }).collect();
    let cut = splice(text, &cuts).unwrap_or_else(|_| text.to_owned());
    cut.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".")
}

/// Concepts that the page speaks of, filled up with what it says most.
pub(super) fn concepts_of(page: &PageText, proposed: Vec<String>) -> Vec<String> {
    let mut concepts: Vec<String> = Vec::new();
    let own = page.phrases(CONCEPTS * 2).into_iter().map(|phrase| line(&plain(&phrase), LONGEST_CONCEPT));
    let proposed =
        proposed.into_iter().map(|concept| plain(&concept)).filter(|concept| page.speaks_of(concept));
    let proposed: Vec<String> = proposed.collect();
    let wanted =
        if proposed.is_empty() { CONCEPTS } else { FEWEST_CONCEPTS.max(proposed.len()).min(CONCEPTS) };
    for concept in proposed.into_iter().chain(own) {
        let is_known = concepts.iter().any(|known| known.to_lowercase() == concept.to_lowercase());
        if concepts.len() < wanted && !concept.is_empty() && !is_known {
            concepts.push(concept);
        }
    }
    concepts
}
