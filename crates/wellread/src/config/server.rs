//! Where the server listens and what it asks of a client, as the settings say it.

use std::net::{IpAddr, Ipv4Addr};

use wellread_core::{Error, Result};

use super::key::settings;
use super::public_address::PublicAddress;
use super::secret::WrittenSecret;
use super::{Config, Secret};

settings! {
    BIND: Text = "server.bind",
        "the address that the server listens on; other than loopback only with --allow-remote";
    PORT: Number(65535) = "server.port", "the server's port; 0 picks a free one", also "API_PORT";
    TOKEN: Secret = "server.token",
        "the token that programs send to the server, or env:NAME or file:PATH; created at first start if empty",
        also "WELLREAD_TOKEN";
    ORIGINS: List = "server.origins",
        "apps with pages of their own that may use the server with the token, such as app://obsidian.md";
    PUBLIC_URL: Text = "server.public_url",
        "the https address of a proxy or tunnel in front of the server; MCP clients there sign in with OAuth, off if empty";
}

#[derive(Debug, Clone)]
pub struct ServerSettings {
    pub bind: IpAddr,
    /// Zero picks a free one.
    pub port: u16,
    /// Origins that are paired.
    pub origins: Vec<String>,
    /// Where a proxy or tunnel makes it reachable for others; nothing where none does.
    pub public: Option<PublicAddress>,
    /// As written; [`ServerSettings::token`] looks it up.
    written_token: WrittenSecret,
}

impl ServerSettings {
    /// The token that the user has set. Nothing where one is to be made.
    pub fn token(&self) -> Result<Option<Secret>> {
        self.written_token.reveal(TOKEN.path())
    }
}

impl Config {
    pub fn server(&self) -> Result<ServerSettings> {
        let bind = match self.get(&BIND).trim() {
            "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
            written => written.trim_matches(['[', ']']).parse().map_err(|_| {
                Error::invalid(format!("the setting `server.bind` must be an address, not `{written}`"))
                    .hint("for example 127.0.0.1 or ::1")
            })?,
        };
        let port = u16::try_from(self.get(&PORT)).unwrap_or_default();
        let origins = self.get(&ORIGINS).iter().map(|origin| parse_origin(origin)).collect::<Result<_>>()?;
        let public = self.public_address()?;
        Ok(ServerSettings { bind, port, origins, public, written_token: self.get(&TOKEN) })
    }

    /// Where a proxy or tunnel makes the server reachable for others; nothing where none does.
    pub fn public_address(&self) -> Result<Option<PublicAddress>> {
        match self.get(&PUBLIC_URL).trim() {
            "" => Ok(None),
            written => PublicAddress::parse(written).map(Some),
        }
    }
}

/// An origin as a browser writes it: a scheme and a host, in lower case, without a path.
fn parse_origin(written: &str) -> Result<String> {
    let origin = written.trim().to_ascii_lowercase();
    let fits = origin.split_once("://").is_some_and(|(scheme, host)| {
        let in_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        let in_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
        !scheme.is_empty() && !host.is_empty() && scheme.bytes().all(in_scheme) && host.bytes().all(in_host)
    });
    if fits {
        return Ok(origin);
    }
    Err(Error::invalid(format!("the setting `server.origins` has `{written}`, which is not an origin"))
        .hint("an origin is a scheme and a host, for example app://obsidian.md"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_origin_is_paired() {
        for origin in
            ["app://obsidian.md", "http://localhost:3000", "https://[::1]:8443", " APP://Obsidian.md "]
        {
            assert_eq!(parse_origin(origin).unwrap(), origin.trim().to_lowercase());
        }
        for wrong in
            ["", "*", "null", "obsidian.md", "app://", "://x", "app://obsidian.md/", "http://a b", "http://*"]
        {
            assert!(parse_origin(wrong).is_err(), "{wrong}");
        }
    }
}
