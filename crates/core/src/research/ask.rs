//! Ask: answers one factual question with one paragraph and its source.

mod clarify;
mod paragraph;
mod quoted;
mod service_answer;
mod specific;
mod wording;

use futures_util::future::{join, join_all};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::clarify::clarify;
pub use self::specific::is_specific;
use self::wording::{plain_text, render_place};
use super::note::TopicMaterial;
use super::{
    AnswerText, Context, JobAccess, Recipe, RecipeOutcome, Research, ResearchSettings, ResearchStage,
    SERVICES, Work,
};
use crate::domain::display::strip_escapes;
use crate::domain::evidence::Source;
use crate::domain::verdict::VerdictCounts;
use crate::engine::gather::{SearchReach, WebSearchResults};
use crate::engine::run::Run;
use crate::insight::keyless;
use crate::ports::event::RunKind;
use crate::ports::{FetchableUrl, WebQuery};
use crate::{Error, Result};

const RESULTS: usize = 5;
/// How many passages are read for a sentence that answers, where no model reads them.
const KEYLESS_RESULTS: usize = 20;
const PAGES: usize = 2;
const LONGEST_QUESTION: usize = 1_000;
/// Answers with fewer characters count as none, unless they are the line of a property.
const SHORTEST: usize = 20;
const UNSURE: &str = "I'm not fully certain, but";
const UNAVAILABLE: &str = "I couldn't look that up right now; please try again in a few minutes.";
const NO_WEB: &str = "answered from notes and code alone; `wellread config set search.services duckduckgo` adds the web, or \
                      `--web` for one call";
const NOT_BORNE_OUT: &str =
    "the evidence did not bear out what the model wrote, so the best sentences are quoted verbatim";
const MODEL_FAILED: &str = "the model gave no answer, so the best sentences are quoted verbatim";

/// Answers one factual question in a paragraph.
#[derive(Debug)]
pub struct AskRecipe;

/// The kind of answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum AskAnswerKind {
    /// An answer with its sources.
    Answer,
    /// A request for clarification: the question is too broad.
    Clarify,
    /// The best that was found, which may not be it.
    Unsure,
    /// It could not be looked up now.
    Unavailable,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskAnswer {
    /// A paragraph, with the source on its own line.
    pub answer: String,
    /// The source that supports the answer: a URL, or a file with its lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether it is an answer, a request for clarification, or neither.
    pub kind: AskAnswerKind,
    /// The run's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// How many of its sentences are supported by the evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<VerdictCounts>,
    /// A notice for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The notes whose words it repeats.
    #[serde(skip)]
    pub files: Vec<String>,
}

/// The stored job of a run that answers a question.
#[derive(Debug, Serialize, Deserialize)]
pub struct AskJob {
    query: String,
    with_model: bool,
    settings: ResearchSettings,
}

/// A paragraph with evidence ids, before it is rendered.
struct Paragraph {
    /// One line, or several where an answer is a list.
    text: String,
    source: Option<Source>,
    /// The other places that it names: of further sentences, or those that come closest.
    others: Vec<Source>,
    kind: AskAnswerKind,
    coverage: Option<VerdictCounts>,
    notice: Option<&'static str>,
}

impl Recipe for AskRecipe {
    const KIND: RunKind = RunKind::Ask;
    /// The question.
    type Request = String;
    type Job = AskJob;
    type Answer = AskAnswer;

    fn answer_directly(&self, context: Context<'_>, question: &String) -> Option<AskAnswer> {
        let query = normalize(question).ok()?;
        (!is_specific(&query)).then(|| clarify(context, &query))
    }

    fn prepare(&self, research: &Research, _: Context<'_>, question: String) -> Result<AskJob> {
        let (with_model, settings) = (research.model.is_some(), research.settings);
        Ok(AskJob { query: normalize(&question)?, with_model, settings })
    }

    fn title(&self, job: &AskJob) -> String {
        job.query.clone()
    }

    fn access(&self, job: &AskJob) -> JobAccess {
        // Private notes are not used: the answer goes to whoever asked, possibly a bot or a model.
        JobAccess { with_model: job.with_model, private: false, private_notes: false }
    }

    fn restore_settings(&self, research: &Research, job: &AskJob) -> Research {
        Research { settings: job.settings, ..research.clone() }
    }

    async fn work(&self, work: &Work<'_, AskJob>) -> Result<RecipeOutcome<AskAnswer>> {
        work.answer_question().await
    }

    fn render(&self, answer: &AskAnswer) -> Result<AnswerText> {
        let notices = answer.notice.iter().map(|notice| format!("note: {notice}"));
        Ok(AnswerText { text: strip_escapes(&answer.answer), notices: notices.collect() })
    }
}

/// The question on one line; `Err` if it is too long.
fn normalize(question: &str) -> Result<String> {
    let query = question.split_whitespace().collect::<Vec<_>>().join(" ");
    if query.chars().nth(LONGEST_QUESTION).is_some() {
        return Err(Error::invalid(format!("the question is longer than {LONGEST_QUESTION} characters"))
            .hint("ask for one thing at a time; long texts are for notes"));
    }
    Ok(query)
}

impl Work<'_, AskJob> {
    async fn answer_question(&self) -> Result<RecipeOutcome<AskAnswer>> {
        let (gatherer, query) = (&self.gatherer, self.job.query.as_str());
        self.begin_stage(ResearchStage::Gather, query);
        let has_web = !self.run.draw(SERVICES, || gatherer.allowed_services())?.is_empty();
        let wanted = WebQuery { text: query.to_owned(), limit: RESULTS, offset: 0, answer: true };
        let web = async {
            if has_web { gatherer.search_web(&wanted).await } else { Ok(WebSearchResults::default()) }
        };
        let library = async {
            match self.model {
                Some(_) => gatherer.search_library(query, RESULTS, None).await,
                None => {
                    let wanted = keyless::find_subject(query).unwrap_or(query);
                    gatherer.search_library_widely(wanted, KEYLESS_RESULTS, None, self.reach()).await
                }
            }
        };
        let (web, library) = join(web, library).await;
        let (web, (passages, _)) = (web?, library?);
        if has_web && web.has_failed() {
            return Ok(finish_answer(self.run, unavailable_paragraph()));
        }
        let mut paragraph = match web.own_answer() {
            Some(text) => self.check_service_answer(&web, &text).await?,
            None => {
                let material = TopicMaterial { web, passages, ..TopicMaterial::default() };
                self.compose_paragraph(&self.fetch_pages(material).await?).await?
            }
        };
        if !has_web {
            paragraph.notice = paragraph.notice.or(Some(NO_WEB));
        }
        Ok(finish_answer(self.run, paragraph))
    }

    /// Where a reader tells what answers from what does not, passages need not have much to do with the question.
    fn reach(&self) -> SearchReach {
        let is_read = self.research.reader.is_some() && self.gatherer.compares_by_meaning();
        if is_read { SearchReach::Distant } else { SearchReach::Related }
    }

    /// Adds the pages of the first results. Pages that can't be read are skipped.
    async fn fetch_pages(&self, mut material: TopicMaterial) -> Result<TopicMaterial> {
        let first: Vec<FetchableUrl> =
            material.web.answer.results.iter().take(PAGES).map(FetchableUrl::from_result).collect();
        let limits = self.research.page_limits();
        let pages = first.iter().map(|page| self.gatherer.fetch_page(page, limits, "the question"));
        for page in join_all(pages).await {
            if let Ok(page) = page? {
                material.pages.push((page, Vec::new()));
            }
        }
        Ok(material)
    }

    async fn compose_paragraph(&self, material: &TopicMaterial) -> Result<Paragraph> {
        self.begin_stage(ResearchStage::WriteUp, "");
        let Some(model) = self.model else { return self.quote_paragraph(material) };
        let why = match self.write_paragraph(model, material).await? {
            Ok(paragraph) => return Ok(paragraph),
            Err(why) => why,
        };
        Ok(Paragraph { notice: Some(why), ..self.quote_paragraph(material)? })
    }
}

fn unavailable_paragraph() -> Paragraph {
    let (text, kind) = (UNAVAILABLE.to_owned(), AskAnswerKind::Unavailable);
    Paragraph { text, source: None, others: Vec::new(), kind, coverage: None, notice: None }
}

/// The answer for the user, and the report with citations for the run.
fn finish_answer(run: &Run, paragraph: Paragraph) -> RecipeOutcome<AskAnswer> {
    let Paragraph { text, source, others, kind, coverage, notice } = paragraph;
    let files = source.iter().chain(&others).filter_map(|source| match source {
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
        answer: with_source(&text.lines().map(plain_text).collect::<Vec<_>>().join("\n")),
        kind,
        run_id: Some(run.id().to_string()),
        coverage,
        notice: notice.map(str::to_owned),
        files,
        source: source.clone(),
    };
    RecipeOutcome::done(value, format!("{}\n", with_source(&text)))
}
