//! Who is asked to search the web, as the settings and the services' own variables say it.
//!
//! Nobody, until the user chose. A key in the environment is a choice where none is written down. A key of the settings file
//! goes to no address that only the environment names.

use wellread_core::Result;

use super::secret::WrittenSecret;
use super::{Config, Origin, Secret, SettingValue};

pub const SERVICES: &[&str] = &["duckduckgo", "brave", "tavily", "searxng", "arxiv"];
/// Those that need a key, in the order in which one chooses them.
const KEYED: [&str; 2] = ["brave", "tavily"];

/// A service as it is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchService {
    pub name: &'static str,
    /// Nothing means the service's own.
    pub base_url: Option<String>,
    /// As written; [`SearchService::key`] looks it up.
    api_key: WrittenSecret,
    key_setting: String,
}

impl SearchService {
    pub fn key(&self) -> Result<Option<Secret>> {
        self.api_key.reveal(&self.key_setting)
    }
}

impl Config {
    /// The services that were chosen, in their order.
    pub fn search_services(&self) -> Vec<SearchService> {
        self.list("search.services").iter().filter_map(|name| self.search_service(name)).collect()
    }

    /// A service's settings, chosen or not; nothing where there is none of that name.
    pub fn search_service(&self, name: &str) -> Option<SearchService> {
        let name = SERVICES.iter().copied().find(|known| *known == name)?;
        let (base, key) = (format!("search.{name}.base_url"), format!("search.{name}.api_key"));
        Some(SearchService {
            name,
            base_url: Some(self.text(&base).to_owned()).filter(|base| !base.is_empty()),
            api_key: if self.is_withheld(&base, &key) {
                WrittenSecret::new("")
            } else {
                self.written_secret(&key)
            },
            key_setting: key,
        })
    }

    /// A key in the environment is a choice where none is written down.
    pub(super) fn choose_search(&mut self) {
        if *self.origin("search.services") != Origin::Default {
            return;
        }
        let by_key =
            |name: &&&str| matches!(self.origin(&format!("search.{name}.api_key")), Origin::Environment(_));
        let chosen: Vec<&str> = KEYED.iter().filter(by_key).copied().collect();
        if let Some(first) = chosen.first() {
            let origin = self.origin(&format!("search.{first}.api_key")).clone();
            let chosen = chosen.iter().map(|name| (*name).to_owned()).collect();
            self.set("search.services", SettingValue::List(chosen), origin);
        }
    }

    /// Whether a key stays here: it is in the settings file, and only the environment names where it would go.
    pub(super) fn is_withheld(&self, base: &str, key: &str) -> bool {
        matches!(self.origin(base), Origin::Environment(_)) && matches!(self.origin(key), Origin::File(_))
    }
}
