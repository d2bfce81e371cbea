//! The one error type: a kind that each face maps once, a message for people, a hint that says what to do.
//!
//! Failures that a caller expects are values, not errors: an error means that the request can't be served.

use std::fmt;

use serde_json::{Map, Value};

/// A result whose error is [`Error`] unless stated otherwise.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The category of an error. Exit status, HTTP status and MCP flags follow from this alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is malformed or contradicts itself.
    Invalid,
    /// Something that the request names does not exist.
    NotFound,
    /// A safety rule forbids the request.
    Refused,
    /// The request would overwrite or collide with something that exists.
    Conflict,
    /// The file changed between being read and being written; a second attempt may succeed.
    Changed,
    /// The user has not set up something that the request needs.
    NotSetUp,
    /// A service that the request needs could not be reached.
    Unavailable,
    /// A service answered in a way that can't be used.
    BadReply,
    /// The system does not permit it: the file or the folder is somebody else's. It stays so until its owner says otherwise.
    Denied,
    /// The system failed: full disk, damaged file, I/O error.
    Failed,
}

macro_rules! ways_out {
    ($($(#[$about:meta])* $name:ident = $code:literal,)*) => {
        /// Where a program that shows an error can lead its user, beside the words of the hint.
        ///
        /// The codes are part of the HTTP contract: the page has a link for each of them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum WayOut {
            $($(#[$about])* $name,)*
        }

        impl WayOut {
            /// Every way out, in the order in which they are declared.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name that programs know it by.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }
        }
    };
}

ways_out! {
    /// Undo the acceptance of a finding: its note has to be taken back first.
    UndoAcceptance = "undo_acceptance",
    /// Allow a topic again that is not proposed any more.
    AllowTopic = "allow_topic",
    /// Look at the findings.
    Findings = "findings",
    /// Propose a new agenda.
    ProposeAgenda = "propose_agenda",
    /// Choose a note to propose research for.
    ChooseNote = "choose_note",
    /// Look at the agendas.
    Agendas = "agendas",
    /// Look at the runs.
    Runs = "runs",
    /// Look at the conversations.
    Conversations = "conversations",
    /// Search for what is not where it was looked for.
    Search = "search",
    /// Look at what the server offers.
    Overview = "overview",
    /// Look at what is set up and what is missing.
    CheckSetup = "check_setup",
}

/// Why a request can't be served.
///
/// The message is in lower case without a full stop, unless it starts with words that are part of a contract.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    way_out: Option<WayOut>,
    details: Map<String, Value>,
}

impl Error {
    /// An error of this kind with a message of one line.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: one_line(message.into()),
            hint: None,
            way_out: None,
            details: Map::new(),
        }))
    }

    /// An error of the kind [`ErrorKind::Invalid`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// An error of the kind [`ErrorKind::NotFound`].
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// An error of the kind [`ErrorKind::Refused`].
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused, message)
    }

    /// An error of the kind [`ErrorKind::Conflict`].
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// An error of the kind [`ErrorKind::Changed`].
    pub fn changed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Changed, message)
    }

    /// An error of the kind [`ErrorKind::Failed`].
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    /// Adds a hint that says what the user can do, in place of an earlier hint and the way out that belonged to it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(one_line(hint.into()));
        self.0.way_out = None;
        self
    }

    /// Adds where the hint leads, for a program that can take its user there.
    #[must_use]
    pub fn with_way_out(mut self, way: WayOut) -> Self {
        self.0.way_out = Some(way);
        self
    }

    /// Adds the path of the offending file as a detail, unless a path was added already.
    #[must_use]
    pub fn with_path(self, path: impl Into<String>) -> Self {
        if self.0.details.contains_key("path") { self } else { self.with_detail("path", path.into()) }
    }

    /// Adds a field that programs can read.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.details.insert(name.to_owned(), value.into());
        self
    }

    /// The error's category.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The hint, if one was added.
    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Where a program can lead its user, if the hint names a way out.
    pub fn way_out(&self) -> Option<WayOut> {
        self.0.way_out
    }

    /// The fields that programs can read.
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }
}

/// Makes a message safe for one line. Messages quote names and text of others: control characters are replaced, and
/// long messages are cut.
fn one_line(mut message: String) -> String {
    const MAX_CHARS: usize = 1000;
    if let Some((cut, _)) = message.char_indices().nth(MAX_CHARS) {
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
            Text::Invalid | Text::Ambiguous => ErrorKind::Invalid,
            Text::NotFound => ErrorKind::NotFound,
            Text::Refused => ErrorKind::Refused,
        };
        Self::new(kind, error.to_string())
    }
}
