//! A few connections that threads share.

use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::Duration;

use wellread_core::Error;
use wellread_core::ports::RecordViewer;

use super::executor::Executor;
use super::failure::PgFailure;
use super::options::DatabaseOptions;
use super::schema;
use super::session::Session;
use crate::sqlite::lock;

/// How many connections a process has at most, beside the one that holds its locks.
const MOST: usize = 8;
/// As long as a thread waits for one of them.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Pool {
    options: Arc<DatabaseOptions>,
    executor: OnceLock<Arc<Executor>>,
    connections: Mutex<Connections>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct Connections {
    idle: Vec<Session>,
    /// How many exist, in use or not.
    open: usize,
}

impl Pool {
    pub fn new(options: Arc<DatabaseOptions>) -> Self {
        Self { options, executor: OnceLock::new(), connections: Mutex::default(), returned: Condvar::new() }
    }

    pub fn options(&self) -> &DatabaseOptions {
        &self.options
    }

    pub fn shared_options(&self) -> Arc<DatabaseOptions> {
        self.options.clone()
    }

    /// Does something beside the callers, as long as there is somebody to use the pool. False if there is no thread for it.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> bool {
        self.executor().is_ok_and(|executor| executor.spawn(work))
    }

    /// A connection to a database with our tables, for one thread at a time, that works for this viewer.
    pub fn take(&self, viewer: &RecordViewer) -> Result<PooledSession<'_>, PgFailure> {
        let idle = self.wait_for_turn()?;
        // From here on the place is taken, whatever happens.
        let mut place = PooledSession { pool: self, session: idle, is_clean: false };
        if place.session.is_none() {
            let session = self.connect()?;
            schema::check_version(&session, &self.options.address.to_string())?;
            place.session = Some(session);
        }
        place.session()?.set_viewer(viewer)?;
        Ok(place)
    }

    /// A connection of its own, whatever tables the database has.
    pub fn connect(&self) -> Result<Session, PgFailure> {
        Session::connect(&self.executor()?, &self.options).map_err(PgFailure::while_connecting)
    }

    /// Closes the connections that nobody uses: after one was lost, the others are likely to be.
    pub fn close_idle(&self) {
        let mut connections = lock(&self.connections);
        connections.open -= connections.idle.len();
        let closed = std::mem::take(&mut connections.idle);
        drop(connections);
        drop(closed);
        self.returned.notify_all();
    }

    /// Waits until a connection is idle, or one more may be made; `None` stands for the latter.
    fn wait_for_turn(&self) -> Result<Option<Session>, PgFailure> {
        let busy = |state: &mut Connections| {
            let before = state.idle.len();
            state.idle.retain(|session| !session.is_closed());
            state.open -= before - state.idle.len();
            state.idle.is_empty() && state.open >= MOST
        };
        let waited = self.returned.wait_timeout_while(lock(&self.connections), PATIENCE, busy);
        let (mut state, timeout) = waited.unwrap_or_else(std::sync::PoisonError::into_inner);
        if timeout.timed_out() && state.idle.is_empty() && state.open >= MOST {
            return Err(PgFailure::Unreachable(format!("all {MOST} connections are in use")));
        }
        let idle = state.idle.pop();
        state.open += usize::from(idle.is_none());
        Ok(idle)
    }

    fn executor(&self) -> Result<Arc<Executor>, PgFailure> {
        if let Some(running) = self.executor.get() {
            return Ok(running.clone());
        }
        let started = Executor::start()
            .map_err(|error| Error::failed(format!("no thread for the database: {error}")))?;
        Ok(self.executor.get_or_init(|| started).clone())
    }
}

/// A connection that goes back to the pool if it was declared clean, and is closed otherwise: whatever transaction was
/// open on it, the database rolls back.
#[derive(Debug)]
pub struct PooledSession<'a> {
    pool: &'a Pool,
    session: Option<Session>,
    is_clean: bool,
}

impl PooledSession<'_> {
    /// Nothing is left of what was done on it.
    pub fn give_back(mut self) {
        self.is_clean = true;
    }

    pub fn session(&self) -> Result<&Session, PgFailure> {
        self.session.as_ref().ok_or_else(|| PgFailure::Lost("the connection was closed".to_owned()))
    }
}

impl Drop for PooledSession<'_> {
    fn drop(&mut self) {
        let mut connections = lock(&self.pool.connections);
        let closed = match self.session.take() {
            Some(session) if self.is_clean && !session.is_closed() => {
                connections.idle.push(session);
                None
            }
            closed => {
                connections.open -= 1;
                closed
            }
        };
        drop(connections);
        drop(closed);
        self.pool.returned.notify_one();
    }
}
