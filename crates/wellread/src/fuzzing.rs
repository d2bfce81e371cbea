//! For fuzzing only: a server of the Model Context Protocol, and a client that sends any bytes.

use std::path::Path;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, duplex};
use wellread_core::faces::tools::Group;
use wellread_core::{Error, Result};

use crate::app::{App, OpenVault};
use crate::config::{Config, Flags, McpSettings, ToolSet};
use crate::mcp::{self, McpServer, NotesAddress, ResourceUri};
use crate::wiring::NetworkOptions;

/// More than any answer.
const PIPE: usize = 1 << 20;

/// A server over a vault, without the network.
pub struct FuzzedMcpServer {
    vault: OpenVault,
    runtime: tokio::runtime::Runtime,
}

impl FuzzedMcpServer {
    /// Opens the vault, with the default settings.
    pub fn open(vault: &Path, data: &Path) -> Result<Self> {
        let path = |path: &Path| Some(path.display().to_string());
        let flags = Flags { config: None, vault: path(vault), data: path(data) };
        let config = Config::from_flags(&flags)?;
        let app = Arc::new(App::open(&config, NetworkOptions { offline: true, web: false })?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::failed(error.to_string()))?;
        Ok(Self { vault: OpenVault { config, app }, runtime })
    }

    /// What the server says to a client that sends this and hangs up.
    pub fn answer(&self, sent: &[u8]) -> Vec<u8> {
        let tools = ToolSet::Groups(vec![Group::Vault]);
        let settings = McpSettings { tools, ..McpSettings::default() };
        let server = McpServer::new(&self.vault, &[], &settings);
        let sent = std::io::Cursor::new(sent.to_vec());
        self.runtime.block_on(async {
            let (out, mut heard) = duplex(PIPE);
            let mut said = Vec::new();
            let served = mcp::serve_client(server, (sent, out));
            let _ = tokio::join!(served, heard.read_to_end(&mut said));
            said
        })
    }
}

/// Reads the address of a resource, and writes it again.
pub fn resource_uri(written: &str) -> Option<String> {
    let notes = NotesAddress::default();
    ResourceUri::parse(written, Some(&notes)).ok().map(|uri| uri.render(&notes))
}
