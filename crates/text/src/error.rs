//! The error of an edit that cannot be made.

use std::fmt;

/// Why an edit was not made. The message is for people: lower case, without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditError {
    kind: EditErrorKind,
    message: String,
}

/// The kind of an [`EditError`], for callers that map it to their own errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditErrorKind {
    /// The request makes no sense, whatever the note contains.
    Invalid,
    /// The note has no such heading or field.
    NotFound,
    /// The note has several headings or fields that match.
    Ambiguous,
    /// The edit might damage the note.
    Refused,
}

impl EditError {
    /// The kind of the error.
    pub fn kind(&self) -> EditErrorKind {
        self.kind
    }

    /// The message for people.
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

    /// A field that others wrote, to which nothing can be appended without writing it anew.
    pub(crate) fn not_a_list(name: &str, what: &str) -> Self {
        Self::refused(format!(
            "`{name}` is {what}, and was left as it is: make it a list of mappings, each behind a `- ` on lines of its own, \
             to have it continued"
        ))
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
