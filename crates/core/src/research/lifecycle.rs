//! The life cycle of a recipe's run: begin, resume or replay it, do the work, and end it as done, failed or canceled.

use std::future::Future;
use std::pin::pin;

use futures_util::future::{Either, select};
use serde::Serialize;
use serde_json::json;

use super::recipe::{JobAccess, Recipe, RecipeAnswer, RecipeOutcome};
use super::work::Work;
use super::{Context, Research, ResearchEvent, recipes};
use crate::domain::id::RunId;
use crate::engine::log::drew_on_private_notes;
use crate::engine::run::{Run, RunSnapshots, RunSpec};
use crate::library::vault::Vault;
use crate::ports::event::{LoggedEvent, RunOutcome};
use crate::{Error, Result};

/// The detail of an error that says that there is nothing to say: the work was done, and did not fail.
pub(super) const NOTHING_FOUND: &str = "nothing_found";

impl Research {
    /// Answers a request with a recipe, in a run of its own.
    pub async fn start<R: Recipe>(
        &self,
        recipe: &R,
        context: Context<'_>,
        request: R::Request,
    ) -> Result<R::Answer> {
        if let Some(answer) = recipe.answer_directly(context, &request) {
            return Ok(answer);
        }
        let job = recipe.prepare(self, context, request)?;
        let run = self.begin(recipe, &job, RunId::fresh())?;
        self.work_on(recipe, context, &run).await
    }

    /// Begins the run of a job under an id, which may have been stored beforehand.
    pub(super) fn begin<R: Recipe>(&self, recipe: &R, job: &R::Job, id: RunId) -> Result<Run> {
        let request = serde_json::to_value(job);
        let request = request.map_err(|error| Error::failed(format!("the run can't be saved: {error}")))?;
        let JobAccess { private, private_notes, .. } = recipe.access(job);
        let spec = RunSpec {
            kind: R::KIND,
            title: recipe.title(job),
            request,
            budget: recipe.budget(self),
            private: private || private_notes,
        };
        Run::begin_as(&self.runs, id, spec)
    }

    /// Works on a run from its beginning, or from where it was interrupted.
    pub(super) async fn work_on<R: Recipe>(
        &self,
        recipe: &R,
        context: Context<'_>,
        run: &Run,
    ) -> Result<R::Answer> {
        let job: R::Job = read_job(run)?;
        let research = recipe.restore_settings(self, &job);
        self.check_still_public(recipe.access(&job), context.vault, run)?;
        // What may be sent away is made from a vault in which private notes do not exist.
        let public = (!recipe.access(&job).private_notes)
            .then(|| (context.vault.without_private(), context.search.without_private(context.vault)));
        let context = match &public {
            Some((vault, search)) => Context { vault, search, ..context },
            None => context,
        };
        let snapshots = RunSnapshots::new(run, &*research.snapshots);
        let work = async {
            let work = Work::open(recipe, &research, &snapshots, context, &job)?;
            recipe.work(&work).await
        };
        run_to_end(context, run, work).await
    }

    /// `Err` if a run that private notes do not exist for would go on from text of a note that is private by now.
    fn check_still_public(&self, access: JobAccess, vault: &Vault, run: &Run) -> Result<()> {
        if access.private_notes || access.private || run.is_replay() {
            return Ok(());
        }
        let events = self.runs.records.events(run.id())?;
        if !drew_on_private_notes(vault, run.ledger().entries(), &events) {
            return Ok(());
        }
        Err(Error::refused("a note that the run has drawn on was made private since it began")
            .with_detail("run_id", run.id().as_str())
            .hint("start again: private notes are left out then"))
    }

    /// Resumes an interrupted run.
    pub async fn resume(&self, context: Context<'_>, id: &RunId) -> Result<RecipeAnswer> {
        self.rerun(context, Run::resume(&self.runs, id)?).await
    }

    /// Replays a run from its log, without model and network: `Err` if the result differs.
    pub async fn replay(&self, context: Context<'_>, id: &RunId) -> Result<RecipeAnswer> {
        self.rerun(context, Run::replay(&self.runs, id)?).await
    }

    async fn rerun(&self, context: Context<'_>, run: Run) -> Result<RecipeAnswer> {
        let kind = run.spec().kind;
        match recipes().into_iter().find(|recipe| recipe.kind() == kind) {
            Some(recipe) => recipe.rerun(self, context, &run).await,
            None => Err(Error::invalid(format!(
                "the run {} is not research of a note, a question or code",
                run.id()
            ))),
        }
    }
}

/// The folder that a run investigates, if it was not added as a repository: then its name is its absolute path.
pub fn folder_from_log(events: &[LoggedEvent]) -> Option<String> {
    let spec = RunSpec::from_log(events)?;
    let recipe = recipes().into_iter().find(|recipe| recipe.kind() == spec.kind)?;
    recipe.request_folder(&spec.request)
}

/// The job that a run was started with.
pub(super) fn read_job<T: serde::de::DeserializeOwned>(run: &Run) -> Result<T> {
    serde_json::from_value(run.spec().request.clone())
        .map_err(|error| Error::failed(format!("the run {} can't be read: {error}", run.id())))
}

/// Waits for the work, unless the user cancels it, and ends the run. A write never awaits, so it is not interrupted.
async fn run_to_end<T: Serialize>(
    context: Context<'_>,
    run: &Run,
    work: impl Future<Output = Result<RecipeOutcome<T>>>,
) -> Result<T> {
    (context.progress)(ResearchEvent::Run { run_id: run.id().clone() });
    let (stop, work) = (pin!(context.stop.wait()), pin!(work));
    let ended = match select(stop, work).await {
        Either::Right((done, _)) => done,
        Either::Left(((), _)) => {
            let result = json!({ "error": "cancelled" });
            run.end(RunOutcome::Cancelled, result, "It was cancelled; nothing was written.\n".to_owned())?;
            return Err(
                Error::failed("cancelled: nothing was written").with_detail("run_id", run.id().as_str())
            );
        }
    };
    match ended {
        Ok(RecipeOutcome { value, report, outcome }) => {
            run.end(outcome, serde_json::to_value(&value).unwrap_or_default(), report)?;
            Ok(value)
        }
        Err(error) if run.is_replay() => Err(error),
        Err(error) => {
            let result = json!({ "error": error.message(), "hint": error.hint_text() });
            let (outcome, report) = if error.details().contains_key(NOTHING_FOUND) {
                (RunOutcome::NothingFound, format!("Nothing was written: {error}\n"))
            } else {
                (RunOutcome::Failed, format!("It failed: {error}\n"))
            };
            // The first error counts, even if the log can't be written.
            let _ = run.end(outcome, result, report);
            Err(error.with_detail("run_id", run.id().as_str()))
        }
    }
}
