//! The trait that every recipe implements, and its type-erased form.
//!
//! A recipe says how a request becomes a job and how the job is done. Everything else (starting, resuming, replaying
//! and ending its run, rendering its answer) is written once, in `lifecycle`, and derived from the list `recipes()`.

use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::work::Work;
use super::{Context, Research};
use crate::engine::run::Run;
use crate::ports::event::{Budget, RunKind, RunOutcome};
use crate::{Error, Result};

/// One kind of research, declared once.
pub trait Recipe: Send + Sync {
    /// The kind of its runs; no other recipe has the same.
    const KIND: RunKind;
    /// What a caller asks for.
    type Request: Send;
    /// All that the work needs, as stored in the run's log.
    type Job: Serialize + DeserializeOwned + Send + Sync;
    /// The result of the work.
    type Answer: Serialize + Send;

    /// Answers a request that needs no run, such as a question that is too broad to be looked up.
    fn answer_directly(&self, _context: Context<'_>, _request: &Self::Request) -> Option<Self::Answer> {
        None
    }

    /// Makes the job from a request. On an error no run is started.
    fn prepare(&self, research: &Research, context: Context<'_>, request: Self::Request)
    -> Result<Self::Job>;

    /// What the run is about, on one line.
    fn title(&self, job: &Self::Job) -> String;

    /// The budget of the run.
    fn budget(&self, research: &Research) -> Budget {
        research.budget()
    }

    /// What the job may read and ask.
    fn access(&self, job: &Self::Job) -> JobAccess;

    /// The settings that the job was made with, so that a resumed run keeps them.
    fn restore_settings(&self, research: &Research, _job: &Self::Job) -> Research {
        research.clone()
    }

    /// `Err` if the user can't resume such a run because something else does.
    fn check_rerun(&self, _run: &Run) -> Result<()> {
        Ok(())
    }

    /// The folder to investigate, if it was not added as a repository.
    fn folder<'a>(&self, _job: &'a Self::Job) -> Option<&'a str> {
        None
    }

    /// Does the work. Models, tools and random values are requested through the run only, so that it can be resumed and
    /// replayed.
    fn work(
        &self,
        work: &Work<'_, Self::Job>,
    ) -> impl Future<Output = Result<RecipeOutcome<Self::Answer>>> + Send;

    /// Renders the answer for a terminal; `Err` if the work had no result.
    fn render(&self, answer: &Self::Answer) -> Result<AnswerText>;
}

/// What a job may read and ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobAccess {
    /// Whether the run was started with a model.
    pub with_model: bool,
    /// Whether it is about something that must not leave this machine.
    pub private: bool,
    /// Whether private notes may be used.
    pub private_notes: bool,
}

/// A recipe's result, what people read of it, and how the run ended.
pub struct RecipeOutcome<T> {
    /// The answer.
    pub value: T,
    /// The report for people, with evidence ids as citations.
    pub report: String,
    /// How the run ended.
    pub outcome: RunOutcome,
}

impl<T> RecipeOutcome<T> {
    /// The outcome of work that was completed.
    pub fn done(value: T, report: String) -> Self {
        Self { value, report, outcome: RunOutcome::Done }
    }
}

/// An answer as a terminal shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerText {
    /// The answer itself.
    pub text: String,
    /// Lines about it, shown beside it.
    pub notices: Vec<String>,
}

/// The answer of a run that was resumed or replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct RecipeAnswer {
    /// The kind of run.
    pub kind: RunKind,
    /// The answer's fields, as programs read them.
    pub fields: Value,
    /// The answer as people read it.
    pub shown: AnswerText,
}

/// A recipe whose request and answer are JSON, for the list of all recipes.
pub trait AnyRecipe: Send + Sync {
    /// The kind of its runs.
    fn kind(&self) -> RunKind;

    /// The folder to investigate, if it was not added as a repository.
    fn request_folder(&self, request: &Value) -> Option<String>;

    /// Works on a run that was resumed, or that is replayed.
    fn rerun<'a>(
        &'a self,
        research: &'a Research,
        context: Context<'a>,
        run: &'a Run,
    ) -> Pin<Box<dyn Future<Output = Result<RecipeAnswer>> + Send + 'a>>;
}

impl<R: Recipe> AnyRecipe for R {
    fn kind(&self) -> RunKind {
        R::KIND
    }

    fn request_folder(&self, request: &Value) -> Option<String> {
        let job: R::Job = serde_json::from_value(request.clone()).ok()?;
        self.folder(&job).map(str::to_owned)
    }

    fn rerun<'a>(
        &'a self,
        research: &'a Research,
        context: Context<'a>,
        run: &'a Run,
    ) -> Pin<Box<dyn Future<Output = Result<RecipeAnswer>> + Send + 'a>> {
        Box::pin(async move {
            self.check_rerun(run)?;
            let answer = research.work_on(self, context, run).await?;
            let shown = self.render(&answer)?;
            let fields = serde_json::to_value(&answer);
            let fields = fields.map_err(|error| Error::failed(format!("could not answer: {error}")))?;
            Ok(RecipeAnswer { kind: R::KIND, fields, shown })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::research::recipes;

    #[test]
    fn every_kind_of_run_but_a_conversation_has_one_recipe() {
        let kinds: Vec<RunKind> = recipes().iter().map(|recipe| recipe.kind()).collect();
        for (at, kind) in kinds.iter().enumerate() {
            assert!(!kinds[..at].contains(kind), "{kind:?} stands twice");
            assert!(*kind != RunKind::Chat && *kind != RunKind::Agenda, "{kind:?} is no recipe's");
        }
        for listed in RunKind::LISTED {
            let has_recipe = kinds.iter().any(|kind| kind.listed() == listed);
            assert_eq!(has_recipe, listed != RunKind::Chat, "{listed:?}");
        }
    }
}
