//! Who is asked to search the web, as the settings and the services' own variables say it.
//!
//! Nobody, until the user chose. A key in the environment is a choice where none is written down. A key of the settings file
//! goes to no address that only the environment names. Which engines there are, and what each needs, is [`ENGINES`]: their
//! settings are derived from its rows.

use crate::wiring::outside::{ENGINE_NAMES, ENGINES, Engine, EngineAddress};
use wellread_core::Result;

use super::key::{Key, settings};
use super::kinds;
use super::secret::WrittenSecret;
use super::{Config, Origin, Secret, SettingKey, SettingShape, non_empty};

settings! {
    SERVICES: Choices(&ENGINE_NAMES) = "search.services",
        "which services search the web, in this order: {engines}; none is off";
}

/// The settings of this section, with those of every engine.
pub(super) fn settings_with_engines() -> Vec<SettingKey> {
    let names = ENGINE_NAMES.join(", ");
    let named = |key: SettingKey| SettingKey { about: key.about.replace("{engines}", &names).into(), ..key };
    settings().into_iter().map(named).chain(ENGINES.iter().flat_map(engine_settings)).collect()
}

fn engine_settings(engine: &Engine) -> Vec<SettingKey> {
    let base_url = SettingKey {
        path: base_url(engine).path().to_owned().into(),
        shape: SettingShape::Text,
        also: &[],
        about: match engine.address {
            EngineAddress::Public(_) => "scheme, host and port; empty means the service's own".into(),
            EngineAddress::UserSet { .. } => "its address: scheme, host and port".into(),
        },
    };
    let api_key = engine.needs_key().then(|| SettingKey {
        path: api_key(engine).path().to_owned().into(),
        shape: SettingShape::Secret,
        also: engine.key_variables,
        about: format!("{}'s key, or env:NAME or file:PATH", engine.label).into(),
    });
    [base_url].into_iter().chain(api_key).collect()
}

fn base_url(engine: &Engine) -> Key<kinds::Text> {
    Key::from_path(engine.setting("base_url"))
}

fn api_key(engine: &Engine) -> Key<kinds::Secret> {
    Key::from_path(engine.setting("api_key"))
}

/// A service as it is set.
#[derive(Debug, Clone)]
pub struct SearchService {
    pub engine: &'static Engine,
    /// Nothing means the service's own.
    pub base_url: Option<String>,
    /// As written; [`SearchService::key`] looks it up.
    api_key: WrittenSecret,
}

impl SearchService {
    pub fn key(&self) -> Result<Option<Secret>> {
        self.api_key.reveal(api_key(self.engine).path())
    }
}

impl Config {
    /// The services that were chosen, in their order.
    pub fn search_services(&self) -> Vec<SearchService> {
        let chosen = self.get(&SERVICES).iter().filter_map(|name| Engine::find(name));
        chosen.map(|engine| self.search_service(engine)).collect()
    }

    /// A service's settings, chosen or not.
    pub fn search_service(&self, engine: &'static Engine) -> SearchService {
        let (base_url, api_key) = (base_url(engine), api_key(engine));
        let is_withheld = self.is_withheld(&base_url, &api_key);
        SearchService {
            engine,
            base_url: non_empty(self.get(&base_url)).map(str::to_owned),
            api_key: if is_withheld { WrittenSecret::new("") } else { self.get(&api_key) },
        }
    }

    /// A key in the environment is a choice where none is written down.
    pub(super) fn choose_search(&mut self) {
        if *self.origin(&SERVICES) != Origin::Default {
            return;
        }
        let by_key = |engine: &&Engine| matches!(self.origin(&api_key(engine)), Origin::Environment(_));
        let chosen: Vec<&Engine> = ENGINES.iter().filter(by_key).collect();
        if let Some(first) = chosen.first() {
            let origin = self.origin(&api_key(first)).clone();
            let chosen = chosen.iter().map(|engine| engine.name.to_owned()).collect();
            self.set(&SERVICES, chosen, origin);
        }
    }

    /// Whether a key stays here: it is in the settings file, and only the environment names where it would go.
    pub(super) fn is_withheld(&self, base_url: &Key<kinds::Text>, key: &Key<kinds::Secret>) -> bool {
        matches!(self.origin(base_url), Origin::Environment(_)) && matches!(self.origin(key), Origin::File(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engines_settings_follow_from_its_row() {
        let own = "scheme, host and port; empty means the service's own";
        let expected: [(&str, &[&str], &str); 8] = [
            (
                "search.services",
                &[],
                "which services search the web, in this order: duckduckgo, brave, tavily, searxng, arxiv; none is off",
            ),
            ("search.duckduckgo.base_url", &[], own),
            ("search.brave.base_url", &[], own),
            ("search.brave.api_key", &["BRAVE_API_KEY"], "Brave's key, or env:NAME or file:PATH"),
            ("search.tavily.base_url", &[], own),
            ("search.tavily.api_key", &["TAVILY_API_KEY"], "Tavily's key, or env:NAME or file:PATH"),
            ("search.searxng.base_url", &[], "its address: scheme, host and port"),
            ("search.arxiv.base_url", &[], own),
        ];
        let settings = settings_with_engines();
        let shown: Vec<_> = settings.iter().map(|key| (&*key.path, key.also, &*key.about)).collect();
        assert_eq!(shown, expected);
        for key in &settings {
            assert_eq!(key.shape == SettingShape::Secret, key.path.ends_with(".api_key"), "{}", key.path);
        }
    }
}
