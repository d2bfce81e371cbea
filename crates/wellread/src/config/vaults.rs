//! Several vaults, each by its name: how they are written in the settings, which one is chosen, and what counts in it.
//!
//! A named vault has its folder, repositories of its own, and what it says for itself in place of the section `vault`. These hold
//! however it is opened: by its name or by its folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TableLike};
use wellread_core::{Error, Result};

use super::key::similarity;
use super::{Config, Origin, RepoSetting, SettingKey, SettingValue, file, repos, vault};
use crate::platform;

/// The vault that `vault.path` names by its folder, where there are named ones besides.
pub const UNNAMED: &str = "default";

const SECTION: &str = "vaults";
const LONGEST_NAME: usize = 64;

/// A vault by its name, which is unique whatever the case of its letters.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct VaultSetting {
    pub name: String,
    pub path: PathBuf,
    /// Codebases of this vault alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repos: Vec<RepoSetting>,
    /// What it sets in place of the section `vault`, by the names there.
    #[serde(flatten)]
    own: BTreeMap<String, SettingValue>,
}

/// The vault that settings are for, where it has a name, and what counts in it in place of the rest.
#[derive(Debug, Clone)]
pub struct ChosenVault {
    pub name: String,
    pub values: BTreeMap<String, (SettingValue, Origin)>,
}

impl VaultSetting {
    pub fn new(name: &str, path: &str) -> Result<Self> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let is_word = name.chars().any(|c| c.is_ascii_alphanumeric());
        if !is_word || name.len() > LONGEST_NAME || !name.chars().all(fits) {
            return Err(Error::invalid(format!("`{name}` is not a valid name for a vault"))
                .hint("a name has up to 64 letters, digits, `-`, `_` and `.`"));
        }
        if name.eq_ignore_ascii_case(UNNAMED) {
            return Err(Error::invalid(format!("a vault can't be called `{name}`"))
                .hint(format!("`{UNNAMED}` stands for the folder in `vault.path`; choose another name")));
        }
        if path.trim().is_empty() {
            return Err(Error::invalid(format!("the vault `{name}` needs a `path`")));
        }
        let path = PathBuf::from(path);
        Ok(Self { name: name.to_owned(), path, repos: Vec::new(), own: BTreeMap::new() })
    }

    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Its folder, as it really is called.
    pub fn folder(&self) -> Result<PathBuf> {
        let written = platform::expand_home(&self.path.to_string_lossy())?;
        Ok(platform::canonicalize_existing(&written))
    }
}

/// `name=path,name2=path2`, as in the environment.
pub fn parse(written: &str) -> Result<Vec<VaultSetting>> {
    let entries = written.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let vaults = entries.map(|entry| match entry.split_once('=') {
        Some((name, path)) => VaultSetting::new(name.trim(), path.trim()),
        None => Err(Error::invalid(format!("`{entry}` has no name")).hint("write it as `name=path`")),
    });
    require_unique(vaults.collect::<Result<_>>()?)
}

/// The tables `[vaults.NAME]`.
pub fn from_item(item: &Item) -> Result<Vec<VaultSetting>> {
    let table = item.as_table_like();
    let table = table.ok_or_else(|| {
        Error::invalid("the setting `vaults` must be a table of vaults, each with a `path`")
            .hint("`wellread vault add NAME DIR` writes one")
    })?;
    require_unique(table.iter().map(|(name, item)| from_table(name, item)).collect::<Result<_>>()?)
}

fn from_table(name: &str, item: &Item) -> Result<VaultSetting> {
    let must_be = |field: &str, what: &str| {
        Error::invalid(format!("the setting `{SECTION}.{name}{field}` must be {what}"))
    };
    let table = item.as_table_like().ok_or_else(|| must_be("", "a table with a `path`"))?;
    let path = table.get("path").map(|path| path.as_str().ok_or_else(|| must_be(".path", "a string")));
    let mut vault = VaultSetting::new(name, path.transpose()?.unwrap_or_default())?;
    for (field, item) in table.iter().filter(|(field, _)| *field != "path") {
        if field == "repos" {
            vault.repos = repos::from_item(item)?;
            continue;
        }
        let full = format!("{SECTION}.{name}.{field}");
        let known = SettingKey::find(&format!("vault.{field}")).map_err(|_| {
            Error::invalid(format!("there is no setting `{full}`"))
                .hint("a vault has `path`, `repos`, and what the section `vault` has")
        })?;
        let key = SettingKey { path: full.into(), ..known.clone() };
        vault.own.insert(field.to_owned(), file::parse_item(&key, item)?);
    }
    Ok(vault)
}

fn require_unique(vaults: Vec<VaultSetting>) -> Result<Vec<VaultSetting>> {
    for (at, vault) in vaults.iter().enumerate() {
        if vaults[..at].iter().any(|other| other.is_called(&vault.name)) {
            return Err(Error::invalid(format!("two vaults are called `{}`", vault.name))
                .hint("names are the same whatever the case of their letters"));
        }
    }
    Ok(vaults)
}

/// Adds one to the settings file.
pub fn add(document: &mut DocumentMut, vault: &VaultSetting) -> Result<()> {
    let path = vault.path.to_str().ok_or_else(|| Error::invalid("the folder's path is not Unicode"))?;
    let mut section = Table::new();
    section.set_implicit(true);
    let section = document.entry(SECTION).or_insert(Item::Table(section));
    let section =
        section.as_table_like_mut().ok_or_else(|| Error::invalid("the setting `vaults` must be a table"))?;
    let table = [("path", toml_edit::value(path))].into_iter().collect::<Table>();
    section.insert(&vault.name, Item::Table(table));
    Ok(())
}

/// Takes one out of the settings file. No where it is not in it.
pub fn remove(document: &mut DocumentMut, name: &str) -> Result<bool> {
    let Some(section) = document.get_mut(SECTION).and_then(Item::as_table_like_mut) else { return Ok(false) };
    let Some(known) = find_name(section, name) else { return Ok(false) };
    section.remove(&known);
    if section.is_empty() {
        document.remove(SECTION);
    }
    Ok(true)
}

/// The table of a vault in the settings file.
pub fn table_mut<'a>(document: &'a mut DocumentMut, name: &str) -> Result<&'a mut dyn TableLike> {
    let section = document.get_mut(SECTION).and_then(Item::as_table_like_mut);
    let table = section.and_then(|section| {
        let known = find_name(section, name)?;
        section.get_mut(&known)?.as_table_like_mut()
    });
    table.ok_or_else(|| {
        Error::refused(format!("the vault `{name}` is not in the settings file"))
            .hint("it comes from the variable WELLREAD_VAULTS; add it with `wellread vault add`")
    })
}

/// A name as it is written in the file.
fn find_name(section: &dyn TableLike, name: &str) -> Option<String> {
    section.iter().map(|(known, _)| known.to_owned()).find(|known| known.eq_ignore_ascii_case(name))
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
        let one_alone = matches!(self.origin(&vault::VAULT_PATH), Origin::Flag(_) | Origin::Environment(_));
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
            return Ok(Vec::new());
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
        let mut folders = Vec::new();
        let written = self.get(&vault::VAULT_PATH);
        let is_named = self.chosen.is_some() || self.vaults().iter().any(|vault| vault.is_called(written));
        if self.is_vault_set() && !is_named {
            let folder = platform::canonicalize_existing(&platform::expand_home(written)?);
            folders.push((UNNAMED.to_owned(), folder));
        }
        for vault in self.vaults() {
            let folder = vault.folder()?;
            for (name, other) in &folders {
                if folder == *other && name == UNNAMED {
                    continue;
                }
                if folder.starts_with(other) || other.starts_with(&folder) {
                    return Err(overlap_error((&vault.name, &folder), (name, other)));
                }
            }
            folders.push((vault.name.clone(), folder));
        }
        Ok(())
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
    let (inner, outer) = if folder.starts_with(of_other) { (one, other) } else { (other, one) };
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
