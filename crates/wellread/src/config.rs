//! Settings: compiled-in defaults < file < environment < flags, each value with where it came from.
//!
//! A key is declared once, in [`KEYS`]; its default stands in `defaults.toml`. Nothing in a vault changes a setting.

mod file;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

pub use file::set;
use wellread_core::{Error, Result};

use crate::{platform, telemetry};

const DEFAULTS: &str = include_str!("config/defaults.toml");

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

    fn must_be(&self, what: &str) -> Error {
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
fn shared_level(filter: &str) -> Option<String> {
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

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File(PathBuf),
    Environment(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => write!(f, "${name}"),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// The merged settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The settings file, there or not; none where there is no home folder to look for it in.
    pub file: Option<PathBuf>,
    values: BTreeMap<&'static str, (Value, Origin)>,
}

/// What was said on the command line.
#[derive(Debug, Default, Clone)]
pub struct Flags {
    pub config: Option<PathBuf>,
    pub vault: Option<String>,
    pub data: Option<String>,
}

impl Config {
    pub fn load(flags: &Flags) -> Result<Self> {
        let mut config = Self::defaults()?;
        config.file = named_file(flags)?.or_else(|| platform::config_file().ok());
        if let Some(file) = config.file.clone() {
            for (key, value) in file::read(&file, named_file(flags)?.is_some())? {
                config.set(key.path, value, Origin::File(file.clone()));
            }
        }
        config.take_environment()?;
        config.take_flags(flags);
        Ok(config)
    }

    /// The defaults and the flags alone, whatever the user has set up.
    pub fn of_flags(flags: &Flags) -> Result<Self> {
        let mut config = Self::defaults()?;
        config.take_flags(flags);
        Ok(config)
    }

    fn defaults() -> Result<Self> {
        let mut config = Self { file: None, values: BTreeMap::new() };
        for (key, value) in file::parse(DEFAULTS, Path::new("defaults.toml"))? {
            config.set(key.path, value, Origin::Default);
        }
        Ok(config)
    }

    fn take_environment(&mut self) -> Result<()> {
        for key in KEYS {
            let own = key.variable();
            for name in key.also.iter().copied().chain([own.as_str()]) {
                let Some(written) = variable(name)? else { continue };
                let value = match name {
                    "RUST_LOG" => shared_level(&written).map(Value::Text),
                    _ => Some(
                        key.parse(&written)
                            .map_err(|error| Error::invalid(format!("{error}, in the variable {name}")))?,
                    ),
                };
                if let Some(value) = value {
                    self.set(key.path, value, Origin::Environment(name.to_owned()));
                }
            }
        }
        Ok(())
    }

    fn take_flags(&mut self, flags: &Flags) {
        for (path, flag, given) in
            [("vault.path", "--vault", &flags.vault), ("data.path", "--data", &flags.data)]
        {
            if let Some(written) = given {
                self.set(path, Value::Text(written.clone()), Origin::Flag(flag));
            }
        }
    }

    fn set(&mut self, path: &'static str, value: Value, origin: Origin) {
        self.values.insert(path, (value, origin));
    }

    pub fn all(&self) -> impl Iterator<Item = (&'static Key, &Value, &Origin)> {
        KEYS.iter().filter_map(|key| self.values.get(key.path).map(|(value, origin)| (key, value, origin)))
    }

    pub fn vault(&self) -> Result<PathBuf> {
        match self.text("vault.path") {
            "" => Err(Error::invalid("no vault is named: `vault.path` is empty").hint(
                "name it with --vault or VAULT_PATH, or for good with `wellread config set vault.path DIR`",
            )),
            path => platform::expand(path),
        }
    }

    /// The data folder of this vault: one sub-folder each, never inside the vault.
    pub fn data(&self) -> Result<PathBuf> {
        let vault = platform::settled(&self.vault()?);
        let base = match self.text("data.path") {
            "" => platform::data_folder()?,
            path => platform::expand(path)?,
        };
        let base = platform::settled(&base);
        if base.starts_with(&vault) {
            return Err(Error::refused(format!("the data folder `{}` is inside the vault", base.display()))
                .hint("choose another with --data or `wellread config set data.path DIR`"));
        }
        let name = vault.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let hash = wellread_core::corpus::Hash::of(vault.as_os_str().as_encoded_bytes()).to_string();
        Ok(base.join("vaults").join(format!("{name}-{}", &hash[..12])))
    }

    pub fn excluded(&self) -> Vec<String> {
        let mut excluded: Vec<String> = wellread_core::corpus::DEFAULT_EXCLUDED.map(str::to_owned).to_vec();
        if let Some((Value::List(more), _)) = self.values.get("vault.excluded") {
            excluded.extend(more.iter().cloned());
        }
        excluded.sort();
        excluded.dedup();
        excluded
    }

    pub fn daily_notes(&self) -> &str {
        self.text("vault.daily_notes")
    }

    pub fn log_level(&self) -> &str {
        self.text("log.level")
    }

    fn text(&self, path: &str) -> &str {
        match self.values.get(path) {
            Some((Value::Text(text), _)) => text,
            _ => "",
        }
    }
}

/// The settings file: by flag, by `WELLREAD_CONFIG`, or in the platform's folder.
pub fn file_path(flags: &Flags) -> Result<PathBuf> {
    named_file(flags)?.map_or_else(platform::config_file, Ok)
}

fn named_file(flags: &Flags) -> Result<Option<PathBuf>> {
    match &flags.config {
        Some(path) => Ok(Some(path.clone())),
        None => variable("WELLREAD_CONFIG")?.map(|path| platform::expand(&path)).transpose(),
    }
}

/// A variable's value; one that is empty is not set.
fn variable(name: &str) -> Result<Option<String>> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Error::invalid(format!("the variable {name} is not Unicode")))
        }
    }
}
