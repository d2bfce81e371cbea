//! `wellread config`: the merged settings and where each came from.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use wellread_core::Result;

use super::Invocation;
use crate::answers;
use crate::config::{self, Config, SettingKey, SettingShape};
use crate::output::success;
use crate::platform;

/// Show or change the settings
#[derive(Debug, clap::Args)]
#[command(after_help = "Precedence, lowest first: defaults, settings file, environment, flags.\n\n\
Example:\n  wellread config show\n  wellread config set vault.path ~/notes\n  wellread config set vault.excluded Private,Archive")]
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
        after_help = "Example:\n  wellread config set vault.path ~/notes\n  wellread config set vault.excluded Private,Archive/Old"
    )]
    Set {
        /// Its name, as `wellread config show` lists it
        key: String,
        value: String,
    },
    /// Print the path of the settings file
    #[command(after_help = "Example:\n  wellread config path")]
    Path,
}

pub fn run(invocation: &Invocation, args: &ConfigArgs) -> Result<ExitCode> {
    let output = invocation.output;
    match &args.what {
        ConfigCommand::Show => {
            let config = invocation.load_config()?;
            if output.json {
                output.object(&success(json!(answers::list_settings(&config))))?;
            } else {
                let line = |(key, value, origin): (&SettingKey, _, _)| {
                    format!("{} = {value}  # {origin}\n", key.path)
                };
                output.text(&config.entries().map(line).collect::<String>())?;
            }
        }
        ConfigCommand::Set { key, value } => {
            let key = SettingKey::find(key)?;
            if key.shape == SettingShape::Repos {
                return Err(config::not_settable(key));
            }
            let file = config::file_path(&invocation.flags)?;
            let new = key.parse(&absolute_folder(key, value))?;
            config::set(&file, key, &new)?;
            // What was written must be what is read back, or an older name or a variable hides it.
            let now = Config::load(&invocation.flags)?;
            let hidden = now.entries().find(|(known, value, _)| known.path == key.path && **value != new);
            if let Some((_, value, origin)) = hidden {
                output.notice(&format!("note: {value} from {origin} still takes precedence"));
            }
            if output.json {
                output.object(&success(json!({ "key": key.path, "value": new, "file": file })))?;
            } else {
                output.text(&format!("{} = {new}  # {}", key.path, file.display()))?;
            }
        }
        ConfigCommand::Path => {
            let file = config::file_path(&invocation.flags)?;
            if output.json {
                output.object(&success(json!({ "file": file, "exists": file.exists() })))?;
            } else {
                output.text(&file.display().to_string())?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A folder as it is named from anywhere: a relative one is meant from here, and only now.
fn absolute_folder(key: &SettingKey, written: &str) -> String {
    let relative =
        key.shape == SettingShape::Folder && !written.is_empty() && !written.starts_with(['/', '~']);
    if relative {
        platform::canonicalize_existing(Path::new(written)).display().to_string()
    } else {
        written.to_owned()
    }
}
