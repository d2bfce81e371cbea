//! Which settings the page may change, thought of as somebody who got one request through: nothing that runs a program, names a
//! place on this machine, sends text or keys to an address of their choice, or opens a door.
//!
//! A shape that can only hold a number or a known word is harmless, unless [`LOCKED`] says why it is not. Free text is refused,
//! unless [`FREE_TEXT`] has it.

use wellread_core::{Error, Result};

use super::model::is_hosted_service;
use super::{Config, SettingKey, SettingShape, SettingValue};
use crate::wiring::addresses::is_local_endpoint;

/// Settings that are never changed from the page, and why; a name that ends with a dot is a whole section.
const LOCKED: &[(&str, &str)] = &[
    ("database.", "it decides where the records are kept"),
    ("server.", "it decides who can reach this server"),
    ("mcp.", "it decides what other programs may see and do"),
    ("speech.command", "it names a program that is run"),
    ("http.allow", "it opens addresses of your own network"),
    ("gate.verifier", "it decides how strictly sentences are checked"),
    ("telemetry.", "it decides what is told to other programs"),
    ("embedding.", "it decides where the text of your notes is sent"),
    ("research.auto_approve", "research is approved by you, and by nobody else"),
    ("data.keep_runs_days", "records are removed by it for good"),
    ("vault.excluded", "it decides which notes are read at all"),
    ("vault.private_folders", "it decides which notes leave this machine"),
    ("vault.private_tags", "it decides which notes leave this machine"),
    ("vault.clippings", "it decides which text counts as your own"),
];

/// Text that names neither a program nor a place outside the vault nor an address.
const FREE_TEXT: &[&str] = &[
    "vault.attachments",
    "vault.daily_notes",
    "vault.fleeting_folder",
    "research.fleeting_folder",
    "model.name",
    "model.research",
    "speech.name",
    "http.user_agent",
];

/// In bytes.
const LONGEST_VALUE: usize = 10_000;

impl SettingKey {
    /// Why the page can't change it; nothing where it can.
    pub fn lock_reason(&self) -> Option<&'static str> {
        let is_in = |name: &str| self.path == name || (name.ends_with('.') && self.path.starts_with(name));
        if let Some((_, reason)) = LOCKED.iter().find(|(name, _)| is_in(name)) {
            return Some(reason);
        }
        match self.shape {
            SettingShape::Commands => Some("it names programs that are run"),
            SettingShape::Folder => Some("it names a place on this machine"),
            SettingShape::Repos => Some("codebases have a section of their own"),
            SettingShape::Vaults => Some("it names places on this machine"),
            SettingShape::Text | SettingShape::List
                if !self.is_endpoint() && !FREE_TEXT.contains(&&*self.path) =>
            {
                Some("it is not one that a browser may change")
            }
            _ => None,
        }
    }

    /// Refuses a setting that the page can't change.
    pub fn require_page_access(&self) -> Result<()> {
        self.lock_reason().map_or(Ok(()), |reason| {
            Err(Error::refused(format!("`{}` can't be changed from a browser: {reason}", self.path))
                .hint(self.hint_command_line()))
        })
    }

    /// Refuses a value that the page can't give to a setting, though the command line can.
    pub fn check_page_value(&self, new: &SettingValue) -> Result<()> {
        self.require_page_access()?;
        match new {
            SettingValue::Text(text) => {
                self.check_one_line(text)?;
                if self.is_endpoint() { self.check_page_address(text) } else { Ok(()) }
            }
            SettingValue::List(items) => items.iter().try_for_each(|item| self.check_one_line(item)),
            SettingValue::Secret(written) if written.is_empty() => {
                Err(self.must_be("a key").hint("enter the key, or go back to the default"))
            }
            // Whoever may name a file or a variable and an address could have anything sent there.
            SettingValue::Secret(written) if written.names_a_place() => Err(Error::refused(format!(
                "`{}` can't be set to a file or a variable from a browser",
                self.path
            ))
            .hint(format!("enter the key itself, or {}", self.hint_command_line()))),
            SettingValue::Secret(written) => self.check_one_line(written.as_written()),
            _ => Ok(()),
        }
    }

    /// Refuses to lead a key that is set to another address: whoever changes that could have the key sent there.
    pub fn check_keys_stay(&self, config: &Config) -> Result<()> {
        let section = |path: &str| path.rsplit_once('.').map(|(section, _)| section.to_owned());
        let leads = self.is_endpoint() || self.path.ends_with(".provider");
        let in_section = |key: &SettingKey| section(&key.path) == section(&self.path);
        let mut keys = config.entries().filter(|(key, value, _)| {
            key.shape == SettingShape::Secret && in_section(key) && !value.is_empty()
        });
        match keys.next().filter(|_| leads) {
            None => Ok(()),
            Some((key, ..)) => Err(Error::refused(format!(
                "`{}` can't be changed from a browser while `{}` is set: the key would be sent to the new address",
                self.path, key.path
            ))
            .hint(format!("remove the key first and enter it again after this, or {}", self.hint_command_line()))),
        }
    }

    /// Text of an address of somebody's choice would be sent there, and the key with it.
    fn check_page_address(&self, address: &str) -> Result<()> {
        let is_harmless = address.is_empty() || is_hosted_service(address) || is_local_endpoint(address)?;
        if is_harmless {
            return Ok(());
        }
        Err(Error::refused(format!(
            "`{}` can only be set to an address on this machine or of a known service from a browser",
            self.path
        ))
        .hint(format!("for any other, {}", self.hint_command_line())))
    }

    fn check_one_line(&self, text: &str) -> Result<()> {
        if text.contains(char::is_control) || text.len() > LONGEST_VALUE {
            return Err(self.must_be(&format!("one line of at most {LONGEST_VALUE} bytes")));
        }
        Ok(())
    }

    fn hint_command_line(&self) -> String {
        match self.shape {
            SettingShape::Repos => "use the section Repositories, or `wellread repo add DIR`".to_owned(),
            SettingShape::Vaults => "use `wellread vault add NAME DIR`".to_owned(),
            _ => format!("change it in the settings file, or with `wellread config set {} VALUE`", self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::list_settings;
    use super::*;

    const OPEN: &[&str] = &[
        "vault.attachments",
        "vault.daily_notes",
        "vault.fleeting_folder",
        "index.interval_minutes",
        "chat.rounds",
        "chat.result_chars",
        "chat.tool_seconds",
        "budget.seconds",
        "budget.tokens",
        "budget.cents",
        "budget.requests",
        "model.provider",
        "model.base_url",
        "model.name",
        "model.api_key",
        "model.research",
        "model.price_in",
        "model.price_out",
        "gate.model",
        "research.max_topics",
        "research.concurrency",
        "research.pages_per_topic",
        "research.page_timeout_s",
        "research.page_chars",
        "research.note_chars",
        "research.max_findings_per_run",
        "research.dedup_threshold",
        "research.sources",
        "research.agenda_timeout_s",
        "research.fetch_timeout_s",
        "research.max_fetch_bytes",
        "research.fleeting_folder",
        "research.schedule",
        "okf.fields",
        "okf.stale_after_days",
        "code.steps",
        "code.seconds",
        "code.action_seconds",
        "search.services",
        "search.duckduckgo.base_url",
        "search.brave.base_url",
        "search.brave.api_key",
        "search.tavily.base_url",
        "search.tavily.api_key",
        "search.searxng.base_url",
        "search.arxiv.base_url",
        "speech.base_url",
        "speech.name",
        "speech.api_key",
        "http.wire_bytes",
        "http.decoded_bytes",
        "http.user_agent",
        "log.level",
    ];

    #[test]
    fn every_rule_is_about_a_setting() {
        for (name, _) in LOCKED {
            assert!(list_settings().iter().any(|key| key.path.starts_with(name)), "{name}");
        }
        for name in FREE_TEXT {
            assert_eq!(SettingKey::find(name).unwrap().lock_reason(), None, "{name}");
        }
    }

    /// A new setting is thought about before a browser may change it.
    #[test]
    fn these_settings_are_open_and_no_others() {
        let open = list_settings().iter().filter(|key| key.lock_reason().is_none()).map(|key| &*key.path);
        assert_eq!(open.collect::<Vec<_>>(), OPEN);
    }

    #[test]
    fn what_runs_programs_or_opens_doors_is_locked() {
        for name in [
            "code.language_servers",
            "speech.command",
            "server.bind",
            "server.port",
            "server.token",
            "server.origins",
            "vault.path",
            "data.path",
            "embedding.path",
            "http.ca_file",
            "http.allow",
            "mcp.private",
            "mcp.decides",
            "repos",
        ] {
            let key = SettingKey::find(name).unwrap();
            let error = key.require_page_access().unwrap_err();
            let way = if name == "repos" { "wellread repo add" } else { "wellread config set" };
            assert!(error.hint_text().unwrap().contains(way), "{name}: {error}");
        }
        let unknown =
            SettingKey { path: "new.text".into(), shape: SettingShape::Text, also: &[], about: "new".into() };
        assert!(unknown.lock_reason().is_some(), "free text is locked until it was thought about");
    }

    #[test]
    fn an_address_is_of_this_machine_or_of_a_known_service() {
        let check = |name: &str, written: &str| {
            let key = SettingKey::find(name).unwrap();
            key.check_page_value(&key.parse(written).unwrap())
        };
        for address in ["", "http://localhost:11434/v1", "http://127.0.0.1:1", "https://api.openai.com/v1"] {
            assert!(check("model.base_url", address).is_ok(), "{address}");
        }
        for address in [
            "http://evil.example/v1",
            "http://api.openai.com/v1",
            "https://api.openai.com.evil.example/v1",
            "https://api.openai.com@evil.example/v1",
            "http://localhost.evil.example",
            "http://192.168.1.7:11434/v1",
            "https://api.anthropic.com\n.evil.example",
        ] {
            assert!(check("model.base_url", address).is_err(), "{address}");
        }
        for name in list_settings().iter().filter(|key| key.is_endpoint()) {
            assert!(check(&name.path, "https://evil.example").is_err(), "{}", name.path);
        }
        for (key, refused) in
            [("sk-1", false), ("", true), ("file:~/.ssh/id", true), ("env:HOME", true), ("a\nb", true)]
        {
            assert_eq!(check("model.api_key", key).is_err(), refused, "{key}");
        }
    }
}
