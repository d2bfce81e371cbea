//! Jobs: which task is carried out next, by whom, and until when.
//!
//! When a job is due, what counts as a crash and whether a lease is held, `core` says. Whoever takes a job locks its row and
//! skips those that others have locked, so that nobody waits for another's job.

use std::collections::BTreeSet;

use jiff::Timestamp;
use tokio_postgres::Row;
use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::ports::agenda::Agenda;
use wellread_core::ports::{JobEnd, JobEntry, Lease, LeaseTerm, TakenJob, setting_since};

use super::changes::{RecordChange, notify};
use super::failure::PgFailure;
use super::locks::{LockKind, lock_key};
use super::session::Session;
use super::value::{RowColumns as _, SqlValue, any_text, any_text_or_null, number_or_null, values};
use crate::record_format::{damaged_error, from_nanoseconds, job_row, nanoseconds};

/// The columns of a job, as [`read_job`] takes them.
const COLUMNS: &str = "task, agenda, state, not_before, worker, until, number, tries, crashes";
/// Workers without a lock, unless they lost it because the database was restarted a moment ago: they take it again.
const WITHOUT_GRACE: &str = "NOT (registered < pg_postmaster_start_time() \
                             AND pg_postmaster_start_time() > clock_timestamp() - interval '30 seconds')";

/// Whether a job may be due, if every worker were gone. Locks nothing.
pub fn may_be_due(session: &Session, term: &LeaseTerm) -> Result<bool, PgFailure> {
    Ok(list(session)?.iter().any(|job| job.state.is_due(term, &|_| true)))
}

pub fn take(session: &Session, worker: &str, term: &LeaseTerm) -> Result<Option<TakenJob>, PgFailure> {
    let gone = lock_gone_workers(session, "EXISTS")?;
    let is_gone = |worker: &str| gone.contains(worker);
    for listed in list(session)? {
        if !listed.state.is_due(term, &is_gone) {
            continue;
        }
        // Somebody else may have taken it since it was listed, or be about to.
        let found = find(session, &listed.task, "FOR UPDATE SKIP LOCKED")?;
        let Some(mut job) = found.filter(|job| job.state.is_due(term, &is_gone)) else { continue };
        let taken = job.take(worker, term, next_lease_number(session)?, &is_gone);
        update(session, &job)?;
        return Ok(Some(taken));
    }
    Ok(None)
}

/// Forgets workers that are gone and have no job.
pub fn forget_gone_workers(session: &Session) -> Result<(), PgFailure> {
    for worker in lock_gone_workers(session, "NOT EXISTS")? {
        let sql = "DELETE FROM wellread.workers WHERE space = $1 AND name_hash = sha256($2)";
        session.execute(sql, vec![any_text(&worker)])?;
    }
    Ok(())
}

/// The workers that are gone, with a job or without one. Their locks are held until the end of the transaction, so that
/// nobody takes one of these names meanwhile.
fn lock_gone_workers(session: &Session, has_job: &str) -> Result<BTreeSet<String>, PgFailure> {
    let sql = format!(
        "SELECT name FROM wellread.workers WHERE space = $1 AND {has_job} (SELECT 1 FROM wellread.jobs \
         WHERE jobs.space = $1 AND jobs.state = 'leased' AND jobs.worker = name) AND {WITHOUT_GRACE} ORDER BY name"
    );
    let rows = session.query(&sql, vec![])?;
    let names: Vec<String> = rows.iter().map(|row| row.any_text(0)).collect::<Result<_, _>>()?;
    if names.is_empty() {
        return Ok(BTreeSet::new());
    }
    let key = |name: &String| lock_key(session.space(), LockKind::Worker, name);
    let keys = SqlValue::Numbers(names.iter().map(key).collect());
    let rows = session
        .query("SELECT key FROM unnest($2) AS key WHERE pg_try_advisory_xact_lock(key)", vec![keys])?;
    let free: BTreeSet<i64> = rows.iter().map(|row| row.number(0)).collect::<Result<_, _>>()?;
    Ok(names.into_iter().filter(|name| free.contains(&key(name))).collect())
}

fn next_lease_number(session: &Session) -> Result<u64, PgFailure> {
    let sql = "INSERT INTO wellread.numbers (space, name, last) VALUES ($1, $2, 1) \
               ON CONFLICT (space, name_hash) DO UPDATE SET last = numbers.last + 1 RETURNING last";
    let row = session.find(sql, vec![any_text("lease")])?;
    row.ok_or_else(|| damaged_error("the number of the last lease"))?.count(0)
}

/// Since when something is set like this; whatever else it was set to is forgotten. The caller has locked the space.
pub fn record_setting(
    session: &Session,
    what: &str,
    how: Option<&str>,
    now: Timestamp,
) -> Result<Option<Timestamp>, PgFailure> {
    let set = format!("seen {what} ");
    let sql = "DELETE FROM wellread.numbers WHERE space = $1 AND substr(name, 1, length($2)) = $2 RETURNING name, last";
    let known = session.find(sql, vec![any_text(&set)])?;
    let Some(how) = how else { return Ok(None) };
    let known = known.map(|row| -> Result<(String, Timestamp), PgFailure> {
        let since = from_nanoseconds(row.number(1)?).ok_or_else(|| damaged_error(what))?;
        Ok((row.any_text(0)?.split_off(set.len()), since))
    });
    let known = known.transpose()?;
    let since = setting_since(known.as_ref().map(|(how, since)| (how.as_str(), *since)), how, now);
    let sql = "INSERT INTO wellread.numbers (space, name, last) VALUES ($1, $2, $3)";
    session.execute(sql, values![any_text(&format!("{set}{how}")), nanoseconds(since)?])?;
    Ok(Some(since))
}

pub fn renew(session: &Session, lease: &Lease, now: Timestamp, until: Timestamp) -> Result<(), PgFailure> {
    lease.check(find_locked(session, &lease.task)?.as_ref(), Some(now))?;
    let sql = "UPDATE wellread.jobs SET until = $3 WHERE space = $1 AND task = $2";
    session.execute(sql, values![lease.task.as_str(), nanoseconds(until)?]).map(drop)
}

/// Puts tasks at the end of the queue, ends jobs, and takes away those that their agenda does not keep. The caller has
/// locked the space.
pub fn change_jobs(
    session: &Session,
    agenda: &Agenda,
    queued: &[TaskId],
    ends: &[(TaskId, JobEnd)],
) -> Result<(), PgFailure> {
    for task in queued {
        insert(session, &JobEntry::new(task.clone(), agenda.id.clone()))?;
    }
    let mut may_matter_to_others = !queued.is_empty();
    for (task, end) in ends {
        may_matter_to_others |= matches!(end, JobEnd::Later { .. });
        let found = find_locked(session, task)?;
        let Some(job) = found.filter(|job| job.agenda == agenda.id) else { continue };
        match job.after(*end) {
            Some(job) => update(session, &job)?,
            None => remove(session, task)?,
        }
    }
    for task in agenda.tasks.iter().filter(|task| task.status.is_settled()) {
        if find_locked(session, &task.id)?.is_some_and(|job| !agenda.keeps_job(&job)) {
            remove(session, &task.id)?;
            may_matter_to_others = true;
        }
    }
    if may_matter_to_others { notify(session, RecordChange::Jobs) } else { Ok(()) }
}

/// A job, locked until the end of the transaction.
pub fn find_locked(session: &Session, task: &TaskId) -> Result<Option<JobEntry>, PgFailure> {
    find(session, task, "FOR UPDATE")
}

fn find(session: &Session, task: &TaskId, how: &str) -> Result<Option<JobEntry>, PgFailure> {
    let sql = format!("SELECT {COLUMNS} FROM wellread.jobs WHERE space = $1 AND task = $2 {how}");
    session.find(&sql, values![task.as_str()])?.map(|row| read_job(&row)).transpose()
}

/// One that is in the queue stays where it is.
fn insert(session: &Session, job: &JobEntry) -> Result<(), PgFailure> {
    let sql = "INSERT INTO wellread.jobs (space, task, agenda, place, state, not_before, worker, until, number, tries, crashes) \
               SELECT $1, $2, $3, coalesce(max(place), 0) + 1, $4, coalesce($5, 0), $6, $7, $8, $9, $10 \
               FROM wellread.jobs WHERE space = $1 ON CONFLICT DO NOTHING";
    session.execute(sql, job_values(job)?).map(drop)
}

fn update(session: &Session, job: &JobEntry) -> Result<(), PgFailure> {
    let sql = "UPDATE wellread.jobs SET agenda = $3, state = $4, not_before = coalesce($5, not_before), worker = $6, \
               until = $7, number = $8, tries = $9, crashes = $10 WHERE space = $1 AND task = $2";
    session.execute(sql, job_values(job)?).map(drop)
}

/// The values of a job, `$2` to `$10` in the order of [`COLUMNS`].
fn job_values(job: &JobEntry) -> Result<Vec<SqlValue>, PgFailure> {
    let (state, not_before, worker, until) = job_row::state_columns(&job.state)?;
    Ok(values![
        job.task.as_str(),
        job.agenda.as_str(),
        state,
        number_or_null(not_before),
        any_text_or_null(worker),
        number_or_null(until),
        job.lease_number,
        job.tries,
        job.crashes
    ])
}

fn remove(session: &Session, task: &TaskId) -> Result<(), PgFailure> {
    let sql = "DELETE FROM wellread.jobs WHERE space = $1 AND task = $2";
    session.execute(sql, values![task.as_str()]).map(drop)
}

/// In the order in which they are taken.
pub fn list(session: &Session) -> Result<Vec<JobEntry>, PgFailure> {
    let sql = format!("SELECT {COLUMNS} FROM wellread.jobs WHERE space = $1 ORDER BY place");
    session.query(&sql, vec![])?.iter().map(read_job).collect()
}

fn read_job(row: &Row) -> Result<JobEntry, PgFailure> {
    let moment = |column: usize| -> Result<Timestamp, PgFailure> {
        Ok(from_nanoseconds(row.number(column)?).ok_or_else(|| damaged_error("the time of a job"))?)
    };
    let small = |column: usize| -> Result<u32, PgFailure> {
        Ok(u32::try_from(row.number(column)?).map_err(|_| damaged_error("a count of a job"))?)
    };
    Ok(JobEntry {
        task: TaskId::parse(&row.text(0)?)?,
        agenda: AgendaId::parse(&row.text(1)?)?,
        state: job_row::read_state(
            &row.text(2)?,
            || moment(3),
            || Ok::<_, PgFailure>((row.any_text(4)?, moment(5)?)),
        )?,
        lease_number: row.count(6)?,
        tries: small(7)?,
        crashes: small(8)?,
    })
}
