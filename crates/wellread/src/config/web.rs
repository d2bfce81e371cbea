//! What may be fetched from the web and how, as the settings say it.

use wellread_core::{Error, Result};

use super::key::{Key, settings};
use super::kinds::Number;
use super::{Config, non_empty};
use crate::platform;
use crate::wiring::addresses::{ClientIdentity, WebSettings, parse_host_and_port};

const OWN_NAME: &str =
    concat!("Wellread/", env!("CARGO_PKG_VERSION"), " (+https://github.com/wellread/wellread)");

/// Half of what a small machine has to spare.
pub(super) const LARGEST_PAGE: u64 = 256 << 20;

settings! {
    ALLOW: List = "http.allow",
        "internal hosts with ports that pages may be fetched from";
    CA_FILE: Folder = "http.ca_file", "an additional trusted CA, as a PEM file", also "SSL_CERT_FILE";
    WIRE_BYTES: Number(LARGEST_PAGE) = "http.wire_bytes",
        "how many bytes of a page may be received, as sent";
    DECODED_BYTES: Number(LARGEST_PAGE) = "http.decoded_bytes",
        "how many bytes a page may have once decompressed";
    USER_AGENT: Text = "http.user_agent",
        "the user agent on the web; empty means name, version and page of this program";
}

impl Config {
    /// Every entry is looked at now: one that is wrong would otherwise be an address that is refused some day.
    pub fn web(&self, offline: bool) -> Result<WebSettings> {
        let allow = self.get(&ALLOW).to_vec();
        for entry in &allow {
            parse_host_and_port(entry).map_err(|error| self.invalid_setting(&ALLOW, &error))?;
        }
        let bytes = |key: &Key<Number>| match self.get(key) {
            0 => Err(Error::invalid(format!("the setting `{}` must be more than 0", key.path()))),
            number => Ok(number),
        };
        Ok(WebSettings {
            allow,
            identity: self.identity()?,
            wire_bytes: bytes(&WIRE_BYTES)?,
            decoded_bytes: bytes(&DECODED_BYTES)?,
            cache: Some(self.shared_data_folder()?.join("pages")),
            offline,
        })
    }

    /// What every client of this program calls itself, and the CA that it trusts besides the system's.
    pub fn identity(&self) -> Result<ClientIdentity> {
        let user_agent = non_empty(self.get(&USER_AGENT).trim()).unwrap_or(OWN_NAME);
        if !user_agent.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(Error::invalid("the setting `http.user_agent` must be plain ASCII on one line"));
        }
        Ok(ClientIdentity {
            user_agent: user_agent.to_owned(),
            ca_file: non_empty(self.get(&CA_FILE).trim()).map(platform::expand_home).transpose()?,
        })
    }

    pub(super) fn invalid_setting<K>(&self, key: &Key<K>, error: &Error) -> Error {
        let message = format!("the setting `{}` ({}): {}", key.path(), self.origin(key), error.message());
        Error::invalid(message).hint(error.hint_text().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flags, Origin, SettingKey, SettingValue};
    use super::*;

    fn config(set: &[(&'static str, SettingValue)]) -> Config {
        let data = std::env::temp_dir().join("wellread-web-settings");
        let flags = Flags { data: Some(data.display().to_string()), ..Flags::default() };
        let mut config = Config::from_flags(&flags).unwrap();
        for (path, value) in set {
            let origin = Origin::Environment("WELLREAD_X".to_owned());
            config.insert(SettingKey::find(path).unwrap(), value.clone(), origin);
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
        assert_eq!((web.allow.len(), web.identity.ca_file, web.offline), (0, None, true));
        let name = format!("Wellread/{} (+https://github.com/wellread/wellread)", env!("CARGO_PKG_VERSION"));
        assert_eq!(web.identity.user_agent, name);
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
        assert_eq!(web.identity.ca_file.unwrap().to_str(), Some("/etc/ours.pem"));
        assert_eq!((web.wire_bytes, web.decoded_bytes, web.identity.user_agent.as_str()), (7, 9, "Bees/1"));
        assert!(!web.offline);
    }

    #[test]
    fn a_wrong_entry_is_named_with_where_it_came_from() {
        let error = config(&[("http.allow", list(&["wiki.home:80", "http://x/"]))]).web(false).unwrap_err();
        assert_eq!(
            error.message(),
            "the setting `http.allow` ($WELLREAD_X): `http://x/` is not a host and port"
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
