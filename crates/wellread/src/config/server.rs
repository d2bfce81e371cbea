//! Where the server listens and what it asks of a client, as the settings say it.

use std::net::{IpAddr, Ipv4Addr};

use wellread_core::{Error, Result};

use super::secret::WrittenSecret;
use super::{Config, Secret, SettingValue};

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
        self.written_token.reveal("server.token")
    }
}

impl Config {
    pub fn server(&self) -> Result<ServerSettings> {
        let bind = match self.text("server.bind").trim() {
            "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
            written => written.trim_matches(['[', ']']).parse().map_err(|_| {
                Error::invalid(format!("the setting `server.bind` must be an address, not `{written}`"))
                    .hint("for example 127.0.0.1 or ::1")
            })?,
        };
        let port = match self.value("server.port") {
            Some(SettingValue::Number(port)) => u16::try_from(*port).unwrap_or_default(),
            _ => 0,
        };
        Ok(ServerSettings { bind, port, written_token: self.written_secret("server.token") })
    }
}
