//! The records in a PostgreSQL database, which processes on several machines share, and the index, if it is to be there.
//!
//! The same ports as the SQLite file of [`crate::records`] fulfills, and the same rows (`record_format`); what a change
//! amounts to, `wellread_core::ports` decides. See `docs/decisions/0033-postgresql.md`.
//!
//! | file | what |
//! | --- | --- |
//! | `address` `options` `tls` | where the database is, and how it is reached |
//! | `executor` `session` `value` | a connection, for callers that block; values and columns |
//! | `pool` `database` | connections that threads share; reads and writes, and what became of a lost commit |
//! | `failure` | what its errors mean |
//! | `schema` `migrations/` | the tables, and how a database comes to them |
//! | `locks` `space_lock` | locks that end with their process, and with their transaction |
//! | `runs` `snapshots` `sessions` `forgetting` | runs, texts, conversations, and how they are forgotten |
//! | `agenda_store` | the ports that the modules below implement |
//! | `agendas` `agenda_change` `agenda_events` | agendas, their changes and numbered events |
//! | `jobs` `findings` `topics` `answers` | the queue, findings, suppressed topics, idempotent requests |
//! | `changes` | processes hear of each other's changes |
//! | `accounts` | users with their rights, and the log of what they decided and changed |
//! | `transfer` `inspection` | copying all records out and in; whether the database can be used as it is |
//! | `index` | the index, with tables and versions of its own |

mod accounts;
mod address;
mod agenda_change;
mod agenda_events;
mod agenda_store;
mod agendas;
mod answers;
mod changes;
mod database;
mod executor;
mod failure;
mod findings;
mod forgetting;
mod index;
mod inspection;
mod jobs;
mod locks;
mod options;
mod pool;
mod runs;
mod schema;
mod session;
mod sessions;
mod snapshots;
mod space_lock;
mod tls;
mod topics;
mod transfer;
mod value;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use wellread_core::Result;
use wellread_core::domain::corpus::{Hash, VaultPath};
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::{LoggedEvent, RunEvent};
use wellread_core::ports::{
    ForgottenRecords, LockGuard, RecordTotals, RecordUpkeep, RecordViewer, RecordViews, Records, RunHeader,
    RunLogs, Sessions, Snapshots, StoredSession,
};

pub use self::address::{DatabaseAddress, DatabaseServer};
pub use self::changes::{ChangeHandler, ChangeWatch, RecordChange};
use self::database::Database;
pub use self::index::PostgresIndex;
pub use self::inspection::DatabaseReport;
use self::locks::{LockKeeper, LockKind};
pub use self::options::DatabaseOptions;
use self::pool::Pool;
pub use self::schema::MigrationReport;
use self::value::RowColumns as _;
use crate::record_format::session_row::SessionRow;
use crate::record_format::{chain, packing};

/// The records of one space of a database, as somebody sees them. Threads, processes and machines may share them.
#[derive(Debug, Clone)]
pub struct PostgresRecords {
    database: Arc<Database>,
    locks: Arc<LockKeeper>,
}

impl PostgresRecords {
    /// The records in this database. Nothing is connected before it is used.
    pub fn new(options: DatabaseOptions) -> Self {
        let pool = Arc::new(Pool::new(Arc::new(options)));
        let database = Arc::new(Database { pool, viewer: RecordViewer::owner() });
        let locks = LockKeeper::new(database.clone());
        Self { database, locks }
    }

    /// The same records, as this viewer sees them, by the same connections.
    #[must_use]
    pub fn for_viewer(&self, viewer: &RecordViewer) -> Self {
        let database = Database { viewer: viewer.clone(), ..(*self.database).clone() };
        Self { database: Arc::new(database), locks: self.locks.clone() }
    }

    /// Brings the tables to the version of this program.
    pub fn migrate(&self) -> Result<MigrationReport> {
        let place = self.database.place();
        let migrated = self.database.pool.connect().and_then(|session| schema::migrate(&session, &place));
        migrated.map_err(|failure| self.database.explain(failure))
    }

    /// Makes the tables of the index, after those of the records; those of an earlier version are made anew. The version that
    /// was found, and the one now.
    pub fn migrate_index(&self) -> Result<MigrationReport> {
        let place = self.database.place();
        let migrated = self.database.pool.connect().and_then(|session| {
            let from = schema::run_locked(&session, || index::schema::migrate(&session, &place))?;
            Ok(MigrationReport { from, to: index::schema::VERSION })
        });
        migrated.map_err(|failure| self.database.explain(failure))
    }
}

impl RecordViews for PostgresRecords {
    fn seen_by(&self, viewer: &RecordViewer) -> Arc<dyn Records> {
        Arc::new(self.for_viewer(viewer))
    }
}

impl RecordUpkeep for PostgresRecords {
    fn totals(&self) -> Result<RecordTotals> {
        let sql = "SELECT (SELECT count(*) FROM wellread.runs WHERE space = $1), \
                   (SELECT count(*) FROM wellread.snapshots WHERE space = $1), \
                   (SELECT count(*) FROM wellread.sessions WHERE space = $1), \
                   (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class \
                   WHERE relnamespace = 'wellread'::regnamespace AND relkind = 'r')";
        self.database.read(|session| {
            let Some(row) = session.find(sql, vec![])? else { return Ok(RecordTotals::default()) };
            let (runs, snapshots, sessions) = (row.count(0)?, row.count(1)?, row.count(2)?);
            Ok(RecordTotals { runs, snapshots, sessions, bytes: row.count(3)? })
        })
    }

    fn take_notice(&self) -> Option<String> {
        None
    }

    fn forget_runs(&self, runs: &[RunId], at: Timestamp) -> Result<ForgottenRecords> {
        let locked = forgetting::lock_runs(&self.locks, runs);
        let (locks, in_progress) = locked.map_err(|failure| self.database.explain(failure))?;
        let idle: Vec<&RunId> = locks.iter().map(|(run, _)| *run).collect();
        let mut forgotten =
            self.database.write(|session| forgetting::forget(session, &self.locks, &idle, at))?;
        forgotten.in_progress = in_progress;
        Ok(forgotten)
    }
}

impl RunLogs for PostgresRecords {
    fn begin(&self, run: &RunHeader, first: &RunEvent) -> Result<()> {
        let first = chain::ChainEntry::new(0, run.began, first)?;
        self.database.write(|session| runs::begin(session, run, &first))
    }

    fn lock_run(&self, run: &RunId) -> Result<LockGuard> {
        let taken = self.locks.try_acquire(LockKind::Run, run.as_str());
        let taken = taken.map_err(|failure| self.database.explain(failure))?;
        taken.ok_or_else(|| RunHeader::locked_error(run))
    }

    fn append(&self, run: &RunId, number: u64, at: Timestamp, event: &RunEvent) -> Result<()> {
        let entry = chain::ChainEntry::new(number, at, event)?;
        self.database.write(|session| runs::append(session, run, &entry, event))
    }

    fn events(&self, run: &RunId) -> Result<Vec<LoggedEvent>> {
        self.database.read_snapshot(|session| runs::events(session, run))
    }

    fn runs(&self, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>> {
        self.database.read(|session| runs::headers(session, beginning, at_most))
    }

    fn notes_in_evidence(&self) -> Result<BTreeSet<VaultPath>> {
        self.database.read(runs::notes_in_evidence)
    }
}

impl Snapshots for PostgresRecords {
    fn keep(&self, text: &str) -> Result<Hash> {
        let hash = Hash::compute(text.as_bytes());
        let is_known = self.load(hash).is_ok_and(|kept| kept.is_some());
        // Another process may be forgetting it at this moment, so it is looked up again under the lock.
        if is_known && self.database.write(|session| snapshots::exists(session, hash))? {
            return Ok(hash);
        }
        let packed = packing::pack(text)?;
        self.database.write(|session| snapshots::keep(session, hash, text.len(), &packed))?;
        Ok(hash)
    }

    fn load(&self, hash: Hash) -> Result<Option<String>> {
        let row = self.database.read(|session| snapshots::load(session, hash))?;
        row.map(|row| packing::unpack(hash, &row)).transpose()
    }
}

impl Sessions for PostgresRecords {
    fn session(&self, id: &str) -> Result<Option<StoredSession>> {
        let found = self.database.read(|session| sessions::find(session, id))?;
        found.into_iter().next().map(SessionRow::into_session).transpose()
    }

    fn latest_session_about(&self, active_file: Option<&str>) -> Result<Option<StoredSession>> {
        let found = self.database.read(|session| sessions::find_latest_about(session, active_file))?;
        found.into_iter().next().map(SessionRow::into_session).transpose()
    }

    fn keep_session(&self, session: &StoredSession) -> Result<()> {
        let row = SessionRow::new(session)?;
        self.database.write(|session| sessions::put(session, &row))
    }

    fn sessions(&self, at_most: usize) -> Result<Vec<StoredSession>> {
        let rows = self.database.read(|session| sessions::list_latest(session, at_most))?;
        rows.into_iter().map(SessionRow::into_session).collect()
    }

    fn forget_session(&self, id: &str) -> Result<bool> {
        self.database.write(|session| sessions::forget(session, id))
    }
}
