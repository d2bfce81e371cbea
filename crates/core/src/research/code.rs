//! A question about a codebase: looked into step by step, and answered in short with the lines that say so.
//!
//! With a model, the model chooses each step; without one, rules do, and what is found is quoted. Either way every step goes
//! through the run, nothing outside the repository and the scope is read, and the gate stands before the answer.

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

use super::lifecycle::run_recipe;
use super::{Context, RecipeOutcome, Research, ResearchEvent, read_job};
use crate::code::codebase::{Codebase, Scope};
use crate::code::inspect::Inspector;
use crate::domain::corpus::CorpusName;
use crate::domain::verdict::VerdictCounts;
use crate::engine::run::{Run, RunSpec};
use crate::library::search::{SearchMode, SearchRequest};
use crate::ports::event::{Budget, RunKind};
use crate::ports::{Model, PassageFilter};
use crate::{Error, Result};

const LONGEST_QUESTION: usize = 4_000;
const MOST_STEPS: u32 = 20;

/// What an investigation may use, as it is set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CodeSettings {
    pub steps: u32,
    pub time: Duration,
    /// For one action.
    pub action_time: Duration,
}

impl Default for CodeSettings {
    fn default() -> Self {
        Self { steps: 10, time: Duration::from_secs(120), action_time: Duration::from_secs(30) }
    }
}

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeRequest {
    pub question: String,
    /// By name; where there are several and none is named, the one that the question is about.
    #[serde(default)]
    pub repository: Option<String>,
    /// A pattern over paths: nothing else is looked at.
    #[serde(default)]
    pub scope: Option<String>,
    /// How many steps, at the most.
    #[serde(default)]
    pub budget: Option<u32>,
    /// Whether the answer tells of its steps.
    #[serde(default)]
    pub debug: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeAnswer {
    /// The answer, its citations on lines of their own, and the run.
    pub answer: String,
    pub citations: Vec<Citation>,
    /// From 0 to 1: the model's own, lowered where what it said did not hold.
    pub confidence: f64,
    pub run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// How many of its sentences are supported by what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<VerdictCounts>,
    /// What was done, in order, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<InvestigationStep>,
}

/// One step of an investigation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InvestigationStep {
    pub action: String,
    pub input: serde_json::Value,
    /// What was found, in a few words.
    pub found: String,
}

/// All that an investigation needs to start, and to be run again.
#[derive(Debug, Serialize, Deserialize)]
struct CodeJob {
    question: String,
    repository: String,
    scope: String,
    steps: u32,
    debug: bool,
    with_model: bool,
    settings: CodeSettings,
    /// Said with the answer.
    notice: Option<String>,
}

impl Research {
    /// Investigates a codebase.
    pub async fn research_code(&self, around: Context<'_>, asked: CodeRequest) -> Result<CodeAnswer> {
        let question = asked.question.split_whitespace().collect::<Vec<_>>().join(" ");
        if question.is_empty() {
            return Err(Error::invalid("the question is empty").hint("ask one thing about the code"));
        }
        if question.chars().nth(LONGEST_QUESTION).is_some() {
            return Err(Error::invalid(format!("the question is longer than {LONGEST_QUESTION} characters"))
                .hint("`wellread locate` takes long texts, such as stack traces"));
        }
        let steps = asked.budget.unwrap_or(self.code.steps);
        if !(1..=MOST_STEPS).contains(&steps) {
            return Err(Error::invalid(format!("the budget is {steps} steps"))
                .hint(format!("give a number from 1 to {MOST_STEPS}")));
        }
        let (repository, scope, notice) = self.choose_repository(around, &question, &asked)?;
        Scope::parse(&scope)?;
        let job = CodeJob {
            question: question.clone(),
            repository,
            scope,
            steps,
            debug: asked.debug,
            with_model: self.model.is_some(),
            settings: self.code,
            notice,
        };
        let request = serde_json::to_value(&job).unwrap_or_default();
        let own = self.settings.budget;
        let seconds = own.seconds.unwrap_or(u64::MAX).min(self.code.time.as_secs());
        let budget = Budget { seconds: Some(seconds), ..own };
        let run = Run::begin(&self.desk, RunSpec { kind: RunKind::Code, title: question, request, budget })?;
        run_recipe(around, &run, self.code_work(around, &run, job)).await
    }

    pub(super) async fn rerun_code(&self, around: Context<'_>, run: &Run) -> Result<CodeAnswer> {
        let job: CodeJob = read_job(run)?;
        run_recipe(around, run, self.code_work(around, run, job)).await
    }

    async fn code_work(
        &self,
        around: Context<'_>,
        run: &Run,
        job: CodeJob,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        let scope = Scope::parse(&job.scope)?;
        let codebase = Codebase::new(around.search.library.clone(), &job.repository, scope);
        let codebase = match codebase {
            Ok(codebase) => Some(codebase),
            // All comes from the log.
            Err(_) if run.is_replay() => None,
            Err(error) => return Err(error),
        };
        let inspect = codebase.as_ref().map(|codebase| Inspector {
            codebase,
            search: around.search,
            servers: &self.servers,
            limit: job.settings.action_time,
        });
        match self.model_for_run(run, job.with_model, false)? {
            Some(model) => {
                announce_outgoing(around, model);
                self.investigate(around, run, model, inspect, &job).await
            }
            None => self.answer_keyless(around, run, inspect, &job, None).await,
        }
    }

    /// The repository that is meant, the scope in it, and what has to be said about that.
    fn choose_repository(
        &self,
        around: Context<'_>,
        question: &str,
        asked: &CodeRequest,
    ) -> Result<(String, String, Option<String>)> {
        let library = &around.search.library;
        let names: Vec<String> = library.repositories().map(str::to_owned).collect();
        let scope = asked.scope.clone().unwrap_or_default();
        // A scope may name the repository: `hivelog:src/**`.
        let named =
            scope.split_once(':').is_some_and(|(name, _)| names.iter().any(|known| known == name.trim()));
        if asked.repository.is_some() || named {
            let codebase = Codebase::select(library, asked.repository.as_deref(), Some(&scope))?;
            return Ok((codebase.name().to_owned(), codebase.scope.as_str().to_owned(), None));
        }
        match names.as_slice() {
            [] => Err(Error::not_found("there is no codebase to look into")
                .hint("`wellread repo add DIR` adds one; `wellread code QUESTION DIR` takes any folder")),
            [only] => Ok((only.clone(), scope, None)),
            several => {
                let best = self.find_best_repository(around, question, several)?;
                let notice = format!("looked into `{best}`; there are also {}", list_others(several, &best));
                Ok((best, scope, Some(notice)))
            }
        }
    }

    /// The repository that the question is about, by what fits it best.
    fn find_best_repository(&self, around: Context<'_>, question: &str, names: &[String]) -> Result<String> {
        let corpora = names.iter().map(|name| CorpusName::Repository(name.clone())).collect();
        let found = around.search.find(&SearchRequest {
            query: question.to_owned(),
            mode: SearchMode::Hybrid,
            filter: PassageFilter { corpora: Some(corpora), ..PassageFilter::default() },
            limit: 1,
            per_file: 1,
        })?;
        let best = found.hits.first().and_then(|hit| hit.place.corpus.repository().map(str::to_owned));
        Ok(best.unwrap_or_else(|| names.first().cloned().unwrap_or_default()))
    }
}

/// What will leave this machine, before anything does.
fn announce_outgoing(around: Context<'_>, model: &dyn Model) {
    let identity = model.identity();
    if !identity.is_local {
        (around.watch)(ResearchEvent::Leaves {
            what: "model".to_owned(),
            to: identity.endpoint,
            about: "the question, and what is read of the code".to_owned(),
        });
    }
}

fn list_others(names: &[String], best: &str) -> String {
    names.iter().filter(|name| *name != best).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// What was done, in order.
#[derive(Debug, Default)]
struct StepLog(std::sync::Mutex<Vec<InvestigationStep>>);

impl StepLog {
    fn add(&self, step: InvestigationStep) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(step);
    }

    fn to_vec(&self) -> Vec<InvestigationStep> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

/// What an envelope says it found, in a few words.
fn summarize_envelope(envelope: &serde_json::Value) -> String {
    let text = |name: &str| envelope[name].as_str().map(str::to_owned);
    text("summary").or_else(|| text("error")).unwrap_or_default()
}
