//! Locks that end with their process, however it ends: on runs, on findings, and of workers.
//!
//! All locks of a process are advisory locks of one connection that nothing else uses: the database releases them when the
//! connection ends, at once where the process ended, and after [`DEAD_AFTER`](super::options::DEAD_AFTER) where its machine
//! is gone. If only the connection was lost, it is made again in the background, and the locks are taken again, as soon as
//! nobody has them: neither another process nor the lost connection, of whose end the database may not have heard yet. What
//! the holder of a lock writes that somebody else has meanwhile is refused where it is written.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use wellread_core::domain::corpus::Hasher;
use wellread_core::ports::LockGuard;

use super::database::Database;
use super::failure::PgFailure;
use super::session::Session;
use super::value::{any_text, values};
use crate::sqlite::lock;

/// How often a lock is tried that somebody else has.
const PAUSE: Duration = Duration::from_millis(50);
/// How often it is looked whether the connection is still there.
const WATCH: Duration = Duration::from_millis(500);

/// What is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockKind {
    Run,
    Finding,
    Worker,
}

/// The key of a lock: a hash, so that names of any length have one.
pub fn lock_key(space: &str, kind: LockKind, name: &str) -> i64 {
    let kind = match kind {
        LockKind::Run => "run",
        LockKind::Finding => "finding",
        LockKind::Worker => "worker",
    };
    let mut hasher = Hasher::default();
    for part in ["wellread", space, kind, name] {
        hasher.add(&(part.len() as u64).to_le_bytes());
        hasher.add(part.as_bytes());
    }
    let hash = hasher.finish();
    let (first, _) = hash.as_bytes().as_chunks::<8>();
    i64::from_le_bytes(first[0])
}

/// The locks of this process.
#[derive(Debug)]
pub struct LockKeeper {
    database: Arc<Database>,
    state: Mutex<KeeperState>,
}

#[derive(Debug, Default)]
struct KeeperState {
    session: Option<Session>,
    /// What is held, by its key.
    held: BTreeMap<i64, Hold>,
    is_watched: bool,
}

#[derive(Debug)]
struct Hold {
    /// The name of the worker, if it is one's lock.
    worker: Option<String>,
    /// Whether the current connection has it.
    is_taken: bool,
}

/// A lock that is held until it is dropped.
struct HeldLock {
    keeper: Arc<LockKeeper>,
    key: i64,
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        self.keeper.release(self.key);
    }
}

impl LockKeeper {
    pub fn new(database: Arc<Database>) -> Arc<Self> {
        Arc::new(Self { database, state: Mutex::default() })
    }

    /// Takes a lock; `None` if somebody has it, in this process or in another.
    pub fn try_acquire(self: &Arc<Self>, kind: LockKind, name: &str) -> Result<Option<LockGuard>, PgFailure> {
        let key = lock_key(&self.database.pool.options().space, kind, name);
        let mut state = lock(&self.state);
        // The connection itself may take a lock any number of times.
        if state.held.contains_key(&key) {
            return Ok(None);
        }
        let worker = (kind == LockKind::Worker).then_some(name);
        for attempt in 0.. {
            let session = self.session(&mut state)?;
            match take(session, key, worker) {
                Ok(false) => return Ok(None),
                Ok(true) => break,
                // It was lost while nobody used it.
                Err(failure) if failure.is_lost() && attempt == 0 => state.session = None,
                Err(failure) => {
                    state.session = None;
                    return Err(failure);
                }
            }
        }
        state.held.insert(key, Hold { worker: worker.map(str::to_owned), is_taken: true });
        if !state.is_watched {
            state.is_watched = watch(self);
        }
        drop(state);
        Ok(Some(Box::new(HeldLock { keeper: self.clone(), key })))
    }

    /// Takes a lock, and waits while somebody else has it.
    pub fn acquire(self: &Arc<Self>, kind: LockKind, name: &str) -> Result<LockGuard, PgFailure> {
        loop {
            if let Some(guard) = self.try_acquire(kind, name)? {
                return Ok(guard);
            }
            thread::sleep(PAUSE);
        }
    }

    fn release(&self, key: i64) {
        let mut state = lock(&self.state);
        if !state.held.remove(&key).is_some_and(|hold| hold.is_taken) {
            return;
        }
        let sql = "SELECT pg_advisory_unlock($2)";
        let released = state.session.as_ref().is_none_or(|session| session.find(sql, values![key]).is_ok());
        if !released {
            // With the connection, all of its locks end; the others are taken again.
            state.session = None;
        }
    }

    /// The connection, made again if it was lost, with all locks that can be had again.
    fn session<'a>(&self, state: &'a mut KeeperState) -> Result<&'a Session, PgFailure> {
        if state.session.as_ref().is_none_or(Session::is_closed) {
            let session = self.database.pool.connect()?;
            super::schema::check_version(&session, &self.database.place())?;
            state.held.values_mut().for_each(|hold| hold.is_taken = false);
            retake(&session, &mut state.held)?;
            state.session = Some(session);
        }
        state.session.as_ref().ok_or_else(|| PgFailure::Lost("the connection was closed".to_owned()))
    }

    /// Restores a lost connection; returns whether there is still something to watch.
    fn look_after(&self) -> bool {
        let mut state = lock(&self.state);
        if state.held.is_empty() {
            state.is_watched = false;
            return false;
        }
        let KeeperState { session, held, .. } = &mut *state;
        let restored = match session {
            Some(session) if !session.is_closed() => retake(session, held),
            _ => self.session(&mut state).map(drop),
        };
        if let Err(failure) = restored {
            tracing::debug!(?failure, "the locks can't be taken again yet");
        }
        true
    }
}

/// Takes a lock on this connection; false if somebody else has it. A worker is written down together with its lock.
fn take(session: &Session, key: i64, worker: Option<&str>) -> Result<bool, PgFailure> {
    let row = session.find("SELECT pg_try_advisory_lock($2)", values![key])?;
    let is_taken = row.map(|row| row.try_get(0)).transpose()?.unwrap_or(false);
    if let (true, Some(worker)) = (is_taken, worker) {
        write_down_worker(session, worker)?;
    }
    Ok(is_taken)
}

fn write_down_worker(session: &Session, worker: &str) -> Result<(), PgFailure> {
    let sql = "INSERT INTO wellread.workers (space, name) VALUES ($1, $2) \
               ON CONFLICT (space, name_hash) DO UPDATE SET registered = clock_timestamp()";
    session.execute(sql, vec![any_text(worker)]).map(drop)
}

/// Takes the locks again that this connection does not have, as far as nobody else has them.
fn retake(session: &Session, held: &mut BTreeMap<i64, Hold>) -> Result<(), PgFailure> {
    for (key, hold) in held.iter_mut().filter(|(_, hold)| !hold.is_taken) {
        hold.is_taken = take(session, *key, hold.worker.as_deref())?;
    }
    Ok(())
}

/// Looks after the connection as long as anything is locked. Returns whether somebody does.
fn watch(keeper: &Arc<LockKeeper>) -> bool {
    let keeper: Weak<LockKeeper> = Arc::downgrade(keeper);
    let watching = move || {
        loop {
            thread::sleep(WATCH);
            if !keeper.upgrade().is_some_and(|keeper| keeper.look_after()) {
                return;
            }
        }
    };
    thread::Builder::new().name("postgres-locks".to_owned()).spawn(watching).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_depends_on_space_kind_and_name() {
        let keys = [
            lock_key("a", LockKind::Run, "x"),
            lock_key("b", LockKind::Run, "x"),
            lock_key("a", LockKind::Finding, "x"),
            lock_key("a", LockKind::Worker, "x"),
            lock_key("a", LockKind::Run, "y"),
            lock_key("ar", LockKind::Run, "unx"),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[at + 1..].contains(key));
        }
        assert_eq!(keys[0], lock_key("a", LockKind::Run, "x"), "the same in every process");
    }
}
