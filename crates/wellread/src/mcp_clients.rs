//! Programs that use Wellread over the Model Context Protocol: where each keeps its settings, and Wellread's entry in them.
//!
//! A client's settings are the user's: only our entry changes, every other byte stays, and the file as it was is kept beside it.

mod config_change;
mod jsonc;
mod member;
mod toml_entry;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use wellread_core::{Error, Result};

pub use self::config_change::ConfigChange;
use self::config_change::{backup_of, follow_links, read};
use self::member::MemberPath;
use crate::platform;

/// The name of our entry.
const NAME: &str = "wellread";
/// The fields of an address, as the clients call them.
const ADDRESSES: [&str; 3] = ["url", "serverUrl", "httpUrl"];
/// The fields that we give to a new entry only: the user sets them.
const LEFT_TO_USER: [&str; 2] = ["env", "enabled"];

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

/// What a client does by our entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientEntry {
    /// It starts a program.
    Command(ServerCommand),
    /// It connects to a server that runs already.
    Address,
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

    /// Whether the client seems to be here: its settings are, or the folder of its own that they would be in.
    pub fn is_on_this_machine(&self) -> bool {
        let Ok(file) = (self.file)() else { return false };
        let home = platform::home().ok();
        let own_folder = file.parent().filter(|folder| Some(*folder) != home.as_deref());
        file.is_file() || own_folder.is_some_and(Path::is_dir)
    }

    /// The entry in the client's settings; `None` if they have none of ours.
    pub fn read_entry(&self) -> Result<Option<ClientEntry>> {
        let file = self.config_file()?;
        let Some(text) = read(&file)? else { return Ok(None) };
        let entry = self.find_entry(&text).map_err(|error| self.unreadable(&file, &error))?;
        Ok(entry.map(|entry| {
            if has_address(&entry) {
                ClientEntry::Address
            } else {
                ClientEntry::Command(parse_command(&entry))
            }
        }))
    }

    /// Plans to set our entry. What the user added to one that is there stays.
    pub fn plan_install(&self, command: &ServerCommand) -> Result<ConfigChange> {
        let file = self.config_file()?;
        let old = read(&file)?;
        let text = old.as_deref().unwrap_or_default();
        let known = self.find_entry(text).map_err(|error| self.unreadable(&file, &error))?;
        if known.as_ref().is_some_and(has_address) {
            let (title, shown) = (self.title, file.display());
            return Err(Error::conflict(format!(
                "{title} connects to `{NAME}` by an address already, in `{shown}`"
            ))
            .with_path(shown.to_string())
            .hint(format!(
                "nothing was changed; `wellread mcp install {} --remove` removes that entry first",
                self.name
            )));
        }
        let entry = self.format.shape().merge(known.as_ref(), command);
        let new = if known.as_ref() == Some(&entry) {
            text.to_owned()
        } else {
            self.with_entry(text, &entry).map_err(|error| {
                let by_hand = format!("add the entry by hand: {}", self.render_line(&entry));
                self.unreadable(&file, &error.hint(by_hand))
            })?
        };
        Ok(ConfigChange { file, old, new: Some(new), had_entry: known.is_some() })
    }

    /// Plans to remove our entry. Where nothing else was changed since it was added, the file gets its earlier bytes.
    pub fn plan_removal(&self) -> Result<ConfigChange> {
        let file = self.config_file()?;
        let old = read(&file)?;
        let Some(text) = old.clone() else {
            return Ok(ConfigChange { file, old, new: None, had_entry: false });
        };
        let Some(entry) = self.find_entry(&text).map_err(|error| self.unreadable(&file, &error))? else {
            return Ok(ConfigChange { file, new: old.clone(), old, had_entry: false });
        };
        let leads_here = |earlier: &str| {
            matches!(self.find_entry(earlier), Ok(None))
                && self.with_entry(earlier, &entry).is_ok_and(|made| made == text)
        };
        // A backup that can't be read is as good as none.
        let backup = read(&backup_of(&file)).ok().flatten().filter(|earlier| leads_here(earlier));
        let new = match backup {
            Some(earlier) => Some(earlier),
            None if leads_here("") => None,
            None => Some(self.without_entry(&text).map_err(|error| {
                let by_hand = format!("remove the entry `{NAME}` by hand");
                self.unreadable(&file, &error.hint(by_hand))
            })?),
        };
        Ok(ConfigChange { file, old, new, had_entry: true })
    }

    /// The settings file; where it is a link, the file that it leads to.
    fn config_file(&self) -> Result<PathBuf> {
        follow_links((self.file)()?)
    }

    fn find_entry(&self, text: &str) -> Result<Option<Value>> {
        match self.format {
            EntryFormat::Json { object, .. } => {
                Ok(MemberPath { object, name: NAME }.find(&jsonc::parse(text)?).cloned())
            }
            EntryFormat::Toml => toml_entry::find(text, NAME),
        }
    }

    fn with_entry(&self, text: &str, entry: &Value) -> Result<String> {
        match self.format {
            EntryFormat::Json { object, .. } => jsonc::set(text, MemberPath { object, name: NAME }, entry),
            EntryFormat::Toml => toml_entry::set(text, NAME, entry),
        }
    }

    fn without_entry(&self, text: &str) -> Result<String> {
        match self.format {
            EntryFormat::Json { object, .. } => jsonc::remove(text, MemberPath { object, name: NAME }),
            EntryFormat::Toml => toml_entry::remove(text, NAME),
        }
    }

    /// An entry as a person adds it.
    fn render_line(&self, entry: &Value) -> String {
        match self.format {
            EntryFormat::Json { object, .. } => format!("in \"{object}\", \"{NAME}\": {entry}"),
            EntryFormat::Toml => toml_entry::render_line(NAME, entry),
        }
    }

    fn unreadable(&self, file: &Path, error: &Error) -> Error {
        let hint = error.hint_text().unwrap_or("mend the file, or add the entry by hand");
        Error::invalid(format!(
            "the settings of {} in `{}` can't be changed: {error}",
            self.title,
            file.display()
        ))
        .with_path(file.display().to_string())
        .hint(format!("nothing was changed; {hint}"))
    }
}

impl EntryFormat {
    fn shape(self) -> EntryShape {
        match self {
            Self::Json { shape, .. } => shape,
            Self::Toml => EntryShape::Plain,
        }
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

    /// An entry with this command and with all else that was in the one before it.
    fn merge(self, known: Option<&Value>, command: &ServerCommand) -> Value {
        let own = self.render(command);
        let Some(mut merged) = known.and_then(Value::as_object).cloned() else { return own };
        if matches!(self, Self::OneList) {
            // They would follow the list.
            merged.shift_remove("args");
        }
        for (name, value) in own.as_object().into_iter().flatten() {
            if !(LEFT_TO_USER.contains(&name.as_str()) && merged.contains_key(name)) {
                merged.insert(name.clone(), value.clone());
            }
        }
        Value::Object(merged)
    }
}

/// Whether an entry leads to a server that runs already.
fn has_address(entry: &Value) -> bool {
    ADDRESSES.iter().any(|name| entry[*name].is_string())
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
