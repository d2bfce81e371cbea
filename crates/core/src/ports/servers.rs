//! Language servers: programs on the user's machine that know where a name is defined and used.
//!
//! A server runs only if the user switched it on. What it says derives from the code that it reads: its text is
//! [`Untrusted`], and places outside the repository are dropped.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::BoxFuture;
use crate::domain::corpus::VaultPath;
use crate::domain::untrusted::Untrusted;
use crate::{Error, ErrorKind};

/// The language servers that are switched on. The implementation starts, awaits and stops them.
pub trait LanguageServers: Send + Sync {
    /// Whether a server is switched on for this language, named as by [`wellread_text::Language::name`].
    fn serves(&self, language: &str) -> bool;

    /// Answers within the question's time limit, or says why not. If nothing is found, the answer has no places.
    fn ask<'a>(
        &'a self,
        question: &'a ServerQuestion,
    ) -> BoxFuture<'a, std::result::Result<ServerAnswer, ServerFailure>>;
}

/// What to find out about the name at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerQuestionKind {
    /// Where the symbol is defined.
    Definition,
    /// Where it is used, without the definition itself.
    References,
    /// What an editor would show on hover: a signature, a comment.
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
    /// The language, named as by [`wellread_text::Language::name`].
    pub language: String,
    /// The file.
    pub path: VaultPath,
    /// The file's text as it was read; the server uses this instead of the file on disk.
    pub text: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What to find out.
    pub what: ServerQuestionKind,
    /// The time limit for everything, starting the server included.
    pub limit: Duration,
}

/// What a language server answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerAnswer {
    /// The places, sorted by path and position, without duplicates.
    #[serde(default)]
    pub places: Vec<ServerPlace>,
    /// The hover text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hover: Option<Untrusted>,
    /// Why the answer may be incomplete, in our own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
}

/// A place of a name in a readable file of the repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ServerPlace {
    /// The file.
    pub path: VaultPath,
    /// The first and the last line, from 1.
    pub lines: (usize, usize),
    /// The column of its start on the first line, and the one after its end on the last line; from 1, in characters.
    pub columns: (usize, usize),
    /// The lines of the whole definition, if the server reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<(usize, usize)>,
}

/// Why a server gave no answer. The caller falls back to the syntax.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum ServerFailure {
    /// No language server is switched on for this language.
    NotSwitchedOn {
        /// The language.
        language: String,
    },
    /// The configured program can't be found or started.
    Missing {
        /// The server's command.
        command: String,
    },
    /// The server is not started, because it would run code of the repository.
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
    /// The server's process ended.
    Died {
        /// The server's command.
        command: String,
        /// The last output of the server, for people who look closer.
        said: Option<Untrusted>,
    },
    /// It ended too often, and is not restarted for a while.
    GivenUp {
        /// The server's command.
        command: String,
        /// How often it ended.
        times: usize,
    },
    /// It does not support this kind of question.
    Unable {
        /// The server's command.
        command: String,
        /// What it can't answer.
        what: ServerQuestionKind,
    },
    /// Its answer violates the protocol.
    Broken {
        /// The server's command.
        command: String,
        /// What is wrong with its answer, in our own words.
        why: String,
    },
    /// The question names a position that does not exist.
    NoSuchPlace {
        /// Why the position does not exist.
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

    /// What the user can do about it, if anything.
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

/// For when no language server is switched on: every question fails with [`ServerFailure::NotSwitchedOn`].
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
