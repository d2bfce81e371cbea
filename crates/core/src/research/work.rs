//! What a recipe works with: its run and job, the model, and what it may read.

use std::future::poll_fn;
use std::ops::Deref;
use std::task::Poll;

use super::recipe::{JobAccess, Recipe};
use super::{Context, Research, ResearchEvent, ResearchSettings, ResearchStage, TaskStep, model_calls};
use crate::domain::corpus::VaultPath;
use crate::engine::gather::Gatherer;
use crate::engine::run::{Run, RunSnapshots};
use crate::engine::second_opinion::SecondOpinion;
use crate::ports::{Model, Verifier};
use crate::trust::gate::EvidenceReader;
use crate::{Error, Result};

/// One job in progress.
pub struct Work<'a, J> {
    /// The run that everything is logged in.
    pub run: &'a Run,
    /// The job that the run was started with.
    pub job: &'a J,
    /// The model to ask; `None` if the job is done without one.
    pub model: Option<&'a dyn Model>,
    /// Gathers passages, search results and pages, within the job's access.
    pub gatherer: Gatherer<'a>,
    /// The stores, and the settings that the job was made with.
    pub research: &'a Research,
    context: Context<'a>,
}

/// The vault, the search, the progress and the stop signal of the call.
impl<'a, J> Deref for Work<'a, J> {
    type Target = Context<'a>;

    fn deref(&self) -> &Context<'a> {
        &self.context
    }
}

impl<'a, J> Work<'a, J> {
    pub(super) fn open<R: Recipe<Job = J>>(
        recipe: &R,
        research: &'a Research,
        snapshots: &'a RunSnapshots<'a>,
        context: Context<'a>,
        job: &'a J,
    ) -> Result<Self> {
        let (access, run) = (recipe.access(job), snapshots.run());
        let JobAccess { private, private_notes, .. } = access;
        let Context { vault, search, reach, .. } = context;
        let gatherer =
            Gatherer { run, search, vault, reach, snapshots, private: private_notes, stays: private };
        let model = research.model_for_run(run, access)?;
        Ok(Self { run, job, model, gatherer, research, context })
    }

    /// A reader that checks evidence against the current files and snapshots.
    pub fn evidence_reader(&self) -> EvidenceReader<'a> {
        let corpora = &self.context.search.library.corpora;
        EvidenceReader { corpora, snapshots: self.gatherer.snapshots, verifier: self.verifier() }
    }

    /// The small model on this machine that the gate asks, if there is one.
    pub fn verifier(&self) -> Option<&'a dyn Verifier> {
        self.research.opinions.verifier.as_deref()
    }

    /// How sentences that pass the gate are judged a second time.
    pub fn second_opinion(&self) -> SecondOpinion<'a> {
        let ResearchSettings { reply_tokens, reply_time, .. } = self.research.settings;
        SecondOpinion { sources: &self.research.opinions, model: self.model, reply_tokens, reply_time }
    }

    /// Gives way once, so that a stop that was requested while the work did not wait for anything ends it here.
    pub(super) async fn pause(&self) {
        let mut has_paused = false;
        poll_fn(|context| {
            if std::mem::replace(&mut has_paused, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Reports that a stage begins.
    pub(super) fn begin_stage(&self, stage: ResearchStage, about: &str) {
        self.report_stage(stage, 0, 1, about);
    }

    /// Reports how much of a stage is done.
    pub(super) fn report_stage(&self, stage: ResearchStage, done: usize, of: usize, about: &str) {
        (self.context.progress)(ResearchEvent::Stage { stage, done, of, about: about.to_owned() });
    }

    /// Reports a step of a task.
    pub(super) fn report_step(&self, step: TaskStep, about: &str) {
        (self.context.progress)(ResearchEvent::Step { step, about: about.to_owned() });
    }

    /// Announces what will be sent to another machine.
    pub(super) fn announce_outgoing(&self, what: &str, to: String, about: &str) {
        (self.context.progress)(ResearchEvent::Leaves { what: what.to_owned(), to, about: about.to_owned() });
    }

    /// `Err` if the note was made private since the run began: nothing more of it may be sent.
    pub(super) fn check_still_public(&self, path: &VaultPath) -> Result<()> {
        if self.run.is_replay() || self.gatherer.stays || !self.vault.is_private(path) {
            return Ok(());
        }
        Err(Error::refused(format!("`{path}` was made private since the run began"))
            .with_path(path.as_str())
            .hint("start again"))
    }
}

impl Research {
    /// The model; `None` if there is none, or it is remote and the text is private.
    pub(super) fn model_for(&self, private: bool) -> Option<&dyn Model> {
        self.model.as_deref().filter(|model| !private || model.identity().is_local)
    }

    /// The model for a run; `Err` if it was started with one and none is available now.
    fn model_for_run<'a>(&'a self, run: &Run, access: JobAccess) -> Result<Option<&'a dyn Model>> {
        match self.model_for(access.private) {
            _ if !access.with_model => Ok(None),
            Some(model) => Ok(Some(model)),
            // A replay asks nothing, so a stand-in will do.
            None if run.is_replay() => Ok(Some(&model_calls::ReplayModel)),
            None => Err(Error::invalid(format!(
                "the run {} was started with a model, and none is set up now",
                run.id()
            ))
            .hint("set it up again, or start again")),
        }
    }
}
