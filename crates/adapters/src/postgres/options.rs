//! What it takes to connect to a database.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::ClientConfig;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use wellread_core::{Error, ErrorKind, Result};

use super::address::{DatabaseAddress, DatabaseServer};
use crate::http::trusting_config;

/// When a connection counts as dead: nothing came back for this long. The locks of a machine that is gone end then, too.
pub const DEAD_AFTER: Duration = Duration::from_secs(30);
/// The longest name of a space, in bytes.
const LONGEST_SPACE: usize = 200;

/// What it takes to connect to a database. Its `Debug` says that there is a password, and not which.
pub struct DatabaseOptions {
    pub address: DatabaseAddress,
    password: Option<String>,
    ca_file: Option<PathBuf>,
    /// Which records of the database these are. A connection sees no others.
    pub space: String,
    trust: OnceLock<Arc<ClientConfig>>,
    /// Whether nothing may be sent off this machine.
    offline: bool,
}

impl DatabaseOptions {
    /// Nothing is opened or read yet. An error of kind `Invalid` for a space without a name.
    pub fn new(
        address: DatabaseAddress,
        password: Option<&str>,
        ca_file: Option<PathBuf>,
        space: &str,
    ) -> Result<Self> {
        if space.is_empty() || space.len() > LONGEST_SPACE || space.contains(char::is_control) {
            return Err(Error::invalid("`database.space` has to be one line of 1 to 200 bytes"));
        }
        let (password, space) = (password.map(str::to_owned), space.to_owned());
        Ok(Self { address, password, ca_file, space, trust: OnceLock::new(), offline: false })
    }

    /// The same, without any connection to another machine if `offline` is true.
    #[must_use]
    pub fn offline(self, offline: bool) -> Self {
        Self { offline, ..self }
    }

    /// An error of kind `Unavailable` if the database is on another machine and nothing may be sent there.
    pub fn check_permitted(&self) -> Result<()> {
        if !self.offline || self.address.server.is_local() {
            return Ok(());
        }
        let message =
            format!("the database at {} is on another machine, and `--offline` is set", self.address);
        Err(Error::new(ErrorKind::Unavailable, message).hint("leave `--offline` out to use the records"))
    }

    /// The configuration of a connection, except for its encryption.
    pub fn config(&self) -> Config {
        let mut config = Config::new();
        match &self.address.server {
            DatabaseServer::Host(host) => config.host(host),
            #[cfg(unix)]
            DatabaseServer::Socket(folder) => config.host_path(folder),
            #[cfg(not(unix))]
            DatabaseServer::Socket(folder) => config.host(folder.display().to_string()),
        };
        config.port(self.address.port).user(&self.address.user).dbname(&self.address.name);
        config.application_name("wellread");
        config.ssl_mode(if self.address.encrypted { SslMode::Require } else { SslMode::Disable });
        if let Some(password) = &self.password {
            config.password(password);
        }
        config.keepalives(true).keepalives_idle(DEAD_AFTER / 3).keepalives_interval(DEAD_AFTER / 6);
        config.keepalives_retries(4).tcp_user_timeout(DEAD_AFTER);
        config
    }

    /// Whom encrypted connections trust; `None` for a connection that is not encrypted.
    pub fn trust(&self) -> Result<Option<Arc<ClientConfig>>> {
        if !self.address.encrypted {
            return Ok(None);
        }
        if let Some(known) = self.trust.get() {
            return Ok(Some(known.clone()));
        }
        let read = trusting_config(self.ca_file.as_deref())
            .map_err(|failure| Error::failed(format!("could not encrypt the connection: {failure}")))?;
        Ok(Some(self.trust.get_or_init(|| Arc::new(read)).clone()))
    }
}

impl fmt::Debug for DatabaseOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseOptions")
            .field("address", &self.address)
            .field("password", &self.password.is_some())
            .field("space", &self.space)
            .finish_non_exhaustive()
    }
}
