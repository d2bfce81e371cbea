//! `wellread repo`: the codebases beside the vault.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use wellread_core::{Error, Result};

use super::Invocation;
use crate::config::{self, Config, RepoSetting};
use crate::output::success;
use crate::platform;

/// Codebases beside the vault: add, list, remove
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A codebase is read and never written, and nothing in it is ever run. What git ignores there is left alone.\n\n\
Example:\n  wellread repo add ~/code/apiary\n  wellread repo list\n  wellread repo remove apiary"
)]
pub struct RepoArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Add a folder of code
    #[command(after_help = "Example:\n  wellread repo add ~/code/apiary\n  wellread repo add . --name tools")]
    Add {
        /// The folder
        dir: PathBuf,
        /// How to call it: letters, digits, `-`, `_` and `.`; the folder's name where left out
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Show every codebase with its path
    #[command(after_help = "Example:\n  wellread repo list\n  wellread repo list --json")]
    List,
    /// Take a codebase off the list; its files stay as they are
    #[command(after_help = "Example:\n  wellread repo remove apiary")]
    Remove {
        /// Its name, as `wellread repo list` shows it
        name: String,
    },
}

pub fn run(invocation: &Invocation, args: &RepoArgs) -> Result<ExitCode> {
    match &args.what {
        What::Add { dir, name } => add(invocation, dir, name.as_deref()),
        What::List => list(invocation),
        What::Remove { name } => remove(invocation, name),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn add(invocation: &Invocation, dir: &Path, name: Option<&str>) -> Result<()> {
    let config = Config::before_change(&invocation.flags)?;
    let path = folder(dir)?;
    apart(&path, &config)?;
    let text = path.to_str();
    let text = text.ok_or_else(|| Error::invalid(format!("the path `{}` is not Unicode", path.display())))?;
    let repo = RepoSetting::new(name, text)?;
    for known in config.repos()? {
        if platform::settled(&known.path) == path {
            return Err(Error::conflict(format!("`{text}` is there already, as `{}`", known.name)));
        }
        if known.is_called(&repo.name) {
            let shown = known.path.display();
            return Err(Error::conflict(format!(
                "there is a repository `{}` already: `{shown}`",
                known.name
            ))
            .hint("choose another name with --name"));
        }
    }
    config::add_repo(&config::file_path(&invocation.flags)?, &repo)?;
    warn_where_hidden(invocation, |repos| repos.iter().any(|known| known.is_called(&repo.name)))?;
    let answer = success(json!({ "name": repo.name, "path": repo.path }));
    say(invocation, &answer, &format!("added `{}`: {text}", repo.name))
}

fn list(invocation: &Invocation) -> Result<()> {
    let repos = invocation.config()?.repos()?;
    if repos.is_empty() && !invocation.output.json {
        invocation.output.notice("there are no repositories; add one with `wellread repo add DIR`");
        return Ok(());
    }
    let line = |repo: &RepoSetting| {
        let missing = if repo.path.is_dir() { "" } else { "  (no such folder)" };
        format!("{}  {}{missing}\n", repo.name, repo.path.display())
    };
    let lines: String = repos.iter().map(line).collect();
    say(invocation, &success(json!({ "repos": repos })), &lines)
}

fn remove(invocation: &Invocation, name: &str) -> Result<()> {
    let repos = Config::before_change(&invocation.flags)?.repos()?;
    let known = repos.iter().find(|repo| repo.is_called(name)).ok_or_else(|| {
        let error = Error::not_found(format!("there is no repository `{name}`"));
        match config::nearest_repo(&repos, name) {
            Some(near) => error.hint(format!("did you mean `{}`?", near.name)),
            None => error.hint("`wellread repo list` shows all of them"),
        }
    })?;
    let file = config::file_path(&invocation.flags)?;
    if !config::remove_repo(&file, name)? {
        return Err(Error::refused(format!("`{name}` is not in the settings file `{}`", file.display()))
            .hint("it comes from the variable WELLREAD_REPOS; take it out there"));
    }
    warn_where_hidden(invocation, |repos| !repos.iter().any(|repo| repo.is_called(name)))?;
    let answer = success(json!({ "name": known.name, "path": known.path }));
    say(invocation, &answer, &format!("removed `{}`; its files stay as they are", known.name))
}

fn say(invocation: &Invocation, answer: &serde_json::Value, text: &str) -> Result<()> {
    if invocation.output.json { invocation.output.object(answer) } else { invocation.output.text(text) }
}

/// What was written counts only where no variable says otherwise.
fn warn_where_hidden(invocation: &Invocation, is_so: impl Fn(&[RepoSetting]) -> bool) -> Result<()> {
    let now = Config::load(&invocation.flags)?;
    if !is_so(&now.repos()?) {
        invocation.output.notice("note: the list in $WELLREAD_REPOS still takes precedence");
    }
    Ok(())
}

fn folder(dir: &Path) -> Result<PathBuf> {
    let shown = dir.display();
    let path = match dir.to_str() {
        // A shell expands it already, a script may not.
        Some(text) => platform::expand(text)?,
        None => dir.to_owned(),
    };
    let found = path.canonicalize().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::not_found(format!("there is no folder `{shown}`")),
        _ => Error::failed(format!("could not look at `{shown}`: {error}")),
    })?;
    if found.is_dir() { Ok(found) } else { Err(Error::invalid(format!("`{shown}` is no folder"))) }
}

/// Notes are served with the vault's own rules, private folders included; what is in the data folder is for no tool. Neither
/// may be reached as code.
fn apart(path: &Path, config: &Config) -> Result<()> {
    let vault = platform::settled(&config.vault()?);
    // The whole of it, not this vault's part alone.
    let data = config.data()?;
    let data = data.ancestors().nth(2).unwrap_or(&data);
    let why = if path == vault {
        "is the vault itself: its notes are served already"
    } else if path.starts_with(&vault) {
        "is inside the vault: what it holds is served with the notes already"
    } else if vault.starts_with(path) {
        "holds the vault: notes would be read as code, and those in excluded folders, too"
    } else if data.starts_with(path) {
        "holds the data folder, which keeps the old text of every edit"
    } else if path.starts_with(data) {
        "is inside the data folder, which keeps the old text of every edit"
    } else {
        return Ok(());
    };
    Err(Error::refused(format!("`{}` {why}", path.display())).hint("add a folder that lies beside it"))
}
