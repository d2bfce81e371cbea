//! Reads and writes: each write is one transaction, made as a whole or not at all.
//!
//! A connection may be lost while the database is told to commit, so that nobody knows whether it did. Each writing
//! transaction therefore has its number asked for when it begins; on a new connection, the database says what became of it.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use wellread_core::ports::RecordViewer;
use wellread_core::{Error, ErrorKind, Result};

use super::failure::PgFailure;
use super::pool::{Pool, PooledSession};
use super::session::Session;
use super::value::values;

/// `pg_current_xact_id` gives the transaction its number, by which `pg_xact_status` knows it for good.
const BEGIN_WRITE: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_current_xact_id()::text";
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// The first statement fails where one before it has failed, which a mere `COMMIT` would answer by a silent rollback.
const COMMIT: &str = "SELECT 1; COMMIT";
/// How often a connection is tried that may have been lost while nobody used it.
const ATTEMPTS: usize = 3;
/// As long as the outcome of a commit is asked for.
const OUTCOME_LIMIT: Duration = Duration::from_secs(20);
const OUTCOME_PAUSE: Duration = Duration::from_millis(200);

/// A database, for one viewer of its records. Others share its connections.
#[derive(Debug, Clone)]
pub struct Database {
    pub pool: Arc<Pool>,
    pub viewer: RecordViewer,
}

impl Database {
    pub fn place(&self) -> String {
        self.pool.options().address.to_string()
    }

    /// Asks a single statement. If the connection turns out to be lost, another one is tried.
    pub fn read<T>(&self, act: impl Fn(&Session) -> Result<T, PgFailure>) -> Result<T> {
        self.retry(|| {
            let held = self.pool.take(&self.viewer)?;
            let answer = act(held.session()?)?;
            held.give_back();
            Ok(answer)
        })
    }

    /// Asks several statements that see the same state.
    pub fn read_snapshot<T>(&self, act: impl FnOnce(&Session) -> Result<T, PgFailure>) -> Result<T> {
        let (held, _) = self.begin(BEGIN_READ)?;
        let answer = held.session().and_then(act);
        self.roll_back(held);
        answer.map_err(|failure| self.explain(failure))
    }

    /// Writes in a transaction, on the caller's thread. If anything fails or panics, nothing is changed.
    pub fn write<T>(&self, act: impl FnOnce(&Session) -> Result<T, PgFailure>) -> Result<T> {
        let (held, number) = self.begin(BEGIN_WRITE)?;
        let answer = match held.session().and_then(act) {
            Ok(answer) => answer,
            Err(failure) => {
                // A lost connection is closed, and the database rolls back by itself.
                if !failure.is_lost() {
                    self.roll_back(held);
                }
                return Err(self.explain(failure));
            }
        };
        match held.session().and_then(|session| session.run(COMMIT)) {
            Ok(_) => {
                held.give_back();
                Ok(answer)
            }
            Err(PgFailure::Lost(reason)) => {
                drop(held);
                self.pool.close_idle();
                self.find_outcome(&number.unwrap_or_default(), &reason).map(|()| answer)
            }
            Err(failure) => Err(self.explain(failure)),
        }
    }

    fn begin(&self, how: &str) -> Result<(PooledSession<'_>, Option<String>)> {
        self.retry(|| {
            let held = self.pool.take(&self.viewer)?;
            let number = held.session()?.run(how)?;
            Ok((held, number))
        })
    }

    fn roll_back(&self, held: PooledSession<'_>) {
        if held.session().and_then(|session| session.run("ROLLBACK")).is_ok() {
            held.give_back();
        }
    }

    /// Tries something that has changed nothing where it fails.
    fn retry<T>(&self, act: impl Fn() -> Result<T, PgFailure>) -> Result<T> {
        let mut attempt = 1;
        loop {
            match act() {
                Err(failure) if failure.is_lost() && attempt < ATTEMPTS => {
                    self.pool.close_idle();
                    attempt += 1;
                }
                done => return done.map_err(|failure| self.explain(failure)),
            }
        }
    }

    /// What became of a transaction whose connection was lost while it was committed.
    fn find_outcome(&self, number: &str, reason: &str) -> Result<()> {
        let began = Instant::now();
        loop {
            match self.ask_outcome(number) {
                Ok(Some(state)) if state == "committed" => return Ok(()),
                Ok(Some(state)) if state == "aborted" => {
                    return Err(self.explain(PgFailure::Lost(format!("{reason}; nothing was changed"))));
                }
                Err(PgFailure::Lost(_) | PgFailure::Unreachable(_)) | Ok(Some(_))
                    if began.elapsed() < OUTCOME_LIMIT =>
                {
                    thread::sleep(OUTCOME_PAUSE);
                }
                _ => return Err(self.unknown_outcome_error(reason)),
            }
        }
    }

    fn ask_outcome(&self, number: &str) -> Result<Option<String>, PgFailure> {
        let session = self.pool.connect()?;
        let sql = "SELECT pg_xact_status($2::xid8)";
        let row = session.find(sql, values![number])?;
        Ok(row.map(|row| row.try_get::<_, Option<String>>(0)).transpose()?.flatten())
    }

    fn unknown_outcome_error(&self, reason: &str) -> Error {
        let place = self.place();
        let message = format!(
            "the connection to the database at {place} was lost while a change was saved ({reason}): it is not known whether it was"
        );
        Error::new(ErrorKind::Unavailable, message)
            .hint("look at the run, the agenda or the finding before you repeat the request")
    }

    pub fn explain(&self, failure: PgFailure) -> Error {
        failure.explain(&self.place())
    }
}
