//! What is to be set up: chosen by flags, or by answers to questions.

use std::path::{Path, PathBuf};

use wellread_core::{Error, Result};

use super::InitArgs;
use super::surroundings::Surroundings;
use crate::config::{Config, HostedModel};
use crate::folder;
use crate::mcp_clients::McpClient;

/// The choices of one set-up.
pub struct SetupChoices {
    /// None if the user chose none.
    pub vault: Option<PathBuf>,
    pub model: ModelChoice,
    /// Further folders for `vault.private_folders`; those that are there stay.
    pub private_folders: Vec<String>,
    pub repos: Vec<PathBuf>,
    pub clients: Vec<&'static McpClient>,
}

/// Which language model is to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// The one that the settings and the environment name, if any.
    Unchanged,
    /// None, whatever keys there are.
    None,
    /// One that a program on this machine serves.
    Local { program: &'static str, base_url: String, name: String },
    /// The usual one of a service whose key is in the environment.
    Hosted(HostedModel),
}

impl ModelChoice {
    /// Everything that can be chosen, the suggested one first: what is set up already, or else a model on this machine.
    pub fn list(found: &Surroundings) -> Vec<Self> {
        let local = found.local.iter().flat_map(|server| {
            server.models.iter().map(|name| Self::Local {
                program: server.program,
                base_url: server.base_url.clone(),
                name: name.clone(),
            })
        });
        let current = found.current_model.as_ref().map(|_| Self::Unchanged);
        let hosted = found.hosted.iter().cloned().map(Self::Hosted);
        current.into_iter().chain(local).chain(hosted).chain([Self::None]).collect()
    }

    /// The one of that name.
    pub fn find(found: &Surroundings, name: &str) -> Result<Self> {
        let all = Self::list(found);
        all.iter().find(|choice| choice.name() == name).cloned().ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(Self::name).filter(|name| !name.is_empty()).collect();
            Error::not_found(format!("there is no model `{name}` on this machine, and no key for it"))
                .hint(format!("choose one of: {}", names.join(", ")))
        })
    }

    /// The name by which it is chosen; none for what stays as it is.
    pub fn name(&self) -> &str {
        match self {
            Self::Unchanged => "",
            Self::None => "none",
            Self::Local { name, .. } => name,
            Self::Hosted(service) => &service.name,
        }
    }

    /// Whether notes would be sent to another machine.
    pub fn is_remote(&self, config: &Config) -> bool {
        match self {
            Self::Unchanged => config.has_remote_model(),
            Self::Hosted(_) => true,
            Self::None | Self::Local { .. } => false,
        }
    }
}

impl SetupChoices {
    /// The choices without a question: what the flags name, and the suggestions with `--yes`.
    pub fn from_flags(config: &Config, found: &Surroundings, args: &InitArgs) -> Result<Self> {
        let vault = match named_vault(config)? {
            Some(named) => Some(named),
            None if args.yes => found.vaults.first().map(|vault| vault.path.clone()),
            None => None,
        };
        let vault = vault.ok_or_else(|| no_vault(found, args.yes))?;
        let model = match &args.model {
            Some(name) => ModelChoice::find(found, name)?,
            None if args.yes => ModelChoice::list(found).swap_remove(0),
            None => ModelChoice::Unchanged,
        };
        Ok(Self {
            vault: Some(vault),
            // To have none is not a choice where nobody chose it: a key may come later.
            model: if model == ModelChoice::None && args.model.is_none() {
                ModelChoice::Unchanged
            } else {
                model
            },
            private_folders: Vec::new(),
            repos: args.repos.clone(),
            clients: find_clients(&args.clients)?,
        })
    }
}

/// The clients of these names.
pub fn find_clients(names: &[String]) -> Result<Vec<&'static McpClient>> {
    names.iter().map(|name| McpClient::find(name)).collect()
}

/// The vault that a flag, a variable or the settings file names. `Err` if there is no such folder.
pub fn named_vault(config: &Config) -> Result<Option<PathBuf>> {
    if !config.is_vault_set() {
        return Ok(None);
    }
    check_vault(&config.vault()?).map(Some)
}

/// The folder under its real name. `Err` if it is none, or not one for notes.
pub fn check_vault(written: &Path) -> Result<PathBuf> {
    let path = folder::resolve_folder(written)?;
    if path.parent().is_none() {
        return Err(Error::invalid("the root folder is no vault"));
    }
    Ok(path)
}

fn no_vault(found: &Surroundings, took_suggestions: bool) -> Error {
    if found.vaults.is_empty() || took_suggestions {
        return Error::not_found("no vault was found on this machine")
            .hint("name the folder of your notes: `wellread init --vault DIR`");
    }
    let paths: Vec<String> = found.vaults.iter().map(|vault| format!("`{}`", vault.path.display())).collect();
    Error::invalid("no vault is named, and there is no terminal to ask on")
        .hint(format!("use `wellread init --vault DIR`, or `--yes` for the first of: {}", paths.join(", ")))
}
