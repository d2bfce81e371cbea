//! Answers a question about a codebase: investigates step by step, and cites file and lines.
//!
//! With a model, the model chooses each step; without one, rules do, and what is found is quoted. Either way every step
//! goes through the run, nothing outside the repository and the scope is read, and the gate checks the answer.

mod actions;
mod answer;
mod brief;
mod forced_answer;
mod investigation;
mod plan;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::trust::citations::Citation;

use super::{AnswerText, Context, JobAccess, Recipe, RecipeOutcome, Research, Work};
use crate::code::codebase::{Codebase, Scope};
use crate::code::inspect::Inspector;
use crate::domain::corpus::CorpusName;
use crate::domain::verdict::VerdictCounts;
use crate::library::search::{SearchMode, SearchRequest};
use crate::ports::PassageFilter;
use crate::ports::event::{Budget, RunKind};
use crate::{Error, Result};

const LONGEST_QUESTION: usize = 4_000;
const MOST_STEPS: u32 = 20;

/// Investigates a codebase.
#[derive(Debug)]
pub struct CodeRecipe;

/// The limits of an investigation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CodeSettings {
    /// The most steps of one investigation.
    pub steps: u32,
    /// The longest time of one investigation.
    pub time: Duration,
    /// The longest time of one action.
    pub action_time: Duration,
}

impl Default for CodeSettings {
    fn default() -> Self {
        Self { steps: 10, time: Duration::from_secs(120), action_time: Duration::from_secs(30) }
    }
}

/// A question about a codebase.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeRequest {
    /// The question.
    pub question: String,
    /// The repository's name; if there are several and none is named, the one that fits the question best is chosen.
    #[serde(default)]
    pub repository: Option<String>,
    /// A path pattern: nothing outside it is searched.
    #[serde(default)]
    pub scope: Option<String>,
    /// The most steps.
    #[serde(default)]
    pub budget: Option<u32>,
    /// Whether the answer lists its steps.
    #[serde(default)]
    pub debug: bool,
}

/// The answer to a question about a codebase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeAnswer {
    /// The answer, its citations on separate lines, and the run.
    pub answer: String,
    /// The lines that the answer rests on.
    pub citations: Vec<Citation>,
    /// From 0 to 1: the model's own estimate, lowered if statements were not supported.
    pub confidence: f64,
    /// The run's id.
    pub run_id: String,
    /// A notice for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// How many of its sentences are supported by the evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<VerdictCounts>,
    /// The steps in order, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<InvestigationStep>,
}

/// One step of an investigation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InvestigationStep {
    /// The action's name.
    pub action: String,
    /// The action's input.
    pub input: serde_json::Value,
    /// What was found, in a few words.
    pub found: String,
}

/// The stored job of an investigation: all it needs to start and to be replayed.
#[derive(Debug, Serialize, Deserialize)]
pub struct CodeJob {
    question: String,
    repository: String,
    scope: String,
    steps: u32,
    debug: bool,
    with_model: bool,
    settings: CodeSettings,
    /// A notice to show with the answer.
    notice: Option<String>,
}

impl Recipe for CodeRecipe {
    const KIND: RunKind = RunKind::Code;
    type Request = CodeRequest;
    type Job = CodeJob;
    type Answer = CodeAnswer;

    fn prepare(&self, research: &Research, context: Context<'_>, request: CodeRequest) -> Result<CodeJob> {
        let question = request.question.split_whitespace().collect::<Vec<_>>().join(" ");
        if question.is_empty() {
            return Err(Error::invalid("the question is empty").hint("ask one thing about the code"));
        }
        if question.chars().nth(LONGEST_QUESTION).is_some() {
            return Err(Error::invalid(format!("the question is longer than {LONGEST_QUESTION} characters"))
                .hint("`wellread locate` takes long texts, such as stack traces"));
        }
        let steps = request.budget.unwrap_or(research.code.steps);
        if !(1..=MOST_STEPS).contains(&steps) {
            return Err(Error::invalid(format!("the budget is {steps} steps"))
                .hint(format!("give a number from 1 to {MOST_STEPS}")));
        }
        let (repository, scope, notice) = choose_repository(context, &question, &request)?;
        Scope::parse(&scope)?;
        Ok(CodeJob {
            question,
            repository,
            scope,
            steps,
            debug: request.debug,
            with_model: research.model.is_some(),
            settings: research.code,
            notice,
        })
    }

    fn title(&self, job: &CodeJob) -> String {
        job.question.clone()
    }

    fn budget(&self, research: &Research) -> Budget {
        let own = research.settings.budget;
        let seconds = own.seconds.unwrap_or(u64::MAX).min(research.code.time.as_secs());
        Budget { seconds: Some(seconds), ..own }
    }

    fn access(&self, job: &CodeJob) -> JobAccess {
        JobAccess { with_model: job.with_model, private: false, private_notes: false }
    }

    fn folder<'a>(&self, job: &'a CodeJob) -> Option<&'a str> {
        Some(job.repository.as_str()).filter(|name| name.starts_with('/'))
    }

    async fn work(&self, work: &Work<'_, CodeJob>) -> Result<RecipeOutcome<CodeAnswer>> {
        work.answer_about_code().await
    }

    fn render(&self, answer: &CodeAnswer) -> Result<AnswerText> {
        let steps = (1..).zip(&answer.steps);
        let steps = steps
            .map(|(number, step)| format!("step {number}: {} {} -> {}", step.action, step.input, step.found));
        let notice = answer.notice.iter().map(|notice| format!("note: {notice}"));
        Ok(AnswerText { text: answer.answer.clone(), notices: steps.chain(notice).collect() })
    }
}

impl Work<'_, CodeJob> {
    async fn answer_about_code(&self) -> Result<RecipeOutcome<CodeAnswer>> {
        let scope = Scope::parse(&self.job.scope)?;
        let codebase = match Codebase::new(self.search.library.clone(), &self.job.repository, scope) {
            Ok(codebase) => Some(codebase),
            // A replay takes everything from the log.
            Err(_) if self.run.is_replay() => None,
            Err(error) => return Err(error),
        };
        let inspector = codebase.as_ref().map(|codebase| Inspector {
            codebase,
            search: self.search,
            servers: &self.research.servers,
            limit: self.job.settings.action_time,
        });
        let Some(model) = self.model else { return self.answer_keyless(inspector, None).await };
        let identity = model.identity();
        if !identity.is_local {
            let about = "the question, and what is read of the code";
            self.announce_outgoing("model", identity.endpoint, about);
        }
        self.investigate(model, inspector).await
    }
}

/// The repository to search, the scope within it, and a notice if the choice was made for the user.
fn choose_repository(
    context: Context<'_>,
    question: &str,
    request: &CodeRequest,
) -> Result<(String, String, Option<String>)> {
    let library = &context.search.library;
    let names: Vec<String> = library.repositories().map(str::to_owned).collect();
    let scope = request.scope.clone().unwrap_or_default();
    // A scope may name the repository: `hivelog:src/**`.
    let named = scope.split_once(':').is_some_and(|(name, _)| names.iter().any(|known| known == name.trim()));
    if request.repository.is_some() || named {
        let codebase = Codebase::select(library, request.repository.as_deref(), Some(&scope))?;
        return Ok((codebase.name().to_owned(), codebase.scope.as_str().to_owned(), None));
    }
    match names.as_slice() {
        [] => Err(Error::not_found("there is no codebase to search")
            .hint("`wellread repo add DIR` adds one; `wellread code QUESTION DIR` takes any folder")),
        [only] => Ok((only.clone(), scope, None)),
        several => {
            let best = find_best_repository(context, question, several)?;
            let notice = format!("searched `{best}`; there are also {}", list_others(several, &best));
            Ok((best, scope, Some(notice)))
        }
    }
}

/// The repository with the best search hit for the question; the first one if there is no hit.
fn find_best_repository(context: Context<'_>, question: &str, names: &[String]) -> Result<String> {
    let corpora = names.iter().map(|name| CorpusName::Repository(name.clone())).collect();
    let found = context.search.find(&SearchRequest {
        query: question.to_owned(),
        mode: SearchMode::Hybrid,
        filter: PassageFilter { corpora: Some(corpora), ..PassageFilter::default() },
        limit: 1,
        per_file: 1,
    })?;
    let best = found.hits.first().and_then(|hit| hit.place.corpus.repository().map(str::to_owned));
    Ok(best.unwrap_or_else(|| names.first().cloned().unwrap_or_default()))
}

fn list_others(names: &[String], best: &str) -> String {
    names.iter().filter(|name| *name != best).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// An envelope's summary, or its error.
fn summarize_envelope(envelope: &serde_json::Value) -> String {
    let text = |name: &str| envelope[name].as_str().map(str::to_owned);
    text("summary").or_else(|| text("error")).unwrap_or_default()
}
