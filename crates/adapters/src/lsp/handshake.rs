//! The handshake with a server: our capabilities, and its column units.

use serde::Deserialize;
use serde_json::{Value, json};

use super::columns::ColumnUnits;
use super::wire;

#[derive(Debug, Default, Deserialize)]
struct InitializeResult {
    #[serde(default)]
    capabilities: Capabilities,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Capabilities {
    position_encoding: Option<String>,
}

/// The parameters of `initialize`. Only what we support is offered: nothing is applied, run or shown.
pub fn initialize_params(settings: &Value, folder: &Value, is_apart: bool) -> Value {
    json!({
        // In its own process namespace it would not find our process, and take us for dead.
        "processId": (!is_apart).then(std::process::id),
        "clientInfo": { "name": "wellread", "version": env!("CARGO_PKG_VERSION") },
        "rootUri": folder["uri"],
        "workspaceFolders": [folder],
        "initializationOptions": settings,
        "capabilities": {
            "general": { "positionEncodings": ["utf-8", "utf-16"] },
            "window": { "workDoneProgress": true },
            "workspace": { "configuration": true, "workspaceFolders": true },
            "textDocument": {
                "synchronization": {},
                "definition": { "linkSupport": true },
                "references": {},
                "hover": { "contentFormat": ["plaintext", "markdown"] },
            },
            "experimental": { "serverStatusNotification": true },
        },
    })
}

/// The column units that it chose; `None` if the answer can't be understood.
pub fn parse_column_units(message: &[u8]) -> Option<ColumnUnits> {
    let introduced: InitializeResult = wire::result(message)?;
    ColumnUnits::from_name(introduced.capabilities.position_encoding.as_deref())
}
