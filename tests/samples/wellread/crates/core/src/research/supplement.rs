//! The section of a researched note, phrased by a model from the ledger.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use wellread_text::Span;

use super::asking::{in_words, request};
use super::note::{Composed, Job, OF_A_PAGE, TopicFound};
use super::{Around, Research};
use crate::corpus::VaultPath;
use crate::evidence::{Found, Provenance, Source};
use crate::gather::{Gather, PageText};
use crate::id::{self, EvidenceId};
use crate::keyless::{self, Topic};
use crate::llm::json_in_text;
use crate::ports::Model;
use crate::prompt::{Document, Prompt, RESEARCH_EXTRACT, RESEARCH_NOTE};
use crate::run::{Run, Trouble};
use crate::untrusted::Untrusted;
use crate::{Error, Result};

/// How much evidence a model is shown at once, and how much of the note itself, in characters.
const MOST_SHOWN: usize = 120_000;
const MOST_OF_THE_NOTE: usize = 40_000;
const LONGEST_FOCUS: usize = 600;

impl Research {
    /// The stretches of a page that bear on a topic, as the model sees it. What it gives that does not stand on the page is
    /// nothing; where it gives nothing of use, the words of the topic decide.
    pub(super) async fn extracted(
        &self,
        run: &Run,
        model: &dyn Model,
        page: &PageText,
        found_at: &str,
        topic: &Topic,
    ) -> Result<Vec<Span>> {
        let instructions = RESEARCH_EXTRACT.fill(&[])?;
        let asked = Untrusted::note(format!("{}\n{}", topic.topic, topic.context));
        let cap = self.settings.page_chars;
        let name = format!("nonce {found_at} {}", topic.topic);
        let built = Prompt::new(&instructions)
            .document(Document {
                who: "a model that read the user's note",
                name: "the topic",
                text: &asked,
                cap,
                id: None,
            })
            .document(Document { who: "a web page", name: &page.url, text: &page.text, cap, id: None })
            .build(&mut || run.draw(&name, id::nonce).unwrap_or_default())?;
        let said = match run.ask(model, &request(&self.settings, built.text), &|_| {}).await {
            Ok(reply) => reply.text,
            // A page that could not be read for us is read by rules.
            Err(Trouble::Model(_)) => String::new(),
            Err(trouble) => return Err(in_words(trouble)),
        };
        let mut spans = page.holding(&lines(&said));
        if spans.is_empty() && said.trim() != "NONE" {
            spans = page.about(&topic.topic, OF_A_PAGE);
        }
        spans.truncate(OF_A_PAGE * 2);
        Ok(spans)
    }

    /// Puts what was gathered into the ledger and before the model, and has it write the supplement.
    #[allow(clippy::too_many_arguments, reason = "one stage of one recipe")]
    pub(super) async fn supplement(
        &self,
        around: Around<'_>,
        run: &Run,
        model: &dyn Model,
        gather: &Gather<'_>,
        job: &Job,
        topics: &[Topic],
        found: &[TopicFound],
    ) -> Result<Composed> {
        let path = around.vault.rules.file(&job.path)?;
        let (own, _) = self.own_passages(run, job, &path, MOST_OF_THE_NOTE)?;
        let mut ids: Vec<Vec<EvidenceId>> = Vec::new();
        for (topic, found) in topics.iter().zip(found) {
            ids.push(evidence_for(gather, topic, found)?);
        }
        if ids.iter().all(Vec::is_empty) {
            return Err(nothing_found());
        }
        let focused = job.focus.as_ref().map(|_| "\n- Keep to the focus that the user gives below.");
        let instructions = RESEARCH_NOTE.fill(&[("focus", focused.unwrap_or_default())])?;
        let mut prompt = Prompt::new(&instructions);
        if let Some(focus) = &job.focus {
            prompt = prompt.user(&format!("Focus: {focus}"), LONGEST_FOCUS);
        }
        let listed = Untrusted::new(job.origin, listed(topics, &ids));
        let cap = MOST_SHOWN;
        prompt = prompt.document(Document {
            who: "a model that read the user's note; the ids are ours",
            name: "the topics, and the evidence for each",
            text: &listed,
            cap,
            id: None,
        });
        let ledger = run.ledger();
        let (mut left, mut seen) = (MOST_SHOWN, BTreeSet::new());
        for id in own.iter().chain(ids.iter().flatten()) {
            let Some(entry) = ledger.entry(id).filter(|_| seen.insert(id)) else { continue };
            let is_own = own.contains(id);
            // What does not fit is not shown, and so can't be cited.
            let Some(rest) = left.checked_sub(entry.text.size()) else { continue };
            left = rest;
            let who = match (&entry.source, is_own) {
                (_, true) => "the user, in the note that is researched",
                (Source::Note(_), _) => "the user, in another note",
                (Source::Code { .. }, _) => "the source code of a project of the user",
                _ => "a page of the web",
            };
            let name = match entry.source.page().and_then(|page| page.title.clone()) {
                Some(title) => format!("{title} ({})", entry.source.shown()),
                None => entry.source.shown(),
            };
            let id = id.to_string();
            prompt = prompt.document(Document { who, name: &name, text: &entry.text, cap, id: Some(&id) });
        }
        let built = prompt.build(&mut || run.draw("nonce", id::nonce).unwrap_or_default())?;
        run.show(built.shown.iter().filter_map(|id| EvidenceId::parse(id).ok()).collect())?;
        let request = request(&self.settings, built.text);
        let written = self.written_up(around, run, model, &request, &path).await?;
        let report = written.checked.report;
        Ok(Composed {
            moved: written.checked.moved,
            text: written.checked.text,
            coverage: report.map(|report| report.coverage).unwrap_or_default(),
            removed: written.removed,
            forgotten: self.forgotten(around, run, job, topics, found)?,
        })
    }

    /// The note's own passages as evidence, up to so many bytes: a contradiction cites both sides. Says whether that was all.
    pub(super) fn own_passages(
        &self,
        run: &Run,
        job: &Job,
        path: &VaultPath,
        most: usize,
    ) -> Result<(Vec<EvidenceId>, bool)> {
        let (mut ids, mut left) = (Vec::new(), most);
        for place in keyless::own_passages(path, &job.text, job.hash) {
            let Some(text) = job.text.get(place.span.clone()) else { continue };
            let Some(rest) = left.checked_sub(text.len()) else { return Ok((ids, false)) };
            left = rest;
            ids.push(run.evidence(Found {
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

/// What was gathered for a topic, in the ledger.
fn evidence_for(gather: &Gather<'_>, topic: &Topic, found: &TopicFound) -> Result<Vec<EvidenceId>> {
    let reason = format!("found for `{}`", topic.topic);
    let mut ids = Vec::new();
    for (page, spans) in &found.pages {
        for span in spans {
            ids.push(gather.passage(page, span, &reason)?);
        }
    }
    for result in found.web.answer.results.iter().filter(|result| result.snippet.size() > 0) {
        ids.push(gather.snippet(result, &reason)?);
    }
    for passage in &found.passages {
        ids.push(gather.hit(passage, &reason)?);
    }
    Ok(ids)
}

/// The topics with what was found for each.
fn listed(topics: &[Topic], ids: &[Vec<EvidenceId>]) -> String {
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

/// The sentences that a model copied: a line each, or a JSON list; with or without marks around them.
fn lines(said: &str) -> Vec<String> {
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

pub(super) fn nothing_found() -> Error {
    Error::not_found("nothing was found that bears on the note's topics")
        .hint("nothing was written; add notes about them, or the web with `--web`")
}
