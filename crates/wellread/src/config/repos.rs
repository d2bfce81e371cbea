//! The codebases beside the vault: how they are written in the settings, and how the list is changed.

use std::path::{Path, PathBuf};

use toml_edit::{ArrayOfTables, InlineTable, Item, Table, TableLike};
use wellread_core::{Error, Result};

use super::key::similarity;

const LONGEST_NAME: usize = 64;

/// A codebase by its name, which is unique whatever the case of its letters.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RepoSetting {
    pub name: String,
    pub path: PathBuf,
}

impl RepoSetting {
    /// With the folder's own name where none is given.
    pub fn new(name: Option<&str>, path: &str) -> Result<Self> {
        if path.trim().is_empty() {
            return Err(Error::invalid("a repository needs a `path`"));
        }
        let folder = || Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = name.unwrap_or_else(folder);
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(fits) {
            return Err(Error::invalid(format!("`{name}` is not a valid repository name")).hint(
                "a name has up to 64 letters, digits, `-`, `_` and `.`; give one with --name, or `name = …`",
            ));
        }
        Ok(Self { name: name.to_owned(), path: PathBuf::from(path) })
    }

    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// `name=path,name2=path2`, as in the environment. A path alone is named after its folder.
pub fn parse(written: &str) -> Result<Vec<RepoSetting>> {
    let entries = written.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let repos = entries.map(|entry| match entry.split_once('=') {
        Some((name, path)) => RepoSetting::new(Some(name.trim()), path.trim()),
        None => RepoSetting::new(None, entry),
    });
    require_unique(repos.collect::<Result<_>>()?)
}

/// `[[repos]]`, or the same as an array of inline tables.
pub fn from_item(item: &Item) -> Result<Vec<RepoSetting>> {
    let tables: Option<Vec<&dyn TableLike>> = match item {
        Item::ArrayOfTables(tables) => Some(tables.iter().map(|table| table as &dyn TableLike).collect()),
        _ => item.as_array().and_then(|array| {
            array.iter().map(|value| value.as_inline_table().map(|table| table as &dyn TableLike)).collect()
        }),
    };
    let tables = tables.ok_or_else(|| {
        Error::invalid("the setting `repos` must be a list of tables, each with `name` and `path`")
    })?;
    require_unique(tables.into_iter().map(from_table).collect::<Result<_>>()?)
}

fn from_table(table: &dyn TableLike) -> Result<RepoSetting> {
    let (mut name, mut path) = (None, "");
    for (field, item) in table.iter() {
        let text = item.as_str();
        match (field, text) {
            ("name", Some(text)) => name = Some(text),
            ("path", Some(text)) => path = text,
            ("name" | "path", None) => {
                return Err(Error::invalid(format!("the setting `repos.{field}` must be a string")));
            }
            _ => {
                return Err(Error::invalid(format!("there is no setting `repos.{field}`"))
                    .hint("a repository has `name` and `path`"));
            }
        }
    }
    RepoSetting::new(name, path)
}

pub(super) fn require_unique(repos: Vec<RepoSetting>) -> Result<Vec<RepoSetting>> {
    for (at, repo) in repos.iter().enumerate() {
        if repos[..at].iter().any(|other| other.is_called(&repo.name)) {
            return Err(Error::invalid(format!("two repositories are called `{}`", repo.name))
                .hint("give each a `name` of its own"));
        }
    }
    Ok(repos)
}

/// Adds one to the list in a table of the settings file, in the form that the list has.
pub fn add(settings: &mut dyn TableLike, repo: &RepoSetting) -> Result<()> {
    let path = repo.path.to_str().ok_or_else(|| Error::invalid("the folder's path is not Unicode"))?;
    let fields = [("name", repo.name.as_str()), ("path", path)];
    let list = settings.entry("repos").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    match list {
        Item::ArrayOfTables(tables) => {
            tables
                .push(fields.into_iter().map(|(key, text)| (key, toml_edit::value(text))).collect::<Table>());
        }
        other => {
            let array = other.as_array_mut();
            let array =
                array.ok_or_else(|| Error::invalid("the setting `repos` must be a list of tables"))?;
            array.push(fields.into_iter().collect::<InlineTable>());
        }
    }
    Ok(())
}

/// Takes one off the list in a table of the settings file. No where it is not in it.
pub fn remove(settings: &mut dyn TableLike, name: &str) -> Result<bool> {
    let Some(list) = settings.get_mut("repos") else { return Ok(false) };
    let Some(at) = from_item(list)?.iter().position(|repo| repo.is_called(name)) else { return Ok(false) };
    let is_empty = match list {
        Item::ArrayOfTables(tables) => {
            tables.remove(at);
            tables.is_empty()
        }
        other => {
            if let Some(array) = other.as_array_mut() {
                array.remove(at);
            }
            false
        }
    };
    if is_empty {
        settings.remove("repos");
    }
    Ok(true)
}

/// Names that are less alike have a few letters in common and nothing else.
const NEAR: u32 = 750;

/// The one that was probably meant.
pub fn nearest<'a>(repos: &'a [RepoSetting], name: &str) -> Option<&'a RepoSetting> {
    let near = repos.iter().max_by_key(|repo| similarity(&repo.name, name));
    near.filter(|repo| similarity(&repo.name, name) > NEAR)
}
