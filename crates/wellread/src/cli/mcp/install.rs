//! `wellread mcp install`: Wellread's entry in the settings of a client.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use wellread_core::{Error, Result};

use crate::cli::Invocation;
use crate::config::{self, Config, Flags};
use crate::mcp_clients::{CLIENTS, ConfigChange, McpClient, ServerCommand};
use crate::output::success;
use crate::platform;

/// Add Wellread to the settings of an MCP client
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Only Wellread's own entry is changed: other entries and comments stay, byte for byte, and the file as it was is kept \
beside it as `.wellread-backup`. The entry names this program and this vault by their full paths, and `--tools` and `--read-only` \
if they are given.\n\nExample:\n  wellread mcp install claude-code --vault ~/notes\n  wellread mcp install cursor --dry-run\n  \
wellread mcp install codex --remove"
)]
pub struct InstallArgs {
    /// The client
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name)))]
    client: String,
    /// Show the change and make none
    #[arg(long)]
    dry_run: bool,
    /// Remove the entry instead
    #[arg(long)]
    remove: bool,
}

pub fn run(invocation: &Invocation, args: &InstallArgs, more: &[String]) -> Result<ExitCode> {
    let client = McpClient::find(&args.client)?;
    let change = if args.remove {
        client.plan_removal()?
    } else {
        client.plan_install(&build_server_command(&invocation.flags, &invocation.load_config()?, more)?)?
    };
    let state = match (args.remove, change.is_empty()) {
        (false, true) => "unchanged",
        (true, true) => "absent",
        (true, false) => "removed",
        (false, false) if change.had_entry => "replaced",
        (false, false) => "installed",
    };
    let backup = if args.dry_run || change.is_empty() { None } else { change.apply()? };
    let file = change.file.display().to_string();
    if invocation.output.json {
        let mut answer = json!({
            "client": client.name, "file": file, "state": state, "dry_run": args.dry_run, "restart": client.restart,
        });
        if args.dry_run {
            answer["diff"] = json!(change.render_diff());
        }
        if let Some(backup) = &backup {
            answer["backup"] = json!(backup.display().to_string());
        }
        invocation.output.object(&success(answer))?;
        return Ok(ExitCode::SUCCESS);
    }
    let said = render_outcome(client, &change, state, args.dry_run, backup.as_deref());
    invocation.output.text(&said)?;
    Ok(ExitCode::SUCCESS)
}

/// What was done, for people.
fn render_outcome(
    client: &McpClient,
    change: &ConfigChange,
    state: &str,
    dry_run: bool,
    backup: Option<&Path>,
) -> String {
    let (title, file) = (client.title, change.file.display());
    let mut said = match state {
        "unchanged" => format!("{title} has this entry already, in {file}\n"),
        "absent" => format!("{title} has no entry of Wellread, in {file}\n"),
        _ if dry_run => format!("{file} would change:\n{}", change.render_diff()),
        "removed" => format!("removed Wellread from the settings of {title}, in {file}\n"),
        "replaced" => format!("replaced Wellread's entry in the settings of {title}, in {file}\n"),
        _ => format!("added Wellread to the settings of {title}, in {file}\n"),
    };
    if let Some(backup) = backup {
        said += &format!("the file as it was: {}\n", backup.display());
    }
    if !dry_run && !change.is_empty() {
        said += &match state {
            "removed" => format!("next: restart {title}, if it is running\n"),
            _ => format!("next: {}\n", client.restart),
        };
    }
    said
}

/// The command that a client shall start: this program, on the vaults of these settings, with the data folder and the settings
/// file that the flags name.
pub fn build_server_command(flags: &Flags, config: &Config, more: &[String]) -> Result<ServerCommand> {
    let program = env::current_exe()
        .map_err(|error| Error::failed(format!("this program does not know its own path: {error}")))?;
    let full = |path: &Path| platform::canonicalize_existing(path).display().to_string();
    let mut args = [vec!["mcp".to_owned()], config.vault_arguments()?].concat();
    if let Some(data) = &flags.data {
        args.extend(["--data".to_owned(), full(&platform::expand_home(data)?)]);
    }
    if let Some(file) = config::explicit_file(flags)? {
        args.extend(["--config".to_owned(), full(&file)]);
    }
    args.extend_from_slice(more);
    Ok(ServerCommand { program: program.display().to_string(), args })
}
