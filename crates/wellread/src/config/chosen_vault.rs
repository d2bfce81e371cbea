//! Which vault the settings are for, and what counts in it.
//!
//! The rules of a named vault hold however it is opened: by its name or by its folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wellread_core::{Error, Result};

use super::key::similarity;
use super::vaults::VaultSetting;
use super::{Config, Origin, SettingKey, SettingValue, repos, vault};
use crate::platform;

/// The vault that `vault.path` names by its folder, where there are named ones besides.
pub const UNNAMED: &str = "default";

/// The vault that settings are for, where it has a name, and what counts in it in place of the rest.
#[derive(Debug, Clone)]
pub struct ChosenVault {
    pub name: String,
    pub values: BTreeMap<String, (SettingValue, Origin)>,
}

impl Config {
    /// The named vaults, in the order of the settings file.
    pub fn vaults(&self) -> &[VaultSetting] {
        self.get(&vault::VAULTS)
    }

    /// The name of the vault that these settings are for.
    pub fn vault_name(&self) -> &str {
        self.chosen.as_ref().map_or(UNNAMED, |vault| &vault.name)
    }

    /// The vaults that a server serves, each by its settings; its own vault comes first. One alone where a flag or a variable
    /// names it, or where none has a name.
    pub fn served_vaults(&self) -> Result<Vec<Self>> {
        let path = self.values.get(vault::VAULT_PATH.path());
        let one_alone = matches!(path, Some((_, Origin::Flag(_) | Origin::Environment(_))));
        let others = self.vaults().iter().filter(|vault| !one_alone && !vault.is_called(self.vault_name()));
        let others = others.map(|vault| self.for_vault(vault)).collect::<Result<Vec<_>>>()?;
        Ok([vec![self.clone()], others].concat())
    }

    /// What names these vaults to a server that is started later, wherever it is started: the folder of one, and nothing where
    /// several are served, since the settings name them.
    pub fn vault_arguments(&self) -> Result<Vec<String>> {
        let vault = platform::canonicalize_existing(&self.vault()?);
        if !vault.is_dir() {
            return Err(Error::not_found(format!("there is no vault at `{}`", vault.display()))
                .hint("`wellread init` finds your vault; or name it with `--vault DIR`"));
        }
        if self.served_vaults()?.len() > 1 {
            return match self.origin(&vault::VAULTS).variable() {
                Some(variable) => {
                    Err(Error::refused(format!("the vaults are named by the variable {variable} alone"))
                        .hint("add them with `wellread vault add NAME DIR`, or choose one with `--vault`"))
                }
                None => Ok(Vec::new()),
            };
        }
        let path = vault.to_str();
        let path =
            path.ok_or_else(|| Error::invalid(format!("the path `{}` is not Unicode", vault.display())))?;
        Ok(vec!["--vault".to_owned(), path.to_owned()])
    }

    /// The same settings for another of the named vaults.
    pub fn for_vault(&self, vault: &VaultSetting) -> Result<Self> {
        let mut config = self.clone();
        config.chosen = None;
        let origin = config.origin(&vault::VAULTS).clone();
        config.put_vault(vault, origin)?;
        Ok(config)
    }

    /// Chooses the vault that is named by its name or by its folder; the first of them where nothing names one.
    pub(super) fn choose_vault(&mut self) -> Result<()> {
        let written = self.get(&vault::VAULT_PATH).to_owned();
        let by_name = self.vaults().iter().find(|vault| vault.is_called(&written)).cloned();
        let chosen = match by_name {
            Some(named) => Some(named),
            None if !self.vaults().is_empty() && !self.is_vault_set() => self.vaults().first().cloned(),
            None => self.vault_at(&written)?,
        };
        self.check_vaults()?;
        match chosen {
            Some(vault) => {
                let is_set = self.is_vault_set();
                let origin =
                    if is_set { self.origin(&vault::VAULT_PATH) } else { self.origin(&vault::VAULTS) };
                self.put_vault(&vault, origin.clone())
            }
            None => Ok(()),
        }
    }

    /// The named vault in a folder.
    fn vault_at(&self, folder: &str) -> Result<Option<VaultSetting>> {
        if self.vaults().is_empty() || folder.is_empty() {
            return Ok(None);
        }
        let folder = platform::canonicalize_existing(&platform::expand_home(folder)?);
        for vault in self.vaults() {
            if vault.folder()? == folder {
                return Ok(Some(vault.clone()));
            }
        }
        Ok(None)
    }

    fn put_vault(&mut self, vault: &VaultSetting, origin: Origin) -> Result<()> {
        let path = SettingValue::Text(vault.path.to_string_lossy().into_owned());
        let mut values = BTreeMap::from([(vault::VAULT_PATH.path().to_owned(), (path, origin))]);
        let of_file = self.origin(&vault::VAULTS).clone();
        // A variable comes before the file, here as everywhere.
        let is_free = |config: &Self, key: &str| {
            !matches!(config.values.get(key), Some((_, Origin::Environment(_) | Origin::Flag(_))))
        };
        for (field, value) in &vault.own {
            let key = format!("vault.{field}");
            if is_free(self, &key) {
                values.insert(key, (value.clone(), of_file.clone()));
            }
        }
        let key = vault::REPOS.path().to_owned();
        if !vault.repos.is_empty() && is_free(self, &key) {
            let all = [self.get(&vault::REPOS), &vault.repos].concat();
            values.insert(key, (SettingValue::Repos(repos::require_unique(all)?), of_file));
        }
        self.chosen = Some(ChosenVault { name: vault.name.clone(), values });
        Ok(())
    }

    /// Returns an error if a vault is in another: what is private in the one would be shown by the other.
    fn check_vaults(&self) -> Result<()> {
        let mut folders: Vec<(String, PathBuf)> = Vec::new();
        let now = self.values.get(vault::VAULT_PATH.path());
        let now = now.filter(|(_, origin)| *origin != Origin::Default).map(|(path, _)| path.render_plain());
        for written in now.iter().chain(&self.path_in_file) {
            let Some(folder) = self.unnamed_folder(written)? else { continue };
            // Private folders are those of the file's vault, and mean nothing from above or below it.
            if let Some((_, now)) = folders.first()
                && !self.private_folders().is_empty()
                && folder != *now
                && (platform::is_within(&folder, now) || platform::is_within(now, &folder))
            {
                return Err(Error::refused(format!(
                    "`{}` shares files with the vault of the settings, `{}`: what is private there would be shown",
                    now.display(),
                    folder.display()
                ))
                .hint("open that one, or a folder outside of it"));
            }
            folders.push((UNNAMED.to_owned(), folder));
        }
        for vault in self.vaults() {
            let folder = vault.folder()?;
            for (name, other) in &folders {
                if platform::is_within(&folder, other) || platform::is_within(other, &folder) {
                    return Err(overlap_error((&vault.name, &folder), (name, other)));
                }
            }
            folders.push((vault.name.clone(), folder));
        }
        Ok(())
    }

    /// The folder that `vault.path` means where it is written so, unless that is a vault with a name.
    fn unnamed_folder(&self, written: &str) -> Result<Option<PathBuf>> {
        if written.is_empty() || self.vaults().iter().any(|vault| vault.is_called(written)) {
            return Ok(None);
        }
        let is_named = self.vault_at(written)?.is_some();
        let folder = platform::canonicalize_existing(&platform::expand_home(written)?);
        Ok((!is_named).then_some(folder))
    }

    /// Every vault that the settings know, by its settings: this one, those with names, and the one of the settings file where a
    /// flag or a variable names another.
    pub fn known_vaults(&self) -> Result<Vec<Self>> {
        let mut known = vec![self.clone()];
        for vault in self.vaults().iter().filter(|vault| !vault.is_called(self.vault_name())) {
            known.push(self.for_vault(vault)?);
        }
        let own = platform::canonicalize_existing(&self.vault()?);
        if let Some(written) = &self.path_in_file
            && let Some(folder) = self.unnamed_folder(written)?
            && folder != own
        {
            let mut config = self.clone();
            config.chosen = None;
            let origin = self.file.clone().map_or(Origin::Default, Origin::File);
            config.set(&vault::VAULT_PATH, written.clone(), origin);
            known.push(config);
        }
        Ok(known)
    }

    /// Keeps in mind which vault the settings file names.
    pub(super) fn note_path_in_file(&mut self) {
        if self.is_vault_set() {
            self.path_in_file = Some(self.get(&vault::VAULT_PATH).to_owned());
        }
    }

    /// Vaults that a variable lists have the rules that the settings file has for them.
    pub(super) fn keep_vault_rules(&self, value: SettingValue) -> Result<SettingValue> {
        let SettingValue::Vaults(mut listed) = value else { return Ok(value) };
        for vault in &mut listed {
            for known in self.vaults() {
                if known.is_called(&vault.name) || known.folder()? == vault.folder()? {
                    vault.own.clone_from(&known.own);
                    vault.repos.clone_from(&known.repos);
                }
            }
        }
        Ok(SettingValue::Vaults(listed))
    }

    /// Returns an error if a vault can't be used, whichever is opened later: what is private in it must be known.
    pub(super) fn check_each_vault(&self) -> Result<()> {
        for vault in self.vaults() {
            let checked = self.for_vault(vault).and_then(|config| config.layout().map(|_| ()));
            checked.map_err(|error| {
                let message = format!("in the vault `{}`: {}", vault.name, error.message());
                Error::invalid(message).hint(error.hint_text().unwrap_or(
                    "what the section `vault` sets counts in every vault that does not set it itself",
                ))
            })?;
        }
        Ok(())
    }

    /// Returns an error if these settings of a file can't be used together.
    pub(super) fn check_file(values: Vec<(&'static SettingKey, SettingValue)>, path: &Path) -> Result<()> {
        let mut config = Self::defaults()?;
        for (key, value) in values {
            config.insert(key, value, Origin::File(path.to_owned()));
        }
        if config.vaults().is_empty() {
            return Ok(());
        }
        config.note_path_in_file();
        config.choose_vault()?;
        config.check_each_vault()
    }

    /// Returns an error if a vault can't be added to those that there are.
    pub fn check_new_vault(&self, vault: &VaultSetting) -> Result<()> {
        if self.vaults().iter().any(|known| known.is_called(&vault.name)) {
            return Err(Error::conflict(format!("there is a vault `{}` already", vault.name))
                .hint("choose another name, or remove it first with `wellread vault remove`"));
        }
        let mut config = self.clone();
        let vaults = [self.vaults(), std::slice::from_ref(vault)].concat();
        config.set(&vault::VAULTS, vaults, Origin::Default);
        config.check_vaults()
    }

    /// The name of the vault that a flag names by its name.
    pub fn named_by_flag(&self, flag: Option<&str>) -> Option<&str> {
        let chosen = self.chosen.as_ref()?;
        flag.filter(|flag| chosen.name.eq_ignore_ascii_case(flag)).map(|_| chosen.name.as_str())
    }

    /// The vault of that name.
    pub fn find_vault(&self, name: &str) -> Result<&VaultSetting> {
        self.vaults().iter().find(|vault| vault.is_called(name)).ok_or_else(|| {
            let error = Error::not_found(format!("there is no vault `{name}`"));
            let near = self.vaults().iter().max_by_key(|vault| similarity(&vault.name, name));
            match near.filter(|vault| similarity(&vault.name, name) > 600) {
                Some(near) => error.hint(format!("did you mean `{}`?", near.name)),
                None => error.hint("`wellread vault list` shows all of them"),
            }
        })
    }
}

fn overlap_error((one, folder): (&str, &Path), (other, of_other): (&str, &Path)) -> Error {
    let (inner, outer) = if platform::is_within(folder, of_other) { (one, other) } else { (other, one) };
    let message = if folder == of_other {
        format!("the vaults `{one}` and `{other}` are the same folder, `{}`", folder.display())
    } else {
        format!(
            "the vault `{inner}` is inside the vault `{outer}`: what is private in one would be shown by the other"
        )
    };
    Error::invalid(message)
        .hint("give each vault a folder of its own, or remove one with `wellread vault remove NAME`")
}
