//! Changes one setting of the settings file, for the command line and the page alike: what is written was checked before, and what
//! still hides it is said.

use std::path::{Path, PathBuf};

use wellread_core::{Error, Result};

use super::{Config, Flags, Origin, SettingKey, SettingShape, SettingValue, file, file_path};
use crate::platform;

/// A value as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenValue {
    /// As on the command line, where commas separate the items of a list.
    Text(String),
    /// Items that may have commas in them.
    Items(Vec<String>),
}

/// What became of a setting.
#[derive(Debug)]
pub struct SettingChange {
    /// What was written; nothing where the setting was removed.
    pub value: Option<SettingValue>,
    pub file: PathBuf,
    /// Whether the file had the setting before it was removed.
    pub was_set: bool,
    /// What the user should know about the value.
    pub notes: Vec<String>,
    /// What counts instead of it, and where that comes from.
    pub hidden_by: Option<(SettingValue, Origin)>,
}

/// Writes a setting to the settings file.
pub fn set_setting(flags: &Flags, key: &'static SettingKey, written: &WrittenValue) -> Result<SettingChange> {
    let value = match written {
        // A vault may be named by its name.
        WrittenValue::Text(name) if key.path == "vault.path" && is_vault_name(flags, name) => {
            key.parse(name)?
        }
        _ => key.parse_written(written)?,
    };
    let file = file_path(flags)?;
    let notes = Config::check_change(flags, key, &value)?;
    file::set(&file, &key.in_vault(flags)?, &value)?;
    let hidden_by = find_override(flags, key, Some(&value))?;
    Ok(SettingChange { value: Some(value), file, was_set: false, notes, hidden_by })
}

/// Removes a setting from the settings file, so that its default counts again.
pub fn unset_setting(flags: &Flags, key: &'static SettingKey) -> Result<SettingChange> {
    let file = file_path(flags)?;
    let was_set = file::unset(&file, &key.in_vault(flags)?)?;
    let hidden_by = find_override(flags, key, None)?;
    Ok(SettingChange { value: None, file, was_set, notes: Vec::new(), hidden_by })
}

/// What the file says must be what counts, or an older name or a variable hides it: then the value that does.
pub fn find_override(
    flags: &Flags,
    key: &SettingKey,
    new: Option<&SettingValue>,
) -> Result<Option<(SettingValue, Origin)>> {
    let now = Config::load(flags)?;
    let hidden = now.entries().find(|(known, value, origin)| {
        known.path == key.path && new.map_or(origin.variable().is_some(), |new| **value != *new)
    });
    Ok(hidden.map(|(_, value, origin)| (value.clone(), origin.clone())))
}

impl SettingKey {
    /// The setting as it is written for the vault that the flags name by its name: what is set for one vault changes no other.
    fn in_vault(&self, flags: &Flags) -> Result<Self> {
        let mut key = self.clone();
        if let Some(rule) = self.path.strip_prefix("vault.").filter(|rule| *rule != "path")
            && let Some(name) = Config::load_for_change(flags)?.named_by_flag(flags.vault.as_deref())
        {
            key.path = format!("vaults.{name}.{rule}").into();
        }
        Ok(key)
    }

    /// The value that was written, if it has the setting's shape.
    pub fn parse_written(&self, written: &WrittenValue) -> Result<SettingValue> {
        if matches!(self.shape, SettingShape::Repos | SettingShape::Vaults) {
            return Err(file::not_settable(self));
        }
        match written {
            WrittenValue::Text(text) => self.parse(&absolute_folder(self, text)),
            WrittenValue::Items(items) => {
                let items = items.iter().map(|item| item.trim()).filter(|item| !item.is_empty());
                match self.shape {
                    SettingShape::List => Ok(SettingValue::List(items.map(str::to_owned).collect())),
                    SettingShape::Choices(words) => self.parse_choices(items, words),
                    _ => Err(self.must_be("one value, not a list")),
                }
            }
        }
    }
}

impl Config {
    /// The settings as they would be if the program was started again now.
    pub fn reload(&self) -> Result<Self> {
        self.flags_for_change()?;
        let config = Self::load(&self.flags)?;
        match self.chosen.as_ref().and_then(|chosen| config.find_vault(&chosen.name).ok().cloned()) {
            Some(vault) if !vault.is_called(config.vault_name()) => config.for_vault(&vault),
            _ => Ok(config),
        }
    }

    /// The flags by which these settings are changed in their file: for this vault, if it has a name. There is no file for the
    /// settings of a demo.
    pub fn flags_for_change(&self) -> Result<Flags> {
        let no_file = || {
            Error::refused("these settings come from no file, so they can't be changed")
                .hint("a demo has settings of its own; start `wellread serve` for your own vault")
        };
        self.file.as_ref().ok_or_else(no_file)?;
        let name = self.chosen.as_ref().map(|vault| vault.name.clone());
        Ok(Flags { vault: name.or_else(|| self.flags.vault.clone()), ..self.flags.clone() })
    }
}

fn is_vault_name(flags: &Flags, name: &str) -> bool {
    Config::load_for_change(flags).is_ok_and(|config| config.find_vault(name).is_ok())
}

/// A folder as it is named from anywhere: a relative one is meant from here, and only now.
fn absolute_folder(key: &SettingKey, written: &str) -> String {
    let relative =
        key.shape == SettingShape::Folder && !written.is_empty() && !platform::is_absolute_or_home(written);
    if relative {
        platform::canonicalize_existing(Path::new(written)).display().to_string()
    } else {
        written.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_came_from_no_file_change_none() {
        let demo = Config::from_flags(&Flags::default()).unwrap();
        assert!(demo.flags_for_change().is_err() && demo.reload().is_err());
    }
}
