//! `wellread repo`: the codebases beside the vault.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use wellread_core::Result;

use super::Invocation;
use crate::config::RepoSetting;
use crate::output::success;
use crate::repositories::{self, RepoChange};

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
    let RepoChange { repo, is_hidden } = repositories::add(&invocation.flags, dir, name)?;
    warn_if_hidden(invocation, is_hidden);
    let answer = success(json!({ "name": repo.name, "path": repo.path }));
    print_answer(invocation, &answer, &format!("added `{}`: {}", repo.name, repo.path.display()))
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
    let RepoChange { repo, is_hidden } = repositories::remove(&invocation.flags, name)?;
    warn_if_hidden(invocation, is_hidden);
    let answer = success(json!({ "name": repo.name, "path": repo.path }));
    print_answer(invocation, &answer, &format!("removed `{}`; its files are unchanged", repo.name))
}

fn print_answer(invocation: &Invocation, answer: &serde_json::Value, text: &str) -> Result<()> {
    if invocation.output.json { invocation.output.object(answer) } else { invocation.output.text(text) }
}

/// What was written counts only where no variable says otherwise.
fn warn_if_hidden(invocation: &Invocation, is_hidden: bool) {
    if is_hidden {
        invocation.output.notice("note: the list in $WELLREAD_REPOS still takes precedence");
    }
}
