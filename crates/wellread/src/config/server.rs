//! Where the server listens and what it asks of a client, as the settings say it.

use std::net::{IpAddr, Ipv4Addr};

use wellread_core::{Error, Result};

use super::key::settings;
use super::secret::WrittenSecret;
use super::{Config, Secret};

settings! {
    BIND: Text = "server.bind",
        "the address that the server listens on; other than loopback only with --allow-remote";
    PORT: Number(65535) = "server.port", "the server's port; 0 picks a free one", also "API_PORT";
    TOKEN: Secret = "server.token",
        "the token that programs send to the server, or env:NAME or file:PATH; created at first start if empty",
        also "WELLREAD_TOKEN";
}

#[derive(Debug, Clone)]
pub struct ServerSettings {
    pub bind: IpAddr,
    /// Zero picks a free one.
    pub port: u16,
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
        Ok(ServerSettings { bind, port, written_token: self.get(&TOKEN) })
    }
}
