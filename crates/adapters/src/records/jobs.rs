//! Jobs: which task is carried out next, by whom, and until when.
//!
//! What a task is, its agenda says; when a job is due, what counts as a crash and whether a lease is held, `core` says. A lease
//! has a number that was never given before: whoever comes with an older one has lost its job, whatever its clock says.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::ports::agenda::Agenda;
use wellread_core::ports::{JobEnd, JobEntry, JobState, Lease, LeaseTerm, TakenJob, setting_since};
use wellread_core::{Error, Result};

use super::database::ChangeError;
use crate::record_format::{damaged_error, from_nanoseconds, job_row, nanoseconds};

/// The columns of a job, as [`read_job`] takes them.
const COLUMNS: &str = "task, agenda, state, not_before, worker, until, number, tries, crashes";

/// The first job that is due, in the order in which they are taken.
pub fn find_due(
    connection: &Connection,
    term: &LeaseTerm,
    is_gone: &dyn Fn(&str) -> bool,
) -> rusqlite::Result<Option<JobEntry>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM jobs ORDER BY place"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if read_state(row)?.is_due(term, is_gone) {
            return read_job(row).map(Some);
        }
    }
    Ok(None)
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
    now: Timestamp,
) -> Result<Option<Timestamp>, ChangeError> {
    let set = format!("seen {what} ");
    let known: Option<(String, i64)> = transaction
        .prepare_cached(
            "SELECT substr(name, length(?1) + 1), last FROM numbers WHERE substr(name, 1, length(?1)) = ?1",
        )?
        .query_row([&set], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    transaction
        .prepare_cached("DELETE FROM numbers WHERE substr(name, 1, length(?1)) = ?1")?
        .execute([&set])?;
    let Some(how) = how else { return Ok(None) };
    let known = known.map(|(how, since)| from_nanoseconds(since).map(|since| (how, since)));
    let known = known.map(|known| known.ok_or_else(|| damaged_error(what))).transpose()?;
    let since = setting_since(known.as_ref().map(|(how, since)| (how.as_str(), *since)), how, now);
    transaction
        .prepare_cached("INSERT INTO numbers VALUES (?1, ?2)")?
        .execute(params![format!("{set}{how}"), nanoseconds(since)?])?;
    Ok(Some(since))
}

pub fn take(
    transaction: &Transaction<'_>,
    worker: &str,
    term: &LeaseTerm,
    is_gone: &dyn Fn(&str) -> bool,
) -> Result<Option<TakenJob>, ChangeError> {
    let Some(mut job) = find_due(transaction, term, is_gone)? else { return Ok(None) };
    let number: u64 = transaction
        .prepare_cached(
            "INSERT INTO numbers VALUES ('lease', 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last",
        )?
        .query_row([], |row| row.get(0))?;
    let taken = job.take(worker, term, number, is_gone);
    update(transaction, &job)?;
    Ok(Some(taken))
}

pub fn renew(
    transaction: &Transaction<'_>,
    lease: &Lease,
    now: Timestamp,
    until: Timestamp,
) -> Result<(), ChangeError> {
    lease.check(find(transaction, &lease.task)?.as_ref(), Some(now))?;
    transaction
        .prepare_cached("UPDATE jobs SET until = ?2 WHERE task = ?1")?
        .execute(params![lease.task.as_str(), nanoseconds(until)?])?;
    Ok(())
}

/// Puts tasks at the end of the queue, ends jobs, and takes away those that their agenda does not keep.
pub fn change_jobs(
    transaction: &Transaction<'_>,
    agenda: &Agenda,
    queued: &[TaskId],
    ends: &[(TaskId, JobEnd)],
) -> Result<(), ChangeError> {
    for task in queued {
        insert(transaction, &JobEntry::new(task.clone(), agenda.id.clone()))?;
    }
    for (task, end) in ends {
        let Some(job) = find(transaction, task)?.filter(|job| job.agenda == agenda.id) else { continue };
        match job.after(*end) {
            Some(job) => update(transaction, &job)?,
            None => remove(transaction, task)?,
        }
    }
    for task in agenda.tasks.iter().filter(|task| task.status.is_settled()) {
        if find(transaction, &task.id)?.is_some_and(|job| !agenda.keeps_job(&job)) {
            remove(transaction, &task.id)?;
        }
    }
    Ok(())
}

pub fn find(connection: &Connection, task: &TaskId) -> rusqlite::Result<Option<JobEntry>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM jobs WHERE task = ?1"))?
        .query_row([task.as_str()], read_job)
        .optional()
}

/// One that is in the queue stays where it is.
fn insert(transaction: &Transaction<'_>, job: &JobEntry) -> Result<(), ChangeError> {
    let statement = "INSERT OR IGNORE INTO jobs SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, coalesce(?4, 0), ?5, ?6, ?7, \
                     ?8, ?9 FROM jobs";
    write(transaction, statement, job)
}

fn update(transaction: &Transaction<'_>, job: &JobEntry) -> Result<(), ChangeError> {
    let statement = "UPDATE jobs SET state = ?3, not_before = coalesce(?4, not_before), worker = ?5, until = ?6, \
                     number = ?7, tries = ?8, crashes = ?9 WHERE task = ?1";
    write(transaction, statement, job)
}

/// Executes a statement with the values of a job, `?1` to `?9` in the order of [`COLUMNS`].
fn write(transaction: &Transaction<'_>, statement: &str, job: &JobEntry) -> Result<(), ChangeError> {
    let (state, not_before, worker, until) = job_row::state_columns(&job.state)?;
    transaction.prepare_cached(statement)?.execute(params![
        job.task.as_str(),
        job.agenda.as_str(),
        state,
        not_before,
        worker,
        until,
        job.lease_number,
        job.tries,
        job.crashes
    ])?;
    Ok(())
}

fn remove(transaction: &Transaction<'_>, task: &TaskId) -> Result<(), ChangeError> {
    transaction.prepare_cached("DELETE FROM jobs WHERE task = ?1")?.execute([task.as_str()])?;
    Ok(())
}

/// In the order in which they are taken.
pub fn list(connection: &Connection) -> rusqlite::Result<Vec<JobEntry>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM jobs ORDER BY place"))?;
    let rows = statement.query_map([], read_job)?;
    rows.collect()
}

fn read_job(row: &Row<'_>) -> rusqlite::Result<JobEntry> {
    Ok(JobEntry {
        task: task_id(row, 0)?,
        agenda: agenda_id(row, 1)?,
        state: read_state(row)?,
        lease_number: row.get(6)?,
        tries: row.get(7)?,
        crashes: row.get(8)?,
    })
}

fn read_state(row: &Row<'_>) -> rusqlite::Result<JobState> {
    let leased = || Ok((row.get(4)?, timestamp_column(row, 5)?));
    job_row::read_state(&row.get::<_, String>(2)?, || timestamp_column(row, 3), leased)
}

fn task_id(row: &Row<'_>, column: usize) -> rusqlite::Result<TaskId> {
    TaskId::parse(&row.get::<_, String>(column)?).map_err(|error| conversion_error(column, error))
}

fn agenda_id(row: &Row<'_>, column: usize) -> rusqlite::Result<AgendaId> {
    AgendaId::parse(&row.get::<_, String>(column)?).map_err(|error| conversion_error(column, error))
}

fn timestamp_column(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    let at: i64 = row.get(column)?;
    from_nanoseconds(at).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, at))
}

fn conversion_error(column: usize, error: Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}
