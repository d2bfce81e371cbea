//! The settings that there are: each declared once, with its shape and its names.

use std::fmt;

use wellread_core::{Error, Result};

use crate::telemetry;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Text,
    Folder,
    /// One of the log's levels.
    Level,
    List,
}

/// A setting's declaration.
#[derive(Debug)]
pub struct Key {
    pub path: &'static str,
    pub shape: Shape,
    /// Older names of its environment variable; the first that is set counts.
    pub also: &'static [&'static str],
    pub about: &'static str,
}

pub const KEYS: &[Key] = &[
    Key { path: "vault.path", shape: Shape::Folder, also: &["VAULT_PATH"], about: "the folder of notes" },
    Key {
        path: "vault.excluded",
        shape: Shape::List,
        also: &[],
        about: "folders never read, listed or written",
    },
    Key { path: "vault.daily_notes", shape: Shape::Text, also: &[], about: "the folder of the daily notes" },
    Key {
        path: "data.path",
        shape: Shape::Folder,
        also: &["WELLREAD_DATA"],
        about: "where everything else is kept",
    },
    Key {
        path: "log.level",
        shape: Shape::Level,
        also: &["RUST_LOG"],
        about: "off, error, warn, info, debug or trace",
    },
];

impl Key {
    /// `vault.path` is `WELLREAD_VAULT_PATH`.
    pub fn variable(&self) -> String {
        format!("WELLREAD_{}", self.path.replace('.', "_").to_uppercase())
    }

    pub fn named(path: &str) -> Result<&'static Self> {
        KEYS.iter().find(|key| key.path == path).ok_or_else(|| {
            let near = KEYS.iter().max_by_key(|key| likeness(key.path, path));
            let error = Error::invalid(format!("there is no setting `{path}`"));
            match near.filter(|key| likeness(key.path, path) > 600) {
                Some(near) => error.hint(format!("did you mean `{}`?", near.path)),
                None => error.hint("`wellread config show` lists all of them"),
            }
        })
    }

    /// A value as it is written on the command line or in the environment.
    pub fn parse(&self, written: &str) -> Result<Value> {
        match self.shape {
            Shape::Text | Shape::Folder => Ok(Value::Text(written.to_owned())),
            Shape::Level => level(written).map(Value::Text).ok_or_else(|| self.must_be(&one_of_the_levels())),
            Shape::List => {
                let items = written.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(Value::List(items.map(str::to_owned).collect()))
            }
        }
    }

    pub(super) fn must_be(&self, what: &str) -> Error {
        Error::invalid(format!("the setting `{}` must be {what}", self.path))
    }
}

fn level(written: &str) -> Option<String> {
    let word = written.trim().to_lowercase();
    telemetry::LEVELS.contains(&word.as_str()).then_some(word)
}

fn one_of_the_levels() -> String {
    format!("one of {}", telemetry::LEVELS.join(", "))
}

/// `RUST_LOG` is shared with other programs: only what it says to all of them, or to us, counts.
pub(super) fn shared_level(filter: &str) -> Option<String> {
    let for_us = |directive: &str| match directive.split_once('=') {
        Some((program, said)) => (program.trim() == "wellread").then(|| level(said)).flatten(),
        None => level(directive),
    };
    filter.split(',').filter_map(for_us).next_back()
}

fn likeness(one: &str, other: &str) -> u32 {
    (strsim::jaro_winkler(one, other) * 1000.0) as u32
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    Text(String),
    List(Vec<String>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) => write!(f, "{items:?}"),
        }
    }
}
