//! Whether somebody keeps the index level with the files.

use std::sync::{Mutex, PoisonError};

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// Whoever needs it level has to see to that.
    #[default]
    Nobody,
    /// Somebody is at it, and has not come to the end yet.
    Behind,
    /// A change is in the index a moment after it was made.
    Level,
}

/// Said by who follows the files, asked by who uses the index.
#[derive(Debug, Default)]
pub struct Following(Mutex<Followed>);

impl Following {
    pub fn now(&self) -> Followed {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn say(&self, followed: Followed) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = followed;
    }
}
