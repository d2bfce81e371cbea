//! Who is told how research goes, as the settings say it: nobody, until an endpoint is set.

use wellread_core::Result;

use super::secret::WrittenSecret;
use super::{Config, Secret};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelemetrySettings {
    /// The address of a collector, without `/v1/traces`.
    pub endpoint: String,
    /// As written; [`TelemetrySettings::headers`] looks them up.
    headers: WrittenSecret,
}

impl TelemetrySettings {
    #[cfg(test)]
    pub fn new(endpoint: &str, headers: &str) -> Self {
        Self { endpoint: endpoint.to_owned(), headers: WrittenSecret::new(headers) }
    }

    pub fn headers(&self) -> Result<Option<Secret>> {
        self.headers.reveal("telemetry.headers")
    }
}

impl Config {
    /// Headers of the settings file go to no address that only the environment names.
    pub fn telemetry(&self) -> Option<TelemetrySettings> {
        let (endpoint, headers) = ("telemetry.otlp_endpoint", "telemetry.headers");
        let address = self.text(endpoint).trim();
        let headers = if self.is_withheld(endpoint, headers) {
            WrittenSecret::new("")
        } else {
            self.written_secret(headers)
        };
        (!address.is_empty()).then(|| TelemetrySettings { endpoint: address.to_owned(), headers })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flags, Origin, SettingValue};
    use super::*;

    #[test]
    fn headers_of_the_file_are_not_sent_where_the_environment_says() {
        let file = || Origin::File("config.toml".into());
        let environment = || Origin::Environment("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned());
        let told = |address: Origin, headers: Origin| {
            let mut config = Config::from_flags(&Flags::default()).unwrap();
            assert_eq!(config.telemetry(), None);
            config.set("telemetry.otlp_endpoint", SettingValue::Text(" http://a.org ".to_owned()), address);
            config.set(
                "telemetry.headers",
                SettingValue::Secret(WrittenSecret::new("x-key=s3cret")),
                headers,
            );
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
