//! What is looked at before a setting is written: whether its value can work. The shape of a value is checked where it is parsed.

use std::path::Path;

use wellread_core::domain::corpus::{DEFAULT_EXCLUDED, PathRules};
use wellread_core::library::judge::parse_folder_setting;
use wellread_core::{Error, ErrorKind, Result};

use super::{Config, Flags, Origin, SettingKey, SettingShape, SettingValue};
use crate::platform;
use crate::wiring::addresses::is_local_endpoint;

/// Settings that name a folder in the vault.
const FOLDERS_OF_THE_VAULT: [&str; 4] =
    ["vault.attachments", "vault.daily_notes", "vault.fleeting_folder", "research.fleeting_folder"];

impl Config {
    /// Checks a value before it is written. `Err` if it can never work; otherwise what the user should know about it.
    pub fn check_change(flags: &Flags, key: &'static SettingKey, new: &SettingValue) -> Result<Vec<String>> {
        Self::check_changes(flags, &[(key, new.clone())])
    }

    /// Checks values that are written together, each alone and all of them with what is set already.
    pub fn check_changes(flags: &Flags, new: &[(&'static SettingKey, SettingValue)]) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for (key, value) in new {
            notes.extend(key.check_value(value)?);
        }
        // Settings that can't be read may be what these values repair.
        let Ok(mut config) = Self::load_for_change(flags) else { return Ok(notes) };
        // What was wrong before is not the fault of these values.
        let was_fine = config.check_sections().is_ok();
        for (key, value) in new {
            config.insert(key, value.clone(), Origin::Default);
        }
        config.layout()?;
        if was_fine {
            config.check_sections()?;
        }
        if new.iter().any(|(key, _)| ["vault.path", "data.path"].contains(&&*key.path)) {
            match config.data_folder() {
                Err(error) if error.kind() == ErrorKind::Refused => return Err(error),
                _ => {}
            }
        }
        Ok(notes)
    }

    /// Whether the sections can be read that a server needs to start.
    fn check_sections(&self) -> Result<()> {
        self.web(false)?;
        self.database()?;
        self.server()?;
        self.chat()?;
        self.mcp().map(|_| ())
    }
}

impl SettingKey {
    fn check_value(&self, value: &SettingValue) -> Result<Vec<String>> {
        match value {
            SettingValue::Text(path) if self.shape == SettingShape::Folder && !path.is_empty() => {
                self.check_path(&platform::expand_home(path)?)
            }
            SettingValue::Text(folder)
                if FOLDERS_OF_THE_VAULT.contains(&&*self.path) && !folder.is_empty() =>
            {
                let rules = PathRules::new(Vec::<String>::new(), &DEFAULT_EXCLUDED.map(str::to_owned));
                parse_folder_setting(&rules, folder).map_err(|error| self.cannot_be(error.message()))?;
                Ok(Vec::new())
            }
            SettingValue::Text(address) if self.is_endpoint() && !address.is_empty() => {
                is_local_endpoint(address).map_err(|error| self.cannot_be(error.message()))?;
                Ok(Vec::new())
            }
            SettingValue::Secret(written) => {
                let found = written.reveal(&self.path);
                Ok(found.err().map(|error| error.message().to_owned()).into_iter().collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Whether it names the address of a service.
    pub(super) fn is_endpoint(&self) -> bool {
        self.path.ends_with(".base_url") || self.path.ends_with("_endpoint")
    }

    /// A folder that is not there may be on a disk that is not, and data is put where there is nothing yet.
    fn check_path(&self, path: &Path) -> Result<Vec<String>> {
        let is_folder = self.path == "vault.path" || self.path == "data.path";
        if is_folder && path.exists() && !path.is_dir() {
            return Err(self.cannot_be(&format!("`{}` is not a folder", path.display())));
        }
        let what = if is_folder { "folder" } else { "file or folder" };
        let is_made = self.path == "data.path";
        let note =
            (!is_made && !path.exists()).then(|| format!("there is no {what} `{}` now", path.display()));
        Ok(note.into_iter().collect())
    }

    fn cannot_be(&self, why: &str) -> Error {
        Error::invalid(format!("the setting `{}` was not changed: {why}", self.path))
    }
}
