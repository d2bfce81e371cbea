//! Jobs: which task is carried out next, by whom, and until when.
//!
//! What a task is, its agenda says. A lease has a number that was never given before: whoever comes with an older one has
//! lost its job, whatever its clock says.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::ports::agenda::{Agenda, AgendaStatus};
use wellread_core::ports::{JobEnd, JobEntry, JobState, Lease, TakenJob};
use wellread_core::{Error, Result};

use super::change_error::ChangeError;
use super::nanoseconds;

/// A lease that ends later than this many times as long as one is given for is of a clock that was set back.
const IMPLAUSIBLE: i64 = 4;

/// Waiting and its time has come, or leased and its time is up, or whoever had it is gone.
const DUE: &str = "(state = 'waiting' AND not_before <= ?1) OR (state = 'leased' AND (until < ?1 OR until > ?2 \
                   OR worker IN (SELECT value FROM json_each(?3))))";

/// The time of a lease that begins now.
#[derive(Debug, Clone, Copy)]
pub struct LeaseTerm {
    now: i64,
    until: i64,
    /// No lease that was given before can end later.
    latest: i64,
}

impl LeaseTerm {
    pub fn new(now: Timestamp, until: Timestamp) -> Result<Self> {
        let (now, until) = (nanoseconds(now)?, nanoseconds(until)?);
        if until <= now {
            return Err(Error::invalid("a lease ends after it begins"));
        }
        let latest = now.saturating_add(until.saturating_sub(now).saturating_mul(IMPLAUSIBLE));
        Ok(Self { now, until, latest })
    }
}

/// The names of workers that are gone, as the database reads a list.
#[derive(Debug)]
pub struct GoneWorkers(String);

impl GoneWorkers {
    pub fn new<'a>(workers: impl Iterator<Item = &'a str>) -> Self {
        Self(serde_json::Value::from_iter(workers).to_string())
    }
}

/// Whether there is one to take, without keeping anybody waiting.
pub fn has_due_job(connection: &Connection, term: LeaseTerm, gone: &GoneWorkers) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(&format!("SELECT EXISTS (SELECT 1 FROM jobs WHERE {DUE})"))?
        .query_row(params![term.now, term.latest, gone.0], |row| row.get(0))
}

/// Whether a worker has a job in hand.
pub fn has_job(connection: &Connection, worker: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'leased' AND worker = ?1)")?
        .query_row([worker], |row| row.get(0))
}

/// Since when something is set like this; whatever else it was set to is forgotten.
pub fn record_setting(
    transaction: &Transaction<'_>,
    what: &str,
    how: Option<&str>,
    now: i64,
) -> rusqlite::Result<Option<i64>> {
    let set = format!("seen {what} ");
    let name = how.map(|how| format!("{set}{how}"));
    transaction
        .prepare_cached("DELETE FROM numbers WHERE substr(name, 1, length(?1)) = ?1 AND name IS NOT ?2")?
        .execute(params![set, name])?;
    let Some(name) = name else { return Ok(None) };
    transaction
        .prepare_cached("INSERT OR IGNORE INTO numbers VALUES (?1, ?2)")?
        .execute(params![name, now])?;
    transaction
        .prepare_cached("SELECT last FROM numbers WHERE name = ?1")?
        .query_row([&name], |row| row.get(0))
        .map(Some)
}

pub fn take(
    transaction: &Transaction<'_>,
    worker: &str,
    term: LeaseTerm,
    gone: &GoneWorkers,
) -> rusqlite::Result<Option<TakenJob>> {
    let first = format!("SELECT task FROM jobs WHERE {DUE} ORDER BY place LIMIT 1");
    let first: Option<String> = transaction
        .prepare_cached(&first)?
        .query_row(params![term.now, term.latest, gone.0], |row| row.get(0))
        .optional()?;
    let Some(task) = first else { return Ok(None) };
    let number: u64 = transaction
        .prepare_cached(
            "INSERT INTO numbers VALUES ('lease', 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last",
        )?
        .query_row([], |row| row.get(0))?;
    transaction
        .prepare_cached(
            "UPDATE jobs SET crashes = crashes + (state = 'leased' AND (until < ?2 OR worker IN (SELECT value FROM json_each(?6)))), \
             state = 'leased', worker = ?3, until = ?4, number = ?5 WHERE task = ?1 RETURNING task, agenda, tries, crashes",
        )?
        .query_row(params![task, term.now, worker, term.until, number, gone.0], |row| {
            let lease = Lease { task: task_id(row, 0)?, agenda: agenda_id(row, 1)?, number };
            Ok(Some(TakenJob { lease, tries: row.get(2)?, crashes: row.get(3)? }))
        })
}

pub fn renew(
    transaction: &Transaction<'_>,
    lease: &Lease,
    now: Timestamp,
    until: Timestamp,
) -> Result<(), ChangeError> {
    check_lease(transaction, lease, Some(now))?;
    transaction
        .prepare_cached("UPDATE jobs SET until = ?2 WHERE task = ?1")?
        .execute(params![lease.task.as_str(), nanoseconds(until)?])?;
    Ok(())
}

/// An error where the lease is not held any more; without a moment, its time does not matter.
pub fn check_lease(
    transaction: &Transaction<'_>,
    lease: &Lease,
    now: Option<Timestamp>,
) -> Result<(), ChangeError> {
    let until: Option<i64> = transaction
        .prepare_cached(
            "SELECT until FROM jobs WHERE task = ?1 AND agenda = ?2 AND number = ?3 AND state = 'leased'",
        )?
        .query_row(params![lease.task.as_str(), lease.agenda.as_str(), lease.number], |row| row.get(0))
        .optional()?;
    let now = now.map_or(Ok(i64::MIN), nanoseconds)?;
    if until.is_some_and(|until| until >= now) { Ok(()) } else { Err(lease_lost_error(lease).into()) }
}

pub fn lease_lost_error(lease: &Lease) -> Error {
    Error::conflict(format!("the lease of the task {} is not held any more", lease.task))
        .hint("nothing was changed; whoever has the task now goes on with it")
}

/// Puts these tasks at the end of the queue. One that is in it stays where it is.
pub fn enqueue(transaction: &Transaction<'_>, agenda: &Agenda, tasks: &[TaskId]) -> Result<(), ChangeError> {
    for task in tasks {
        if agenda.task(task).is_none() {
            return Err(Error::invalid(format!("the agenda {} has no task {task}", agenda.id)).into());
        }
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO jobs SELECT ?1, ?2, coalesce(max(place), 0) + 1, 'waiting', 0, NULL, NULL, 0, 0, 0 \
                 FROM jobs",
            )?
            .execute([task.as_str(), agenda.id.as_str()])?;
    }
    Ok(())
}

pub fn end(
    transaction: &Transaction<'_>,
    agenda: &AgendaId,
    task: &TaskId,
    end: JobEnd,
) -> Result<(), ChangeError> {
    let of = [task.as_str(), agenda.as_str()];
    match end {
        JobEnd::Over => {
            transaction.prepare_cached("DELETE FROM jobs WHERE task = ?1 AND agenda = ?2")?.execute(of)?;
        }
        JobEnd::Later { not_before, tried } => {
            transaction
                .prepare_cached(
                    "UPDATE jobs SET state = 'waiting', not_before = ?3, worker = NULL, until = NULL, tries = tries + ?4 \
                     WHERE task = ?1 AND agenda = ?2",
                )?
                .execute(params![of[0], of[1], nanoseconds(not_before)?, tried])?;
        }
        JobEnd::SetAside => {
            transaction
                .prepare_cached(
                    "UPDATE jobs SET state = 'set_aside', worker = NULL, until = NULL WHERE task = ?1 AND agenda = ?2",
                )?
                .execute(of)?;
        }
    }
    Ok(())
}

/// Takes away the jobs of tasks of which nothing more comes; one that was set aside is shown until its agenda is cancelled.
pub fn sweep(transaction: &Transaction<'_>, agenda: &Agenda) -> rusqlite::Result<()> {
    let keeps = if agenda.status == AgendaStatus::Cancelled { "" } else { "set_aside" };
    for task in agenda.tasks.iter().filter(|task| task.status.is_settled()) {
        transaction
            .prepare_cached("DELETE FROM jobs WHERE task = ?1 AND state <> ?2")?
            .execute([task.id.as_str(), keeps])?;
    }
    Ok(())
}

/// In the order in which they are taken.
pub fn list(connection: &Connection) -> rusqlite::Result<Vec<JobEntry>> {
    let sql =
        "SELECT task, agenda, state, not_before, worker, until, tries, crashes FROM jobs ORDER BY place";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let state = match row.get::<_, String>(2)?.as_str() {
            "leased" => JobState::Leased { worker: row.get(4)?, until: timestamp_column(row, 5)? },
            "set_aside" => JobState::SetAside,
            _ => JobState::Waiting { not_before: timestamp_column(row, 3)? },
        };
        let (task, agenda) = (task_id(row, 0)?, agenda_id(row, 1)?);
        Ok(JobEntry { task, agenda, state, tries: row.get(6)?, crashes: row.get(7)? })
    })?;
    rows.collect()
}

fn task_id(row: &Row<'_>, column: usize) -> rusqlite::Result<TaskId> {
    TaskId::parse(&row.get::<_, String>(column)?).map_err(|error| conversion_error(column, error))
}

fn agenda_id(row: &Row<'_>, column: usize) -> rusqlite::Result<AgendaId> {
    AgendaId::parse(&row.get::<_, String>(column)?).map_err(|error| conversion_error(column, error))
}

fn timestamp_column(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    let at: i64 = row.get(column)?;
    super::from_nanoseconds(at).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, at))
}

fn conversion_error(column: usize, error: Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}
