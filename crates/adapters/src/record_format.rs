//! How records are written, whichever database they are in: rows with their checksums, the hash chain of a run's events,
//! and packed texts.
//!
//! Nothing here knows a database. A store reads and writes columns; what they hold and whether it is what was written is
//! checked here, so that a record can be moved from one store to another as it is.

pub mod account_row;
pub mod agenda_row;
pub mod chain;
pub mod checksum;
pub mod finding_row;
pub mod header_row;
pub mod job_row;
pub mod packing;
pub mod references;
pub mod session_row;
pub mod sums;
pub mod tables;
pub mod verifier;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wellread_core::{Error, Result};

/// A moment as stored: nanoseconds since the epoch, so that numbers sort by time.
pub fn nanoseconds(at: Timestamp) -> Result<i64> {
    i64::try_from(at.as_nanosecond()).map_err(|_| Error::invalid(format!("no record can have the time {at}")))
}

/// Restores a stored moment; `None` if it is out of range.
pub fn from_nanoseconds(at: i64) -> Option<Timestamp> {
    Timestamp::from_nanosecond(i128::from(at)).ok()
}

/// The value as JSON; `Err` if it could not be read back, for example because it is nested too deep.
pub fn to_checked_json<T: Serialize + DeserializeOwned>(what: &str, thing: &T) -> Result<String> {
    serde_json::to_string(thing)
        .and_then(|json| serde_json::from_str::<T>(&json).map(|_| json))
        .map_err(|error| Error::invalid(format!("{what} can't be saved: {error}")))
}

/// A row limit as databases take it.
pub fn limit(at_most: usize) -> i64 {
    i64::try_from(at_most).unwrap_or(i64::MAX)
}

/// The error for a record that fails its checksum.
pub fn damaged_error(what: &str) -> Error {
    Error::failed(format!("{what} is damaged: it is not what was written"))
        .hint("everything else can still be read; an earlier copy of the data folder may still contain it")
}
