//! `wellread repo`: the codebases beside the vault.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use wellread_core::{Error, Result};

use super::Invocation;
use crate::config::{self, Config, RepoSetting};
use crate::output::success;
use crate::{folder, platform};

/// Add, list and remove codebases
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A codebase is only read: nothing in it is changed or executed. Files that git ignores are skipped. One that is added \
with `--vault NAME` belongs to that vault alone, any other to all vaults.\n\n\
Example:\n  wellread repo add ~/code/apiary\n  wellread --vault work repo add ~/code/api\n  wellread repo list\n  wellread repo remove apiary"
)]
pub struct RepoArgs {
    #[command(subcommand)]
    what: RepoCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RepoCommand {
    /// Add a code folder
    #[command(after_help = "Example:\n  wellread repo add ~/code/apiary\n  wellread repo add . --name tools")]
    Add {
        /// The folder
        dir: PathBuf,
        /// A name for it: letters, digits, `-`, `_` and `.` [default: the folder's name]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// List the codebases with their paths
    #[command(after_help = "Example:\n  wellread repo list\n  wellread repo list --json")]
    List,
    /// Remove a codebase from the list; its files are not touched
    #[command(after_help = "Example:\n  wellread repo remove apiary")]
    Remove {
        /// Its name, as `wellread repo list` shows it
        name: String,
    },
}

pub fn run(invocation: &Invocation, args: &RepoArgs) -> Result<ExitCode> {
    match &args.what {
        RepoCommand::Add { dir, name } => add(invocation, dir, name.as_deref()),
        RepoCommand::List => list(invocation),
        RepoCommand::Remove { name } => remove(invocation, name),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn add(invocation: &Invocation, dir: &Path, name: Option<&str>) -> Result<()> {
    let config = Config::load_for_change(&invocation.flags)?;
    let Some(repo) = plan_repo(&config, dir, name, false)? else { return Ok(()) };
    // Of one vault alone where that is named, or else of all.
    let vault = config.named_by_flag(invocation.flags.vault.as_deref());
    config::add_repo(&config::file_path(&invocation.flags)?, &repo, vault)?;
    warn_if_overridden(invocation, |repos| repos.iter().any(|known| known.is_called(&repo.name)))?;
    let answer = success(json!({ "name": repo.name, "path": repo.path }));
    print_answer(invocation, &answer, &format!("added `{}`: {}", repo.name, repo.path.display()))
}

/// The repository that a folder would be. One that was added already is a conflict, or nothing where that is `allowed`.
pub fn plan_repo(
    config: &Config,
    dir: &Path,
    name: Option<&str>,
    allowed: bool,
) -> Result<Option<RepoSetting>> {
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
                .hint("choose another name with --name"));
        }
    }
    Ok(Some(repo))
}

fn list(invocation: &Invocation) -> Result<()> {
    let repos = invocation.load_config()?.repos()?;
    if repos.is_empty() && !invocation.output.json {
        invocation.output.notice("there are no repositories; add one with `wellread repo add DIR`");
        return Ok(());
    }
    let line = |repo: &RepoSetting| {
        let missing = if repo.path.is_dir() { "" } else { "  (no such folder)" };
        format!("{}  {}{missing}\n", repo.name, repo.path.display())
    };
    let lines: String = repos.iter().map(line).collect();
    print_answer(invocation, &success(json!({ "repos": repos })), &lines)
}

fn remove(invocation: &Invocation, name: &str) -> Result<()> {
    let config = Config::load_for_change(&invocation.flags)?;
    let known = folder::find_repository(&config.repos()?, name)?;
    let file = config::file_path(&invocation.flags)?;
    if !config::remove_repo(&file, name, Some(config.vault_name()))? {
        return Err(Error::refused(format!("`{name}` is not in the settings file `{}`", file.display()))
            .hint("it comes from the variable WELLREAD_REPOS; remove it there"));
    }
    warn_if_overridden(invocation, |repos| !repos.iter().any(|repo| repo.is_called(name)))?;
    let answer = success(json!({ "name": known.name, "path": known.path }));
    print_answer(invocation, &answer, &format!("removed `{}`; its files are unchanged", known.name))
}

fn print_answer(invocation: &Invocation, answer: &serde_json::Value, text: &str) -> Result<()> {
    if invocation.output.json { invocation.output.object(answer) } else { invocation.output.text(text) }
}

/// What was written counts only where no variable says otherwise.
fn warn_if_overridden(invocation: &Invocation, is_so: impl Fn(&[RepoSetting]) -> bool) -> Result<()> {
    let now = Config::load(&invocation.flags)?;
    if !is_so(&now.repos()?) {
        invocation.output.notice("note: the list in $WELLREAD_REPOS still takes precedence");
    }
    Ok(())
}
