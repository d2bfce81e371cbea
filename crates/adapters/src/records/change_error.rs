//! Why a change of the records was not made.

use wellread_core::Error;

/// Why nothing was changed: the file could not, or what was asked for can't be.
#[derive(Debug)]
pub enum ChangeError {
    File(rusqlite::Error),
    Asked(Error),
}

impl From<rusqlite::Error> for ChangeError {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error)
    }
}

impl From<Error> for ChangeError {
    fn from(error: Error) -> Self {
        Self::Asked(error)
    }
}
