//! What a set-up writes: settings, repositories, and entries of MCP clients. All of it is checked before anything is written.

use std::path::{Path, PathBuf};

use wellread_core::Result;

use super::choices::{ModelChoice, SetupChoices};
use crate::cli::Invocation;
use crate::cli::config::report_precedence;
use crate::cli::mcp::build_server_command;
use crate::config::{self, Config, Flags, RepoSetting, SettingKey, SettingValue};
use crate::mcp_clients::{ConfigChange, McpClient};
use crate::repositories;

/// The changes that are still to be made; what is so already is none.
pub struct SetupPlan {
    pub file: PathBuf,
    settings: Vec<(&'static SettingKey, SettingValue)>,
    repos: Vec<RepoSetting>,
    clients: Vec<(&'static McpClient, ConfigChange)>,
    /// Whether a key in the settings file would go to another address than before.
    keeps_key: bool,
}

impl SetupPlan {
    /// Plans what makes these choices true. The flags name the chosen vault.
    pub fn build(flags: &Flags, choices: &SetupChoices) -> Result<Self> {
        let file = config::file_path(flags)?;
        let config = Config::load_for_change(flags)?;
        let known = config::read_file(&file)?;
        let mut settings = Vec::new();
        for (path, written) in list_settings(flags, choices) {
            let key = SettingKey::find(path)?;
            settings.push((key, key.parse(&written)?));
        }
        if !choices.private_folders.is_empty() {
            let key = SettingKey::find("vault.private_folders")?;
            let written = known.iter().find(|(known, _)| known.path == key.path).map(|(_, value)| value);
            // A variable may hide those of the file.
            let written = match written {
                Some(SettingValue::List(folders)) => folders.as_slice(),
                _ => &[],
            };
            let value = join_folders([written, config.private_folders(), &choices.private_folders]);
            settings.push((key, value));
        }
        Config::check_changes(flags, &settings)?;
        let is_new = |(key, value): &(&'static SettingKey, SettingValue)| {
            !known.iter().any(|(known, old)| known.path == key.path && old == value)
        };
        settings.retain(is_new);
        let mut repos = Vec::new();
        let mut planned = config.clone();
        for dir in &choices.repos {
            // Against those that are added with it, too.
            if let Some(repo) = repositories::plan(&planned, dir, None, true)? {
                let all = planned.repos()?.into_iter().chain([repo.clone()]).collect();
                planned = planned.with_repos(all);
                repos.push(repo);
            }
        }
        let mut clients = Vec::new();
        for client in &choices.clients {
            let change = client.plan_install(&build_server_command(flags, &config, &[])?)?;
            if !change.is_empty() {
                clients.push((*client, change));
            }
        }
        let has_key = known.iter().any(|(key, value)| key.path == "model.api_key" && !value.is_empty());
        let keeps_key = has_key && settings.iter().any(|(key, _)| key.path == "model.base_url");
        Ok(Self { file, settings, repos, clients, keeps_key })
    }

    /// Each change in a line.
    pub fn describe(&self) -> Vec<String> {
        self.describe_own().chain(self.describe_clients()).collect()
    }

    /// What changes in the settings file.
    fn describe_own(&self) -> impl Iterator<Item = String> {
        let settings = self.settings.iter().map(|(key, value)| format!("{} = {value}", key.path));
        let repos =
            self.repos.iter().map(|repo| format!("repository `{}`: {}", repo.name, repo.path.display()));
        settings.chain(repos)
    }

    fn describe_clients(&self) -> impl Iterator<Item = String> {
        self.clients.iter().map(|(client, change)| {
            format!("an entry in the settings of {}: {}", client.title, change.file.display())
        })
    }

    /// The changes for people.
    pub fn render(&self, dry_run: bool) -> String {
        if self.describe().is_empty() {
            return format!("\nEverything is set up already, in {}", self.file.display());
        }
        let verb = if dry_run { "Would write" } else { "Writing" };
        let mut said = String::new();
        let own: Vec<String> = self.describe_own().collect();
        if !own.is_empty() {
            said += &format!("\n{verb} to {}:\n  {}", self.file.display(), own.join("\n  "));
        }
        said.extend(self.describe_clients().map(|entry| format!("\n{verb} {entry}")));
        if self.keeps_key {
            said += "\nnote: `model.api_key` stays in the settings file and is sent to the new address; `wellread config unset \
                     model.api_key` removes it";
        }
        said
    }

    /// Writes everything. A client's file as it was is kept beside it.
    pub fn apply(&self) -> Result<()> {
        config::set_all(&self.file, &self.settings)?;
        for repo in &self.repos {
            config::add_repo(&self.file, repo, None)?;
        }
        for (_, change) in &self.clients {
            change.apply()?;
        }
        Ok(())
    }

    /// Says what to do so that clients notice, and which variables still hide what was set.
    pub fn report_overrides(&self, invocation: &Invocation, vault: &Path) -> Result<()> {
        for (client, _) in &self.clients {
            invocation.output.notice(&format!("{}: {}", client.title, client.restart));
        }
        for (key, value) in self.settings.iter().filter(|(key, _)| key.path != "vault.path") {
            report_precedence(invocation, key, Some(value))?;
        }
        let plain = Flags { vault: None, ..invocation.flags.clone() };
        let now = Config::load(&plain)?;
        if now.vault().is_ok_and(|now| crate::platform::canonicalize_existing(&now) != vault) {
            invocation.output.notice(
                "note: a variable in the environment still names another vault; see `wellread config show`",
            );
        }
        Ok(())
    }
}

/// The settings that the choices ask for, as they are written by hand.
fn list_settings(flags: &Flags, choices: &SetupChoices) -> Vec<(&'static str, String)> {
    let mut settings = vec![("vault.path", flags.vault.clone().unwrap_or_default())];
    match &choices.model {
        ModelChoice::Unchanged => {}
        ModelChoice::None => settings.push(("model.provider", "none".to_owned())),
        ModelChoice::Local { base_url, name, .. } => settings.extend([
            ("model.provider", "openai".to_owned()),
            ("model.base_url", base_url.clone()),
            ("model.name", name.clone()),
        ]),
        ModelChoice::Hosted(service) => settings.extend([
            ("model.provider", service.provider.to_owned()),
            ("model.base_url", service.base_url.clone()),
            ("model.name", service.model.to_owned()),
        ]),
    }
    settings
}

/// The folders of several lists, each once.
fn join_folders(lists: [&[String]; 3]) -> SettingValue {
    let mut all: Vec<String> = Vec::new();
    for folder in lists.into_iter().flatten() {
        if !all.contains(folder) {
            all.push(folder.clone());
        }
    }
    SettingValue::List(all)
}
