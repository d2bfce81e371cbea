//! The slot of one server: it is started by the first question, restarted when it has ended, and left alone for a while
//! if it fails too often.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};
use wellread_core::ports::ServerFailure;

use super::session::{ServerLaunch, ServerSession};

/// How many failures are allowed within which time.
const MOST_FAILURES: usize = 3;
const FAILURE_WINDOW: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub struct ServerSlot {
    start: ServerLaunch,
    standing: watch::Sender<SlotState>,
    past: Mutex<SlotHistory>,
}

#[derive(Debug, Clone)]
enum SlotState {
    None,
    Starting,
    Running(Arc<ServerSession>),
    /// The last start failed.
    Failed(ServerFailure),
}

#[derive(Debug)]
struct SlotHistory {
    failures: Vec<Instant>,
    last_asked: Instant,
    /// How many callers wait for an answer.
    asking: usize,
    start: Option<AbortHandle>,
}

impl ServerSlot {
    pub fn new(start: ServerLaunch) -> Arc<Self> {
        let past = SlotHistory { failures: Vec::new(), last_asked: Instant::now(), asking: 0, start: None };
        Arc::new(Self { start, standing: watch::channel(SlotState::None).0, past: Mutex::new(past) })
    }

    /// The running server, started if necessary. A start continues if the caller gives up, for the next one to use.
    pub async fn session(self: &Arc<Self>, deadline: Instant) -> Result<Arc<ServerSession>, ServerFailure> {
        let mut heard = self.standing.subscribe();
        let mut has_waited = false;
        loop {
            let standing = heard.borrow_and_update().clone();
            match standing {
                SlotState::Running(session) if !session.has_ended() => return Ok(session),
                SlotState::Running(session) => {
                    if session.has_failed() {
                        self.history().failures.push(Instant::now());
                    }
                    self.standing.send_replace(SlotState::None);
                }
                SlotState::Failed(failure) if has_waited => return Err(failure),
                SlotState::None | SlotState::Failed(_) => {
                    self.check_may_start()?;
                    self.standing.send_replace(SlotState::Starting);
                    let slot = self.clone();
                    let start = tokio::spawn(async move { slot.start_session().await });
                    self.history().start = Some(start.abort_handle());
                }
                SlotState::Starting => {
                    has_waited = true;
                    if timeout_at(deadline, heard.changed()).await.is_err() {
                        return Err(ServerFailure::NotReady { command: self.command() });
                    }
                }
            }
        }
    }

    async fn start_session(&self) {
        let standing = match ServerSession::start(&self.start).await {
            Ok(session) => SlotState::Running(Arc::new(session)),
            Err(failure) => {
                // A missing or refused program costs nothing to try again.
                if !matches!(failure, ServerFailure::Missing { .. } | ServerFailure::Unsafe { .. }) {
                    self.history().failures.push(Instant::now());
                }
                SlotState::Failed(failure)
            }
        };
        self.standing.send_replace(standing);
    }

    fn check_may_start(&self) -> Result<(), ServerFailure> {
        let mut past = self.history();
        past.failures.retain(|failure| failure.elapsed() < FAILURE_WINDOW);
        let times = past.failures.len();
        if times < MOST_FAILURES {
            Ok(())
        } else {
            Err(ServerFailure::GivenUp { command: self.command(), times })
        }
    }

    /// Marks that somebody waits for an answer, until the guard is dropped.
    pub fn begin_request(self: &Arc<Self>) -> ActiveRequest {
        self.history().asking += 1;
        ActiveRequest(self.clone())
    }

    /// Whether nothing was asked for this long.
    pub fn is_idle(&self, for_long: Duration) -> bool {
        let past = self.history();
        past.asking == 0 && past.last_asked.elapsed() >= for_long
    }

    /// Ends the server if it runs or is being started.
    pub async fn shut_down(&self) {
        if let Some(start) = self.history().start.take() {
            start.abort();
        }
        let running = match &*self.standing.borrow() {
            SlotState::Running(session) => Some(session.clone()),
            _ => None,
        };
        if let Some(session) = running {
            session.shut_down().await;
        }
        self.standing.send_replace(SlotState::None);
    }

    pub fn command(&self) -> String {
        self.start.words.first().cloned().unwrap_or_default()
    }

    fn history(&self) -> MutexGuard<'_, SlotHistory> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct ActiveRequest(Arc<ServerSlot>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let mut past = self.0.history();
        past.asking -= 1;
        past.last_asked = Instant::now();
    }
}
