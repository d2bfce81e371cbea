//! `wellread vault`: several vaults, each by its name.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use wellread_core::{Error, Result};

use super::Invocation;
use crate::config::{self, Config, VaultSetting};
use crate::output::success;
use crate::{folder, platform};

/// Add, list and remove vaults by name
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With names, `--vault NAME` chooses a vault for a command, and `wellread serve` and `wellread mcp` serve all of \
them. In the settings file a vault `[vaults.work]` may have private folders and the like of its own, and repositories.\n\n\
Example:\n  wellread vault add work ~/work/notes\n  wellread vault list\n  wellread --vault work ask when is the launch\n  \
wellread vault remove work"
)]
pub struct VaultArgs {
    #[command(subcommand)]
    what: VaultCommand,
}

#[derive(Debug, clap::Subcommand)]
enum VaultCommand {
    /// Give a folder of notes a name
    #[command(after_help = "Example:\n  wellread vault add work ~/work/notes")]
    Add {
        /// Its name: letters, digits, `-` and `_`
        name: String,
        /// The folder
        dir: PathBuf,
    },
    /// List the vaults with their folders; `*` marks the one that a command takes if you name none
    #[command(after_help = "Example:\n  wellread vault list\n  wellread vault list --json")]
    List,
    /// Remove a vault from the list; notes, index and records are not touched
    #[command(after_help = "Example:\n  wellread vault remove work")]
    Remove {
        /// Its name, as `wellread vault list` shows it
        name: String,
        /// Also if the vault has settings of its own, such as private folders, which are removed with it
        #[arg(long)]
        force: bool,
    },
}

pub fn run(invocation: &Invocation, args: &VaultArgs) -> Result<ExitCode> {
    let (answer, text) = match &args.what {
        VaultCommand::Add { name, dir } => add(invocation, name, dir),
        VaultCommand::List => list(&invocation.load_config()?),
        VaultCommand::Remove { name, force } => remove(invocation, name, *force),
    }?;
    match invocation.output.json {
        true => invocation.output.object(&success(answer)),
        false => invocation.output.text(&text),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn add(invocation: &Invocation, name: &str, dir: &Path) -> Result<(Value, String)> {
    let config = Config::load_for_change(&invocation.flags)?;
    let folder = folder::resolve_folder(dir)?;
    let path = folder.to_str().ok_or_else(|| Error::invalid("the folder's path is not Unicode"))?;
    let vault = VaultSetting::new(name, path)?;
    config.check_new_vault(&vault)?;
    config::add_vault(&config::file_path(&invocation.flags)?, &vault)?;
    if Config::load(&invocation.flags)?.find_vault(name).is_err() {
        invocation.output.notice("note: the list in $WELLREAD_VAULTS still takes precedence");
    }
    let answer = json!({ "name": vault.name, "path": vault.path });
    Ok((answer, format!("added `{name}`: {path}; choose it with `--vault {name}`")))
}

fn list(config: &Config) -> Result<(Value, String)> {
    let listed = config.known_vaults()?.into_iter().map(|vault| {
        let folder = platform::canonicalize_existing(&vault.vault()?);
        Ok((vault.vault_name().to_owned(), folder))
    });
    let mut vaults = listed.collect::<Result<Vec<(String, PathBuf)>>>()?;
    // In the order of the settings file, the one without a name first.
    let place = |name: &str| config.vaults().iter().position(|vault| vault.is_called(name));
    vaults.sort_by_key(|(name, _)| place(name));
    let rows = vaults.iter().map(|(name, path)| {
        let is_default = name.eq_ignore_ascii_case(config.vault_name());
        json!({ "name": name, "path": path, "default": is_default, "exists": path.is_dir() })
    });
    let line = |(name, path): &(String, PathBuf)| {
        let mark = if name.eq_ignore_ascii_case(config.vault_name()) { "*" } else { " " };
        let missing = if path.is_dir() { "" } else { "  (no such folder)" };
        format!("{mark} {name}  {}{missing}\n", path.display())
    };
    Ok((json!({ "vaults": rows.collect::<Vec<_>>() }), vaults.iter().map(line).collect()))
}

/// Settings in which vaults overlap can't be loaded, and this must work all the same: the file alone is looked at.
fn remove(invocation: &Invocation, name: &str, force: bool) -> Result<(Value, String)> {
    let file = config::file_path(&invocation.flags)?;
    if !config::remove_vault(&file, name, force)? {
        // The error names what was meant.
        Config::load_for_change(&invocation.flags)?.find_vault(name)?;
        return Err(Error::refused(format!("`{name}` is not in the settings file `{}`", file.display()))
            .hint("it comes from the variable WELLREAD_VAULTS; remove it there"));
    }
    Ok((json!({ "name": name }), format!("removed the name `{name}`; its notes are unchanged")))
}
