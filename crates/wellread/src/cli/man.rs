//! `wellread man`: man pages, from the declarations of the commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use serde_json::json;
use wellread_core::domain::display::counted;
use wellread_core::{Error, Result};

use super::{Cli, Invocation};
use crate::output::success;

/// Print the man page, or write those of all commands to a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  wellread man | man -l -\n  wellread man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write a page for each command to this folder, which is created if it is missing
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(invocation: &Invocation, args: &ManArgs) -> Result<ExitCode> {
    let mut command = Cli::command();
    command.build();
    let output = invocation.output;
    let Some(folder) = &args.out else {
        output.text(&render_page(&command, "wellread")?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut written = Vec::new();
    write_pages(&command, "wellread", folder, &mut written)?;
    if output.json {
        output.object(&success(json!({ "files": written })))?;
    } else {
        output.text(&format!("wrote {} to {}", counted(written.len(), "page", "pages"), folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a command and those of its own commands: `wellread-config-set.1`.
fn write_pages(command: &Command, name: &str, folder: &Path, written: &mut Vec<PathBuf>) -> Result<()> {
    let file = folder.join(format!("{name}.1"));
    let page = render_page(command, name)?;
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&file, page))
        .map_err(|error| Error::failed(format!("could not write `{}`: {error}", file.display())))?;
    written.push(file);
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
    {
        write_pages(below, &format!("{name}-{}", below.get_name()), folder, written)?;
    }
    Ok(())
}

fn render_page(command: &Command, name: &str) -> Result<String> {
    let failed = |why: String| Error::failed(format!("could not make the man page: {why}"));
    let mut page = Vec::new();
    let named = command.clone().display_name(name.to_owned()).bin_name(name.replace('-', " "));
    Man::new(named).render(&mut page).map_err(|error| failed(error.to_string()))?;
    String::from_utf8(page).map_err(|error| failed(error.to_string()))
}
