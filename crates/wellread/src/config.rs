//! Settings: compiled-in defaults < file < environment < flags, each value with where it came from.
//!
//! A setting is declared once, in the file of its section (see [`key`]); its default stands in `defaults.toml`. Outside this
//! module a section is read as a whole, by its method of [`Config`]. Nothing in a vault changes a setting.

mod changes;
mod chat;
mod checks;
mod chosen_vault;
mod code;
mod database;
mod embedding;
mod file;
mod gate;
mod key;
mod kinds;
mod mcp;
mod model;
mod okf;
mod page_access;
mod public_address;
mod repos;
mod research;
mod search;
mod secret;
mod server;
#[cfg(test)]
mod settings_page;
mod speech;
mod telemetry;
mod value;
mod vault;
mod vaults;
mod web;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

pub use changes::{SettingChange, WrittenValue, find_override, set_setting, unset_setting};
pub use code::find_language;
pub use database::DatabaseSettings;
pub use embedding::{EmbeddingProvider, EmbeddingSettings};
pub use file::{not_settable, read_file, replace_text, set_all};
pub use key::{SettingKey, all_settings as list_settings};
pub use mcp::{McpSettings, ToolSet};
pub use model::{HostedModel, ModelProvider, ModelSettings, hosted_models};
pub use public_address::{PublicAddress, is_loopback};
pub use repos::{RepoSetting, nearest as nearest_repo};
pub use search::SearchService;
pub use secret::Secret;
pub use telemetry::TelemetrySettings;
pub use value::{SettingShape, SettingValue};
pub use vaults::VaultSetting;
use wellread_core::{Error, Result};

use self::chosen_vault::ChosenVault;
use self::key::{Key, all_settings};
use self::kinds::SettingKind;
use self::value::parse_rust_log;
use crate::platform;
pub use crate::telemetry::LEVELS as LOG_LEVELS;

const DEFAULTS: &str = include_str!("config/defaults.toml");

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

impl Origin {
    /// The variable, if it came from one.
    pub fn variable(&self) -> Option<&str> {
        match self {
            Self::Environment(name) => Some(name),
            _ => None,
        }
    }
}

/// The merged settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The settings file, there or not; none where there is no home folder to look for it in.
    pub file: Option<PathBuf>,
    flags: Flags,
    values: BTreeMap<Cow<'static, str>, (SettingValue, Origin)>,
    /// The vault that these are for, where it has a name.
    chosen: Option<ChosenVault>,
    /// What `vault.path` is in the settings file, whatever a variable or a flag says.
    path_in_file: Option<String>,
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
        let config = Self::load_merged(flags, explicit_file(flags)?.is_some())?;
        config.layout()?;
        config.check_each_vault()?;
        Ok(config)
    }

    /// Loads the settings for a command that makes the settings file where there is none.
    pub fn load_for_change(flags: &Flags) -> Result<Self> {
        Self::load_merged(flags, false)
    }

    fn load_merged(flags: &Flags, must_exist: bool) -> Result<Self> {
        let mut config = Self::defaults()?;
        config.flags = flags.clone();
        config.file = explicit_file(flags)?.or_else(|| platform::config_file().ok());
        if let Some(file) = config.file.clone() {
            for (key, value) in file::read(&file, must_exist)? {
                config.insert(key, value, Origin::File(file.clone()));
            }
        }
        config.note_path_in_file();
        config.apply_environment()?;
        config.apply_flags(flags);
        config.choose_vault()?;
        config.choose_model()?;
        config.choose_search();
        Ok(config)
    }

    /// The defaults and the flags alone, whatever the user has set up.
    pub fn from_flags(flags: &Flags) -> Result<Self> {
        let mut config = Self::defaults()?;
        config.apply_flags(flags);
        Ok(config)
    }

    /// Replaces the codebases.
    #[must_use]
    pub fn with_repos(mut self, repos: Vec<RepoSetting>) -> Self {
        self.set(&vault::REPOS, repos, Origin::Default);
        self
    }

    /// The compiled-in defaults alone.
    pub fn defaults() -> Result<Self> {
        let mut config = Self {
            file: None,
            flags: Flags::default(),
            values: BTreeMap::new(),
            chosen: None,
            path_in_file: None,
        };
        for (key, value) in file::parse(DEFAULTS, Path::new("defaults.toml"))? {
            config.insert(key, value, Origin::Default);
        }
        // What is not written there is empty, where it can be.
        for key in all_settings() {
            if !config.values.contains_key(&key.path) {
                config.insert(key, key.parse("")?, Origin::Default);
            }
        }
        Ok(config)
    }

    fn apply_environment(&mut self) -> Result<()> {
        for key in all_settings() {
            let own = key.variable_name();
            for name in key.also.iter().copied().chain([own.as_str()]) {
                let Some(written) = read_variable(name)? else { continue };
                let value = match name {
                    "RUST_LOG" => parse_rust_log(&written).map(SettingValue::Text),
                    _ => Some(key.parse(&written).map_err(|error| {
                        let hint = error.hint_text().unwrap_or_default().to_owned();
                        let named = Error::invalid(format!("{}, in the variable {name}", error.message()));
                        if hint.is_empty() { named } else { named.hint(hint) }
                    })?),
                };
                if let Some(value) = value {
                    let value = self.keep_vault_rules(value)?;
                    self.insert(key, value, Origin::Environment(name.to_owned()));
                }
            }
        }
        Ok(())
    }

    fn apply_flags(&mut self, flags: &Flags) {
        if let Some(written) = &flags.vault {
            self.set(&vault::VAULT_PATH, written.clone(), Origin::Flag("--vault"));
        }
        if let Some(written) = &flags.data {
            self.set(&vault::DATA_PATH, written.clone(), Origin::Flag("--data"));
        }
    }

    fn insert(&mut self, key: &SettingKey, value: SettingValue, origin: Origin) {
        self.forget_chosen(&key.path);
        self.values.insert(key.path.clone(), (value, origin));
    }

    fn set<K: SettingKind>(&mut self, key: &Key<K>, value: K::Stored, origin: Origin) {
        self.forget_chosen(key.path());
        self.values.insert(key.path().to_owned().into(), (K::store(value), origin));
    }

    fn get<K: SettingKind>(&self, key: &Key<K>) -> K::Value<'_> {
        self.find_value(key.path()).and_then(|(value, _)| K::read(value)).unwrap_or_default()
    }

    /// What counts for a setting: what the chosen vault says for itself, or else what is said for all.
    fn find_value(&self, path: &str) -> Option<&(SettingValue, Origin)> {
        let own = self.chosen.as_ref().and_then(|vault| vault.values.get(path));
        own.or_else(|| self.values.get(path))
    }

    fn forget_chosen(&mut self, path: &str) {
        if let Some(vault) = &mut self.chosen {
            vault.values.remove(path);
        }
    }

    pub fn entries(&self) -> impl Iterator<Item = (&'static SettingKey, &SettingValue, &Origin)> {
        all_settings()
            .iter()
            .filter_map(|key| self.find_value(&key.path).map(|(value, origin)| (key, value, origin)))
    }

    /// A setting's value, and where it came from.
    pub fn entry(&self, key: &SettingKey) -> Option<(&SettingValue, &Origin)> {
        self.find_value(&key.path).map(|(value, origin)| (value, origin))
    }

    fn origin<K>(&self, key: &Key<K>) -> &Origin {
        self.find_value(key.path()).map_or(&Origin::Default, |(_, origin)| origin)
    }
}

/// Writes a further repository to the settings file: for a named vault alone, or for all vaults.
pub fn add_repo(file: &Path, repo: &RepoSetting, vault: Option<&str>) -> Result<()> {
    file::change(file, |document| match vault {
        Some(name) => repos::add(vaults::table_mut(document, name)?, repo),
        None => repos::add(document.as_table_mut(), repo),
    })
}

/// Takes a repository out of the settings file: the one of a named vault, or else the one of all. No where the file has none of
/// that name.
pub fn remove_repo(file: &Path, name: &str, vault: Option<&str>) -> Result<bool> {
    file::change(file, |document| {
        let own = vault.and_then(|vault| vaults::table_mut(document, vault).ok());
        let is_removed = own.map(|own| repos::remove(own, name)).transpose()?;
        if is_removed == Some(true) { Ok(true) } else { repos::remove(document.as_table_mut(), name) }
    })
}

/// Writes a further named vault to the settings file.
pub fn add_vault(file: &Path, vault: &VaultSetting) -> Result<()> {
    file::change(file, |document| vaults::add(document, vault))
}

/// Takes a named vault out of the settings file, also if it has rules of its own where that is meant. No where the file has none of
/// that name.
pub fn remove_vault(file: &Path, name: &str, with_rules: bool) -> Result<bool> {
    file::change(file, |document| vaults::remove(document, name, with_rules))
}

/// The settings file: by flag, by `WELLREAD_CONFIG`, or in the platform's folder.
pub fn file_path(flags: &Flags) -> Result<PathBuf> {
    explicit_file(flags)?.map_or_else(platform::config_file, Ok)
}

/// The settings file that a flag or `WELLREAD_CONFIG` names.
pub fn explicit_file(flags: &Flags) -> Result<Option<PathBuf>> {
    match &flags.config {
        Some(path) => Ok(Some(path.clone())),
        None => read_variable("WELLREAD_CONFIG")?.map(|path| platform::expand_home(&path)).transpose(),
    }
}

/// Whether the user has set anything up: there is a settings file, or a variable names the vault.
pub fn has_settings() -> bool {
    let named = ["VAULT_PATH", "WELLREAD_VAULT_PATH", "WELLREAD_CONFIG"];
    named.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
        || platform::config_file().is_ok_and(|file| file.exists())
}

fn non_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// A variable's value; one that is empty is not set.
fn read_variable(name: &str) -> Result<Option<String>> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Error::invalid(format!("the variable {name} is not Unicode")))
        }
    }
}
