//! Identifiers: ordered by time, never reused, safe as file names.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Result, WayOut};

/// Identifies an operation of the journal; `wellread undo` takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OperationId(Uuid);

impl OperationId {
    /// A new id, ordered after every id made before it in this process.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }

    /// Parses an id as [`Display`](fmt::Display) writes it.
    pub fn parse(text: &str) -> Result<Self> {
        Uuid::try_parse(text).map(Self).map_err(|_| {
            Error::invalid(format!("`{text}` is not an operation id"))
                .hint("`wellread undo --list` shows the operations with their ids")
        })
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// Identifies a run: ordered by time, short enough to type, without a hyphen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

/// Digits and letters, without letters that look like digits.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// The length of a run's id: ten characters for the time in milliseconds, four random ones.
const RUN_ID: usize = 14;
/// How many of them are the time.
const RUN_TIME: usize = 10;

impl RunId {
    /// A new id, ordered by time.
    pub fn fresh() -> Self {
        let bytes = Uuid::now_v7().into_bytes();
        let millis = bytes[..6].iter().fold(0_u128, |sum, byte| sum << 8 | u128::from(*byte));
        let chance = bytes[13..].iter().fold(0_u128, |sum, byte| sum << 8 | u128::from(*byte)) & 0xf_ffff;
        let number = millis << 20 | chance;
        let letter = |place: usize| {
            let value = number >> (5 * (RUN_ID - 1 - place)) & 31;
            char::from(ALPHABET[value as usize])
        };
        Self((0..RUN_ID).map(letter).collect())
    }

    /// Parses a run's id.
    pub fn parse(text: &str) -> Result<Self> {
        let fits = text.len() == RUN_ID && text.bytes().all(|byte| ALPHABET.contains(&byte));
        let wrong = || {
            Error::invalid(format!("`{text}` is not a run id"))
                .hint("`wellread runs` shows the runs with their ids")
                .with_way_out(WayOut::Runs)
        };
        fits.then(|| Self(text.to_owned())).ok_or_else(wrong)
    }

    /// When the run began. `None` if no clock shows such a time.
    pub fn started(&self) -> Option<Timestamp> {
        let value = |letter: u8| ALPHABET.iter().position(|known| *known == letter);
        let letters = self.0.bytes().take(RUN_TIME);
        let millis = letters.filter_map(value).fold(0_i64, |sum, value| sum << 5 | value as i64);
        Timestamp::from_millisecond(millis).ok()
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for RunId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}

/// Declares an id made of letters and digits, as runs have them: it can be typed, and can't be a path.
macro_rules! word_id {
    ($(#[$about:meta])* $name:ident, $what:literal, $hint:literal, $way:ident) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses an id as [`Display`](fmt::Display) writes it.
            pub fn parse(text: &str) -> Result<Self> {
                let (word, number) = text.split_once('-').unwrap_or((text, "1"));
                let fits = word.len() == RUN_ID
                    && word.bytes().all(|byte| ALPHABET.contains(&byte))
                    && number.parse::<u16>().is_ok_and(|parsed| parsed.to_string() == number)
                    && text.contains('-') == Self::NUMBERED;
                let wrong = || Error::invalid(format!("`{text}` is not an id of {}", $what)).hint($hint).with_way_out(WayOut::$way);
                fits.then(|| Self(text.to_owned())).ok_or_else(wrong)
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(text: String) -> Result<Self> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

word_id!(
    /// Identifies an agenda; ids sort by time.
    AgendaId,
    "an agenda",
    "`wellread agenda list` shows the agendas with their ids",
    Agendas
);
word_id!(
    /// Identifies a task of an agenda: the agenda's id and a number from 1.
    TaskId,
    "a task",
    "`wellread agenda show ID` shows the tasks with their ids",
    Agendas
);
word_id!(
    /// Identifies a finding. The same page for the same task has the same id, however often it is found.
    FindingId,
    "a finding",
    "`wellread inbox` shows the findings with their ids",
    Findings
);

impl AgendaId {
    const NUMBERED: bool = false;

    /// A new id, ordered by time.
    pub fn fresh() -> Self {
        Self(RunId::fresh().0)
    }
}

impl TaskId {
    const NUMBERED: bool = true;

    /// The id of an agenda's task with this number, from 1.
    pub fn new(agenda: &AgendaId, number: usize) -> Self {
        Self(format!("{agenda}-{number}"))
    }
}

impl FindingId {
    const NUMBERED: bool = false;

    /// The id of the finding that a task makes of a page; always the same for the same page.
    pub fn new(task: &TaskId, url: &str) -> Self {
        let hash = blake3::hash(format!("{task} {url}").as_bytes());
        let letter = |byte: &u8| char::from(ALPHABET[usize::from(byte & 31)]);
        Self(hash.as_bytes().iter().take(RUN_ID).map(letter).collect())
    }
}

/// Identifies a piece of evidence: `ev-<run>-001`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EvidenceId {
    run: RunId,
    number: u32,
}

impl EvidenceId {
    /// The id of a run's evidence with this number, from 1.
    pub fn new(run: &RunId, number: u32) -> Self {
        Self { run: run.clone(), number }
    }

    /// Parses an id of evidence; other spellings of the number are refused.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || Error::invalid(format!("`{text}` is not an evidence id"));
        let (run, number) =
            text.strip_prefix("ev-").and_then(|rest| rest.split_once('-')).ok_or_else(wrong)?;
        let digits = number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit());
        let number: u32 = number.parse().ok().filter(|number| digits && *number > 0).ok_or_else(wrong)?;
        let id = Self { run: RunId::parse(run).map_err(|_| wrong())?, number };
        // Only one spelling of an id is accepted.
        if id.to_string() == text { Ok(id) } else { Err(wrong()) }
    }

    /// The run whose ledger holds the evidence.
    pub fn run(&self) -> &RunId {
        &self.run
    }
}

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ev-{}-{:03}", self.run, self.number)
    }
}

impl TryFrom<String> for EvidenceId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<EvidenceId> for String {
    fn from(id: EvidenceId) -> Self {
        id.to_string()
    }
}

/// An unguessable word: 122 random bits in letters and digits.
pub fn nonce() -> String {
    Uuid::new_v4().simple().to_string()
}
