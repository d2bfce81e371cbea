//! Adds codebases to the settings file and removes them, for the command line and the page alike.

use std::path::Path;

use wellread_core::{Error, Result};

use crate::config::{self, Config, Flags, RepoSetting};
use crate::{folder, platform};

/// What became of a codebase.
#[derive(Debug)]
pub struct RepoChange {
    pub repo: RepoSetting,
    /// Whether a variable hides what was written.
    pub is_hidden: bool,
}

/// Adds a folder, under its own name where none is given: for the vault that the flags name by its name, or else for all.
pub fn add(flags: &Flags, dir: &Path, name: Option<&str>) -> Result<RepoChange> {
    let config = Config::load_for_change(flags)?;
    let planned = plan(&config, dir, name, false)?;
    let repo = planned.ok_or_else(|| Error::conflict(format!("`{}` already exists", dir.display())))?;
    let vault = config.named_by_flag(flags.vault.as_deref());
    config::add_repo(&config::file_path(flags)?, &repo, vault)?;
    let is_hidden = !Config::load(flags)?.repos()?.iter().any(|known| known.is_called(&repo.name));
    Ok(RepoChange { repo, is_hidden })
}

/// Removes a codebase from the list; its files are not touched.
pub fn remove(flags: &Flags, name: &str) -> Result<RepoChange> {
    let config = Config::load_for_change(flags)?;
    let repo = folder::find_repository(&config.repos()?, name)?;
    let file = config::file_path(flags)?;
    let named = config.named_by_flag(flags.vault.as_deref());
    let is_own = config.find_vault(config.vault_name()).is_ok_and(|vault| vault.repos.contains(&repo));
    if named.is_some() && !is_own {
        return Err(Error::refused(format!("`{name}` belongs to all vaults"))
            .hint(format!("remove it from all of them with `wellread repo remove {name}`")));
    }
    if !config::remove_repo(&file, name, Some(config.vault_name()))? {
        return Err(Error::refused(format!("`{name}` is not in the settings file `{}`", file.display()))
            .hint("it comes from the variable WELLREAD_REPOS; remove it there"));
    }
    let is_hidden = Config::load(flags)?.repos()?.iter().any(|repo| repo.is_called(name));
    Ok(RepoChange { repo, is_hidden })
}

/// The repository that a folder would be. One that was added already is a conflict, or nothing where that is `allowed`.
pub fn plan(config: &Config, dir: &Path, name: Option<&str>, allowed: bool) -> Result<Option<RepoSetting>> {
    let path = folder::resolve_folder(dir)?;
    folder::check_no_overlap(&path, config)?;
    let text = path.to_str();
    let text = text.ok_or_else(|| Error::invalid(format!("the path `{}` is not Unicode", path.display())))?;
    let repo = RepoSetting::new(name, text)?;
    for known in config.repos()? {
        if platform::canonicalize_existing(&known.path) == path {
            if allowed {
                return Ok(None);
            }
            return Err(Error::conflict(format!("`{text}` already exists, as `{}`", known.name)));
        }
        if known.is_called(&repo.name) {
            let shown = known.path.display();
            return Err(Error::conflict(format!("a repository `{}` already exists: `{shown}`", known.name))
                .hint("choose another name; on the command line with --name"));
        }
    }
    Ok(Some(repo))
}
