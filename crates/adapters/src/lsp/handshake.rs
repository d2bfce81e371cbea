//! How we and a server introduce ourselves to each other: what we can do, and in which units it counts columns.

use serde::Deserialize;
use serde_json::{Value, json};

use super::columns::ColumnUnits;
use super::server_kind::ServerKind;
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

/// Only what we can do ourselves is offered: nothing is applied, run or shown.
pub fn initialize_params(known: ServerKind, folder: &Value, is_apart: bool) -> Value {
    json!({
        // Among processes of its own it would not find ours, and take us for dead.
        "processId": (!is_apart).then(std::process::id),
        "clientInfo": { "name": "wellread", "version": env!("CARGO_PKG_VERSION") },
        "rootUri": folder["uri"],
        "workspaceFolders": [folder],
        "initializationOptions": known.settings(),
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

/// The units that it chose. Nothing where it introduces itself in a way that we do not understand.
pub fn parse_column_units(message: &[u8]) -> Option<ColumnUnits> {
    let introduced: InitializeResult = wire::result(message)?;
    ColumnUnits::from_name(introduced.capabilities.position_encoding.as_deref())
}
