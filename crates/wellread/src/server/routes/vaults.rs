//! The vaults that this server serves, and where each is.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::server::ServerContext;
use crate::server::route::{ApiAnswer, Route};
use crate::server::sites;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/vaults", "The vaults that are served, and where each is", list)
            .answers::<VaultsAnswer>(),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct VaultsAnswer {
    /// The vaults; the first is meant where an address names none.
    vaults: Vec<VaultEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct VaultEntry {
    name: String,
    /// Its folder.
    path: String,
    /// Where its page and its API begin, without the server's own address: `/vaults/work` has `/vaults/work/api/status`.
    address: String,
    /// Whether it is the one that answers here.
    current: bool,
}

async fn list(State(site): State<Arc<ServerContext>>) -> ApiAnswer<VaultsAnswer> {
    let entry = |(name, folder): &(String, PathBuf)| VaultEntry {
        name: name.clone(),
        path: folder.display().to_string(),
        address: sites::address_of(name),
        current: site.config.vault_name() == name,
    };
    ApiAnswer(VaultsAnswer { vaults: site.vaults.iter().map(entry).collect() })
}
