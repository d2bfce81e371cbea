//! What clients of the Model Context Protocol may do, as the settings say it.

use super::Config;
use super::key::settings;

settings! {
    DECIDES: Switch = "mcp.decides",
        "whether the model of an MCP client may approve agendas and accept or dismiss findings without asking you";
}

impl Config {
    /// Whether the user lets the model of a client decide about agendas and findings.
    pub fn mcp_decides(&self) -> bool {
        self.get(&DECIDES)
    }
}
