//! A running server process: requests to it, and its end, after which nothing of it is left.

mod io_tasks;

use std::collections::HashMap;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout, timeout_at};

use self::io_tasks::{drain_stderr, kill_and_reap, read_output, write_input};
use super::busy::BusyTracker;
use super::framing::encode_frame;
use super::replies::Replies;
use super::wire;
use crate::platform::start_process_tree;

/// How many messages may wait for a server that does not read.
const WAITING: usize = 32;
/// How long a server may take to exit when asked, and when killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a server has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndReason {
    /// We ended it because nobody needs it any more.
    Asked,
    Died,
    Broken(&'static str),
}

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoReply {
    TimedOut,
    Ended,
    /// The server's error code.
    Error(i64),
}

/// Our side of a running server.
#[derive(Debug)]
pub struct ServerProcess {
    outgoing: mpsc::Sender<Vec<u8>>,
    shared: Arc<ProcessShared>,
}

#[derive(Debug)]
struct ProcessShared {
    busy: BusyTracker,
    state: Mutex<ProcessState>,
    /// Notified when it is to be ended; the reason is in the state.
    end: Notify,
    ended: watch::Sender<Option<EndReason>>,
}

#[derive(Debug, Default)]
struct ProcessState {
    last_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Result<Vec<u8>, i64>>>,
    heard: u64,
    complaints: Vec<u8>,
    to_end: Option<EndReason>,
}

impl ServerProcess {
    /// Starts the server in a process group of its own. Must be called on a runtime that outlives it. `alive` is held
    /// until all of it is gone.
    pub fn start(
        command: Command,
        replies: Replies,
        busy: BusyTracker,
        alive: mpsc::Sender<()>,
    ) -> std::io::Result<Self> {
        let (mut child, tree) = start_process_tree(command)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(complaints)) = pipes else {
            return Err(std::io::Error::other("a program without input and output"));
        };
        let (outgoing, to_send) = mpsc::channel(WAITING);
        let shared = Arc::new(ProcessShared {
            busy,
            state: Mutex::default(),
            end: Notify::new(),
            ended: watch::channel(None).0,
        });
        let process = Self { outgoing: outgoing.clone(), shared: shared.clone() };
        let mut drained = tokio::spawn(drain_stderr(shared.clone(), complaints));
        tokio::spawn(async move {
            // The child is not reaped before it is killed: until then its process id can't be reused.
            let end = tokio::select! {
                end = read_output(&shared, output, &outgoing, &replies) => end,
                end = write_input(input, to_send) => end,
                () = shared.end.notified() => shared.state().to_end.clone().unwrap_or(EndReason::Asked),
            };
            shared.state().waiting.clear();
            kill_and_reap(&mut child, &tree).await;
            if timeout(EXIT_TIMEOUT, &mut drained).await.is_err() {
                drained.abort();
            }
            shared.ended.send_replace(Some(end));
            drop(alive);
        });
        Ok(process)
    }

    pub fn busy_tracker(&self) -> &BusyTracker {
        &self.shared.busy
    }

    /// Sends a request and waits for the answer, which is the whole message.
    pub async fn request(&self, method: &str, params: &Value, deadline: Instant) -> Result<Vec<u8>, NoReply> {
        let (tell, told) = oneshot::channel();
        let id = {
            let mut state = self.shared.state();
            state.last_id += 1;
            state.heard = 0;
            let id = state.last_id;
            state.waiting.insert(id, tell);
            id
        };
        let mut given_up = RequestGuard { process: self, id, sent: false };
        self.send(&wire::request(id, method, params), deadline).await?;
        given_up.sent = true;
        let told = timeout_at(deadline, told).await;
        given_up.sent = told.is_err();
        match told {
            Ok(Ok(answer)) => answer.map_err(NoReply::Error),
            Ok(Err(_)) => Err(NoReply::Ended),
            Err(_) => Err(NoReply::TimedOut),
        }
    }

    pub async fn notify(&self, method: &str, params: &Value, deadline: Instant) -> Result<(), NoReply> {
        self.send(&wire::notification(method, params), deadline).await
    }

    async fn send(&self, message: &Value, deadline: Instant) -> Result<(), NoReply> {
        match timeout_at(deadline, self.outgoing.send(encode_frame(message))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(NoReply::Ended),
            Err(_) => Err(NoReply::TimedOut),
        }
    }

    /// Why it ended; `None` until all of it is gone.
    pub fn end_reason(&self) -> Option<EndReason> {
        self.shared.ended.borrow().clone()
    }

    /// Waits until the server has ended and all of it is gone.
    pub async fn wait_until_ended(&self) -> EndReason {
        let mut heard = self.shared.ended.subscribe();
        let ended = heard.wait_for(Option::is_some).await;
        ended.ok().and_then(|end| end.clone()).unwrap_or(EndReason::Died)
    }

    /// Kills the server; of several reasons the first counts.
    pub fn kill(&self, why: EndReason) {
        self.shared.state().to_end.get_or_insert(why);
        self.shared.end.notify_one();
    }

    /// Asks the server to exit, then kills it.
    pub async fn shut_down(&self) {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        if self.request("shutdown", &Value::Null, deadline).await.is_ok()
            && self.notify("exit", &Value::Null, deadline).await.is_ok()
        {
            let _ = timeout(EXIT_TIMEOUT, self.wait_until_ended()).await;
        }
        self.kill(EndReason::Asked);
        self.wait_until_ended().await;
    }

    /// The last line of its standard error.
    pub fn last_complaint(&self) -> Option<String> {
        let state = self.shared.state();
        let text = String::from_utf8_lossy(&state.complaints);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }
}

impl ProcessState {
    /// Adds to the bytes received since the last request, and returns them.
    fn count_output(&mut self, more: usize) -> u64 {
        self.heard += more as u64;
        self.heard
    }
}

impl ProcessShared {
    fn state(&self) -> MutexGuard<'_, ProcessState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill(EndReason::Asked);
    }
}

/// Cancels a request that nobody waits for any longer.
struct RequestGuard<'a> {
    process: &'a ServerProcess,
    id: u64,
    sent: bool,
}

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        self.process.shared.state().waiting.remove(&self.id);
        if self.sent {
            let cancel = wire::notification("$/cancelRequest", &serde_json::json!({ "id": self.id }));
            // A server that no longer reads need not get it.
            let _ = self.process.outgoing.try_send(encode_frame(&cancel));
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
