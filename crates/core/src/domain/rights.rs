//! Who somebody is, and what they may do: the name of a user, and the five rights.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The longest name of a user, in bytes.
const LONGEST_NAME: usize = 32;

/// One part of what a user may do in a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// Search and read notes, code, agendas and findings.
    Read,
    /// Ask models and the web, and propose agendas.
    Research,
    /// Change notes, and undo changes.
    Write,
    /// Approve and cancel agendas; accept and dismiss findings.
    Decide,
    /// All of these, and the settings.
    Admin,
}

impl Right {
    /// All of them, from the least to the most.
    pub const ALL: [Self; 5] = [Self::Read, Self::Research, Self::Write, Self::Decide, Self::Admin];

    /// Its name in commands and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Research => "research",
            Self::Write => "write",
            Self::Decide => "decide",
            Self::Admin => "admin",
        }
    }
}

/// A set of rights.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Rights(BTreeSet<Right>);

impl Rights {
    /// Parses names with commas between them. Every other right needs `read`, so it is part of each set.
    pub fn parse(text: &str) -> Result<Self> {
        let mut rights = BTreeSet::from([Right::Read]);
        for name in text.split(',').map(str::trim) {
            let known = Right::ALL.into_iter().find(|right| right.name() == name);
            rights.insert(known.ok_or_else(|| {
                Error::invalid(format!("`{name}` is not a right"))
                    .hint("use some of these, with commas between them: read,research,write,decide,admin")
            })?);
        }
        Ok(Self(rights))
    }

    /// Whether this right is among them. `admin` includes every other.
    pub fn contains(&self, right: Right) -> bool {
        self.0.contains(&right) || self.0.contains(&Right::Admin)
    }

    /// Whether all of these are among them.
    pub fn covers(&self, needed: &Self) -> bool {
        needed.0.iter().all(|right| self.contains(*right))
    }

    /// The rights, from the least to the most, as they were given.
    pub fn iter(&self) -> impl Iterator<Item = Right> {
        self.0.iter().copied()
    }
}

impl FromIterator<Right> for Rights {
    fn from_iter<I: IntoIterator<Item = Right>>(rights: I) -> Self {
        Self(rights.into_iter().collect())
    }
}

/// The names with commas between them, as [`Rights::parse`] reads them.
impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Right::name).collect();
        f.write_str(&names.join(","))
    }
}

/// The name of a user: a few lower-case letters, digits, `-`, `_` and `.`, so that it can stand in a token, in a list and in the
/// records without any quoting.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct UserName(String);

impl UserName {
    /// Parses a name; an error of kind `Invalid` if it can't be one.
    pub fn parse(text: &str) -> Result<Self> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
        if begins && text.len() <= LONGEST_NAME && text.bytes().all(fits) {
            return Ok(Self(text.to_owned()));
        }
        Err(Error::invalid(format!("`{}` can't be the name of a user", text.escape_debug())).hint(format!(
            "use lower-case letters, digits, `-`, `_` and `.`, a letter first, at most {LONGEST_NAME}: anna, j.doe"
        )))
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for UserName {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<UserName> for String {
    fn from(name: UserName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_right_comes_with_read_and_admin_is_all_of_them() {
        assert_eq!(Rights::parse("research").unwrap().to_string(), "read,research");
        assert_eq!(Rights::parse("decide, write").unwrap().to_string(), "read,write,decide");
        let admin = Rights::parse("admin").unwrap();
        assert!(admin.covers(&Rights::from_iter(Right::ALL)));
        assert!(!Rights::parse("read,write").unwrap().covers(&Rights::from_iter([Right::Decide])));
        for wrong in ["", "all", "read;write", "READ"] {
            assert!(Rights::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_is_plain() {
        for name in ["anna", "j.doe", "x-1_y"] {
            assert_eq!(UserName::parse(name).unwrap().as_str(), name);
        }
        let long = "a".repeat(33);
        for wrong in ["", "Anna", "1a", ".a", "a b", "a*", "@", "*", "\u{e4}", "a/b", "a~1", long.as_str()] {
            assert!(UserName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
