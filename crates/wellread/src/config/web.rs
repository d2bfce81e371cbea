//! What may be fetched from the web and how, as the settings say it.

use wellread_core::{Error, Result};

use super::Config;
use crate::platform;
use crate::wiring::addresses::{WebSettings, parse_host_and_port};

const USER_AGENT: &str =
    concat!("Wellread/", env!("CARGO_PKG_VERSION"), " (+https://github.com/wellread/wellread)");

impl Config {
    /// Every entry is looked at now: one that is wrong would otherwise be an address that is refused some day.
    pub fn web(&self, offline: bool) -> Result<WebSettings> {
        let allow = self.list("http.allow");
        for entry in &allow {
            parse_host_and_port(entry).map_err(|error| self.invalid_setting("http.allow", &error))?;
        }
        let some = |path| Some(self.text(path).trim()).filter(|text| !text.is_empty());
        let user_agent = some("http.user_agent").unwrap_or(USER_AGENT);
        if !user_agent.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(Error::invalid("the setting `http.user_agent` must be plain ASCII on one line"));
        }
        let bytes = |path: &str| match self.number(path) {
            0 => Err(Error::invalid(format!("the setting `{path}` must be more than 0"))),
            number => Ok(number),
        };
        Ok(WebSettings {
            allow,
            ca_file: some("http.ca_file").map(platform::expand_home).transpose()?,
            wire_bytes: bytes("http.wire_bytes")?,
            decoded_bytes: bytes("http.decoded_bytes")?,
            user_agent: user_agent.to_owned(),
            cache: Some(self.shared_data_folder()?.join("pages")),
            offline,
        })
    }

    fn invalid_setting(&self, path: &str, error: &Error) -> Error {
        let message = format!("the setting `{path}` ({}): {}", self.origin(path), error.message());
        Error::invalid(message).hint(error.hint_text().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flags, Origin, SettingValue};
    use super::*;

    fn config(set: &[(&'static str, SettingValue)]) -> Config {
        let data = std::env::temp_dir().join("wellread-web-settings");
        let flags = Flags { data: Some(data.display().to_string()), ..Flags::default() };
        let mut config = Config::from_flags(&flags).unwrap();
        for (path, value) in set {
            config.set(path, value.clone(), Origin::Environment("WELLREAD_X".to_owned()));
        }
        config
    }

    fn list(entries: &[&str]) -> SettingValue {
        SettingValue::List(entries.iter().map(|entry| (*entry).to_owned()).collect())
    }

    #[test]
    fn where_nothing_is_set_the_web_has_the_caps_of_the_contract() {
        let web = config(&[]).web(true).unwrap();
        assert_eq!((web.wire_bytes, web.decoded_bytes), (2 << 20, 5 << 20));
        assert_eq!((web.allow.len(), web.ca_file, web.offline), (0, None, true));
        let name = format!("Wellread/{} (+https://github.com/wellread/wellread)", env!("CARGO_PKG_VERSION"));
        assert_eq!(web.user_agent, name);
        assert!(web.cache.unwrap().ends_with("wellread-web-settings/pages"));
    }

    #[test]
    fn what_is_set_counts() {
        let text = |text: &str| SettingValue::Text(text.to_owned());
        let web = config(&[
            ("http.allow", list(&["wiki.home:8080", "[::1]:80"])),
            ("http.ca_file", text("/etc/ours.pem")),
            ("http.wire_bytes", SettingValue::Number(7)),
            ("http.decoded_bytes", SettingValue::Number(9)),
            ("http.user_agent", text("Bees/1")),
        ]);
        let web = web.web(false).unwrap();
        assert_eq!(web.allow, ["wiki.home:8080", "[::1]:80"]);
        assert_eq!(web.ca_file.unwrap().to_str(), Some("/etc/ours.pem"));
        assert_eq!((web.wire_bytes, web.decoded_bytes, web.user_agent.as_str()), (7, 9, "Bees/1"));
        assert!(!web.offline);
    }

    #[test]
    fn a_wrong_entry_is_named_with_where_it_came_from() {
        let error = config(&[("http.allow", list(&["wiki.home:80", "http://x/"]))]).web(false).unwrap_err();
        assert_eq!(
            error.message(),
            "the setting `http.allow` ($WELLREAD_X): `http://x/` is no host and port"
        );
        assert!(error.hint_text().unwrap().contains("wiki.home:8080"), "{error}");
        for (path, value) in [
            ("http.wire_bytes", SettingValue::Number(0)),
            ("http.decoded_bytes", SettingValue::Number(0)),
            ("http.user_agent", SettingValue::Text("a\nb".to_owned())),
            ("http.user_agent", SettingValue::Text("Bienen/ä".to_owned())),
        ] {
            assert!(config(&[(path, value)]).web(false).unwrap_err().message().contains(path));
        }
    }
}
