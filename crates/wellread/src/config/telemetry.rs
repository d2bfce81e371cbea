//! What the program logs, and who is told how research goes, as the settings say it: nobody, until an endpoint is set.

use crate::wiring::addresses::ClientIdentity;
use wellread_core::Result;

use super::key::settings;
use super::secret::WrittenSecret;
use super::{Config, Secret};

settings! {
    OTLP_ENDPOINT: Text = "telemetry.otlp_endpoint",
        "an OpenTelemetry collector that receives telemetry by HTTP; empty is off",
        also "OTEL_EXPORTER_OTLP_ENDPOINT";
    HEADERS: Secret = "telemetry.headers",
        "headers sent to it, NAME=VALUE separated by commas, or env:NAME or file:PATH",
        also "OTEL_EXPORTER_OTLP_HEADERS";
    LOG_LEVEL: Level = "log.level", "off, error, warn, info, debug or trace", also "RUST_LOG";
}

#[derive(Debug, Clone, PartialEq)]
pub struct TelemetrySettings {
    /// The address of a collector, without `/v1/traces`.
    pub endpoint: String,
    /// As written; [`TelemetrySettings::headers`] looks them up.
    headers: WrittenSecret,
    identity: Result<ClientIdentity>,
}

impl TelemetrySettings {
    #[cfg(test)]
    pub fn new(endpoint: &str, headers: &str) -> Self {
        Self {
            endpoint: endpoint.to_owned(),
            headers: WrittenSecret::new(headers),
            identity: Ok(ClientIdentity::default()),
        }
    }

    pub fn headers(&self) -> Result<Option<Secret>> {
        self.headers.reveal(HEADERS.path())
    }

    pub fn identity(&self) -> Result<ClientIdentity> {
        self.identity.clone()
    }
}

impl Config {
    pub fn log_level(&self) -> &str {
        self.get(&LOG_LEVEL)
    }

    /// Headers of the settings file go to no address that only the environment names.
    pub fn telemetry(&self) -> Option<TelemetrySettings> {
        let address = self.get(&OTLP_ENDPOINT).trim();
        let is_withheld = self.is_withheld(&OTLP_ENDPOINT, &HEADERS);
        let headers = if is_withheld { WrittenSecret::new("") } else { self.get(&HEADERS) };
        (!address.is_empty()).then(|| TelemetrySettings {
            endpoint: address.to_owned(),
            headers,
            identity: self.identity(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flags, Origin};
    use super::*;

    #[test]
    fn headers_of_the_file_are_not_sent_where_the_environment_says() {
        let file = || Origin::File("config.toml".into());
        let environment = || Origin::Environment("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned());
        let told = |address: Origin, headers: Origin| {
            let mut config = Config::from_flags(&Flags::default()).unwrap();
            assert_eq!(config.telemetry(), None);
            config.set(&OTLP_ENDPOINT, " http://a.org ".to_owned(), address);
            config.set(&HEADERS, WrittenSecret::new("x-key=s3cret"), headers);
            let settings = config.telemetry().unwrap();
            assert_eq!(settings.endpoint, "http://a.org");
            assert!(!format!("{settings:?}").contains("s3cret"));
            settings.headers().unwrap().map(|secret| secret.expose_secret().to_owned())
        };
        let sent = Some("x-key=s3cret".to_owned());
        assert_eq!(told(file(), file()), sent);
        assert_eq!(told(file(), environment()), sent);
        assert_eq!(told(environment(), environment()), sent);
        assert_eq!(told(environment(), file()), None);
    }
}
