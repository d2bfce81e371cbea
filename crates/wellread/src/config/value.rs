//! A setting's value: what it may be, how it is written by hand, and how it is shown.

use std::fmt;

use wellread_core::agendas::jobs::Schedule;
use wellread_core::{Error, Result};

use super::SettingKey;
use super::code::{self, LanguageCommands};
use super::repos::{self, RepoSetting};
use super::secret::WrittenSecret;
use super::vaults::{self, VaultSetting};
use crate::telemetry;

/// What a setting's value may be. Each has a [kind](super::kinds) of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingShape {
    Text,
    Folder,
    /// One of the log's levels.
    Level,
    List,
    /// A list of some of these, each once.
    Choices(&'static [&'static str]),
    /// A whole number, zero up to this.
    Number(u64),
    /// A decimal number, zero or more, as text; empty where it is not known.
    Decimal,
    OneOf(&'static [&'static str]),
    /// `on` or `off`.
    Switch,
    /// A weekday and an hour, or `off`.
    Schedule,
    Secret,
    /// The codebases: changed by a command of their own.
    Repos,
    /// The named vaults: changed by a command of their own.
    Vaults,
    /// A command for each of some languages.
    Commands,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum SettingValue {
    Text(String),
    List(Vec<String>),
    Number(u64),
    Secret(WrittenSecret),
    Repos(Vec<RepoSetting>),
    Vaults(Vec<VaultSetting>),
    Commands(LanguageCommands),
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) => write!(f, "{items:?}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Secret(written) => write!(f, "{:?}", written.as_redacted()),
            Self::Commands(commands) => write!(f, "{commands}"),
            Self::Repos(repos) => {
                let shown =
                    |repo: &RepoSetting| format!("{{ name = {:?}, path = {:?} }}", repo.name, repo.path);
                write!(f, "[{}]", repos.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
            Self::Vaults(vaults) => {
                let shown = |vault: &VaultSetting| format!("{} = {{ path = {:?} }}", vault.name, vault.path);
                write!(f, "{{ {} }}", vaults.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl SettingValue {
    /// Whether nothing is set by it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Number(_) => false,
            Self::Secret(written) => written.is_empty(),
            Self::Repos(repos) => repos.is_empty(),
            Self::Vaults(vaults) => vaults.is_empty(),
            Self::Commands(commands) => commands.to_table().is_empty(),
        }
    }

    /// The value alone, as it is written on the command line. A key is never in it.
    pub fn render_plain(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => items.join(","),
            Self::Number(number) => number.to_string(),
            Self::Secret(written) => written.as_redacted().to_owned(),
            Self::Repos(repos) => {
                let one = |repo: &RepoSetting| format!("{}={}", repo.name, repo.path.display());
                repos.iter().map(one).collect::<Vec<_>>().join(",")
            }
            Self::Vaults(vaults) => {
                let one = |vault: &VaultSetting| format!("{}={}", vault.name, vault.path.display());
                vaults.iter().map(one).collect::<Vec<_>>().join(",")
            }
            Self::Commands(commands) => commands.to_string(),
        }
    }
}

impl SettingKey {
    /// A value as it is written on the command line or in the environment.
    pub fn parse(&self, written: &str) -> Result<SettingValue> {
        match self.shape {
            SettingShape::Text | SettingShape::Folder => Ok(SettingValue::Text(written.to_owned())),
            SettingShape::Level => {
                parse_level(written).map(SettingValue::Text).ok_or_else(|| self.must_be(&list_levels()))
            }
            SettingShape::List => {
                let items = written.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(SettingValue::List(items.map(str::to_owned).collect()))
            }
            SettingShape::Choices(words) => {
                let items = written.split(',').map(str::trim).filter(|item| !item.is_empty());
                self.parse_choices(items, words)
            }
            SettingShape::Number(most) => {
                let number = written.trim().parse().ok().filter(|number| *number <= most);
                number.map(SettingValue::Number).ok_or_else(|| self.must_be_number(most))
            }
            SettingShape::Decimal => {
                let number = written.trim();
                let fits = number.is_empty() || parse_decimal(number).is_some();
                fits.then(|| SettingValue::Text(number.to_owned())).ok_or_else(|| self.must_be(A_DECIMAL))
            }
            SettingShape::OneOf(words) => {
                let word = written.trim().to_lowercase();
                let known = words.contains(&word.as_str()).then_some(word);
                known
                    .map(SettingValue::Text)
                    .ok_or_else(|| self.must_be(&format!("one of {}", words.join(", "))))
            }
            SettingShape::Switch => match written.trim().to_lowercase().as_str() {
                "on" | "true" | "yes" | "1" => Ok(SettingValue::Text("on".to_owned())),
                "off" | "false" | "no" | "0" | "" => Ok(SettingValue::Text("off".to_owned())),
                _ => Err(self.must_be("on or off")),
            },
            SettingShape::Schedule => {
                let word = written.trim().to_lowercase();
                let fits = word == "off" || Schedule::parse(&word).is_some();
                fits.then_some(SettingValue::Text(word)).ok_or_else(|| self.must_be(A_SCHEDULE))
            }
            SettingShape::Secret => Ok(SettingValue::Secret(WrittenSecret::new(written))),
            SettingShape::Repos => repos::parse(written).map(SettingValue::Repos),
            SettingShape::Vaults => vaults::parse(written).map(SettingValue::Vaults),
            SettingShape::Commands => code::parse(written).map(SettingValue::Commands),
        }
    }

    /// A list of known words, each once and in its order.
    pub(super) fn parse_choices<'a>(
        &self,
        items: impl Iterator<Item = &'a str>,
        words: &[&str],
    ) -> Result<SettingValue> {
        let mut known: Vec<String> = Vec::new();
        for item in items {
            let item = item.trim().to_lowercase();
            if !words.contains(&item.as_str()) {
                let error = Error::invalid(format!("the setting `{}` does not accept `{item}`", self.path));
                return Err(error.hint(format!("choose one of: {}", words.join(", "))));
            }
            if !known.contains(&item) {
                known.push(item);
            }
        }
        Ok(SettingValue::List(known))
    }

    pub(super) fn must_be_number(&self, most: u64) -> Error {
        self.must_be(&format!("a whole number from 0 to {most}"))
    }

    pub(super) fn must_be(&self, what: &str) -> Error {
        Error::invalid(format!("the setting `{}` must be {what}", self.path))
    }
}

pub(super) const A_SCHEDULE: &str = "off, or a weekday and an hour such as \"sunday 9\"";
pub(super) const A_DECIMAL: &str = "a number such as \"0.15\", zero or more";

/// A number as it is written by hand: no exponent, no sign, nothing without end.
pub(super) fn parse_decimal(written: &str) -> Option<f64> {
    let plain = written.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    written.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

fn parse_level(written: &str) -> Option<String> {
    let word = written.trim().to_lowercase();
    telemetry::LEVELS.contains(&word.as_str()).then_some(word)
}

fn list_levels() -> String {
    format!("one of {}", telemetry::LEVELS.join(", "))
}

/// `RUST_LOG` is shared with other programs: only what it says to all of them, or to us, counts.
pub(super) fn parse_rust_log(filter: &str) -> Option<String> {
    let for_us = |directive: &str| match directive.split_once('=') {
        Some((program, said)) => (program.trim() == "wellread").then(|| parse_level(said)).flatten(),
        None => parse_level(directive),
    };
    filter.split(',').filter_map(for_us).next_back()
}
