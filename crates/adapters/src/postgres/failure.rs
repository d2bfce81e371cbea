//! What can go wrong with a database, and what that means to people.

use std::error::Error as _;

use tokio_postgres::error::SqlState;
use wellread_core::{Error, ErrorKind};

/// Why a request failed.
#[derive(Debug)]
pub enum PgFailure {
    /// A connection could not be made.
    Unreachable(String),
    /// A connection was lost, or did not answer in time.
    Lost(String),
    /// The database refused the request.
    Refused(tokio_postgres::Error),
    /// The request itself is not valid.
    Asked(Error),
}

impl From<Error> for PgFailure {
    fn from(error: Error) -> Self {
        Self::Asked(error)
    }
}

impl From<tokio_postgres::Error> for PgFailure {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.code() {
            Some(code) if is_shutdown(code) => Self::Lost(describe(&error)),
            Some(_) => Self::Refused(error),
            // A value that could not be read or written, and no failure of the connection.
            None if error.to_string().starts_with("error deserializing")
                || error.to_string().starts_with("error serializing") =>
            {
                Self::Refused(error)
            }
            None => Self::Lost(describe(&error)),
        }
    }
}

impl PgFailure {
    /// Whether a connection failed that had been made; another one may do.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Lost(_))
    }

    /// The same failure, of a connection that was about to be made: there is no use in trying again at once.
    pub fn while_connecting(self) -> Self {
        match self {
            Self::Lost(reason) => Self::Unreachable(reason),
            other => other,
        }
    }

    pub fn has_code(&self, wanted: &SqlState) -> bool {
        matches!(self, Self::Refused(error) if error.code() == Some(wanted))
    }

    /// The error for people; `place` is where the database is.
    pub fn explain(self, place: &str) -> Error {
        match self {
            Self::Asked(error) => error,
            Self::Lost(reason) | Self::Unreachable(reason) => unreachable_error(place, &reason),
            Self::Refused(error) => explain_refusal(place, &error),
        }
    }
}

/// The error for a database that can't be reached.
pub fn unreachable_error(place: &str, reason: &str) -> Error {
    Error::new(ErrorKind::Unavailable, format!("the database at {place} can't be reached: {reason}"))
        .hint("reading, searching and editing notes goes on; research, agendas and the inbox wait for it. `wellread db check` tries again")
}

/// The error for a database without our tables, or with those of an earlier version.
pub fn not_migrated_error(place: &str, found: Option<i64>) -> Error {
    let message = match found {
        Some(version) => format!(
            "the tables in the database at {place} are of an earlier version of Wellread (schema {version})"
        ),
        None => format!("the database at {place} has no tables of Wellread"),
    };
    Error::new(ErrorKind::NotSetUp, message)
        .hint("run `wellread db migrate` with a role that may create tables")
}

/// The error for a database of a newer version.
pub fn newer_schema_error(place: &str, found: i64, known: i64) -> Error {
    Error::failed(format!(
        "the tables in the database at {place} are of a newer version of Wellread (schema {found}; this one knows {known})"
    ))
    .hint("nothing was changed; use that version")
}

fn is_shutdown(code: &SqlState) -> bool {
    [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::CANNOT_CONNECT_NOW].contains(code)
}

fn explain_refusal(place: &str, error: &tokio_postgres::Error) -> Error {
    let reason = describe(error);
    let Some(code) = error.code() else { return Error::failed(format!("the database at {place}: {reason}")) };
    let is_one_of = |codes: &[SqlState]| codes.contains(code);
    if is_one_of(&[SqlState::INVALID_PASSWORD, SqlState::INVALID_AUTHORIZATION_SPECIFICATION]) {
        return Error::new(
            ErrorKind::NotSetUp,
            format!("the database at {place} refused the user: {reason}"),
        )
        .hint("set `database.password_file`, or the variable WELLREAD_DATABASE_PASSWORD");
    }
    if is_one_of(&[SqlState::INVALID_CATALOG_NAME]) {
        return Error::new(ErrorKind::NotSetUp, format!("the database at {place}: {reason}"))
            .hint("create it with `createdb`, or check the name at the end of `database.url`");
    }
    if is_one_of(&[SqlState::INSUFFICIENT_PRIVILEGE]) {
        return Error::new(
            ErrorKind::Denied,
            format!("the database at {place} does not permit it: {reason}"),
        )
        .hint("give the role the rights that the chapter \"One inbox for a team\" lists");
    }
    if is_one_of(&[
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ]) {
        return Error::new(ErrorKind::Unavailable, format!("the database at {place} is busy: {reason}"))
            .hint("nothing was changed; try again in a moment");
    }
    Error::failed(format!("the database at {place}: {reason}"))
}

/// What the database said, or why there is no connection. Never has a password in it: no request contains one.
fn describe(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return said.message().to_owned();
    }
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}
