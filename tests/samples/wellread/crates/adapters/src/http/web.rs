//! The guarded client: the one way to anything that is not an endpoint of the user's own choosing, and to search services.
//! See `docs/decisions/0013`.
//!
//! | file | what |
//! | --- | --- |
//! | `address` | what an address may be, by its spelling |
//! | `public` `resolve` | which addresses are public; where hosts are, and what this machine's own addresses are |
//! | `hops` | each step of the way to a page, and whether it may be taken |
//! | `dial` `tls` | one request to the addresses that were checked |
//! | `body` `decode` `sniff` | what came, within the caps, decoded, and of a kind that can be read |
//! | `polite` `patience` | hosts are left in peace |
//! | `cache` `freshness` | what was fetched before |

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response, StatusCode, Url};
use tokio::time::Instant;
use wellread_core::Result;
use wellread_core::ports::WebFailure;

use super::address::{self, Allowed};
use super::body::Caps;
use super::cache::{Cache, Kept};
use super::dial::{Dial, Request};
use super::hops::{self, Hop, MOST_REDIRECTS};
use super::polite::{self, Polite, Turn};
use super::resolve::{Judge, PublicOnly, Resolver, System};
use super::{body, decode, endpoint_address, refused, retry_after, sniff};

const READABLE: &str = "text/html, application/xhtml+xml, application/pdf;q=0.9, text/*;q=0.9, application/xml;q=0.8, application/json;q=0.8, */*;q=0.1";

/// What the user may set.
#[derive(Debug, Clone)]
pub struct WebSettings {
    /// `host:port` that pages may be fetched from although it is internal.
    pub allow: Vec<String>,
    /// A further trusted CA.
    pub ca_file: Option<PathBuf>,
    pub wire_bytes: u64,
    pub decoded_bytes: u64,
    pub user_agent: String,
    /// Where what was fetched is kept with its validators; nothing is kept where there is none.
    pub cache: Option<PathBuf>,
    /// Nothing leaves the machine.
    pub offline: bool,
}

/// The guarded client. Cloning it is cheap, and the clones are one client: they share its politeness and its cache.
#[derive(Clone)]
pub struct Web {
    shared: Arc<Shared>,
}

struct Shared {
    settings: WebSettings,
    allowed: Allowed,
    resolver: Box<dyn Resolver>,
    judge: Box<dyn Judge>,
    dial: Dial,
    polite: Polite,
    cache: Cache,
}

/// A request to a service that the user set: allowed for exactly the scheme, host and port of `base`, wherever that is.
#[derive(Debug, Clone)]
pub(crate) struct Asked<'a> {
    pub base: &'a str,
    /// With its query.
    pub path: String,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// A body makes it a POST.
    pub body: Option<Vec<u8>>,
    /// For all of it.
    pub limit: Duration,
}

/// What came back, decoded, whole and within the caps.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    /// Where it was in the end.
    pub url: String,
    pub status: u16,
    /// As the server said it, parameters included; `application/pdf` for a page that is one by its first bytes.
    pub content_type: Option<String>,
    /// How long the server asks to be left alone.
    pub wait: Option<Duration>,
    pub bytes: Vec<u8>,
}

/// What a step led to.
enum Visit {
    Here(Got),
    /// The host sends on.
    On(String),
}

impl Web {
    pub fn new(settings: WebSettings) -> Result<Self> {
        Self::in_a_world(settings, Box::new(System), Box::new(PublicOnly))
    }

    /// With other eyes: tests script what is resolved, and which addresses of this machine stand for public ones.
    pub(super) fn in_a_world(
        settings: WebSettings,
        resolver: Box<dyn Resolver>,
        judge: Box<dyn Judge>,
    ) -> Result<Self> {
        let allowed = Allowed::of(&settings.allow)?;
        let (dial, polite) = (Dial::default(), Polite::default());
        let cache = Cache::at(settings.cache.clone());
        Ok(Self { shared: Arc::new(Shared { settings, allowed, resolver, judge, dial, polite, cache }) })
    }

    /// A page of the web: every rule holds, every redirect is judged anew, and an error status is a failure. `bytes` is what a
    /// job takes at the most, on the wire and decoded, where that is less than the settings allow.
    pub(crate) async fn page(&self, url: &str, limit: Duration, bytes: u64) -> Result<Got, WebFailure> {
        self.shared.online()?;
        let until = Instant::now() + limit;
        in_time(limit, self.shared.follow(url, until, self.shared.caps(bytes))).await
    }

    /// An answer of a service, of whatever status. No redirect is followed.
    pub(crate) async fn service(&self, asked: &Asked<'_>) -> Result<Got, WebFailure> {
        self.shared.online()?;
        in_time(asked.limit, self.shared.ask(asked)).await
    }
}

impl Shared {
    fn online(&self) -> Result<(), WebFailure> {
        if self.settings.offline { Err(refused("offline: nothing is sent out")) } else { Ok(()) }
    }

    /// What the settings allow, and no more than this.
    fn caps(&self, bytes: u64) -> Caps {
        Caps { wire: self.settings.wire_bytes.min(bytes), decoded: self.settings.decoded_bytes.min(bytes) }
    }

    async fn follow(&self, written: &str, until: Instant, caps: Caps) -> Result<Got, WebFailure> {
        let mut hop = Hop::first(written, &self.allowed)?;
        for _ in 0..=MOST_REDIRECTS {
            match self.visit(&hop, until, caps).await? {
                Visit::Here(got) => return Ok(got),
                Visit::On(location) => hop = hop.next(&location, &self.allowed)?,
            }
        }
        Err(refused(format!("there are more than {MOST_REDIRECTS} redirects")))
    }

    async fn visit(&self, hop: &Hop, until: Instant, caps: Caps) -> Result<Visit, WebFailure> {
        let kept = self.cache.find(hop, caps.decoded).await;
        if let Some(fresh) = kept.as_ref().filter(|kept| kept.is_fresh()) {
            return Ok(Visit::Here(fresh.clone().page(hop)));
        }
        let to = hop.addresses(&*self.resolver, &*self.judge).await?;
        let mut headers = kept.as_ref().map(Kept::conditions).unwrap_or_default();
        let asked_about = !headers.is_empty();
        headers.insert(ACCEPT, HeaderValue::from_static(READABLE));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(decode::ACCEPTED));
        let (_turn, response) = self.patiently(hop, &headers, &to, until).await?;
        if let Some(location) = hops::sent_on(&response)? {
            return Ok(Visit::On(location));
        }
        let head = response.headers().clone();
        if let Some(kept) = kept.filter(|_| asked_about && response.status() == StatusCode::NOT_MODIFIED) {
            self.cache.renew(hop, &head, &kept).await;
            return Ok(Visit::Here(kept.page(hop)));
        }
        let got = self.page_of(&hop.url, response, caps).await?;
        self.cache.keep(hop, &head, &got).await;
        Ok(Visit::Here(got))
    }

    /// Asks, and once more where the host is busy and says for how long, if there is time for that.
    async fn patiently(
        &self,
        hop: &Hop,
        headers: &HeaderMap,
        to: &[SocketAddr],
        until: Instant,
    ) -> Result<(Turn, Response), WebFailure> {
        let ask = async || {
            let turn = self.polite.turn(address::host(&hop.url), polite::PAGES, is_here(to)).await;
            let request =
                Request { url: &hop.url, method: Method::GET, headers: headers.clone(), body: None };
            Ok((turn, self.dial.send(request, to, &self.settings).await?))
        };
        let (turn, response) = ask().await?;
        let is_busy = matches!(response.status().as_u16(), 429 | 503);
        match retry_after(response.headers()).filter(|wait| is_busy && *wait < until - Instant::now()) {
            None => Ok((turn, response)),
            Some(wait) => {
                drop((turn, response));
                tokio::time::sleep(wait).await;
                ask().await
            }
        }
    }

    async fn page_of(&self, url: &Url, response: Response, caps: Caps) -> Result<Got, WebFailure> {
        let status = response.status().as_u16();
        match status {
            200..=203 => {}
            429 | 503 => {
                let wait = retry_after(response.headers());
                return Err(WebFailure::busy(format!("status {status}")).asking_to_wait(wait));
            }
            // As with services: it may be another time.
            408 | 500..=599 => {
                return Err(WebFailure::Unreachable { message: format!("status {status}") });
            }
            _ => return Err(broken(format!("status {status}"))),
        }
        let mut got = got(url, &response);
        sniff::may_pass(got.content_type.as_deref()).map_err(broken)?;
        got.bytes = body::read(response, caps).await?;
        if got.bytes.trim_ascii().is_empty() {
            return Err(broken("there is nothing in it"));
        }
        got.content_type = sniff::kind(got.content_type.as_deref(), &got.bytes).map_err(broken)?;
        Ok(got)
    }

    async fn ask(&self, asked: &Asked<'_>) -> Result<Got, WebFailure> {
        let url = below(asked.base, &asked.path)?;
        let to = hops::addresses(&url, &*self.resolver).await?;
        let _turn = self.polite.turn(address::host(&url), polite::SEARCHES, is_here(&to)).await;
        let mut headers = HeaderMap::from_iter(asked.headers.iter().cloned());
        headers.entry(ACCEPT_ENCODING).or_insert(HeaderValue::from_static(decode::ACCEPTED));
        let method = if asked.body.is_some() { Method::POST } else { Method::GET };
        let request = Request { url: &url, method, headers, body: asked.body.clone() };
        let response = self.dial.send(request, &to, &self.settings).await?;
        let got = got(&url, &response);
        Ok(Got { bytes: body::read(response, self.caps(u64::MAX)).await?, ..got })
    }
}

/// The address of a request to a service. A path leads to no other scheme, host or port, and not out of the base.
fn below(base: &str, path: &str) -> Result<Url, WebFailure> {
    let base = endpoint_address(base).map_err(|error| refused(error.message()))?;
    let url = address::parsed(&format!("{}{path}", base.as_str().trim_end_matches('/')))?;
    let beneath = base.path().trim_end_matches('/');
    let inside =
        url.path().strip_prefix(beneath).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if url.origin() != base.origin() || !inside {
        return Err(refused("the path leads away from the service"));
    }
    Ok(url)
}

/// What the head of an answer says of it; the bytes are still to come.
fn got(url: &Url, response: &Response) -> Got {
    let content_type = response.headers().get(CONTENT_TYPE);
    Got {
        url: url.as_str().to_owned(),
        status: response.status().as_u16(),
        content_type: content_type.map(|said| String::from_utf8_lossy(said.as_bytes()).into_owned()),
        wait: retry_after(response.headers()),
        bytes: Vec::new(),
    }
}

fn is_here(to: &[SocketAddr]) -> bool {
    to.iter().all(|address| address.ip().to_canonical().is_loopback())
}

async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, WebFailure>>,
) -> Result<T, WebFailure> {
    let late = || WebFailure::Unreachable { message: format!("no answer within {} s", limit.as_secs_f32()) };
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(late()))
}

fn broken(message: impl Into<String>) -> WebFailure {
    WebFailure::Broken { message: message.into() }
}
