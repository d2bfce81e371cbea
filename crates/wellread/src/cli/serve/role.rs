//! What a process of `wellread serve` does: all of it, or a part, with other processes for the rest.
//!
//! Processes share the vault and its records, and nothing else: each may end at any time. What a worker had in hand is taken by
//! another when its lease has run out, or at once where its process is gone.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use wellread_core::engine::run::StopSignal;
use wellread_core::{Error, Result};

use crate::app::{App, OpenVault, OpenVaults};
use crate::cli::Invocation;
use crate::config::Config;
use crate::output::success;
use crate::signals;
use crate::wiring::{ChangeWatch, IndexFollower};
use crate::worker::{StopWhen, Worker};

use super::{LONGEST_GOODBYE, MOST_OF_WORKER};

/// What this process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ServerRole {
    /// Everything
    #[default]
    All,
    /// Serve the API, the page and MCP; agendas wait for a worker
    Api,
    /// Carry out approved agendas, and keep the schedule; no port is opened
    Worker,
    /// Keep the index and its vectors up to date; no port is opened
    Indexer,
}

impl ServerRole {
    pub fn serves(self) -> bool {
        matches!(self, Self::All | Self::Api)
    }

    pub fn works(self) -> bool {
        matches!(self, Self::All | Self::Worker)
    }

    /// Whether it keeps an index that other processes share. One that nobody shares, every process keeps.
    pub fn keeps_shared_index(self) -> bool {
        matches!(self, Self::All | Self::Indexer)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Api => "api",
            Self::Worker => "worker",
            Self::Indexer => "indexer",
        }
    }
}

/// Works off the agenda of a vault, and forgets its old runs, until the worker is told to end.
pub fn start_worker(runtime: &Runtime, worker: &Worker, config: &Config) -> JoinHandle<()> {
    let (schedule, worker) = (config.schedule(), worker.clone());
    if schedule.is_none() {
        worker.disable_schedule();
    }
    if let Some(kept_for) = config.runs_kept_for() {
        let worker = worker.clone();
        runtime.spawn(async move { worker.forget_old_runs(kept_for).await });
    }
    runtime.spawn(async move { worker.work(StopWhen::Told, schedule).await })
}

/// Hears of what other processes change in the records, as long as what it returns is kept.
pub fn watch_changes(vaults: &OpenVaults) -> Vec<ChangeWatch> {
    vaults.all().filter_map(|vault| vault.app.change_source.watch(&vault.app.bells)).collect()
}

/// Keeps the index level with the files; `None` where it is left to other processes.
pub fn start_follower(role: ServerRole, app: &Arc<App>, config: &Config) -> Option<IndexFollower> {
    if app.shares_index && !role.keeps_shared_index() {
        app.leave_index_to_others();
        return None;
    }
    Some(IndexFollower::start(app, config.rescan_interval(), |_| {}))
}

/// Works in the background until a signal comes. Nothing listens.
pub fn run_in_background(invocation: &Invocation, vaults: &OpenVaults, role: ServerRole) -> Result<ExitCode> {
    let (asked, end) = tokio::sync::oneshot::channel();
    signals::notify_on_signal(asked, invocation.output);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MOST_OF_WORKER * vaults.all().count())
        .build()
        .map_err(|error| Error::failed(format!("could not start: {error}")))?;
    let follow = |vault: &OpenVault| start_follower(role, &vault.app, &vault.config);
    let followers: Vec<IndexFollower> = vaults.all().filter_map(follow).collect();
    let _changes = if role.works() { watch_changes(vaults) } else { Vec::new() };
    let workers: Vec<(Worker, JoinHandle<()>)> = vaults
        .all()
        .filter(|_| role.works())
        .map(|vault| {
            let worker = Worker::new(&vault.app, StopSignal::default());
            let working = start_worker(&runtime, &worker, &vault.config);
            (worker, working)
        })
        .collect();
    let text = format!("running as {}; Ctrl-C ends it", role.name());
    match invocation.output.json {
        true => invocation.output.line(&success(json!({ "role": role.name() })))?,
        false => invocation.output.text(&text)?,
    }
    runtime.block_on(async {
        if end.await.is_err() {
            std::future::pending::<()>().await;
        }
        workers.iter().for_each(|(worker, _)| worker.request_stop());
        let ended = async {
            for (_, working) in workers {
                let _ = working.await;
            }
        };
        let _ = tokio::time::timeout(LONGEST_GOODBYE, ended).await;
    });
    drop(followers);
    runtime.shutdown_timeout(LONGEST_GOODBYE);
    for vault in vaults.all() {
        vault.app.files.run_when_idle(true, &mut || ());
    }
    Ok(ExitCode::SUCCESS)
}
