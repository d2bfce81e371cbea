//! The language model, as the settings and the services' own variables say it.
//!
//! A service's variables choose where nothing else does. A key goes to the service that it is for, and nowhere else:
//! a service's to its own host, one of the settings file to no address that only the environment names.

use wellread_core::Result;

use super::key::{Key, settings};
use super::secret::WrittenSecret;
use super::{Config, Origin, Secret, non_empty, read_variable};
use crate::wiring::addresses::{is_local_endpoint, origin};

const PROVIDERS: &[&str] = &["none", "openai", "anthropic"];

settings! {
    PROVIDER: OneOf(PROVIDERS) = "model.provider",
        "the language model's wire format: openai (any compatible endpoint), anthropic or none";
    BASE_URL: Text = "model.base_url", "the language model's endpoint, up to and including /v1";
    NAME: Text = "model.name", "the language model", also "LLM_MODEL";
    API_KEY: Secret = "model.api_key", "the language model's key, or env:NAME or file:PATH";
    RESEARCH: Text = "model.research",
        "another model of the same endpoint for research; empty means model.name", also "RESEARCH_MODEL";
    PRICE_IN: Decimal = "model.price_in", "US dollars per million tokens read";
    PRICE_OUT: Decimal = "model.price_out", "US dollars per million tokens written";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelProvider {
    None,
    /// Any endpoint that speaks as OpenAI's does.
    OpenAi,
    Anthropic,
}

/// A hosted service that is known by its variables.
struct HostedService {
    provider: &'static str,
    key: &'static str,
    address: Option<&'static str>,
    name: Option<&'static str>,
    base_url: &'static str,
    model: &'static str,
}

/// A service that could be used, since its key is in the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedModel {
    /// `openai`, `anthropic` or `fireworks`.
    pub name: String,
    /// The variable that holds the key.
    pub variable: &'static str,
    pub provider: &'static str,
    pub base_url: String,
    /// The model that is used where no other is named.
    pub model: &'static str,
}

/// The services whose key is in the environment, in the order in which they are looked for.
pub fn hosted_models() -> Result<Vec<HostedModel>> {
    let mut found = Vec::new();
    for known in &KNOWN {
        if read_variable(known.key)?.is_some() {
            found.push(HostedModel {
                name: known.key.trim_end_matches("_API_KEY").to_lowercase(),
                variable: known.key,
                provider: known.provider,
                base_url: known.address_from_env()?.unwrap_or_else(|| known.base_url.to_owned()),
                model: known.model,
            });
        }
    }
    Ok(found)
}

/// In the order in which they are looked for.
const KNOWN: [HostedService; 3] = [
    HostedService {
        provider: "openai",
        key: "FIREWORKS_API_KEY",
        address: None,
        name: Some("FIREWORKS_MODEL"),
        base_url: "https://api.fireworks.ai/inference/v1",
        model: "accounts/fireworks/models/deepseek-v3p1",
    },
    HostedService {
        provider: "openai",
        key: "OPENAI_API_KEY",
        address: Some("OPENAI_BASE_URL"),
        name: None,
        base_url: "https://api.openai.com/v1",
        model: "gpt-4.1-mini",
    },
    HostedService {
        provider: "anthropic",
        key: "ANTHROPIC_API_KEY",
        address: Some("ANTHROPIC_BASE_URL"),
        name: None,
        base_url: "https://api.anthropic.com",
        model: "claude-sonnet-4-5",
    },
];

impl HostedService {
    fn address_from_env(&self) -> Result<Option<String>> {
        self.address.map_or(Ok(None), read_variable)
    }

    /// Whether an address is its public one, or the one that its variable names.
    fn is_at(&self, base_url: &str) -> Result<bool> {
        let own = self.address_from_env()?;
        Ok(is_same_origin(base_url, self.base_url) || own.is_some_and(|own| is_same_origin(base_url, &own)))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    pub provider: ModelProvider,
    pub base_url: String,
    pub name: String,
    /// The model for research, where it is another.
    pub research: Option<String>,
    /// As written; [`ModelSettings::key`] looks it up.
    pub api_key: WrittenSecret,
    /// What to do where the key is missing or wrong.
    pub key_hint: String,
    /// Whether it is a hosted service, which answers nobody without a key.
    pub needs_key: bool,
    /// For a million tokens read and written, in US dollars.
    pub price: Option<(f64, f64)>,
}

impl ModelSettings {
    pub fn key(&self) -> Result<Option<Secret>> {
        self.api_key.reveal(API_KEY.path())
    }
}

impl Config {
    pub fn model(&self) -> ModelSettings {
        // Switched off is off, whatever else is set beside it: no address, and no key that lacks one.
        let switched_off = self.is_model_switched_off();
        let base_url = if switched_off { String::new() } else { self.get(&BASE_URL).to_owned() };
        let hosted = KNOWN.iter().find(|known| is_same_origin(&base_url, known.base_url));
        let by_variable = || KNOWN.iter().find(|known| known.is_at(&base_url).unwrap_or_default());
        let key_hint = match hosted.or_else(by_variable) {
            Some(known) => format!("set {} or `model.api_key`", known.key),
            None => "set WELLREAD_MODEL_API_KEY or `model.api_key`; a key of the settings file is not sent to an address that \
                     only the environment names"
                .to_owned(),
        };
        ModelSettings {
            provider: match self.get(&PROVIDER) {
                "openai" => ModelProvider::OpenAi,
                "anthropic" => ModelProvider::Anthropic,
                _ => ModelProvider::None,
            },
            name: self.get(&NAME).to_owned(),
            research: non_empty(self.get(&RESEARCH)).map(str::to_owned),
            api_key: if switched_off { WrittenSecret::new("") } else { self.get(&API_KEY) },
            key_hint,
            needs_key: hosted.is_some(),
            price: self.get(&PRICE_IN).zip(self.get(&PRICE_OUT)),
            base_url,
        }
    }

    /// Fills in what the variables of known services say and the settings leave open.
    pub(super) fn choose_model(&mut self) -> Result<()> {
        if self.is_model_switched_off() {
            return Ok(());
        }
        let known = match self.get(&BASE_URL).to_owned() {
            base if base.is_empty() => match self.choose_service()? {
                Some(known) => Some(known),
                None => return Ok(()),
            },
            base => self.choose_service_at(&base)?,
        };
        self.choose_key(known)?;
        self.choose_name(known)
    }

    /// The service that is meant where no address is set.
    fn choose_service(&mut self) -> Result<Option<&'static HostedService>> {
        let provider = self.is_set(&PROVIDER).then(|| self.get(&PROVIDER).to_owned());
        let own_key = !self.get(&API_KEY).is_empty();
        let found = match provider.as_deref() {
            // A key without anything that says whose it is.
            None if own_key => None,
            None => find_first_set(KNOWN.iter())?,
            // The service of that name goes first; it is meant also where none of its variables is set.
            Some(provider) => {
                let of_it = || KNOWN.iter().rev().filter(|known| known.provider == provider);
                let usual = of_it().next().map(|known| (known, None));
                if own_key { usual } else { find_first_set(of_it())?.or(usual) }
            }
        };
        let Some((known, by)) = found else { return Ok(None) };
        let chosen_by = |name: &str| Origin::Environment(name.to_owned());
        if let Some(by) = by.filter(|_| provider.is_none()) {
            self.set(&PROVIDER, known.provider.to_owned(), chosen_by(by));
        }
        let (base, origin) = match (known.address_from_env()?, known.address, by) {
            (Some(own), Some(name), _) => (own, chosen_by(name)),
            (_, _, Some(by)) => (known.base_url.to_owned(), chosen_by(by)),
            _ => (known.base_url.to_owned(), Origin::Default),
        };
        self.set(&BASE_URL, base, origin);
        Ok(Some(known))
    }

    /// The service at an address that is set, if it is a known one.
    fn choose_service_at(&mut self, base: &str) -> Result<Option<&'static HostedService>> {
        let mut known = None;
        for service in &KNOWN {
            if known.is_none() && service.is_at(base)? {
                known = Some(service);
            }
        }
        if !self.is_set(&PROVIDER) {
            let provider = known.map_or("openai", |known| known.provider);
            let origin = self.origin(&BASE_URL).clone();
            self.set(&PROVIDER, provider.to_owned(), origin);
        }
        Ok(known)
    }

    fn choose_key(&mut self, known: Option<&HostedService>) -> Result<()> {
        if matches!(self.origin(&API_KEY), Origin::Environment(_)) {
            return Ok(());
        }
        if let Some((known, key)) =
            known.and_then(|known| Some((known, read_variable(known.key).transpose()?)))
        {
            let origin = Origin::Environment(known.key.to_owned());
            self.set(&API_KEY, WrittenSecret::new(&key?), origin);
            return Ok(());
        }
        let base = self.get(&BASE_URL);
        let hosted = known.is_some_and(|known| is_same_origin(base, known.base_url));
        let named_by = self.origin(&BASE_URL).clone();
        if matches!(named_by, Origin::Environment(_)) && !hosted && self.is_set(&API_KEY) {
            self.set(&API_KEY, WrittenSecret::new(""), named_by);
        }
        Ok(())
    }

    fn choose_name(&mut self, known: Option<&HostedService>) -> Result<()> {
        let Some(known) = known else { return Ok(()) };
        if *self.origin(&NAME) == Origin::Environment("WELLREAD_MODEL_NAME".to_owned()) {
            return Ok(());
        }
        if let Some(name) = known.name
            && let Some(written) = read_variable(name)?
        {
            self.set(&NAME, written, Origin::Environment(name.to_owned()));
        }
        // Another address than the public one has models of its own.
        if self.get(&NAME).is_empty() && is_same_origin(self.get(&BASE_URL), known.base_url) {
            self.set(&NAME, known.model.to_owned(), Origin::Default);
        }
        Ok(())
    }

    /// The same settings, with no model to ask.
    #[must_use]
    pub fn without_model(mut self) -> Self {
        self.set(&PROVIDER, "none".to_owned(), Origin::Flag("init"));
        self
    }

    /// Whether a model is set up, wherever it is.
    pub fn has_model(&self) -> bool {
        self.model().provider != ModelProvider::None
    }

    /// Whether a model is set up that is not on this machine.
    pub fn has_remote_model(&self) -> bool {
        self.has_model() && !is_local_endpoint(self.get(&BASE_URL)).unwrap_or_default()
    }

    /// Whether the user said that no model is wanted.
    pub fn is_model_switched_off(&self) -> bool {
        self.is_set(&PROVIDER) && self.get(&PROVIDER) == "none"
    }

    fn is_set<K>(&self, key: &Key<K>) -> bool {
        *self.origin(key) != Origin::Default
    }
}

type SourceVariable = Option<&'static str>;

/// The first service that one of its variables speaks of, and the variable.
fn find_first_set(
    services: impl Iterator<Item = &'static HostedService>,
) -> Result<Option<(&'static HostedService, SourceVariable)>> {
    for known in services {
        for name in [Some(known.key), known.address].into_iter().flatten() {
            if read_variable(name)?.is_some() {
                return Ok(Some((known, Some(name))));
            }
        }
    }
    Ok(None)
}

/// Whether an address is the public one of a known service.
pub(super) fn is_hosted_service(base_url: &str) -> bool {
    KNOWN.iter().any(|known| is_same_origin(base_url, known.base_url))
}

fn is_same_origin(one: &str, other: &str) -> bool {
    origin(one).is_some_and(|one| origin(other) == Some(one))
}
