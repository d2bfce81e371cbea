//! The section of a researched note, written by a model from the ledger.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use wellread_text::Span;

use super::{NoteJob, OF_A_PAGE, SectionDraft, TopicMaterial};
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::{NewEvidence, Provenance, Source};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::Untrusted;
use crate::engine::gather::{Gatherer, PageText};
use crate::engine::llm::json_in_text;
use crate::engine::run::ModelCallFailure;
use crate::insight::keyless::{self, Topic};
use crate::ports::Model;
use crate::research::Work;
use crate::research::lifecycle::NOTHING_FOUND;
use crate::research::model_calls::to_error;
use crate::trust::prompt::{Prompt, PromptDocument, RESEARCH_EXTRACT, RESEARCH_NOTE};
use crate::{Error, Result};

/// How much evidence the model is shown at most, and how much of the note itself, in bytes.
const MOST_SHOWN: usize = 120_000;
const MOST_OF_THE_NOTE: usize = 40_000;
const LONGEST_FOCUS: usize = 600;

impl Work<'_, NoteJob> {
    /// The spans of a page that the model finds relevant to a topic. Quotations that are not on the page are ignored;
    /// if none is usable, the topic's words decide.
    pub(super) async fn extract_spans(
        &self,
        model: &dyn Model,
        page: &PageText,
        found_at: &str,
        topic: &Topic,
    ) -> Result<Vec<Span>> {
        let instructions = RESEARCH_EXTRACT.fill(&[])?;
        let wanted = Untrusted::from_note(format!("{}\n{}", topic.topic, topic.context));
        let cap = self.research.settings.page_chars;
        let prompt = Prompt::new(&instructions)
            .document(PromptDocument {
                who: "a model that read the user's note",
                name: "the topic",
                text: &wanted,
                cap,
                id: None,
            })
            .document(PromptDocument { who: "a web page", name: &page.url, text: &page.text, cap, id: None });
        let request = self.request_showing(prompt, &format!("nonce {found_at} {}", topic.topic))?;
        let said = match self.run.ask_model(model, &request, &|_| {}).await {
            Ok(reply) => reply.text,
            // If the model fails, rules choose the spans.
            Err(ModelCallFailure::Model(_)) => String::new(),
            Err(trouble) => return Err(to_error(trouble)),
        };
        let mut spans = page.spans_quoting(&parse_copied_lines(&said));
        if spans.is_empty() && said.trim() != "NONE" {
            spans = page.spans_about(&topic.topic, OF_A_PAGE);
        }
        spans.truncate(OF_A_PAGE * 2);
        Ok(spans)
    }

    /// Adds what was gathered to the ledger, and has the model write the section from it.
    pub(super) async fn write_supplement(
        &self,
        model: &dyn Model,
        path: &VaultPath,
        topics: &[Topic],
        material: &[TopicMaterial],
    ) -> Result<SectionDraft> {
        let (own, _) = self.register_own_passages(path, MOST_OF_THE_NOTE)?;
        let mut ids: Vec<Vec<EvidenceId>> = Vec::new();
        for (topic, material) in topics.iter().zip(material) {
            ids.push(register_evidence(&self.gatherer, topic, material)?);
        }
        if ids.iter().all(Vec::is_empty) {
            return Err(nothing_found_error());
        }
        let prompt = self.supplement_prompt(topics, &own, &ids)?;
        let request = self.request_showing(prompt, "nonce")?;
        let written = self.write_up(model, &request, path).await?;
        let report = written.checked.report;
        Ok(SectionDraft {
            supported: written.checked.supported,
            moved: written.checked.moved,
            text: written.checked.text,
            coverage: report.map(|report| report.coverage).unwrap_or_default(),
            removed: written.removed,
            cut: written.cut,
            forgotten: self.find_forgotten_notes(topics, material)?,
        })
    }

    /// A prompt with the instructions, the topics, and as much evidence as fits.
    fn supplement_prompt(
        &self,
        topics: &[Topic],
        own: &[EvidenceId],
        ids: &[Vec<EvidenceId>],
    ) -> Result<Prompt> {
        let focused = self.job.focus.as_ref().map(|_| "\n- Keep to the focus that the user gives below.");
        let instructions = RESEARCH_NOTE.fill(&[("focus", focused.unwrap_or_default())])?;
        let mut prompt = Prompt::new(&instructions);
        if let Some(focus) = &self.job.focus {
            prompt = prompt.user(&format!("Focus: {focus}"), LONGEST_FOCUS);
        }
        let listed = Untrusted::new(self.job.origin, render_topics(topics, ids));
        let cap = MOST_SHOWN;
        prompt = prompt.document(PromptDocument {
            who: "a model that read the user's note; the ids are ours",
            name: "the topics, and the evidence for each",
            text: &listed,
            cap,
            id: None,
        });
        let ledger = self.run.ledger();
        let (mut left, mut seen) = (MOST_SHOWN, BTreeSet::new());
        for id in own.iter().chain(ids.iter().flatten()) {
            let Some(entry) = ledger.entry(id).filter(|_| seen.insert(id)) else { continue };
            // Evidence that does not fit is not shown, and so can't be cited.
            let Some(rest) = left.checked_sub(entry.text.size()) else { continue };
            left = rest;
            let who = author(&entry.source, own.contains(id));
            let name = match entry.source.page().and_then(|page| page.title.clone()) {
                Some(title) => format!("{title} ({})", entry.source.location()),
                None => entry.source.location(),
            };
            let id = id.to_string();
            prompt =
                prompt.document(PromptDocument { who, name: &name, text: &entry.text, cap, id: Some(&id) });
        }
        Ok(prompt)
    }

    /// Adds the note's own passages to the ledger, up to `most` bytes, so that a contradiction can cite both sides. The
    /// flag tells whether all of them fit.
    pub(in crate::research) fn register_own_passages(
        &self,
        path: &VaultPath,
        most: usize,
    ) -> Result<(Vec<EvidenceId>, bool)> {
        let job = self.job;
        let (mut ids, mut left) = (Vec::new(), most);
        for place in keyless::collect_user_passages(path, &job.text, job.hash) {
            let Some(text) = job.text.get(place.span.clone()) else { continue };
            let Some(rest) = left.checked_sub(text.len()) else { return Ok((ids, false)) };
            left = rest;
            ids.push(self.run.add_evidence(NewEvidence {
                source: Source::Note(place),
                text: Untrusted::new(job.origin, text),
                reason: "it is what the note says".to_owned(),
                provenance: Provenance::Manual,
                score: None,
                symbol: None,
            })?);
        }
        Ok((ids, true))
    }
}

/// Who wrote a source, in words for the model.
fn author(source: &Source, is_own: bool) -> &'static str {
    match (source, is_own) {
        (_, true) => "the user, in the note that is researched",
        (Source::Note(_), _) => "the user, in another note",
        (Source::Code { .. }, _) => "the source code of a project of the user",
        _ => "a page of the web",
    }
}

/// Adds what was gathered for a topic to the ledger.
fn register_evidence(
    gatherer: &Gatherer<'_>,
    topic: &Topic,
    material: &TopicMaterial,
) -> Result<Vec<EvidenceId>> {
    let reason = format!("found for `{}`", topic.topic);
    let mut ids = Vec::new();
    for (page, spans) in &material.pages {
        for span in spans {
            ids.push(gatherer.add_page_evidence(page, span, &reason)?);
        }
    }
    for result in material.web.answer.results.iter().filter(|result| result.snippet.size() > 0) {
        ids.push(gatherer.add_snippet_evidence(result, &reason)?);
    }
    for passage in &material.passages {
        ids.push(gatherer.add_passage_evidence(passage, &reason)?);
    }
    Ok(ids)
}

/// Renders the topics, each with its evidence ids.
fn render_topics(topics: &[Topic], ids: &[Vec<EvidenceId>]) -> String {
    let mut listed = String::new();
    for (number, (topic, ids)) in (1..).zip(topics.iter().zip(ids)) {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let found = if ids.is_empty() { "nothing was found".to_owned() } else { ids.join(", ") };
        let _ = writeln!(
            listed,
            "{number}. {} ({})\n   {}\n   evidence: {found}",
            topic.topic,
            topic.kind.name(),
            topic.context
        );
    }
    listed
}

/// The sentences that a model copied, one per line or as a JSON list, without list and quotation marks.
fn parse_copied_lines(said: &str) -> Vec<String> {
    let listed = match json_in_text(said) {
        Some(Value::Array(entries)) => entries.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => said.lines().map(str::to_owned).collect::<Vec<_>>(),
    };
    let bare = |line: &String| {
        let line = line.trim().trim_start_matches(['-', '*', '>', ' ']);
        let line = line
            .trim_start_matches(|letter: char| letter.is_ascii_digit())
            .trim_start_matches(['.', ')', ' ']);
        line.trim_matches(['"', '“', '”', '\'', ' ']).to_owned()
    };
    listed.iter().map(bare).filter(|line| !line.is_empty()).collect()
}

pub(super) fn nothing_found_error() -> Error {
    Error::not_found("nothing was found about the note's topics")
        .hint("nothing was written; add notes about them, or the web with `--web`")
        .with_detail(NOTHING_FOUND, true)
}
