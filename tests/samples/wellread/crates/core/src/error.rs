//! The one error type: a kind that each face maps once, a message for people, a hint that says what to do.
//!
//! Trouble that a caller expects is a value, not an error: an error means that the request can't be served.

use std::fmt;

use serde_json::{Map, Value};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What sort of trouble it is. Exit status, HTTP status and MCP flags follow from this alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The request makes no sense as it stands.
    Invalid,
    /// What it names is not there.
    NotFound,
    /// A safety rule says no.
    Refused,
    /// It would overwrite or collide with something that is there.
    Conflict,
    /// The file changed between being read and being written; doing the same again may well work.
    Changed,
    /// Something that it needs was never set up: the user has to.
    NotSetUp,
    /// A service that it needs was not reachable.
    Unavailable,
    /// The system failed: a full disk, a broken file, an I/O error.
    Failed,
}

/// Why a request can't be served.
///
/// The message is in lower case without a full stop, unless it starts with words that a contract fixes.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    kind: Kind,
    message: String,
    hint: Option<String>,
    details: Map<String, Value>,
}

impl Error {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: one_line(message.into()), hint: None, details: Map::new() }))
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, message)
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(Kind::Conflict, message)
    }

    pub fn changed(message: impl Into<String>) -> Self {
        Self::new(Kind::Changed, message)
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message)
    }

    /// What the reader can do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(one_line(hint.into()));
        self
    }

    /// Names the culprit by its path, unless a more exact place was named already.
    #[must_use]
    pub fn at(self, path: impl Into<String>) -> Self {
        if self.0.details.contains_key("path") { self } else { self.with("path", path.into()) }
    }

    /// Adds a field that programs can read.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.details.insert(name.to_owned(), value.into());
        self
    }

    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }
}

/// Messages quote names and text that others wrote: what could break the line or speak to a terminal is shown as such,
/// and what would fill the screen is cut.
fn one_line(mut message: String) -> String {
    const LONGEST: usize = 1000;
    if let Some((cut, _)) = message.char_indices().nth(LONGEST) {
        message.truncate(cut);
        message.push('…');
    }
    if message.contains(char::is_control) { message.replace(char::is_control, "\u{fffd}") } else { message }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

impl From<wellread_text::EditError> for Error {
    fn from(error: wellread_text::EditError) -> Self {
        use wellread_text::EditErrorKind as Text;
        let kind = match error.kind() {
            Text::Invalid | Text::Ambiguous => Kind::Invalid,
            Text::NotFound => Kind::NotFound,
            Text::Refused => Kind::Refused,
        };
        Self::new(kind, error.to_string())
    }
}
