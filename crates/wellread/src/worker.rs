//! Carries out approved tasks in the background: several at a time, each under a lease that is renewed while it runs.
//!
//! Several processes may have workers over the same records. One that is to end hands back what it has in hand; one that is
//! killed is missed, or its lease runs out, and somebody else goes on where it was.

mod expiry;
mod schedule;
mod task_progress;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use wellread_core::agendas::inbox::Inbox;
use wellread_core::agendas::jobs::{ActiveJob, Jobs, PULSE, Schedule, WorkOutcome};
use wellread_core::domain::id::nonce;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::Ctx;
use wellread_core::ports::{JobState, LockGuard};
use wellread_core::{ErrorKind, Result};

pub use self::task_progress::{TaskProgress, TaskProgressChannel};
use crate::app::App;

/// How many tasks are carried out at once.
pub const LANES: usize = 2;
/// How often to look whether another process has left something to do. One on the same database also rings.
const TICK: Duration = Duration::from_secs(2);
/// How long to wait before trying again what failed by itself.
const AFTER_TROUBLE: Duration = Duration::from_secs(10);

/// What a worker shares with the rest of its process.
#[derive(Clone)]
pub struct Worker {
    app: Arc<App>,
    /// What goes on, for whoever listens.
    pub news: TaskProgressChannel,
    bell: Arc<Notify>,
    stop: StopSignal,
}

/// How long a worker goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopWhen {
    /// Until it is told to end.
    Told,
    /// Until nothing is left to do.
    Idle,
}

impl Worker {
    /// What it does is done for the vault, whoever approved it.
    pub fn new(app: &App, stop: StopSignal) -> Self {
        let (app, bell) = (Arc::new(app.for_vault()), app.bells.jobs.clone());
        Self { app, news: TaskProgressChannel::default(), bell, stop }
    }

    /// No new work; what is in hand is handed back.
    pub fn request_stop(&self) {
        self.stop.request();
    }

    /// There is something to do.
    pub fn wake(&self) {
        self.bell.notify_waiters();
    }

    /// The user wants no schedule. For whoever would look after it: who works beside has no say in that.
    pub fn disable_schedule(&self) {
        if let Err(error) = schedule::clear_schedule(self) {
            tracing::warn!("could not save that the schedule is off: {error}");
        }
    }

    /// Ends when it is told to, with what it has in hand handed back; or when there is nothing left.
    pub async fn work(&self, until: StopWhen, schedule: Option<Schedule>) {
        self.wait_for_records(until).await;
        self.resume_acceptances().await;
        let name = format!("{}-{}", std::process::id(), nonce());
        let _present = self.register_presence(name.clone()).await;
        let mut lanes: Vec<JoinHandle<()>> = (0..LANES)
            .map(|_| {
                let (worker, name) = (self.clone(), name.clone());
                tokio::spawn(async move { worker.run_lane(&name, until).await })
            })
            .collect();
        if let Some(schedule) = schedule.filter(|_| until == StopWhen::Told) {
            let worker = self.clone();
            lanes.push(tokio::spawn(async move { schedule::run_schedule(&worker, schedule).await }));
        }
        for lane in lanes {
            let _ = lane.await;
        }
    }

    /// Forgets runs older than this, now and then, until the worker is told to end.
    pub async fn forget_old_runs(&self, kept_for: Duration) {
        expiry::forget_old_runs(self.app.clone(), kept_for, &self.stop).await;
    }

    /// Waits until the records can be reached: without them there is nothing to take up, and nobody to register with.
    async fn wait_for_records(&self, until: StopWhen) {
        while until == StopWhen::Told && !self.stop.is_requested() {
            let app = self.app.clone();
            let reached = tokio::task::spawn_blocking(move || app.records.counts()).await;
            let Ok(Err(error)) = reached else { return };
            if error.kind() != ErrorKind::Unavailable {
                return;
            }
            tracing::warn!("the worker waits for the records: {error}");
            self.pause(AFTER_TROUBLE).await;
        }
    }

    /// Goes on with acceptances that an earlier process was cut off in.
    async fn resume_acceptances(&self) {
        let app = self.app.clone();
        let taken = tokio::task::spawn_blocking(move || {
            Inbox { research: &app.ctx.research, vault: &app.ctx.vault }.resume_acceptances()
        });
        if let Ok(Err(error)) = taken.await {
            tracing::warn!("interrupted acceptances could not be continued: {error}");
        }
    }

    /// Where that can't be said, a job that this process leaves behind is free when its time is up.
    async fn register_presence(&self, name: String) -> Option<LockGuard> {
        let app = self.app.clone();
        match tokio::task::spawn_blocking(move || app.records.register_worker(&name)).await {
            Ok(Ok(present)) => Some(present),
            Ok(Err(error)) => {
                tracing::warn!("{error}");
                None
            }
            Err(_) => None,
        }
    }

    async fn run_lane(&self, name: &str, until: StopWhen) {
        while !self.stop.is_requested() {
            let rung = self.bell.notified();
            let (app, worker) = (self.app.clone(), name.to_owned());
            let taken = tokio::task::spawn_blocking(move || jobs(&app.ctx).take(&worker)).await;
            match taken.unwrap_or(Ok(None)) {
                Ok(Some(held)) => {
                    match self.run_job(held.clone()).await {
                        Err(error) if error.kind() == ErrorKind::Unavailable => {
                            tracing::warn!("the task {} waits for the records: {error}", held.lease.task);
                            self.hand_back(held).await;
                        }
                        Err(error) => {
                            tracing::warn!("the task {} could not be finished: {error}", held.lease.task);
                            self.pause(AFTER_TROUBLE).await;
                        }
                        Ok(_) => {}
                    }
                    // Others may have waited for this one to end.
                    self.wake();
                }
                Ok(None) if until == StopWhen::Idle && !self.has_waiting_jobs().await => return,
                Ok(None) => {
                    let _ = select(pin!(rung), pin!(self.pause(TICK))).await;
                }
                Err(error) => {
                    tracing::warn!("the jobs can't be read: {error}");
                    self.pause(AFTER_TROUBLE).await;
                }
            }
        }
    }

    /// Whether a job waits for its time. What others have in hand is theirs.
    async fn has_waiting_jobs(&self) -> bool {
        let app = self.app.clone();
        let waits = move || {
            let jobs = app.records.jobs().unwrap_or_default();
            jobs.iter().any(|job| matches!(job.state, JobState::Waiting { .. }))
        };
        tokio::task::spawn_blocking(waits).await.unwrap_or_default()
    }

    /// Carries a job out while its lease is renewed. Where that is lost, the work is called off.
    async fn run_job(&self, held: ActiveJob) -> Result<WorkOutcome> {
        let (called_off, leave) = (StopSignal::default(), StopSignal::default());
        let ctx = self.app.ctx.with_progress(self.news.watch_task(&held.lease), called_off.clone());
        let work = {
            let (app, held, leave) = (self.app.clone(), held.clone(), leave.clone());
            let runtime = tokio::runtime::Handle::current();
            tokio::task::spawn_blocking(move || {
                // The index may take its time; whoever leaves does not wait for it.
                app.wait_for_complete_index(&leave)?;
                runtime.block_on(async {
                    let jobs = jobs(&ctx);
                    let ended = {
                        let work = pin!(jobs.run_job(&held));
                        match select(pin!(leave.wait()), work).await {
                            Either::Left(_) => None,
                            Either::Right((ended, _)) => Some(ended),
                        }
                    };
                    // What was asked and answered is in its run; the rest is for the next worker.
                    ended.unwrap_or_else(|| jobs.hand_back(&held).map(|()| WorkOutcome::Later))
                })
            })
        };
        let mut work = pin!(work);
        loop {
            // Whoever rings may have taken the job away.
            let pulse = pin!(async {
                let _ = select(pin!(self.pause(PULSE)), pin!(self.bell.notified())).await;
            });
            match select(&mut work, pulse).await {
                Either::Left((ended, _)) => return ended.unwrap_or(Ok(WorkOutcome::Lost)),
                Either::Right(_) if self.stop.is_requested() => {
                    leave.request();
                    return work.await.unwrap_or(Ok(WorkOutcome::Lost));
                }
                Either::Right(_) => self.renew_lease(&held, &called_off).await,
            }
        }
    }

    /// Hands a job back as soon as the records can be reached again. Until then nobody else takes it, unless its lease runs out.
    async fn hand_back(&self, held: ActiveJob) {
        loop {
            self.pause(TICK).await;
            let (app, held) = (self.app.clone(), held.clone());
            let handed = tokio::task::spawn_blocking(move || jobs(&app.ctx).hand_back(&held)).await;
            let Ok(Err(error)) = handed else { return };
            if error.kind() != ErrorKind::Unavailable || self.stop.is_requested() {
                tracing::warn!("a task could not be handed back: {error}");
                return;
            }
        }
    }

    async fn renew_lease(&self, held: &ActiveJob, called_off: &StopSignal) {
        let (app, held) = (self.app.clone(), held.clone());
        let renewed = tokio::task::spawn_blocking(move || jobs(&app.ctx).renew(&held)).await;
        match renewed {
            Ok(Err(error)) if error.kind() == ErrorKind::Conflict => called_off.request(),
            Ok(Err(error)) => tracing::warn!("a lease could not be renewed: {error}"),
            _ => {}
        }
    }

    /// For so long, or until the worker is told to end.
    async fn pause(&self, how_long: Duration) {
        let _ = select(pin!(tokio::time::sleep(how_long)), pin!(self.stop.wait())).await;
    }
}

/// All that can be done to agendas and jobs, over what a tool has at hand.
pub fn jobs(ctx: &Ctx) -> Jobs<'_> {
    Jobs { research: &ctx.research, context: ctx.recipe_context() }
}
