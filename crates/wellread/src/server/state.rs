//! What all vaults of a server share: where it is reached, who gets in, and how much it does at a time.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use wellread_core::{Error, Result};

use super::attempts::TokenAttempts;
use super::browser::OneTimeLinks;
use super::browser_sessions::BrowserSessions;
use super::connections::IdleConnections;
use super::listen_address::{ListenAddress, is_loopback_only};
use super::metrics::Metrics;
use super::oauth::{Grants, RemoteAccess};
use super::token::AccessToken;
use super::users::ServerUsers;
use crate::app::{OpenVault, OpenVaults};
use crate::config::Config;
use crate::platform;

/// How many requests may wait for the disk at a time, each on a thread of its own. The others wait for their turn.
pub const MOST_WORK: usize = 32;
/// What others can reach must not be guessed.
pub const SHORTEST_REMOTE_TOKEN: usize = 16;

/// The server, whichever vault a request is about.
pub struct ServerState {
    pub place: ListenAddress,
    pub token: AccessToken,
    pub links: OneTimeLinks,
    pub sessions: BrowserSessions,
    /// What there is for clients elsewhere; nothing unless the user has set a public address.
    pub remote: Option<RemoteAccess>,
    /// Pages of other origins that the user lets in, with the token.
    pub paired_origins: Vec<String>,
    pub attempts: TokenAttempts,
    /// The users with accounts, besides the owner.
    pub users: ServerUsers,
    pub connections: Arc<IdleConnections>,
    pub metrics: Metrics,
    pub work: Semaphore,
    /// The vaults by name, with their folders; the first is meant where none is named.
    pub vaults: Vec<(String, PathBuf)>,
    ending: AtomicBool,
}

impl ServerState {
    /// Takes the port. Anything that others can reach only where the user said so twice: by the flag and with a token.
    pub async fn bind(
        vaults: &OpenVaults,
        port: Option<u16>,
        allow_remote: bool,
    ) -> Result<(Self, TcpListener)> {
        let config = &vaults.first.config;
        let settings = config.server()?;
        let set = settings.token()?;
        if !is_loopback_only(settings.bind) {
            let strong =
                set.as_ref().is_some_and(|token| token.expose_secret().len() >= SHORTEST_REMOTE_TOKEN);
            if !allow_remote || !strong {
                return Err(Error::refused(format!("others can reach {}", settings.bind)).hint(format!(
                    "give --allow-remote and set `server.token`, at least {SHORTEST_REMOTE_TOKEN} characters; or listen on \
                     127.0.0.1"
                )));
            }
        }
        let token = match &set {
            Some(secret) => AccessToken::from_secret(secret)?,
            None => AccessToken::load_or_create(&token_folder(vaults, config)?)?,
        };
        if settings.public.is_some()
            && set.as_ref().is_some_and(|token| token.expose_secret().len() < SHORTEST_REMOTE_TOKEN)
        {
            return Err(Error::refused("`server.public_url` is set, and `server.token` is short enough to be guessed").hint(format!(
                "set a `server.token` of at least {SHORTEST_REMOTE_TOKEN} characters, or unset it: one will be created"
            )));
        }
        let data = config.shared_data_folder()?;
        let sessions = BrowserSessions::new(&data);
        let wanted = SocketAddr::new(settings.bind, port.unwrap_or(settings.port));
        let listener = TcpListener::bind(wanted).await.map_err(|error| bind_error(wanted, &error))?;
        let at = listener.local_addr().map_err(|error| bind_error(wanted, &error))?;
        let state = Self {
            place: ListenAddress::new(at, host_names),
            token,
            links: OneTimeLinks::default(),
            sessions,
            remote: settings.public.map(|public| RemoteAccess::new(public, Grants::new(&data))),
            paired_origins: settings.origins,
            attempts: TokenAttempts::default(),
            users: ServerUsers::open(config, vaults.first.app.ctx.reach.offline)?,
            connections: Arc::default(),
            metrics: Metrics::default(),
            work: Semaphore::new(MOST_WORK),
            vaults: vaults.all().map(name_and_folder).collect::<Result<_>>()?,
            ending: AtomicBool::new(false),
        };
        Ok((state, listener))
    }

    /// No new work from here on.
    pub fn begin_shutdown(&self) {
        self.ending.store(true, Ordering::Relaxed);
    }

    pub fn is_shutting_down(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }
}

fn name_and_folder(vault: &OpenVault) -> Result<(String, PathBuf)> {
    let folder = platform::canonicalize_existing(&vault.config.vault()?);
    Ok((vault.config.vault_name().to_owned(), folder))
}

/// The folder that keeps the token: the data folder of all vaults together, which no tool may look into.
fn token_folder(vaults: &OpenVaults, config: &Config) -> Result<PathBuf> {
    let folder = config.shared_data_folder()?;
    let is_within = |root: &&PathBuf| platform::is_within(&folder, &platform::canonicalize_existing(root));
    let within: Option<&Path> =
        vaults.all().flat_map(|vault| &vault.app.roots).find(is_within).map(PathBuf::as_path);
    match within {
        None => Ok(folder),
        Some(root) => Err(Error::refused(format!(
            "the token would be stored in `{}`, which is read for notes and code",
            root.display()
        ))
        .hint("choose another data folder with --data, or set `server.token`")),
    }
}

fn host_names() -> Vec<String> {
    let name = crate::wiring::system::host_name();
    vec![format!("{name}.local"), name]
}

fn bind_error(at: SocketAddr, error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => Error::conflict(format!("port {} is already in use", at.port()))
            .hint("another server may be running already; `--port 0` picks a free one"),
        _ => Error::failed(format!("could not listen on {at}: {error}"))
            .hint("check `server.bind` and `server.port`, or choose another with --port"),
    }
}
