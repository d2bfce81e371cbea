//! The one place that builds HTTP clients. None follows a redirect by itself or knows a proxy, and time and bytes are capped.
//!
//! Four uses: pages of the web and services that search it, through the guard ([`Web`]); an endpoint that the user set
//! ([`BlockingClient`], whose calls block, and may be made from any thread, one of an async runtime included: what waits for the
//! network runs on a thread of its own); one whose answer comes in pieces to an async caller ([`AsyncClient`]); and the download
//! of a file. What comes from the web may be fetched with the first alone.

use std::error::Error as _;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Url};
use tokio::runtime::{Builder, Runtime};
use wellread_core::ports::WebFailure;
use wellread_core::{Error, Result};

mod address;
mod async_client;
mod body;
mod cache;
mod decode;
mod dial;
mod download;
mod endpoint;
mod freshness;
mod hops;
mod public_address;
mod rate_limit;
mod resolve;
mod retry;
mod sniff;
#[cfg(test)]
mod tests;
mod tls;
mod web;

pub use address::parse_host_and_port;
pub(crate) use async_client::{AsyncClient, ResponseStream};
pub(crate) use download::download;
pub(crate) use endpoint::Endpoint;
use retry::retry_after;
pub(crate) use tls::trusting_config;
pub(crate) use web::{ServiceRequest, WebResponse};
pub use web::{Web, WebSettings};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const LONGEST_REASON: usize = 300;

/// Why there is no answer. Never holds a header, so never a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HttpFailure {
    /// Nobody answers there.
    Unreachable(String),
    /// The answer began or should have, and broke off.
    Cut(String),
    TimedOut,
    TooLarge,
    /// An answer, but not one that helps.
    Status(u16),
    /// A redirect that is not followed, and why.
    Redirect(String),
    /// Something on this machine.
    Local(String),
}

impl std::fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "can't be reached: {why}"),
            Self::Cut(why) => write!(f, "the answer was cut off: {why}"),
            Self::TimedOut => f.write_str("no answer in time"),
            Self::TooLarge => f.write_str("the answer is too large"),
            Self::Status(status) => write!(f, "status {status}"),
            Self::Redirect(why) => write!(f, "a redirect was not followed: {why}"),
            Self::Local(why) => f.write_str(why),
        }
    }
}

impl HttpFailure {
    fn from_reqwest(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let (mut deepest, mut source) = (error.to_string(), error.source());
        while let Some(inner) = source {
            deepest = inner.to_string();
            source = inner.source();
        }
        // Some of it may be the other side's words, such as the names of a certificate.
        let deepest: String = deepest.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect();
        if error.is_timeout() && !error.is_connect() {
            Self::TimedOut
        } else if error.is_connect() || error.is_builder() {
            Self::Unreachable(deepest)
        } else {
            Self::Cut(deepest)
        }
    }
}

/// An answer of whatever status, read to its end.
pub(crate) struct HttpResponse {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub body: Vec<u8>,
}

/// Talks to the scheme, host and port of one address, and to nothing else.
pub(crate) struct BlockingClient {
    base: Url,
    http: reqwest::Client,
    runtime: Option<Runtime>,
}

impl BlockingClient {
    /// For an address that the user set, up to the part that all requests share. `all` limits a whole request.
    pub(crate) fn for_endpoint(base: &str, all: Duration, identity: &ClientIdentity) -> Result<Self> {
        let parsed = parse_endpoint_address(base)?;
        let http = trusted_client_builder(parsed.scheme() == "https", identity)
            .and_then(|client| client.timeout(all).build().map_err(HttpFailure::from_reqwest));
        let http = http.map_err(|failure| Error::failed(format!("no HTTP client: {failure}")))?;
        let runtime = build_runtime().map_err(|failure| Error::failed(failure.to_string()))?;
        Ok(Self { base: parsed, http, runtime: Some(runtime) })
    }

    /// The address without a slash at its end.
    pub(crate) fn base(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Whether it is on this machine, as its address is written.
    pub(crate) fn is_local(&self) -> bool {
        is_loopback_url(&self.base)
    }

    /// Sends JSON to a path below the address and reads an answer of at most `cap` bytes.
    pub(crate) fn post(
        &self,
        path: &str,
        headers: &[(HeaderName, HeaderValue)],
        body: Vec<u8>,
        cap: usize,
    ) -> Result<HttpResponse, HttpFailure> {
        let mut all = HeaderMap::from_iter(headers.iter().cloned());
        all.insert(reqwest::header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let request = self.http.post(format!("{}/{path}", self.base())).headers(all).body(body);
        let answer = async {
            let answer = receive(request, cap).await;
            if answer.is_err() {
                // Nobody looks after connections between calls: one that was given up has to close before this ends.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            answer
        };
        let Some(runtime) = &self.runtime else {
            return Err(HttpFailure::Local("the client is closed".to_owned()));
        };
        run_on_thread(|| runtime.block_on(answer))
    }
}

impl Drop for BlockingClient {
    fn drop(&mut self) {
        // The plain drop of a runtime waits, and panics where waiting is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn receive(request: RequestBuilder, cap: usize) -> Result<HttpResponse, HttpFailure> {
    let mut response = request.send().await.map_err(HttpFailure::from_reqwest)?;
    let (status, retry_after) = (response.status().as_u16(), retry_after(response.headers()));
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(HttpFailure::from_reqwest)? {
        if body.len() + part.len() > cap {
            return Err(HttpFailure::TooLarge);
        }
        body.extend_from_slice(&part);
    }
    Ok(HttpResponse { status, retry_after, body })
}

/// The address of an endpoint that the user set.
fn parse_endpoint_address(base: &str) -> Result<Url> {
    let wrong = |why: &str| Error::invalid(format!("{base} is not a valid endpoint address: {why}"));
    let parsed = Url::parse(base).map_err(|error| wrong(&error.to_string()))?;
    if !parsed.username().is_empty() || parsed.password().is_some() {
        // The address may hold a password, so it is not repeated.
        return Err(Error::invalid("an endpoint's address must not contain a user name or password"));
    }
    if !["http", "https"].contains(&parsed.scheme()) || parsed.host().is_none() {
        return Err(wrong("it must begin with http:// or https://"));
    }
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(wrong("it must end with its path"));
    }
    Ok(parsed)
}

/// Whether an endpoint is on this machine, as its address is written. `Err` if it is no address of an endpoint.
pub fn is_local_endpoint(base: &str) -> Result<bool> {
    parse_endpoint_address(base).map(|url| is_loopback_url(&url))
}

/// Whether an address is on this machine, as it is written: nothing is resolved.
pub(crate) fn is_loopback_url(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        host == "localhost"
            || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

/// What a client calls itself, and which authority it trusts besides those that the system trusts.
///
/// Every client is built with one; nothing of it is shared between clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientIdentity {
    pub user_agent: String,
    /// A further trusted CA, as a PEM file.
    pub ca_file: Option<PathBuf>,
}

impl Default for ClientIdentity {
    /// The program's name and version, and what the system trusts.
    fn default() -> Self {
        Self { user_agent: concat!("wellread/", env!("CARGO_PKG_VERSION")).to_owned(), ca_file: None }
    }
}

/// What all clients have in common. Without the certificates that they trust.
fn client_builder(encrypted: bool, identity: &ClientIdentity) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        // Connections are looked after only during a call, so an old one may be dead without our knowing.
        .pool_idle_timeout(Duration::from_secs(5))
        .user_agent(&identity.user_agent)
        .https_only(encrypted)
}

fn trusted_client_builder(
    encrypted: bool,
    identity: &ClientIdentity,
) -> Result<reqwest::ClientBuilder, HttpFailure> {
    let ca_file = identity.ca_file.as_deref();
    let trust = if encrypted { tls::trusting_config(ca_file)? } else { tls::untrusting_config() };
    Ok(client_builder(encrypted, identity).tls_backend_preconfigured(trust))
}

fn refused_failure(message: impl Into<String>) -> WebFailure {
    WebFailure::Refused { message: message.into() }
}

fn build_runtime() -> Result<Runtime, HttpFailure> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| HttpFailure::Local(format!("no runtime: {error}")))
}

/// Runs something that waits where waiting is allowed, whoever the caller is.
fn run_on_thread<T: Send>(work: impl FnOnce() -> Result<T, HttpFailure> + Send) -> Result<T, HttpFailure> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("http".to_owned()).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| HttpFailure::Local(format!("no thread: {error}")))?;
        thread.join().unwrap_or_else(|_| Err(HttpFailure::Local("the HTTP client failed".to_owned())))
    })
}
