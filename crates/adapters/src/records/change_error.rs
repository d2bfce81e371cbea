//! Why a change of the records was not made.

use wellread_core::Error;

/// Why nothing was changed: the file could not, or what was asked for can't be.
#[derive(Debug)]
pub enum Trouble {
    File(rusqlite::Error),
    Asked(Error),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Asked(error)
    }
}
