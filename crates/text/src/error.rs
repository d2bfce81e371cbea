//! Why an edit was not made.

use std::fmt;

/// An edit that was not made. Its message is in lower case, without a full stop, and made for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditError {
    kind: EditErrorKind,
    message: String,
}

/// What sort of trouble it is, for whoever has to answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditErrorKind {
    /// The request makes no sense, whatever the note holds.
    Invalid,
    /// The note has no such heading or field.
    NotFound,
    /// The note has several.
    Ambiguous,
    /// The note is such that the edit might damage it.
    Refused,
}

impl EditError {
    pub fn kind(&self) -> EditErrorKind {
        self.kind
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { kind: EditErrorKind::Invalid, message: message.into() }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self { kind: EditErrorKind::NotFound, message: message.into() }
    }

    pub(crate) fn ambiguous(message: impl Into<String>) -> Self {
        Self { kind: EditErrorKind::Ambiguous, message: message.into() }
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { kind: EditErrorKind::Refused, message: message.into() }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EditError {}
