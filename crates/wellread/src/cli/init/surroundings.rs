//! What was found on this machine before anything is asked.

use serde_json::{Value, json};
use wellread_core::Result;

use crate::config::{Config, HostedModel, SettingShape, hosted_models};
use crate::discovery::{FoundVault, LocalModels, VaultOrigin, find_local_models, find_vaults};
use crate::mcp_clients::{CLIENTS, McpClient};

/// What there is to choose from.
pub struct Surroundings {
    pub vaults: Vec<FoundVault>,
    pub local: Vec<LocalModels>,
    /// The services whose key is in the environment.
    pub hosted: Vec<HostedModel>,
    /// Each variable with a key, and the setting that it fills.
    pub keys: Vec<(String, String)>,
    /// The clients on this machine that do not have Wellread yet.
    pub clients: Vec<&'static McpClient>,
    /// The model that is used as things are, if any: its name and address.
    pub current_model: Option<String>,
}

impl Surroundings {
    /// Looks around. No other machine is asked.
    pub fn find(config: &Config) -> Result<Self> {
        let is_set = config.is_vault_set();
        let set = config.vault().ok().filter(|vault| is_set && vault.is_dir());
        let model = config.model();
        let current_model = config.has_model().then(|| format!("{} at {}", model.name, model.base_url));
        let wants =
            |client: &&McpClient| client.is_on_this_machine() && matches!(client.read_entry(), Ok(None));
        Ok(Self {
            vaults: find_vaults(set.as_deref()),
            local: find_local_models()?,
            hosted: hosted_models()?,
            keys: list_keys(config),
            clients: CLIENTS.iter().filter(wants).collect(),
            current_model,
        })
    }

    /// A line for each kind of thing.
    pub fn render(&self) -> String {
        let vaults = self.vaults.iter().filter(|vault| vault.origin != VaultOrigin::Settings).count();
        let models: Vec<String> = self
            .local
            .iter()
            .map(|server| format!("{} ({})", server.program, server.models.join(", ")))
            .collect();
        let keys: Vec<&str> = self.keys.iter().map(|(variable, _)| variable.as_str()).collect();
        let clients: Vec<&str> = self.clients.iter().map(|client| client.title).collect();
        let or_none = |items: String| if items.is_empty() { "none".to_owned() } else { items };
        format!(
            "Found on this machine:\n  vaults        {}\n  models        {}\n  keys          {}\n  MCP clients   {}\n",
            or_none(if vaults == 0 { String::new() } else { vaults.to_string() }),
            or_none(models.join("; ")),
            or_none(keys.join(", ")),
            or_none(clients.join(", ")),
        )
    }

    pub fn to_json(&self) -> Value {
        let names: Vec<&str> = self.clients.iter().map(|client| client.name).collect();
        let keys: Vec<Value> = self
            .keys
            .iter()
            .map(|(variable, setting)| json!({ "variable": variable, "setting": setting }))
            .collect();
        json!({ "vaults": self.vaults, "models": self.local, "keys": keys, "clients": names })
    }
}

/// The variables that hold a key, never the key.
fn list_keys(config: &Config) -> Vec<(String, String)> {
    let secrets = config.entries().filter(|(key, ..)| key.shape == SettingShape::Secret);
    secrets
        .filter_map(|(key, _, origin)| Some((origin.variable()?.to_owned(), key.path.clone().into_owned())))
        .collect()
}
