//! Settings: compiled-in defaults < file < environment < flags, each value with where it came from.
//!
//! A key is declared once, in [`KEYS`]; its default stands in `defaults.toml`. Nothing in a vault changes a setting.

mod chat;
mod code;
mod embedding;
mod file;
mod keys;
mod model;
mod repos;
mod research;
mod search;
mod secret;
mod server;
mod speech;
mod telemetry;
mod web;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[allow(unused_imports, reason = "for whoever makes vectors")]
pub use embedding::{EmbeddingProvider, EmbeddingSettings};
pub use file::{not_settable, set};
pub use keys::{KEYS, SettingKey, SettingShape, SettingValue};
pub use model::{ModelProvider, ModelSettings};
pub use repos::{RepoSetting, nearest as nearest_repo};
pub use search::SearchService;
pub use secret::Secret;
pub use telemetry::TelemetrySettings;
use wellread_core::library::vault::VaultLayout;
use wellread_core::{Error, Result};

use self::keys::parse_rust_log;
use self::secret::WrittenSecret;
use crate::platform;

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

/// The merged settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The settings file, there or not; none where there is no home folder to look for it in.
    pub file: Option<PathBuf>,
    values: BTreeMap<&'static str, (SettingValue, Origin)>,
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
        Self::load_merged(flags, explicit_file(flags)?.is_some())
    }

    /// The same for a command that makes the settings file where there is none.
    pub fn load_for_change(flags: &Flags) -> Result<Self> {
        Self::load_merged(flags, false)
    }

    fn load_merged(flags: &Flags, must_exist: bool) -> Result<Self> {
        let mut config = Self::defaults()?;
        config.file = explicit_file(flags)?.or_else(|| platform::config_file().ok());
        if let Some(file) = config.file.clone() {
            for (key, value) in file::read(&file, must_exist)? {
                config.set(key.path, value, Origin::File(file.clone()));
            }
        }
        config.apply_environment()?;
        config.apply_flags(flags);
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

    /// The same with these codebases.
    #[must_use]
    pub fn with_repos(mut self, repos: Vec<RepoSetting>) -> Self {
        self.set("repos", SettingValue::Repos(repos), Origin::Default);
        self
    }

    fn defaults() -> Result<Self> {
        let mut config = Self { file: None, values: BTreeMap::new() };
        for (key, value) in file::parse(DEFAULTS, Path::new("defaults.toml"))? {
            config.set(key.path, value, Origin::Default);
        }
        Ok(config)
    }

    fn apply_environment(&mut self) -> Result<()> {
        for key in KEYS {
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
                    self.set(key.path, value, Origin::Environment(name.to_owned()));
                }
            }
        }
        Ok(())
    }

    fn apply_flags(&mut self, flags: &Flags) {
        for (path, flag, given) in
            [("vault.path", "--vault", &flags.vault), ("data.path", "--data", &flags.data)]
        {
            if let Some(written) = given {
                self.set(path, SettingValue::Text(written.clone()), Origin::Flag(flag));
            }
        }
    }

    fn set(&mut self, path: &'static str, value: SettingValue, origin: Origin) {
        self.values.insert(path, (value, origin));
    }

    pub fn entries(&self) -> impl Iterator<Item = (&'static SettingKey, &SettingValue, &Origin)> {
        KEYS.iter().filter_map(|key| self.values.get(key.path).map(|(value, origin)| (key, value, origin)))
    }

    pub fn vault(&self) -> Result<PathBuf> {
        match self.text("vault.path") {
            "" => Err(Error::invalid("no vault is named: `vault.path` is empty").hint(
                "name it with --vault or VAULT_PATH, or for good with `wellread config set vault.path DIR`",
            )),
            path => platform::expand_home(path),
        }
    }

    /// The data folder of this vault: one sub-folder each, never inside the vault.
    pub fn data_folder(&self) -> Result<PathBuf> {
        let vault = platform::canonicalize_existing(&self.vault()?);
        let base = self.shared_data_folder()?;
        if base.starts_with(&vault) {
            return Err(Error::refused(format!("the data folder `{}` is inside the vault", base.display()))
                .hint("choose another with --data or `wellread config set data.path DIR`"));
        }
        let name = vault.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let hash =
            wellread_core::domain::corpus::Hash::compute(vault.as_os_str().as_encoded_bytes()).to_string();
        Ok(base.join("vaults").join(format!("{name}-{}", &hash[..12])))
    }

    /// The data folder of all vaults together.
    pub fn shared_data_folder(&self) -> Result<PathBuf> {
        let base = match self.text("data.path") {
            "" => platform::data_folder()?,
            path => platform::expand_home(path)?,
        };
        Ok(platform::canonicalize_existing(&base))
    }

    pub fn excluded_paths(&self) -> Vec<String> {
        let mut excluded: Vec<String> =
            wellread_core::domain::corpus::DEFAULT_EXCLUDED.map(str::to_owned).to_vec();
        excluded.extend(self.list("vault.excluded"));
        excluded.sort();
        excluded.dedup();
        excluded
    }

    /// Where the vault's own few notes stand, and whose words are in which folder.
    pub fn layout(&self) -> VaultLayout {
        VaultLayout {
            daily_notes: self.text("vault.daily_notes").to_owned(),
            attachments: self.text("vault.attachments").to_owned(),
            clippings: self.list("vault.clippings"),
            private_folders: self.list("vault.private_folders"),
            private_tags: self.list("vault.private_tags"),
            ..VaultLayout::default()
        }
    }

    /// The codebases beside the vault. Whether their folders exist is not looked at.
    pub fn repos(&self) -> Result<Vec<RepoSetting>> {
        let Some(SettingValue::Repos(repos)) = self.value("repos") else { return Ok(Vec::new()) };
        let expanded = |repo: &RepoSetting| {
            let path = platform::expand_home(&repo.path.to_string_lossy())?;
            Ok(RepoSetting { name: repo.name.clone(), path })
        };
        repos.iter().map(expanded).collect()
    }

    /// How often everything is looked at anew, whatever was heard of changes. Zero is never.
    pub fn rescan_interval(&self) -> Duration {
        Duration::from_secs(self.number("index.interval_minutes") * 60)
    }

    pub fn log_level(&self) -> &str {
        self.text("log.level")
    }

    fn text(&self, path: &str) -> &str {
        match self.value(path) {
            Some(SettingValue::Text(text)) => text,
            _ => "",
        }
    }

    fn list(&self, path: &str) -> Vec<String> {
        match self.value(path) {
            Some(SettingValue::List(items)) => items.clone(),
            _ => Vec::new(),
        }
    }

    fn number(&self, path: &str) -> u64 {
        match self.value(path) {
            Some(SettingValue::Number(number)) => *number,
            _ => 0,
        }
    }

    fn commands(&self, path: &str) -> code::LanguageCommands {
        match self.value(path) {
            Some(SettingValue::Commands(commands)) => commands.clone(),
            _ => code::LanguageCommands::default(),
        }
    }

    fn written_secret(&self, path: &str) -> WrittenSecret {
        match self.value(path) {
            Some(SettingValue::Secret(written)) => written.clone(),
            _ => WrittenSecret::new(""),
        }
    }

    fn value(&self, path: &str) -> Option<&SettingValue> {
        self.values.get(path).map(|(value, _)| value)
    }

    fn origin(&self, path: &str) -> &Origin {
        self.values.get(path).map_or(&Origin::Default, |(_, origin)| origin)
    }
}

/// Writes a further repository to the settings file.
pub fn add_repo(file: &Path, repo: &RepoSetting) -> Result<()> {
    file::change(file, |document| repos::add(document, repo))
}

/// Takes a repository out of the settings file. No where the file has none of that name.
pub fn remove_repo(file: &Path, name: &str) -> Result<bool> {
    file::change(file, |document| repos::remove(document, name))
}

/// The settings file: by flag, by `WELLREAD_CONFIG`, or in the platform's folder.
pub fn file_path(flags: &Flags) -> Result<PathBuf> {
    explicit_file(flags)?.map_or_else(platform::config_file, Ok)
}

fn explicit_file(flags: &Flags) -> Result<Option<PathBuf>> {
    match &flags.config {
        Some(path) => Ok(Some(path.clone())),
        None => read_variable("WELLREAD_CONFIG")?.map(|path| platform::expand_home(&path)).transpose(),
    }
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
