//! Language servers: programs on the user's machine that know where a name is defined and used.
//!
//! One runs only where the user switched it on. What it says comes from the code that it reads: its words are
//! [`Untrusted`], and the places that it names are those of the repository alone.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::BoxFuture;
use crate::domain::corpus::VaultPath;
use crate::domain::untrusted::Untrusted;
use crate::{Error, ErrorKind};

/// Asks the servers that are switched on. Starting one, waiting for it and ending it are the implementation's own.
pub trait LanguageServers: Send + Sync {
    /// Whether one is switched on for this language, by the name that [`wellread_text::Language::name`] gives it.
    fn serves(&self, language: &str) -> bool;

    /// Answers within the question's limit, or says why not. Nothing found is an answer without places.
    fn ask<'a>(
        &'a self,
        question: &'a ServerQuestion,
    ) -> BoxFuture<'a, std::result::Result<ServerAnswer, ServerFailure>>;
}

/// What is asked about the name at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerQuestionKind {
    /// Where the symbol is defined.
    Definition,
    /// Its uses, the definition itself not counted.
    References,
    /// What the server would show a reader: a signature, a comment.
    Hover,
}

impl ServerQuestionKind {
    /// The kind's name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::References => "references",
            Self::Hover => "hover",
        }
    }
}

/// A question to a language server.
#[derive(Debug, Clone)]
pub struct ServerQuestion {
    /// The repository's name in the settings.
    pub repository: String,
    /// As [`wellread_text::Language::name`] names it.
    pub language: String,
    /// The file.
    pub path: VaultPath,
    /// The file as it was read: the server takes this for what stands in it.
    pub text: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What to find out.
    pub what: ServerQuestionKind,
    /// For all of it, a start included.
    pub limit: Duration,
}

/// What a language server answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerAnswer {
    /// Sorted by path and place, each once.
    #[serde(default)]
    pub places: Vec<ServerPlace>,
    /// The hover text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hover: Option<Untrusted>,
    /// Why there may be more than this, in our own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
}

/// A name's place in a file of the repository that could be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ServerPlace {
    /// The file.
    pub path: VaultPath,
    /// The first and the last line, from 1.
    pub lines: (usize, usize),
    /// The column at which it begins on its first line, and the one behind its end on its last; from 1, in characters.
    pub columns: (usize, usize),
    /// The lines of the whole definition, where the server tells of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<(usize, usize)>,
}

/// Why a server gave nothing. Whoever asked goes on with what the syntax says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum ServerFailure {
    /// Language servers are not switched on for this language.
    NotSwitchedOn {
        /// The language.
        language: String,
    },
    /// The program that is set can't be found or started.
    Missing {
        /// The server's command.
        command: String,
    },
    /// It would run what the repository says, in our own words.
    Unsafe {
        /// The server's command.
        command: String,
        /// Why it is not started.
        why: String,
    },
    /// It is still starting, or still reading the repository.
    NotReady {
        /// The server's command.
        command: String,
    },
    /// The server did not answer in time.
    TimedOut {
        /// The server's command.
        command: String,
    },
    /// It ended. What it said last is for people who look closer.
    Died {
        /// The server's command.
        command: String,
        /// What it said last.
        said: Option<Untrusted>,
    },
    /// It ended too often, and is left alone for a while.
    GivenUp {
        /// The server's command.
        command: String,
        /// How often it died.
        times: usize,
    },
    /// It does not do what was asked.
    Unable {
        /// The server's command.
        command: String,
        /// What it can't answer.
        what: ServerQuestionKind,
    },
    /// What it says is not what the protocol allows; why, in our own words.
    Broken {
        /// The server's command.
        command: String,
        /// What is wrong with its answer.
        why: String,
    },
    /// The question names no place that there is.
    NoSuchPlace {
        /// Why the place does not exist.
        why: String,
    },
}

impl ServerFailure {
    /// The message for people.
    pub fn message(&self) -> String {
        match self {
            Self::NotSwitchedOn { language } => format!("no language server is switched on for {language}"),
            Self::Missing { command } => format!("the language server `{command}` can't be started"),
            Self::Unsafe { command, why } => {
                format!("the language server `{command}` was not started: {why}")
            }
            Self::NotReady { command } => {
                format!("the language server `{command}` was not ready in time")
            }
            Self::TimedOut { command } => {
                format!("the language server `{command}` did not answer in time")
            }
            Self::Died { command, .. } => format!("the language server `{command}` ended"),
            Self::GivenUp { command, times } => {
                format!("the language server `{command}` ended {times} times and is paused for a while")
            }
            Self::Unable { command, what } => {
                format!("the language server `{command}` does not provide {}", what.name())
            }
            Self::Broken { command, why } => {
                format!("the language server `{command}` gave an unreadable answer: {why}")
            }
            Self::NoSuchPlace { why } => why.clone(),
        }
    }

    /// What the user can do about it, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotSwitchedOn { .. } => Some("`code.language_servers` names the program for each language"),
            Self::Missing { .. } => Some("install it, or name another in `code.language_servers`"),
            Self::Unsafe { .. } => Some(
                "a repository that you trust can be asked about in an editor; this program runs none of its code",
            ),
            Self::NotReady { .. } => {
                Some("ask again later: it is still reading; `code.action_seconds` sets how long to wait")
            }
            Self::Died { .. } | Self::GivenUp { .. } | Self::Broken { .. } => Some(
                "try the command of `code.language_servers` by hand; most servers want an option such as `--stdio`",
            ),
            Self::TimedOut { .. } | Self::Unable { .. } | Self::NoSuchPlace { .. } => None,
        }
    }
}

impl From<ServerFailure> for Error {
    fn from(failure: ServerFailure) -> Self {
        let kind = match &failure {
            ServerFailure::NotSwitchedOn { .. } | ServerFailure::Missing { .. } => ErrorKind::NotSetUp,
            ServerFailure::Unsafe { .. } => ErrorKind::Refused,
            ServerFailure::NoSuchPlace { .. } => ErrorKind::Invalid,
            _ => ErrorKind::Unavailable,
        };
        let error = Self::new(kind, failure.message());
        match failure.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// Where none is switched on.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoServers;

impl LanguageServers for NoServers {
    fn serves(&self, _: &str) -> bool {
        false
    }

    fn ask<'a>(
        &'a self,
        question: &'a ServerQuestion,
    ) -> BoxFuture<'a, std::result::Result<ServerAnswer, ServerFailure>> {
        Box::pin(async { Err(ServerFailure::NotSwitchedOn { language: question.language.clone() }) })
    }
}
