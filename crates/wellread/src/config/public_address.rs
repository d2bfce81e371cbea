//! The address by which a proxy or a tunnel leads to the server.

use url::{Host, Url};
use wellread_core::{Error, Result};

/// A scheme and a host, with a port where it is not the usual one. What others send in clear text stays on this machine: without
/// TLS, the host is one of loopback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicAddress {
    origin: String,
}

impl PublicAddress {
    /// Reads what the user has written.
    pub fn parse(written: &str) -> Result<Self> {
        let refuse = |why: &str| {
            Error::invalid(format!("the setting `server.public_url` has `{}`: {why}", written.escape_debug()))
                .hint("write the address that clients use, such as https://wellread.example.org")
        };
        let url = Url::parse(written).map_err(|_| refuse("this is not an address"))?;
        let Some(host) = url.host() else { return Err(refuse("it names no host")) };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse("it must begin with https://"));
        }
        if url.scheme() == "http" && !is_loopback(&host) {
            return Err(refuse("without https, others could read the tokens on their way"));
        }
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        if !is_bare || !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("it must be a scheme and a host alone, without a path or a user"));
        }
        Ok(Self { origin: url.origin().ascii_serialization() })
    }

    /// As a browser writes it in `Origin`; also the issuer of tokens.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The host, with its port where it is not the usual one.
    pub fn authority(&self) -> &str {
        self.origin.split_once("://").map_or("", |(_, authority)| authority)
    }

    /// Whether a request names this host. Some proxies write the usual port, too.
    pub fn is_host(&self, authority: &str) -> bool {
        let usual = if self.is_secure() { ":443" } else { ":80" };
        let bare = authority.strip_suffix(usual).unwrap_or(authority);
        authority.eq_ignore_ascii_case(self.authority()) || bare.eq_ignore_ascii_case(self.authority())
    }

    /// Whether what is sent there is encrypted.
    pub fn is_secure(&self) -> bool {
        self.origin.starts_with("https://")
    }
}

/// Whether a host is this machine, whoever asks.
pub fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => name.eq_ignore_ascii_case("localhost"),
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => ip.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_and_a_host() {
        for (written, origin) in [
            ("https://wellread.example.org", "https://wellread.example.org"),
            ("https://Wellread.Example.org:443/", "https://wellread.example.org"),
            ("https://wellread.example.org:8443", "https://wellread.example.org:8443"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
            ("http://localhost:8000/", "http://localhost:8000"),
            ("http://[::1]:8000", "http://[::1]:8000"),
        ] {
            let address = PublicAddress::parse(written).unwrap();
            assert_eq!(address.origin(), origin, "{written}");
            assert!(address.is_host(address.authority()) && !address.is_host("evil.example"), "{written}");
        }
        for wrong in [
            "wellread.example.org",
            "http://wellread.example.org",
            "http://127.0.0.1.nip.io",
            "https://wellread.example.org/notes",
            "https://wellread.example.org/?a=b",
            "https://user@wellread.example.org",
            "https://",
            "ftp://wellread.example.org",
            "javascript:alert(1)",
        ] {
            assert!(PublicAddress::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_that_only_begins_or_ends_alike_is_another() {
        let address = PublicAddress::parse("https://wellread.example.org").unwrap();
        assert!(address.is_host("Wellread.Example.org") && address.is_host("wellread.example.org:443"));
        for other in [
            "wellread.example.org.evil.example",
            "evil-wellread.example.org",
            "wellread.example.org:8000",
            "wellread.example.org:80",
            "wellread.example.org:443:443",
            "evil.example:443",
            "",
        ] {
            assert!(!address.is_host(other), "{other}");
        }
    }
}
