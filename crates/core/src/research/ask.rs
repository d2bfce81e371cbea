//! A quick answer: one factual question in, one paragraph and its source out.

use futures_util::future::{join, join_all};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::split_sentences;

use super::clarify::clarify;
use super::lifecycle::run_recipe;
use super::model_calls::{build_request, follow_up_request, strip_thinking};
use super::note::{OF_A_PAGE, TopicMaterial};
use super::note_keyless::QuoteSources;
use super::wording::{MOST_SENTENCES, first_sentences, lower_first, plain_text, render_place};
use super::{
    Context, RecipeOutcome, Research, ResearchEvent, ResearchSettings, ResearchStage, SERVICES, is_specific,
    read_job,
};
use crate::domain::evidence::Source;
use crate::domain::id::{self, EvidenceId};
use crate::domain::verdict::{Verdict, VerdictCounts};
use crate::engine::gather::{Gatherer, WebSearchResults};
use crate::engine::repair::{judge_against_evidence, judge_text};
use crate::engine::run::{ModelCallFailure, Run, RunSpec};
use crate::insight::keyless::{self, Quote};
use crate::ports::event::{RunKind, RunOutcome};
use crate::ports::{FetchableUrl, Model, WebQuery};
use crate::trust::gate::render_objections;
use crate::trust::prompt::{Prompt, PromptDocument, QUICK_ANSWER, REPAIR};
use crate::{Error, Result};

const RESULTS: usize = 5;
const PAGES: usize = 2;
const LONGEST_QUESTION: usize = 1_000;
/// Shorter answers count as none, in characters.
const SHORTEST: usize = 20;
/// From which score on a sentence answers, and does not merely speak of the same.
const ANSWERS: f32 = 0.55;
const UNSURE: &str = "I'm not fully certain, but";
const UNAVAILABLE: &str = "I couldn't look that up right now; please try again in a few minutes.";
const NO_WEB: &str = "answered from notes and code alone; `wellread config set search.services duckduckgo` adds the web, or \
                      `--web` for one call";
const MODEL_FAILED: &str = "the model gave no answer, so the best sentences are quoted as they stand";

/// What sort of answer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskAnswerKind {
    Answer,
    /// A question back: what was asked is too broad.
    Clarify,
    /// The best that was found, which may not be it.
    Unsure,
    /// It could not be looked up now.
    Unavailable,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskAnswer {
    /// A paragraph, and the source on a line of its own.
    pub answer: String,
    /// The one source that carries the answer: an address, or a file with its lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    pub kind: AskAnswerKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// How many of its sentences are supported by what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<VerdictCounts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The notes whose words it repeats.
    #[serde(skip)]
    pub files: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct AskJob {
    query: String,
    with_model: bool,
    settings: ResearchSettings,
}

/// A paragraph with ids, before it is shown.
struct Paragraph {
    text: String,
    source: Option<Source>,
    kind: AskAnswerKind,
    coverage: Option<VerdictCounts>,
    notice: Option<&'static str>,
}

impl Research {
    pub async fn ask(&self, around: Context<'_>, query: &str) -> Result<AskAnswer> {
        let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
        if query.chars().nth(LONGEST_QUESTION).is_some() {
            return Err(Error::invalid(format!("the question is longer than {LONGEST_QUESTION} characters"))
                .hint("ask for one thing at a time; long texts are for notes"));
        }
        if !is_specific(&query) {
            return Ok(clarify(around, &query));
        }
        let (with_model, settings) = (self.model.is_some(), self.settings);
        let job = AskJob { query: query.clone(), with_model, settings };
        let request = serde_json::to_value(&job).unwrap_or_default();
        let beginning = RunSpec { kind: RunKind::Ask, title: query, request, budget: self.budget() };
        let run = Run::begin(&self.desk, beginning)?;
        run_recipe(around, &run, self.ask_work(around, &run, job)).await
    }

    pub(super) async fn rerun_ask(&self, around: Context<'_>, run: &Run) -> Result<AskAnswer> {
        let job: AskJob = read_job(run)?;
        let research = Self { settings: job.settings, ..self.clone() };
        run_recipe(around, run, research.ask_work(around, run, job)).await
    }

    async fn ask_work(
        &self,
        around: Context<'_>,
        run: &Run,
        job: AskJob,
    ) -> Result<RecipeOutcome<AskAnswer>> {
        let model = self.model_for_run(run, job.with_model, false)?;
        // Private notes are not drawn on: an answer goes to whoever asked, a bot or a model among them.
        let gather = self.gather(around, run, false);
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::Gather,
            done: 0,
            of: 1,
            about: job.query.clone(),
        });
        let has_web = !run.draw(SERVICES, || gather.allowed_services())?.is_empty();
        let query = WebQuery { text: job.query.clone(), limit: RESULTS, offset: 0, answer: true };
        let web =
            async { if has_web { gather.search_web(&query).await } else { Ok(WebSearchResults::default()) } };
        let (web, library) = join(web, gather.search_library(&job.query, RESULTS, None)).await;
        let (web, (passages, _)) = (web?, library?);
        if has_web && web.has_failed() {
            return Ok(finish_answer(
                run,
                Paragraph {
                    text: UNAVAILABLE.to_owned(),
                    source: None,
                    kind: AskAnswerKind::Unavailable,
                    coverage: None,
                    notice: None,
                },
            ));
        }
        let mut paragraph = match gather.add_service_answer(&web)? {
            Some((id, text)) => service_paragraph(run, &id, &text),
            None => {
                let found = self
                    .fetch_pages(&gather, TopicMaterial { web, passages, ..TopicMaterial::default() })
                    .await?;
                self.compose_paragraph(around, run, model, &gather, &job.query, &found).await?
            }
        };
        if !has_web {
            paragraph.notice = paragraph.notice.or(Some(NO_WEB));
        }
        Ok(finish_answer(run, paragraph))
    }

    /// The first pages of the results, too. One that can't be read is left out.
    async fn fetch_pages(&self, gather: &Gatherer<'_>, mut found: TopicMaterial) -> Result<TopicMaterial> {
        let first: Vec<FetchableUrl> =
            found.web.answer.results.iter().take(PAGES).map(FetchableUrl::from_result).collect();
        for page in
            join_all(first.iter().map(|page| gather.fetch_page(page, self.page_limits(), "the question")))
                .await
        {
            if let Ok(page) = page? {
                found.pages.push((page, Vec::new()));
            }
        }
        Ok(found)
    }

    async fn compose_paragraph(
        &self,
        around: Context<'_>,
        run: &Run,
        model: Option<&dyn Model>,
        gather: &Gatherer<'_>,
        query: &str,
        found: &TopicMaterial,
    ) -> Result<Paragraph> {
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::WriteUp,
            done: 0,
            of: 1,
            about: String::new(),
        });
        let Some(model) = model else { return self.quote_answer(run, gather, query, found) };
        if let Some(paragraph) = self.write_paragraph(around, run, model, gather, query, found).await? {
            return Ok(paragraph);
        }
        let mut paragraph = self.quote_answer(run, gather, query, found)?;
        paragraph.notice = Some(MODEL_FAILED);
        Ok(paragraph)
    }

    /// What the model makes of the evidence; nothing where it can't be asked, or says nothing.
    async fn write_paragraph(
        &self,
        around: Context<'_>,
        run: &Run,
        model: &dyn Model,
        gather: &Gatherer<'_>,
        query: &str,
        found: &TopicMaterial,
    ) -> Result<Option<Paragraph>> {
        let ids = register_evidence(gather, query, found)?;
        let ledger = run.ledger();
        let mut prompt =
            Prompt::new(&QUICK_ANSWER.fill(&[])?).user(&format!("Question: {query}"), LONGEST_QUESTION + 20);
        for id in &ids {
            let Some(entry) = ledger.entry(id) else { continue };
            let who =
                if entry.source.page().is_some() { "a page of the web" } else { "the user's own files" };
            let (name, id) = (entry.source.location(), id.to_string());
            let cap = self.settings.page_chars;
            prompt =
                prompt.document(PromptDocument { who, name: &name, text: &entry.text, cap, id: Some(&id) });
        }
        let built = prompt.build(&mut || run.draw("nonce", id::nonce).unwrap_or_default())?;
        run.mark_shown(built.shown.iter().filter_map(|id| EvidenceId::parse(id).ok()).collect())?;
        let request = build_request(&self.settings, built.text);
        let mut said = match run.ask_model(model, &request, &|_| {}).await {
            Ok(reply) => strip_thinking(&reply.text).to_owned(),
            Err(ModelCallFailure::Log(error)) => return Err(error),
            Err(_) => return Ok(None),
        };
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::Check,
            done: 0,
            of: 1,
            about: String::new(),
        });
        let mut report = judge_text(run, &self.places(around), &said)?;
        let problems = render_objections(&exempt_uncited(&report));
        if !problems.is_empty() {
            let told = REPAIR.fill(&[("problems", &problems)])?;
            if let Ok(mended) = self.ask_model(run, model, &follow_up_request(&request, &said, told)).await
                && !mended.is_empty()
            {
                report = judge_text(run, &self.places(around), &mended)?;
                said = mended;
            }
        }
        let elsewhere = judge_against_evidence(run, &said)?;
        let (mut kept, mut cited): (Vec<&str>, Vec<EvidenceId>) = (Vec::new(), Vec::new());
        for (sentence, other) in report.sentences.iter().zip(&elsewhere.sentences) {
            let by = match (sentence.verdict, other.verdict) {
                (Verdict::Supported, _) => {
                    sentence.evidence.iter().filter_map(|cited| cited.id.clone()).collect()
                }
                // There its source was named by its id.
                (Verdict::Uncited, Verdict::Supported) => {
                    other.evidence.iter().filter_map(|cited| EvidenceId::parse(&cited.path).ok()).collect()
                }
                _ => Vec::new(),
            };
            if !by.is_empty() && kept.len() < MOST_SENTENCES {
                kept.push(said.get(sentence.span.clone()).unwrap_or_default());
                cited.extend(by);
            }
        }
        let text = kept.join(" ");
        let source = most_cited(&cited).and_then(|id| ledger.entry(&id)).map(|entry| entry.source.clone());
        let coverage = Some(report.coverage);
        if plain_text(&text).chars().count() >= SHORTEST {
            return Ok(Some(Paragraph { text, source, kind: AskAnswerKind::Answer, coverage, notice: None }));
        }
        let all = first_sentences(&said);
        if plain_text(&all).chars().count() < SHORTEST {
            return Ok(None);
        }
        let text = format!("{UNSURE} {}", lower_first(&all));
        let first = ids.first().and_then(|id| ledger.entry(id)).map(|entry| entry.source.clone());
        let source = source.or(first);
        Ok(Some(Paragraph { text, source, kind: AskAnswerKind::Unsure, coverage, notice: None }))
    }

    /// The best sentences of the one source that has most of them, quoted.
    fn quote_answer(
        &self,
        run: &Run,
        gather: &Gatherer<'_>,
        query: &str,
        found: &TopicMaterial,
    ) -> Result<Paragraph> {
        let mut quarry = QuoteSources::default();
        quarry.add_topic(gather, found)?;
        let quotes = keyless::find_quotes(query, &quarry.passages, MOST_SENTENCES * 2, MOST_SENTENCES - 1);
        let mut sources: Vec<(&str, f32)> = Vec::new();
        for quote in &quotes {
            let source = quarry.source(quote);
            match sources.iter_mut().find(|(known, _)| *known == source) {
                // A second sentence adds less than the first.
                Some((_, score)) => *score += quote.score / 4.0,
                None => sources.push((source, quote.score)),
            }
        }
        let best = sources.iter().max_by(|one, other| one.1.total_cmp(&other.1)).map(|(source, _)| *source);
        let mut of_best: Vec<&Quote> =
            quotes.iter().filter(|quote| Some(quarry.source(quote)) == best).collect();
        let top = of_best.iter().map(|quote| quote.score).fold(0.0, f32::max);
        // What is far behind the best only fills.
        of_best.retain(|quote| quote.score >= top / 2.0);
        of_best.sort_by_key(|quote| (quote.passage, quote.span.start));
        let (mut lines, mut source) = (Vec::new(), None);
        for quote in of_best {
            let id = quarry.cite(run, quote, "it answers the question")?;
            if quote.score >= top || source.is_none() {
                source = run.ledger().entry(&id).map(|entry| entry.source.clone());
            }
            lines.push(format!("{} [{id}]", quote.quoted));
        }
        let kind = if top >= ANSWERS { AskAnswerKind::Answer } else { AskAnswerKind::Unsure };
        if plain_text(&lines.join(" ")).chars().count() < SHORTEST {
            (lines, source) = (Vec::new(), None);
        }
        let kind = if lines.is_empty() { AskAnswerKind::Unsure } else { kind };
        let text = match (lines.is_empty(), kind) {
            (true, _) => format!(
                "{UNSURE} nothing that was found speaks of this; it may help to ask with other words."
            ),
            (_, AskAnswerKind::Answer) => lines.join(" "),
            _ => format!("{UNSURE} this is the closest that was found: {}", lines.join(" ")),
        };
        Ok(Paragraph { text, source, kind, coverage: None, notice: None })
    }
}

/// Puts what was found before the model: pages first, then what services say, then notes and code.
fn register_evidence(gather: &Gatherer<'_>, query: &str, found: &TopicMaterial) -> Result<Vec<EvidenceId>> {
    let reason = "it may answer the question";
    let mut ids = Vec::new();
    for (page, _) in &found.pages {
        for span in page.spans_about(query, OF_A_PAGE) {
            ids.push(gather.add_page_evidence(page, &span, reason)?);
        }
    }
    for result in found.web.answer.results.iter().filter(|result| result.snippet.size() > 0) {
        ids.push(gather.add_snippet_evidence(result, reason)?);
    }
    for passage in &found.passages {
        ids.push(gather.add_passage_evidence(passage, reason)?);
    }
    Ok(ids)
}

/// A service's own answer: each of its sentences is what the service said.
fn service_paragraph(run: &Run, id: &EvidenceId, text: &str) -> Paragraph {
    let said = first_sentences(text);
    let cited: Vec<String> =
        split_sentences(&said).iter().map(|sentence| format!("{} [{id}]", sentence.text)).collect();
    let source = run.ledger().entry(id).map(|entry| entry.source.clone());
    Paragraph { text: cited.join(" "), source, kind: AskAnswerKind::Answer, coverage: None, notice: None }
}

/// The answer as it is shown, and as its run keeps it.
fn finish_answer(run: &Run, paragraph: Paragraph) -> RecipeOutcome<AskAnswer> {
    let Paragraph { text, source, kind, coverage, notice } = paragraph;
    let files = source.iter().filter_map(|source| match source {
        Source::Note(place) => Some(place.path.to_string()),
        _ => None,
    });
    let files = files.collect();
    let source = source.as_ref().map(render_place);
    let with_source = |text: &str| match &source {
        Some(source) => format!("{text}\n\nSource: {source}"),
        None => text.to_owned(),
    };
    let value = AskAnswer {
        answer: with_source(&plain_text(&text)),
        kind,
        run_id: Some(run.id().to_string()),
        coverage,
        notice: notice.map(str::to_owned),
        files,
        source: source.clone(),
    };
    RecipeOutcome { value, report: format!("{}\n", with_source(&text)), outcome: RunOutcome::Done }
}

/// The report with what cites nothing let through: it is looked for in all of the evidence.
fn exempt_uncited(report: &crate::domain::verdict::GateReport) -> crate::domain::verdict::GateReport {
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
