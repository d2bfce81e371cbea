//! What clients of the Model Context Protocol may do, as the settings say it.

use super::Config;
use super::key::settings;

settings! {
    DECIDES: Switch = "mcp.decides",
        "whether the model of an MCP client may approve agendas and accept or dismiss findings without asking you";
    PRIVATE: Switch = "mcp.private",
        "whether MCP clients see private notes; turn it on only if their models run on this machine";
}

/// What the user lets the model of a client do. Nobody knows where that model runs, so by default it is one elsewhere.
#[derive(Debug, Clone, Copy, Default)]
pub struct McpSettings {
    /// It may decide in the user's name; otherwise the user is asked.
    pub decides: bool,
    /// Private notes exist for it.
    pub sees_private: bool,
}

impl Config {
    /// What the user lets the model of a client do.
    pub fn mcp(&self) -> McpSettings {
        McpSettings { decides: self.get(&DECIDES), sees_private: self.get(&PRIVATE) }
    }
}
