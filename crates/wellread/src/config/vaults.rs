//! Several vaults, each by its name: how they are written in the settings, and how the list is changed.
//!
//! A named vault has its folder, repositories of its own, and what it says for itself in place of the section `vault`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TableLike};
use wellread_core::{Error, Result};

use super::chosen_vault::UNNAMED;
use super::{RepoSetting, SettingKey, SettingValue, file, repos};
use crate::platform;

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
    pub(super) own: BTreeMap<String, SettingValue>,
}

impl VaultSetting {
    pub fn new(name: &str, path: &str) -> Result<Self> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_word = name.chars().any(|c| c.is_ascii_alphanumeric());
        if !is_word || name.len() > LONGEST_NAME || !name.chars().all(fits) {
            return Err(Error::invalid(format!("`{name}` is not a valid name for a vault"))
                .hint("a name has up to 64 letters, digits, `-` and `_`"));
        }
        if name.eq_ignore_ascii_case(UNNAMED) {
            return Err(Error::invalid(format!("a vault can't be called `{name}`"))
                .hint(format!("`{UNNAMED}` stands for the folder in `vault.path`; choose another name")));
        }
        if path.trim().is_empty() {
            return Err(Error::invalid(format!("the vault `{name}` needs a `path`")));
        }
        // Its rules must not depend on where a command is given.
        if !path.starts_with('~') && !Path::new(path).is_absolute() {
            return Err(Error::invalid(format!("the path `{path}` of the vault `{name}` is not absolute"))
                .hint("begin it with `/` or `~/`; `wellread vault add NAME DIR` writes it so"));
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

/// Takes one out of the settings file, also if it has rules of its own where that is meant. No where it is not in it.
pub fn remove(document: &mut DocumentMut, name: &str, with_rules: bool) -> Result<bool> {
    let is_chosen = document.get("vault").and_then(|vault| vault.get("path")?.as_str());
    if is_chosen.is_some_and(|path| path.eq_ignore_ascii_case(name)) {
        return Err(Error::refused(format!("`vault.path` names the vault `{name}`"))
            .hint("set another first with `wellread config set vault.path DIR`"));
    }
    let Some(section) = document.get_mut(SECTION).and_then(Item::as_table_like_mut) else { return Ok(false) };
    let Some(known) = find_name(section, name) else { return Ok(false) };
    let table = section.get(&known).and_then(Item::as_table_like);
    let rules: Vec<&str> = table.iter().flat_map(|table| table.iter()).map(|(rule, _)| rule).collect();
    let rules: Vec<&str> = rules.into_iter().filter(|rule| *rule != "path").collect();
    if !rules.is_empty() && !with_rules {
        let message = format!("the vault `{known}` has settings of its own: {}", rules.join(", "));
        return Err(Error::refused(message).hint("they would be lost; `--force` removes them, too"));
    }
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
