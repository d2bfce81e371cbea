//! Where the database is, as `database.url` says it: `postgres://USER@HOST:PORT/NAME`.
//!
//! A password is no part of it, so that the setting can be shown. Without encryption nothing but this machine is reached.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use url::{Host, Url};
use wellread_core::{Error, Result};

const DEFAULT_PORT: u16 = 5432;

/// Where a database is and who connects to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseAddress {
    pub server: DatabaseServer,
    pub port: u16,
    pub user: String,
    pub name: String,
    /// Whether the connection is encrypted, and the server's certificate verified.
    pub encrypted: bool,
}

/// The server of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseServer {
    Host(String),
    /// The folder of a Unix socket.
    Socket(PathBuf),
}

impl DatabaseAddress {
    /// Reads an address. An error of kind `Invalid` for one with a password, and for one that would leave this machine
    /// without encryption.
    pub fn parse(written: &str) -> Result<Self> {
        // For a Unix socket there may be no host, which the standard for URLs does not allow behind a user.
        let filled = written.trim().replacen("@/", "@localhost/", 1);
        let has_host = filled == written.trim();
        let url = Url::parse(&filled).map_err(|error| invalid(&error.to_string()))?;
        if !["postgres", "postgresql"].contains(&url.scheme()) {
            return Err(invalid("it has to begin with `postgres://`"));
        }
        if url.password().is_some() {
            return Err(Error::invalid("`database.url` has a password in it")
                .hint("take it out, and put it into a file that `database.password_file` names, or into the variable WELLREAD_DATABASE_PASSWORD"));
        }
        let options = UrlOptions::read(&url)?;
        let server = match (options.socket, url.host()) {
            (Some(folder), _) => DatabaseServer::Socket(folder),
            (None, Some(host)) if has_host => DatabaseServer::Host(host_text(&host)?),
            (None, _) => return Err(invalid("it names no host")),
        };
        let user = decode(url.username())?;
        let name = decode(url.path().trim_start_matches('/'))?;
        if user.is_empty() {
            return Err(invalid("it names no user"));
        }
        if name.is_empty() || name.contains('/') {
            return Err(invalid("it has to end with the name of the database"));
        }
        let is_local = server.is_local();
        let encrypted = options.encrypted.unwrap_or(!is_local);
        if !encrypted && !is_local {
            return Err(Error::invalid("`database.url` would send the records unencrypted to another machine")
                .hint("leave `sslmode` out: connections to other machines are encrypted, and their certificates verified"));
        }
        if encrypted && matches!(server, DatabaseServer::Socket(_)) {
            return Err(invalid("a Unix socket is never encrypted"));
        }
        Ok(Self { server, port: url.port().unwrap_or(DEFAULT_PORT), user, name, encrypted })
    }
}

impl DatabaseServer {
    /// Whether a connection to it never leaves this machine.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Socket(_) => true,
            Self::Host(name) => {
                name.eq_ignore_ascii_case("localhost")
                    || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
            }
        }
    }
}

/// For people: the server and the database, without the user.
impl fmt::Display for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.server {
            DatabaseServer::Host(host) if host.contains(':') => write!(f, "[{host}]:{}", self.port)?,
            DatabaseServer::Host(host) => write!(f, "{host}:{}", self.port)?,
            DatabaseServer::Socket(folder) => write!(f, "{}", folder.display())?,
        }
        write!(f, "/{}", self.name)
    }
}

/// What follows the question mark.
#[derive(Default)]
struct UrlOptions {
    socket: Option<PathBuf>,
    encrypted: Option<bool>,
}

impl UrlOptions {
    fn read(url: &Url) -> Result<Self> {
        let mut options = Self::default();
        for (name, value) in url.query_pairs() {
            match (&*name, &*value) {
                ("host", folder) if Path::new(folder).is_absolute() => options.socket = Some(folder.into()),
                ("sslmode", "verify-full" | "require") => options.encrypted = Some(true),
                ("sslmode", "disable") => options.encrypted = Some(false),
                ("sslmode", _) => {
                    return Err(invalid("`sslmode` can be `verify-full`, or `disable` on this machine"));
                }
                ("host", _) => return Err(invalid("`host` can only be the folder of a Unix socket")),
                ("password", _) => return Err(invalid("it has a password in it")),
                (other, _) => return Err(invalid(&format!("there is no option `{other}`"))),
            }
        }
        Ok(options)
    }
}

/// Of a scheme that the standard for URLs does not know, a host may be any text.
fn host_text(host: &Host<&str>) -> Result<String> {
    match host {
        Host::Domain(name) => {
            let name = decode(name)?;
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
            if name.is_empty() || !name.chars().all(is_plain) {
                return Err(invalid("its host is no name and no address"));
            }
            Ok(name)
        }
        Host::Ipv4(address) => Ok(address.to_string()),
        Host::Ipv6(address) => Ok(address.to_string()),
    }
}

/// Replaces `%20` and the like.
fn decode(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = std::str::from_utf8(after.get(..2).unwrap_or_default()).unwrap_or_default();
        match (*first, u8::from_str_radix(digits, 16)) {
            (b'%', Ok(byte)) if digits.len() == 2 => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (byte, _) => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))
        .ok_or_else(|| invalid("a part of it is no text"))
}

fn invalid(reason: &str) -> Error {
    Error::invalid(format!("`database.url` can't be used: {reason}"))
        .hint("it looks like `postgres://wellread@db.example.org/wellread`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(written: &str) -> String {
        DatabaseAddress::parse(written).map_or_else(
            |error| format!("{error}"),
            |address| format!("{}@{address} {}", address.user, address.encrypted),
        )
    }

    #[test]
    fn an_address_is_read() {
        assert_eq!(shown("postgres://me@db.example.org/notes"), "me@db.example.org:5432/notes true");
        assert_eq!(shown("postgresql://m%40e@127.0.0.1:99/n%20s"), "m@e@127.0.0.1:99/n s false");
        assert_eq!(shown("postgres://me@localhost/n?sslmode=verify-full"), "me@localhost:5432/n true");
        assert_eq!(shown("postgres://me@[::1]/n"), "me@[::1]:5432/n false");
        assert_eq!(shown("postgres://me@[2001:db8::1]/n"), "me@[2001:db8::1]:5432/n true");
        assert_eq!(shown("postgres://me@/n?host=/run/postgresql"), "me@/run/postgresql/n false");
        assert_eq!(shown("postgres://me@localhost/n?host=%2Frun%2Fpg"), "me@/run/pg/n false");
    }

    #[test]
    fn what_can_not_be_used_is_refused_with_a_reason() {
        for (written, reason) in [
            ("postgres://me:s3cret@localhost/n", "has a password in it"),
            ("postgres://me@localhost/n?password=s3cret", "has a password in it"),
            ("postgres://me@db.example.org/n?sslmode=disable", "unencrypted"),
            ("postgres://me@db.example.org/n?sslmode=prefer", "`sslmode`"),
            ("postgres://me@localhost.example.org/n?sslmode=disable", "unencrypted"),
            ("postgres://me@127.0.0.1.example.org/n?sslmode=disable", "unencrypted"),
            ("mysql://me@localhost/n", "postgres://"),
            ("postgres://localhost/n", "no user"),
            ("postgres://me@/n", "no host"),
            ("postgres:///n", "no host"),
            ("postgres://me@localhost", "name of the database"),
            ("postgres://me@localhost/a/b", "name of the database"),
            ("postgres://me@localhost/n?options=-c%20x", "no option `options`"),
            ("postgres://me@localhost/n?host=db.example.org", "Unix socket"),
            ("postgres://me@/n?host=/run&sslmode=require", "never encrypted"),
            ("postgres://me@a,b/n", "no name and no address"),
            ("postgres://me@localhost/n%00", "no text"),
            ("records.db", "database.url"),
        ] {
            let error = shown(written);
            assert!(error.contains(reason) && !error.contains("s3cret"), "{written}: {error}");
        }
    }
}
