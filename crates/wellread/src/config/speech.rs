//! Who writes down recordings, as the settings and Fireworks' variable say it.

use wellread_core::Result;

use super::key::settings;
use super::secret::WrittenSecret;
use super::{Config, Secret, non_empty, read_variable};
use crate::wiring::addresses::origin;

settings! {
    BASE_URL: Text = "speech.base_url", "the endpoint that transcribes recordings, up to and including /v1";
    NAME: Text = "speech.name", "its model", also "WHISPER_MODEL";
    API_KEY: Secret = "speech.api_key", "its key, or env:NAME or file:PATH";
    COMMAND: Text = "speech.command",
        "a local program to use instead: it gets the path of a recording and prints the transcript";
}

const FIREWORKS: &str = "https://audio-prod.api.fireworks.ai/v1";
const FIREWORKS_KEY: &str = "FIREWORKS_API_KEY";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeechSettings {
    /// Where nothing is set, there is none.
    pub base_url: Option<String>,
    pub name: String,
    /// A program of this machine; it goes before an endpoint.
    pub command: Option<String>,
    /// What to do where the key is missing or wrong.
    pub key_hint: String,
    api_key: WrittenSecret,
}

impl SpeechSettings {
    pub fn key(&self) -> Result<Option<Secret>> {
        self.api_key.reveal(API_KEY.path())
    }
}

impl Config {
    pub fn speech(&self) -> Result<SpeechSettings> {
        let own_key = self.get(&API_KEY);
        let shared_key = read_variable(FIREWORKS_KEY)?;
        let set = non_empty(self.get(&BASE_URL)).map(str::to_owned);
        // A key of its own without an address belongs to the usual service.
        let usual = shared_key.is_some() || !own_key.is_empty();
        let base_url = set.or_else(|| usual.then(|| FIREWORKS.to_owned()));
        let is_fireworks = base_url.as_deref().is_some_and(is_fireworks);
        let api_key = if self.is_withheld(&BASE_URL, &API_KEY) {
            WrittenSecret::new("")
        } else if own_key.is_empty() && (is_fireworks || base_url.as_deref().is_some_and(is_local)) {
            WrittenSecret::new(&shared_key.unwrap_or_default())
        } else {
            own_key
        };
        let key_hint = if is_fireworks {
            format!("set {FIREWORKS_KEY} or `speech.api_key`")
        } else {
            "set WELLREAD_SPEECH_API_KEY or `speech.api_key`; a key of the settings file is not sent to an address that only \
             the environment names"
                .to_owned()
        };
        Ok(SpeechSettings {
            base_url,
            name: self.get(&NAME).to_owned(),
            command: non_empty(self.get(&COMMAND)).map(str::to_owned),
            key_hint,
            api_key,
        })
    }
}

/// On this machine a key stays where it is.
fn is_local(base: &str) -> bool {
    let host = origin(base).and_then(|origin| Some(origin.split_once("://")?.1.to_owned()));
    let host = host.map(|host| host.rsplit_once(':').map_or(host.clone(), |(host, _)| host.to_owned()));
    host.is_some_and(|host| ["127.0.0.1", "localhost", "[::1]"].contains(&host.as_str()))
}

/// Its key goes to no other host.
fn is_fireworks(base: &str) -> bool {
    origin(base).is_some_and(|origin| {
        origin == "https://api.fireworks.ai"
            || (origin.starts_with("https://") && origin.ends_with(".api.fireworks.ai"))
    })
}
