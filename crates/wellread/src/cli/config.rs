//! `wellread config`: the merged settings and where each came from.

mod edit;

use std::io::{self, IsTerminal as _, Read as _};
use std::process::{Command, ExitCode, Stdio};

use serde_json::json;
use wellread_core::{Error, Result};

use super::Invocation;
use crate::answers;
use crate::config::{self, Origin, SettingChange, SettingKey, SettingShape, SettingValue, WrittenValue};
use crate::output::{Output, success};

/// Show or change the settings
#[derive(Debug, clap::Args)]
#[command(after_help = "Precedence, lowest first: defaults, settings file, environment, flags.\n\n\
Example:\n  wellread config show\n  wellread config set vault.path ~/notes\n  wellread config get vault.path\n  wellread config unset model.base_url\n  wellread config edit")]
pub struct ConfigArgs {
    #[command(subcommand)]
    what: ConfigCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigCommand {
    /// Show every setting with its value and where it was set
    #[command(after_help = "Example:\n  wellread config show\n  wellread config show --json")]
    Show,
    /// Write a setting to the settings file; separate list items with commas
    #[command(
        after_help = "A key belongs in no command line, where the shell's history and other programs see it.\n\n\
Example:\n  wellread config set vault.path ~/notes\n  wellread config set vault.excluded Private,Archive/Old\n  \
wellread config set model.api_key -\n  wellread config set model.api_key env:MY_KEY"
    )]
    Set {
        /// Its name, as `wellread config show` lists it
        key: String,
        /// The new value; `-` reads it from standard input, or asks for it on a terminal. A key is asked for without it
        #[arg(allow_hyphen_values = true)]
        value: Option<String>,
    },
    /// Print the value of a setting
    #[command(after_help = "The value alone is printed, ready for a script; a key is masked.\n\n\
Example:\n  wellread config get vault.path\n  wellread config get vault.path --json")]
    Get {
        /// Its name, as `wellread config show` lists it
        key: String,
    },
    /// Remove a setting from the settings file, so that its default counts again
    #[command(after_help = "Example:\n  wellread config unset model.base_url")]
    Unset {
        /// Its name, as `wellread config show` lists it
        key: String,
    },
    /// Edit the settings file in your editor; it is replaced only if the result can be read
    #[command(
        after_help = "The editor is the one that VISUAL or EDITOR names.\n\nExample:\n  wellread config edit"
    )]
    Edit,
    /// Print the path of the settings file
    #[command(after_help = "Example:\n  wellread config path")]
    Path,
}

pub fn run(invocation: &Invocation, args: &ConfigArgs) -> Result<ExitCode> {
    match &args.what {
        ConfigCommand::Show => show(invocation),
        ConfigCommand::Get { key } => get_value(invocation, key),
        ConfigCommand::Set { key, value } => set_value(invocation, key, value.as_deref()),
        ConfigCommand::Unset { key } => unset_value(invocation, key),
        ConfigCommand::Edit => edit::run(invocation),
        ConfigCommand::Path => print_path(invocation),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn show(invocation: &Invocation) -> Result<()> {
    let (config, output) = (invocation.load_config()?, invocation.output);
    if output.json {
        return output.object(&success(json!(answers::list_settings(&config)?)));
    }
    let line = |(key, value, origin): (&SettingKey, _, _)| format!("{} = {value}  # {origin}\n", key.path);
    output.text(&config.entries().map(line).collect::<String>())
}

fn get_value(invocation: &Invocation, key: &str) -> Result<()> {
    let (key, config) = (SettingKey::find(key)?, invocation.load_config()?);
    let found = config.entries().find(|(known, ..)| known.path == key.path);
    let (_, value, origin) = found.ok_or_else(|| Error::not_found(format!("`{}` has no value", key.path)))?;
    if invocation.output.json {
        let fields = json!({ "key": key.path, "value": value, "from": origin.to_string() });
        return invocation.output.object(&success(fields));
    }
    invocation.output.text(&value.render_plain())
}

fn set_value(invocation: &Invocation, key: &str, value: Option<&str>) -> Result<()> {
    let output = invocation.output;
    let key = SettingKey::find(key)?;
    if key.shape == SettingShape::Repos {
        return Err(config::not_settable(key));
    }
    let written = WrittenValue::Text(read_value(output, key, value)?);
    let done = config::set_setting(&invocation.flags, key, &written)?;
    done.notes.iter().for_each(|note| output.notice(&format!("note: {note}")));
    if is_exposed_secret(key, value) {
        output.notice(&format!(
            "warning: the shell's history may have this key now; `wellread config set {} -` asks for it instead",
            key.path
        ));
    }
    notice_override(invocation, done.hidden_by.as_ref());
    let (new, file) = (done.value, done.file);
    if output.json {
        return output.object(&success(json!({ "key": key.path, "value": new, "file": file })));
    }
    let shown = new.map(|new| new.to_string()).unwrap_or_default();
    output.text(&format!("{} = {shown}  # {}", key.path, file.display()))
}

fn unset_value(invocation: &Invocation, key: &str) -> Result<()> {
    let key = SettingKey::find(key)?;
    let SettingChange { file, was_set, hidden_by, .. } = config::unset_setting(&invocation.flags, key)?;
    notice_override(invocation, hidden_by.as_ref());
    if invocation.output.json {
        return invocation
            .output
            .object(&success(json!({ "key": key.path, "file": file, "was_set": was_set })));
    }
    let said = if was_set { "removed from" } else { "not set in" };
    invocation.output.text(&format!("{} was {said} {}", key.path, file.display()))
}

/// Says what still hides a setting that was written.
pub(super) fn report_precedence(
    invocation: &Invocation,
    key: &SettingKey,
    new: Option<&SettingValue>,
) -> Result<()> {
    notice_override(invocation, config::find_override(&invocation.flags, key, new)?.as_ref());
    Ok(())
}

fn notice_override(invocation: &Invocation, hidden_by: Option<&(SettingValue, Origin)>) {
    if let Some((value, origin)) = hidden_by {
        invocation.output.notice(&format!("note: {value} from {origin} still takes precedence"));
    }
}

fn print_path(invocation: &Invocation) -> Result<()> {
    let file = config::file_path(&invocation.flags)?;
    if invocation.output.json {
        return invocation.output.object(&success(json!({ "file": file, "exists": file.exists() })));
    }
    invocation.output.text(&file.display().to_string())
}

/// The value to set. A key that is not given, and any value given as `-`, is read from standard input.
fn read_value(output: Output, key: &SettingKey, given: Option<&str>) -> Result<String> {
    match given {
        Some("-") => {}
        None if key.shape == SettingShape::Secret => {}
        Some(value) => return Ok(value.to_owned()),
        None => {
            return Err(Error::invalid(format!("no value is given for `{}`", key.path))
                .hint("give it after the name, or `-` to read it from standard input; see `wellread config set --help`"));
        }
    }
    let is_secret = key.shape == SettingShape::Secret;
    let mut line = String::new();
    let read = if io::stdin().is_terminal() {
        output.notice(&format!("the value of {}, then Enter:", key.path));
        let hidden = is_secret && set_echo(false);
        let read = io::stdin().read_line(&mut line);
        if hidden {
            set_echo(true);
        }
        read
    } else {
        io::stdin().read_to_string(&mut line)
    };
    read.map_err(|error| Error::failed(format!("could not read the value from standard input: {error}")))?;
    let value = line.trim_end_matches(['\r', '\n']).to_owned();
    if value.contains('\n') || (is_secret && value.trim().is_empty()) {
        return Err(Error::invalid(format!("standard input has no value for `{}` in one line", key.path)));
    }
    Ok(value)
}

/// Switches the terminal's echo, by the program that every terminal comes with. Returns whether that worked.
fn set_echo(on: bool) -> bool {
    let word = if on { "echo" } else { "-echo" };
    Command::new("stty").arg(word).stdin(Stdio::inherit()).status().is_ok_and(|status| status.success())
}

/// Whether a key was written in the command line, rather than where it is to be found.
fn is_exposed_secret(key: &SettingKey, given: Option<&str>) -> bool {
    let names_a_place = |value: &str| value.starts_with("env:") || value.starts_with("file:");
    key.shape == SettingShape::Secret
        && given.is_some_and(|value| value != "-" && !value.is_empty() && !names_a_place(value))
}
