//! What the doctor says of the MCP clients that have an entry of Wellread.

use std::path::Path;

use wellread_core::{Error, Result};

use super::DoctorCheck;
use super::programs::find_program;
use crate::mcp_clients::{CLIENTS, ClientEntry, McpClient, ServerCommand};

/// What such a check is called.
pub const NAME: &str = "client";

/// A check for each client that has an entry; one in all if none has.
pub fn check_clients() -> Vec<DoctorCheck> {
    let checks: Vec<DoctorCheck> = CLIENTS.iter().filter_map(check_client).collect();
    if checks.is_empty() {
        return vec![DoctorCheck::good(
            NAME,
            "none has Wellread in its settings; `wellread mcp install CLIENT` adds it",
        )];
    }
    checks
}

fn check_client(client: &McpClient) -> Option<DoctorCheck> {
    let McpClient { name, title, .. } = client;
    match client.read_entry() {
        Ok(None) => None,
        Ok(Some(ClientEntry::Address)) => {
            Some(DoctorCheck::good(NAME, format!("{title} connects to Wellread by an address")))
        }
        Ok(Some(ClientEntry::Command(command))) => {
            let works = check_command(&command).map(|()| format!("{title} starts `{}`", command.program));
            let works = works.map_err(|error| Error::failed(format!("{title}: {error}")));
            Some(DoctorCheck::from_result(
                NAME,
                works,
                &format!("`wellread mcp install {name}` writes the entry anew"),
            ))
        }
        // Settings that can't be read are not ours to complain about.
        Err(error) => Some(DoctorCheck::good(NAME, format!("{title}: {}", error.message()))),
    }
}

/// Whether the entry's program and vault are there. Nothing is started for it.
fn check_command(command: &ServerCommand) -> Result<()> {
    let ServerCommand { program, args } = command;
    if find_program(program).is_none() {
        return Err(Error::failed(format!("there is no program `{program}`")));
    }
    if args.first().is_none_or(|first| first != "mcp") {
        return Err(Error::failed(format!("its entry does not start `{program} mcp`")));
    }
    let vault = args.iter().skip_while(|arg| *arg != "--vault").nth(1);
    match vault {
        Some(vault) if !Path::new(vault).is_dir() => {
            Err(Error::failed(format!("there is no vault at `{vault}`")))
        }
        _ => Ok(()),
    }
}
