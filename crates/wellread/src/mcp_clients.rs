//! Programs that use Wellread over the Model Context Protocol: where each keeps its settings, and Wellread's entry in them.
//!
//! A client's settings are the user's: only our entry changes, every other byte stays, and the file as it was is kept beside it.

mod jsonc;
mod toml_entry;

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use serde_json::{Value, json};
use wellread_core::{Error, Result};

use self::jsonc::MemberPath;
use crate::platform;

/// The name of our entry.
const NAME: &str = "wellread";
/// What is added to a file's name for its backup.
const BACKUP: &str = ".wellread-backup";

/// A program that can use Wellread.
pub struct McpClient {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name as its makers write it.
    pub title: &'static str,
    /// What to do so that it notices a change.
    pub restart: &'static str,
    file: fn() -> Result<PathBuf>,
    format: EntryFormat,
}

/// How a client writes down a server.
#[derive(Clone, Copy)]
enum EntryFormat {
    /// A member of an object in JSON, comments allowed.
    Json { object: &'static str, shape: EntryShape },
    /// A table of `mcp_servers` in TOML.
    Toml,
}

/// The fields of an entry in JSON.
#[derive(Clone, Copy)]
enum EntryShape {
    /// `command` and `args`.
    Plain,
    /// The same with the type `stdio`.
    Typed,
    /// The same with the source `custom`.
    Sourced,
    /// The type `local`, and program and arguments in one list.
    OneList,
}

/// Every client, in the order of display.
pub const CLIENTS: &[McpClient] = &[
    McpClient {
        name: "claude-code",
        title: "Claude Code",
        restart: "start a new session; `/mcp` in it shows the server",
        file: || Ok(platform::folder_or("CLAUDE_CONFIG_DIR", "")?.join(".claude.json")),
        format: EntryFormat::Json { object: "mcpServers", shape: EntryShape::Typed },
    },
    McpClient {
        name: "claude-desktop",
        title: "Claude Desktop",
        restart: "quit Claude Desktop and open it again",
        file: || Ok(platform::app_settings_folder()?.join("Claude/claude_desktop_config.json")),
        format: EntryFormat::Json { object: "mcpServers", shape: EntryShape::Plain },
    },
    McpClient {
        name: "cursor",
        title: "Cursor",
        restart: "open Cursor's settings for MCP and switch the server on, or restart Cursor",
        file: || Ok(platform::home()?.join(".cursor/mcp.json")),
        format: EntryFormat::Json { object: "mcpServers", shape: EntryShape::Plain },
    },
    McpClient {
        name: "vscode",
        title: "Visual Studio Code",
        restart: "run \"MCP: List Servers\" in the command palette and start the server",
        file: || Ok(platform::app_settings_folder()?.join("Code/User/mcp.json")),
        format: EntryFormat::Json { object: "servers", shape: EntryShape::Typed },
    },
    McpClient {
        name: "codex",
        title: "Codex",
        restart: "start a new session; `/mcp` in it shows the server",
        file: || Ok(platform::folder_or("CODEX_HOME", ".codex")?.join("config.toml")),
        format: EntryFormat::Toml,
    },
    McpClient {
        name: "zed",
        title: "Zed",
        restart: "nothing: Zed reads its settings again by itself",
        file: || Ok(platform::folder_or("XDG_CONFIG_HOME", ".config")?.join("zed/settings.json")),
        format: EntryFormat::Json { object: "context_servers", shape: EntryShape::Sourced },
    },
    McpClient {
        name: "gemini",
        title: "Gemini CLI",
        restart: "start a new session; `/mcp` in it shows the server",
        file: || Ok(platform::home()?.join(".gemini/settings.json")),
        format: EntryFormat::Json { object: "mcpServers", shape: EntryShape::Plain },
    },
    McpClient {
        name: "windsurf",
        title: "Windsurf",
        restart: "press the refresh button in Windsurf's list of MCP servers, or restart Windsurf",
        file: || Ok(platform::home()?.join(".codeium/windsurf/mcp_config.json")),
        format: EntryFormat::Json { object: "mcpServers", shape: EntryShape::Plain },
    },
    McpClient {
        name: "opencode",
        title: "OpenCode",
        restart: "start a new session",
        file: || {
            let folder = platform::folder_or("XDG_CONFIG_HOME", ".config")?.join("opencode");
            let (plain, commented) = (folder.join("opencode.json"), folder.join("opencode.jsonc"));
            Ok(if commented.exists() && !plain.exists() { commented } else { plain })
        },
        format: EntryFormat::Json { object: "mcp", shape: EntryShape::OneList },
    },
];

/// The command by which a client starts Wellread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    pub program: String,
    pub args: Vec<String>,
}

/// What is to become of a client's settings.
#[derive(Debug)]
pub struct ConfigChange {
    /// The file, with links resolved.
    pub file: PathBuf,
    /// Its text now; nothing where there is no file.
    pub old: Option<String>,
    /// Its text after the change; nothing where it is removed again.
    pub new: Option<String>,
}

impl McpClient {
    /// The client of that name.
    pub fn find(name: &str) -> Result<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name).ok_or_else(|| {
            let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
            Error::invalid(format!("there is no client `{name}`"))
                .hint(format!("choose one of: {}", names.join(", ")))
        })
    }

    /// The command in the client's settings; `None` if they have no entry of ours.
    pub fn read_entry(&self) -> Result<Option<ServerCommand>> {
        let file = self.config_file()?;
        let Some(text) = read(&file)? else { return Ok(None) };
        self.find_entry(&text).map_err(|error| self.unreadable(&file, &error))
    }

    /// Plans to set our entry.
    pub fn plan_install(&self, command: &ServerCommand) -> Result<ConfigChange> {
        let file = self.config_file()?;
        let old = read(&file)?;
        let text = old.as_deref().unwrap_or_default();
        let wrong = |error: Error| self.unreadable(&file, &error);
        let new = match self.find_entry(text).map_err(wrong)? {
            Some(known) if known == *command => text.to_owned(),
            _ => self.with_entry(text, command).map_err(wrong)?,
        };
        Ok(ConfigChange { file, old, new: Some(new) })
    }

    /// Plans to remove our entry. Where nothing else was changed since it was added, the file gets its earlier bytes.
    pub fn plan_removal(&self) -> Result<ConfigChange> {
        let file = self.config_file()?;
        let old = read(&file)?;
        let Some(text) = old.clone() else { return Ok(ConfigChange { file, old, new: None }) };
        let wrong = |error: Error| self.unreadable(&file, &error);
        let Some(entry) = self.find_entry(&text).map_err(wrong)? else {
            return Ok(ConfigChange { file, new: old.clone(), old });
        };
        let leads_here = |earlier: &str| {
            matches!(self.find_entry(earlier), Ok(None))
                && self.with_entry(earlier, &entry).is_ok_and(|made| made == text)
        };
        let backup = read(&backup_of(&file))?.filter(|earlier| leads_here(earlier));
        let new = match backup {
            Some(earlier) => Some(earlier),
            None if leads_here("") => None,
            None => Some(self.without_entry(&text).map_err(wrong)?),
        };
        Ok(ConfigChange { file, old, new })
    }

    /// The settings file; where it is a link, the file that it leads to.
    fn config_file(&self) -> Result<PathBuf> {
        let file = (self.file)()?;
        Ok(fs::canonicalize(&file).unwrap_or(file))
    }

    fn find_entry(&self, text: &str) -> Result<Option<ServerCommand>> {
        match self.format {
            EntryFormat::Json { object, .. } => {
                Ok(jsonc::parse(text)?.get(object).and_then(|servers| servers.get(NAME)).map(parse_command))
            }
            EntryFormat::Toml => toml_entry::find(text, NAME),
        }
    }

    fn with_entry(&self, text: &str, command: &ServerCommand) -> Result<String> {
        match self.format {
            EntryFormat::Json { object, shape } => {
                jsonc::set(text, MemberPath { object, name: NAME }, &shape.render(command))
            }
            EntryFormat::Toml => toml_entry::set(text, NAME, command),
        }
    }

    fn without_entry(&self, text: &str) -> Result<String> {
        match self.format {
            EntryFormat::Json { object, .. } => jsonc::remove(text, MemberPath { object, name: NAME }),
            EntryFormat::Toml => toml_entry::remove(text, NAME),
        }
    }

    fn unreadable(&self, file: &Path, error: &Error) -> Error {
        Error::invalid(format!(
            "the settings of {} in `{}` can't be changed: {error}",
            self.title,
            file.display()
        ))
        .with_path(file.display().to_string())
        .hint("nothing was changed; mend the file, or add the entry by hand")
    }
}

impl EntryShape {
    fn render(self, command: &ServerCommand) -> Value {
        let ServerCommand { program, args } = command;
        match self {
            Self::Plain => json!({ "command": program, "args": args }),
            Self::Typed => json!({ "type": "stdio", "command": program, "args": args }),
            Self::Sourced => json!({ "source": "custom", "command": program, "args": args, "env": {} }),
            Self::OneList => {
                let whole: Vec<&String> = [program].into_iter().chain(args).collect();
                json!({ "type": "local", "command": whole, "enabled": true })
            }
        }
    }
}

/// The command of an entry, whichever way it is written.
fn parse_command(entry: &Value) -> ServerCommand {
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let args = strings(&entry["args"]);
    match entry["command"].as_str() {
        Some(program) => ServerCommand { program: program.to_owned(), args },
        None => {
            let mut whole = strings(&entry["command"]).into_iter();
            ServerCommand { program: whole.next().unwrap_or_default(), args: whole.chain(args).collect() }
        }
    }
}

impl ConfigChange {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.old == self.new
    }

    /// The lines that go and come.
    pub fn render_diff(&self) -> String {
        let lines = |text: &Option<String>| -> Vec<String> {
            text.iter().flat_map(|text| text.split_inclusive('\n')).map(str::to_owned).collect()
        };
        let (old, new) = (lines(&self.old), lines(&self.new));
        let same = |pair: &(&String, &String)| pair.0 == pair.1;
        let start = old.iter().zip(&new).take_while(same).count();
        let (old, new) = (&old[start..], &new[start..]);
        let end = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let shown = |mark: char, line: &String| format!("{mark}{}\n", line.trim_end_matches(['\n', '\r']));
        let gone = old[..old.len() - end].iter().map(|line| shown('-', line));
        gone.chain(new[..new.len() - end].iter().map(|line| shown('+', line))).collect()
    }

    /// Makes the change: whole or not at all, with the old file kept beside the new one. Returns the backup's path.
    pub fn apply(&self) -> Result<Option<PathBuf>> {
        let failed = |error: io::Error| {
            Error::failed(format!("could not write `{}`: {error}", self.file.display()))
                .hint("nothing was changed; check the file's permissions")
        };
        // Somebody may have saved in between.
        if read(&self.file)? != self.old {
            return Err(Error::conflict(format!("`{}` was changed at the same moment", self.file.display()))
                .hint("nothing was changed; try again"));
        }
        let backup = backup_of(&self.file);
        let kept = match &self.old {
            Some(old) => {
                replace(&backup, old, fs::metadata(&self.file).ok().map(|found| found.permissions()))
                    .map_err(failed)?;
                Some(backup)
            }
            None => None,
        };
        match &self.new {
            Some(new) => {
                let permissions = fs::metadata(&self.file).ok().map(|found| found.permissions());
                replace(&self.file, new, permissions).map_err(failed)?;
            }
            None => fs::remove_file(&self.file).map_err(failed)?,
        }
        Ok(kept)
    }
}

fn backup_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(BACKUP);
    PathBuf::from(name)
}

fn read(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::failed(format!("`{}` can't be read: {error}", file.display()))),
    }
}

fn replace(file: &Path, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".{}", process::id()));
    let beside = PathBuf::from(beside);
    let written = fs::File::create_new(&beside).and_then(|mut new| {
        if let Some(permissions) = permissions {
            new.set_permissions(permissions)?;
        }
        new.write_all(text.as_bytes())?;
        new.sync_all()?;
        fs::rename(&beside, file)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
