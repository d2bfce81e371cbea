//! The tables: which version a database has, and how it comes to ours.

use tokio_postgres::error::SqlState;
use wellread_core::{Error, Result};

use super::failure::{PgFailure, newer_schema_error, not_migrated_error};
use super::session::Session;
use super::value::{RowColumns as _, values};

/// What leads from each version to the next. One that was released is never changed.
const MIGRATIONS: [&str; 2] = [include_str!("migrations/0001.sql"), include_str!("migrations/0002.sql")];
/// The version of the tables that this program knows.
pub const VERSION: i64 = MIGRATIONS.len() as i64;
/// The oldest server that has what the statements need.
const OLDEST_SERVER: i64 = 14;
/// The lock under which tables are made, in any database: "wellread".
const MIGRATION_LOCK: i64 = 0x7765_6c6c_7265_6164;

/// What a migration did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationReport {
    /// The version that was found; 0 if there were no tables.
    pub from: i64,
    /// The version that the tables have now.
    pub to: i64,
}

/// An error unless the tables have the version that this program knows.
pub fn check_version(session: &Session, place: &str) -> Result<(), PgFailure> {
    match find_version(session)? {
        Some(version) if version == VERSION => Ok(()),
        Some(version) if version > VERSION => Err(newer_schema_error(place, version, VERSION).into()),
        found => Err(not_migrated_error(place, found).into()),
    }
}

/// The version of the tables; `None` if there are none.
pub fn find_version(session: &Session) -> Result<Option<i64>, PgFailure> {
    let sql = "SELECT coalesce(max(version), 0) FROM wellread.schema_version";
    match session.find(sql, vec![]) {
        Ok(row) => row.map(|row| row.number(0)).transpose(),
        Err(failure)
            if failure.has_code(&SqlState::UNDEFINED_TABLE)
                || failure.has_code(&SqlState::INVALID_SCHEMA_NAME) =>
        {
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// Brings the tables to our version, each step in a transaction. Of several processes one does it, the others wait.
pub fn migrate(session: &Session, place: &str) -> Result<MigrationReport, PgFailure> {
    check_server(session, place)?;
    let mut report = MigrationReport { from: VERSION, to: VERSION };
    loop {
        match run_locked(session, || take_step(session, place))? {
            Some(from) => report.from = report.from.min(from),
            None => return Ok(report),
        }
    }
}

/// Changes tables in one transaction, while nobody else does.
pub fn run_locked<T>(session: &Session, act: impl FnOnce() -> Result<T, PgFailure>) -> Result<T, PgFailure> {
    session.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")?;
    let locked = session.query("SELECT pg_advisory_xact_lock($2)", values![MIGRATION_LOCK]);
    let done = locked.and_then(|_| act());
    session.run(if done.is_ok() { "SELECT 1; COMMIT" } else { "ROLLBACK" })?;
    done
}

/// Takes one step; returns the version that it began from, or `None` if there is none left to take.
fn take_step(session: &Session, place: &str) -> Result<Option<i64>, PgFailure> {
    let sql =
        "SELECT to_regnamespace('wellread') IS NOT NULL, to_regclass('wellread.schema_version') IS NOT NULL";
    let there = session.find(sql, vec![])?;
    let (has_schema, has_tables): (bool, bool) = match there {
        Some(row) => (row.try_get(0)?, row.try_get(1)?),
        None => (false, false),
    };
    let version = if has_tables { find_version(session)?.unwrap_or(0) } else { 0 };
    if version > VERSION {
        return Err(newer_schema_error(place, version, VERSION).into());
    }
    let Some(step) = usize::try_from(version).ok().and_then(|version| MIGRATIONS.get(version)) else {
        return Ok(None);
    };
    if !has_schema {
        session.run("CREATE SCHEMA wellread")?;
    }
    session.run(step)?;
    session.execute("INSERT INTO wellread.schema_version VALUES ($2)", values![version + 1])?;
    Ok(Some(version))
}

fn check_server(session: &Session, place: &str) -> Result<(), PgFailure> {
    let shown = |name: &str| session.run(&format!("SHOW {name}")).map(Option::unwrap_or_default);
    let (version, encoding) = (shown("server_version_num")?, shown("server_encoding")?);
    if version.parse::<i64>().unwrap_or_default() / 10_000 < OLDEST_SERVER {
        let error =
            Error::failed(format!("the database at {place} is older than PostgreSQL {OLDEST_SERVER}"));
        return Err(error.hint("nothing was changed; upgrade the server").into());
    }
    if encoding != "UTF8" {
        let error = Error::failed(format!("the database at {place} has the encoding {encoding}, not UTF8"));
        return Err(error.hint("nothing was changed; create it with `createdb --encoding UTF8`").into());
    }
    Ok(())
}
