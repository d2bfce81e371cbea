//! The records: runs, the text of pages, conversations, agendas and findings, in one SQLite file beside the index.
//!
//! Unlike the index they can't be rebuilt, so nothing is discarded unless the user asks for it: a damaged file is moved
//! aside under another name, and a file of a newer version is left alone. Everything read is verified by a hash first, except for the names
//! of notes used as evidence, which are only counted. `wellread_core::ports` decides what a change amounts to; here it
//! is stored.
//!
//! | file | what |
//! | --- | --- |
//! | `schema` | the tables and their triggers |
//! | `database` `damaged_file` | opening the file, moving a damaged one aside |
//! | `runs` | runs and their events, each sealed by a hash over all before it |
//! | `forgetting` | removing the text of runs for good |
//! | `locks` | file locks on runs and findings, and which workers exist |
//! | `snapshots` `sessions` | compressed texts; conversations |
//! | `agenda_store` | the ports that the modules below implement |
//! | `agendas` `agenda_change` | agendas; a change of one with its findings, jobs and events |
//! | `jobs` | the queue of tasks: which is next, and who holds the lease on it until when |
//! | `findings` `embeddings` `sketches` `topics` | findings, what they are compared by, suppressed topics |
//! | `answers` | idempotent requests and their answers |
//! | `agenda_events` | numbered events about changes |
//! | `accounts` | users with their rights, and the log of what they decided and changed |
//! | `transfer` | copying all records out and in |
//!
//! What a row holds and how it is checked is in `record_format`, which other stores share.

mod accounts;
mod agenda_change;
mod agenda_events;
mod agenda_store;
mod agendas;
mod answers;
mod damaged_file;
mod database;
mod embeddings;
mod findings;
mod forgetting;
mod jobs;
mod locks;
mod runs;
mod schema;
mod sessions;
mod sketches;
mod snapshots;
mod topics;
mod transfer;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
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

use self::database::RecordDatabase;
#[cfg(fuzzing)]
pub use crate::record_format::packing::unpack as unpack_snapshot;
use crate::record_format::session_row::SessionRow;
use crate::record_format::{chain, packing};

/// The records of one vault, as somebody sees them. Threads and processes may share them.
#[derive(Debug, Clone)]
pub struct RecordStore {
    store: Arc<RecordDatabase>,
    viewer: RecordViewer,
}

impl RecordStore {
    /// The records in this folder. They are opened on first use, and created on the first write.
    pub fn new(data_folder: &Path) -> Self {
        Self { store: Arc::new(RecordDatabase::new(data_folder)), viewer: RecordViewer::owner() }
    }

    /// The same records, as this viewer sees them.
    #[must_use]
    pub fn for_viewer(&self, viewer: &RecordViewer) -> Self {
        Self { viewer: viewer.clone(), ..self.clone() }
    }

    /// The path of the file, whether it exists or not.
    pub fn path(&self) -> PathBuf {
        self.store.path()
    }
}

impl RecordViews for RecordStore {
    fn seen_by(&self, viewer: &RecordViewer) -> Arc<dyn Records> {
        Arc::new(self.for_viewer(viewer))
    }
}

impl RecordUpkeep for RecordStore {
    fn totals(&self) -> Result<RecordTotals> {
        let counted = self.store.read_if_exists(|connection| {
            let count = |which: &str| {
                let sql = format!("SELECT count(*) FROM {which}");
                connection.query_row(&sql, [self.viewer.as_str()], |row| row.get(0))
            };
            let runs = count("runs WHERE ?1 = '*' OR owner IN (?1, '*')")?;
            Ok((runs, count("snapshots WHERE ?1 <> ''")?, count("sessions WHERE ?1 IN ('*', owner)")?))
        })?;
        let Some((runs, snapshots, sessions)) = counted else { return Ok(RecordTotals::default()) };
        Ok(RecordTotals { runs, snapshots, sessions, bytes: self.store.bytes() })
    }

    fn take_notice(&self) -> Option<String> {
        self.store.take_reason()
    }

    fn forget_runs(&self, runs: &[RunId], at: Timestamp) -> Result<ForgottenRecords> {
        if !self.store.open_if_exists()? {
            return Ok(ForgottenRecords::default());
        }
        let folder = self.store.folder();
        let (locks, in_progress) = forgetting::lock_runs(folder, runs)?;
        let idle: Vec<&RunId> = locks.iter().map(|(run, _)| *run).collect();
        let mut forgotten = self
            .store
            .write(|transaction| forgetting::forget(transaction, &self.viewer, folder, &idle, at))?;
        forgotten.in_progress = in_progress;
        self.store.compact()?;
        Ok(forgotten)
    }
}

impl RunLogs for RecordStore {
    fn begin(&self, run: &RunHeader, first: &RunEvent) -> Result<()> {
        let first = chain::ChainEntry::new(0, run.began, first)?;
        self.store.write_or_recreate(|transaction| runs::begin(transaction, &self.viewer, run, &first))?
    }

    fn lock_run(&self, run: &RunId) -> Result<LockGuard> {
        locks::lock_run(self.store.folder(), run)
    }

    fn append(&self, run: &RunId, number: u64, at: Timestamp, event: &RunEvent) -> Result<()> {
        let entry = chain::ChainEntry::new(number, at, event)?;
        if !self.store.open_if_exists()? {
            return Err(RunHeader::not_found_error(run));
        }
        self.store.write(|transaction| runs::append(transaction, &self.viewer, run, &entry, event))?
    }

    fn events(&self, run: &RunId) -> Result<Vec<LoggedEvent>> {
        let known = self.store.read_if_exists(|connection| runs::events(connection, &self.viewer, run))?;
        known.unwrap_or_else(|| Err(RunHeader::not_found_error(run)))
    }

    fn runs(&self, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>> {
        let known = self
            .store
            .read_if_exists(|connection| runs::headers(connection, &self.viewer, beginning, at_most))?;
        known.unwrap_or_else(|| Ok(Vec::new()))
    }

    fn notes_in_evidence(&self) -> Result<BTreeSet<VaultPath>> {
        Ok(self.store.read_if_exists(runs::notes_in_evidence)?.unwrap_or_default())
    }
}

impl Snapshots for RecordStore {
    fn keep(&self, text: &str) -> Result<Hash> {
        let hash = Hash::compute(text.as_bytes());
        let known = self.load(hash).is_ok_and(|kept| kept.is_some());
        // Another process may be forgetting it at this moment, so it is looked up again under the lock.
        if known && self.store.write(|transaction| snapshots::exists(transaction, hash))? {
            return Ok(hash);
        }
        let packed = packing::pack(text)?;
        self.store
            .write_or_recreate(|transaction| snapshots::insert(transaction, hash, text.len(), &packed))?;
        Ok(hash)
    }

    fn load(&self, hash: Hash) -> Result<Option<String>> {
        let row = self.store.read_if_exists(|connection| snapshots::load(connection, hash))?.flatten();
        row.map(|row| packing::unpack(hash, &row)).transpose()
    }
}

impl Sessions for RecordStore {
    fn session(&self, id: &str) -> Result<Option<StoredSession>> {
        let found = self.query_sessions(|connection| sessions::find(connection, &self.viewer, id))?;
        Ok(found.into_iter().next())
    }

    fn latest_session_about(&self, active_file: Option<&str>) -> Result<Option<StoredSession>> {
        let found = self.query_sessions(|connection| {
            sessions::find_latest_about(connection, &self.viewer, active_file)
        })?;
        Ok(found.into_iter().next())
    }

    fn keep_session(&self, session: &StoredSession) -> Result<()> {
        let row = SessionRow::new(session)?;
        self.store.write_or_recreate(|transaction| sessions::put(transaction, &self.viewer, &row))
    }

    fn sessions(&self, at_most: usize) -> Result<Vec<StoredSession>> {
        self.query_sessions(|connection| sessions::list_latest(connection, &self.viewer, at_most))
    }

    fn forget_session(&self, id: &str) -> Result<bool> {
        if !self.store.open_if_exists()? {
            return Ok(false);
        }
        self.store.write(|transaction| sessions::forget(transaction, &self.viewer, id))
    }
}

impl RecordStore {
    fn query_sessions(
        &self,
        ask: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<Vec<SessionRow>>,
    ) -> Result<Vec<StoredSession>> {
        let rows = self.store.read_if_exists(ask)?.unwrap_or_default();
        rows.into_iter().map(SessionRow::into_session).collect()
    }
}
