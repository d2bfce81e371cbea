//! The tables of the index. They have versions of their own, apart from those of the records: since an index can be made anew from
//! the files, tables of another version are dropped, with what is in them.

use tokio_postgres::error::SqlState;
use wellread_core::{Error, ErrorKind, Result};

use crate::postgres::failure::{PgFailure, newer_schema_error};
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, values};

/// The version of the tables that this program knows.
pub const VERSION: i64 = 1;
const TABLES: &str = include_str!("tables.sql");
/// The oldest pgvector that searches a graph on until enough is found.
const OLDEST_VECTOR: (u32, u32) = (0, 8);

/// What the role needs on each table, as `docs/postgresql/role.sql` grants it.
pub const RIGHTS: &str = "SELECT INSERT UPDATE DELETE";
pub const TABLE_NAMES: [&str; 13] = [
    "index_state",
    "index_places",
    "index_corpora",
    "index_files",
    "index_stamps",
    "index_passages",
    "index_words",
    "index_marks",
    "index_fields",
    "index_symbols",
    "index_structures",
    "index_models",
    "index_vectors",
];

/// The version of the tables; `None` if there are none.
pub fn find_version(session: &Session) -> Result<Option<i64>, PgFailure> {
    match session.find("SELECT max(version) FROM wellread.index_version", vec![]) {
        Ok(row) => Ok(row.map(|row| row.try_get::<_, Option<i64>>(0)).transpose()?.flatten()),
        Err(failure)
            if failure.has_code(&SqlState::UNDEFINED_TABLE)
                || failure.has_code(&SqlState::INVALID_SCHEMA_NAME) =>
        {
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// An error unless the tables have the version that this program knows.
pub fn check_version(session: &Session, place: &str) -> Result<(), PgFailure> {
    match find_version(session)? {
        Some(VERSION) => Ok(()),
        Some(version) if version > VERSION => Err(newer_schema_error(place, version, VERSION).into()),
        found => Err(not_migrated_error(place, found).into()),
    }
}

/// The error for a database without tables for the index, or with those of an earlier version.
pub fn not_migrated_error(place: &str, found: Option<i64>) -> Error {
    let what = if found.is_some() { "tables of an earlier version" } else { "no tables" };
    Error::new(ErrorKind::NotSetUp, format!("the database at {place} has {what} for the index")).hint(
        "run `wellread db migrate` with `database.index` set and a role that may create tables, and then `role.sql`",
    )
}

/// Makes the tables, or makes them anew if they are of an earlier version; returns the version that was found, 0 if there were
/// none. The schema has to be there, and the connection in a transaction that holds the lock of migrations.
pub fn migrate(session: &Session, place: &str) -> Result<i64, PgFailure> {
    let there = session.find("SELECT to_regclass('wellread.index_version') IS NOT NULL", vec![])?;
    let has_tables = there.map(|row| row.try_get(0)).transpose()?.unwrap_or(false);
    let found = if has_tables { find_version(session)?.unwrap_or(0) } else { 0 };
    if found == VERSION {
        return Ok(found);
    }
    if found > VERSION {
        return Err(newer_schema_error(place, found, VERSION).into());
    }
    prepare_extension(session, place)?;
    let names = TABLE_NAMES.map(|name| format!("wellread.{name}")).join(", ");
    session.run(&format!("DROP TABLE IF EXISTS wellread.index_version, {names}"))?;
    session.run("CREATE TABLE wellread.index_version (version bigint PRIMARY KEY)")?;
    session.run(TABLES)?;
    session.execute("INSERT INTO wellread.index_version VALUES ($2)", values![VERSION])?;
    Ok(found)
}

/// Sees to it that pgvector is in the database.
fn prepare_extension(session: &Session, place: &str) -> Result<(), PgFailure> {
    let sql = "SELECT extversion, nspname::text FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace \
               WHERE extname = 'vector'";
    let installed = session.find(sql, vec![])?;
    let Some(row) = installed else {
        // In a savepoint: a refusal must not end the transaction before it is explained.
        session.run("SAVEPOINT extension")?;
        return match session.run("CREATE EXTENSION vector WITH SCHEMA public") {
            Ok(_) => prepare_extension(session, place),
            Err(PgFailure::Refused(error)) => {
                session.run("ROLLBACK TO SAVEPOINT extension")?;
                Err(no_extension_error(place, &error).into())
            }
            Err(failure) => Err(failure),
        };
    };
    let (version, schema) = (row.text(0)?, row.text(1)?);
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let number = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    let (major, minor) = OLDEST_VECTOR;
    if number < OLDEST_VECTOR {
        let message =
            format!("the database at {place} has pgvector {version}; the index needs {major}.{minor}");
        return Err(Error::failed(message)
            .hint("nothing was changed; install a newer one, and have a superuser run `ALTER EXTENSION vector UPDATE`")
            .into());
    }
    if schema != "public" {
        let message = format!("in the database at {place}, pgvector is in the schema `{schema}`");
        return Err(Error::failed(message)
            .hint("nothing was changed; have a superuser run `ALTER EXTENSION vector SET SCHEMA public`")
            .into());
    }
    Ok(())
}

fn no_extension_error(place: &str, error: &tokio_postgres::Error) -> Error {
    let reason = error.as_db_error().map_or_else(|| error.to_string(), |said| said.message().to_owned());
    let message = format!("the database at {place} has no pgvector, which the index needs: {reason}");
    Error::new(ErrorKind::NotSetUp, message).hint(
        "install pgvector on the server, and have a superuser run `CREATE EXTENSION vector` in the database; the records need \
         neither: without `database.index` they work as before",
    )
}
