//! The guarded client: the one way to anything that is not an endpoint of the user's own choosing, and to search services.
//! See `docs/decisions/0013`.
//!
//! | file | what |
//! | --- | --- |
//! | `address` | what an address may be, by its spelling |
//! | `public_address` `resolve` | which addresses are public; where hosts are, and what this machine's own addresses are |
//! | `hops` | each step of the way to a page, and whether it may be taken |
//! | `dial` `tls` | one request to the addresses that were checked |
//! | `body` `decode` `sniff` | what came, within the caps, decoded, and of a kind that can be read |
//! | `rate_limit` `retry` | few requests to a host at once, and some time between two |
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
use wellread_core::domain::display::render_duration;
use wellread_core::ports::WebFailure;

use super::address::{self, AllowedHosts};
use super::body::ByteCaps;
use super::cache::{CachedPage, PageCache};
use super::dial::{DialRequest, Dialer};
use super::hops::{self, Hop, MOST_REDIRECTS};
use super::rate_limit::{self, HostPermit, RateLimiter};
use super::resolve::{AddressPolicy, PublicOnly, Resolver, SystemResolver};
use super::{ClientIdentity, body, decode, parse_endpoint_address, refused_failure, retry_after, sniff};

const READABLE: &str = "text/html, application/xhtml+xml, application/pdf;q=0.9, text/*;q=0.9, application/xml;q=0.8, application/json;q=0.8, */*;q=0.1";

/// What the user may set.
#[derive(Debug, Clone)]
pub struct WebSettings {
    /// `host:port` that pages may be fetched from although it is internal.
    pub allow: Vec<String>,
    pub identity: ClientIdentity,
    pub wire_bytes: u64,
    pub decoded_bytes: u64,
    /// Where what was fetched is kept with its validators; nothing is kept where there is none.
    pub cache: Option<PathBuf>,
    /// Nothing leaves the machine.
    pub offline: bool,
}

/// The guarded client. Cloning it is cheap, and the clones are one client: they share its politeness and its cache.
#[derive(Clone)]
pub struct Web {
    shared: Arc<WebInner>,
}

struct WebInner {
    settings: WebSettings,
    allowed: AllowedHosts,
    resolver: Box<dyn Resolver>,
    policy: Box<dyn AddressPolicy>,
    dialer: Dialer,
    rate_limiter: RateLimiter,
    cache: PageCache,
}

/// A request to a service that the user set: allowed for exactly the scheme, host and port of `base`, wherever that is.
#[derive(Debug, Clone)]
pub(crate) struct ServiceRequest<'a> {
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
pub(crate) struct WebResponse {
    /// Where it was in the end.
    pub url: String,
    pub status: u16,
    /// As the server declared it, parameters included; `application/pdf` for a page that is one by its first bytes.
    pub content_type: Option<String>,
    /// How long the server asks clients to wait.
    pub wait: Option<Duration>,
    pub bytes: Vec<u8>,
}

/// What a step led to.
enum Visit {
    Here(WebResponse),
    /// The host sends on.
    On(String),
}

impl Web {
    pub fn new(settings: WebSettings) -> Result<Self> {
        Self::with_resolver(settings, Box::new(SystemResolver), Box::new(PublicOnly))
    }

    /// A client with its own resolver and policy: tests script both.
    pub(super) fn with_resolver(
        settings: WebSettings,
        resolver: Box<dyn Resolver>,
        policy: Box<dyn AddressPolicy>,
    ) -> Result<Self> {
        let allowed = AllowedHosts::parse(&settings.allow)?;
        let (dialer, rate_limiter) = (Dialer::default(), RateLimiter::default());
        let cache = PageCache::new(settings.cache.clone());
        Ok(Self {
            shared: Arc::new(WebInner { settings, allowed, resolver, policy, dialer, rate_limiter, cache }),
        })
    }

    /// A page of the web: every rule holds, every redirect is judged anew, and an error status is a failure. `bytes` is what a
    /// job takes at the most, on the wire and decoded, where that is less than the settings allow.
    pub(crate) async fn fetch_page(
        &self,
        url: &str,
        limit: Duration,
        bytes: u64,
    ) -> Result<WebResponse, WebFailure> {
        self.shared.check_online()?;
        let until = Instant::now() + limit;
        with_timeout(limit, self.shared.follow_redirects(url, until, self.shared.caps(bytes))).await
    }

    /// An answer of a service, of whatever status. No redirect is followed.
    pub(crate) async fn call_service(&self, request: &ServiceRequest<'_>) -> Result<WebResponse, WebFailure> {
        self.shared.check_online()?;
        with_timeout(request.limit, self.shared.send_to_service(request)).await
    }
}

impl WebInner {
    fn check_online(&self) -> Result<(), WebFailure> {
        if self.settings.offline { Err(refused_failure("offline: nothing is sent")) } else { Ok(()) }
    }

    /// What the settings allow, and no more than this.
    fn caps(&self, bytes: u64) -> ByteCaps {
        ByteCaps {
            wire: self.settings.wire_bytes.min(bytes),
            decoded: self.settings.decoded_bytes.min(bytes),
        }
    }

    async fn follow_redirects(
        &self,
        written: &str,
        until: Instant,
        caps: ByteCaps,
    ) -> Result<WebResponse, WebFailure> {
        let mut hop = Hop::first(written, &self.allowed)?;
        for _ in 0..=MOST_REDIRECTS {
            match self.visit(&hop, until, caps).await? {
                Visit::Here(page) => return Ok(page),
                Visit::On(location) => hop = hop.next(&location, &self.allowed)?,
            }
        }
        Err(refused_failure(format!("there are more than {MOST_REDIRECTS} redirects")))
    }

    async fn visit(&self, hop: &Hop, until: Instant, caps: ByteCaps) -> Result<Visit, WebFailure> {
        let kept = self.cache.find(hop, caps.decoded).await;
        if let Some(fresh) = kept.as_ref().filter(|kept| kept.is_fresh()) {
            return Ok(Visit::Here(fresh.clone().into_response(hop)));
        }
        let to = hop.resolve_checked(&*self.resolver, &*self.policy).await?;
        let mut headers = kept.as_ref().map(CachedPage::conditional_headers).unwrap_or_default();
        let is_conditional = !headers.is_empty();
        headers.insert(ACCEPT, HeaderValue::from_static(READABLE));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(decode::ACCEPTED));
        let (_permit, response) = self.send_with_retry(hop, &headers, &to, until).await?;
        if let Some(location) = hops::redirect_location(&response)? {
            return Ok(Visit::On(location));
        }
        let head = response.headers().clone();
        if let Some(kept) = kept.filter(|_| is_conditional && response.status() == StatusCode::NOT_MODIFIED) {
            self.cache.renew(hop, &head, &kept).await;
            return Ok(Visit::Here(kept.into_response(hop)));
        }
        let page = self.read_page(&hop.url, response, caps).await?;
        self.cache.store(hop, &head, &page).await;
        Ok(Visit::Here(page))
    }

    /// Asks, and once more where the host is busy and says for how long, if there is time for that.
    async fn send_with_retry(
        &self,
        hop: &Hop,
        headers: &HeaderMap,
        to: &[SocketAddr],
        until: Instant,
    ) -> Result<(HostPermit, Response), WebFailure> {
        let ask = async || {
            let permit =
                self.rate_limiter.acquire(address::host(&hop.url), rate_limit::PAGES, are_loopback(to)).await;
            let request =
                DialRequest { url: &hop.url, method: Method::GET, headers: headers.clone(), body: None };
            Ok((permit, self.dialer.send(request, to, &self.settings).await?))
        };
        let (permit, response) = ask().await?;
        let is_busy = matches!(response.status().as_u16(), 429 | 503);
        match retry_after(response.headers()).filter(|wait| is_busy && *wait < until - Instant::now()) {
            None => Ok((permit, response)),
            Some(wait) => {
                drop((permit, response));
                tokio::time::sleep(wait).await;
                ask().await
            }
        }
    }

    async fn read_page(
        &self,
        url: &Url,
        response: Response,
        caps: ByteCaps,
    ) -> Result<WebResponse, WebFailure> {
        let status = response.status().as_u16();
        match status {
            200..=203 => {}
            429 | 503 => {
                let wait = retry_after(response.headers());
                return Err(WebFailure::busy(format!("status {status}")).with_wait(wait));
            }
            // As with services: it may be another time.
            408 | 500..=599 => {
                return Err(WebFailure::Unreachable { message: format!("status {status}") });
            }
            _ => return Err(broken_failure(format!("status {status}"))),
        }
        let mut page = response_head(url, &response);
        sniff::check_declared_type(page.content_type.as_deref()).map_err(broken_failure)?;
        page.bytes = body::read(response, caps).await?;
        if page.bytes.trim_ascii().is_empty() {
            return Err(broken_failure("it is empty"));
        }
        page.content_type =
            sniff::detect_content_type(page.content_type.as_deref(), &page.bytes).map_err(broken_failure)?;
        Ok(page)
    }

    async fn send_to_service(&self, request: &ServiceRequest<'_>) -> Result<WebResponse, WebFailure> {
        let url = service_url(request.base, &request.path)?;
        let to = hops::resolve_host(&url, &*self.resolver).await?;
        let _permit =
            self.rate_limiter.acquire(address::host(&url), rate_limit::SEARCHES, are_loopback(&to)).await;
        let mut headers = HeaderMap::from_iter(request.headers.iter().cloned());
        headers.entry(ACCEPT_ENCODING).or_insert(HeaderValue::from_static(decode::ACCEPTED));
        let method = if request.body.is_some() { Method::POST } else { Method::GET };
        let dial_request = DialRequest { url: &url, method, headers, body: request.body.clone() };
        let response = self.dialer.send(dial_request, &to, &self.settings).await?;
        let head = response_head(&url, &response);
        Ok(WebResponse { bytes: body::read(response, self.caps(u64::MAX)).await?, ..head })
    }
}

/// The address of a request to a service. A path leads to no other scheme, host or port, and not out of the base.
fn service_url(base: &str, path: &str) -> Result<Url, WebFailure> {
    let base = parse_endpoint_address(base).map_err(|error| refused_failure(error.message()))?;
    let url = address::parse(&format!("{}{path}", base.as_str().trim_end_matches('/')))?;
    let beneath = base.path().trim_end_matches('/');
    let inside =
        url.path().strip_prefix(beneath).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if url.origin() != base.origin() || !inside {
        return Err(refused_failure("the path leads away from the service"));
    }
    Ok(url)
}

/// What the head of an answer says of it; the bytes are still to come.
fn response_head(url: &Url, response: &Response) -> WebResponse {
    let content_type = response.headers().get(CONTENT_TYPE);
    WebResponse {
        url: url.as_str().to_owned(),
        status: response.status().as_u16(),
        content_type: content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
        wait: retry_after(response.headers()),
        bytes: Vec::new(),
    }
}

fn are_loopback(to: &[SocketAddr]) -> bool {
    to.iter().all(|address| address.ip().to_canonical().is_loopback())
}

async fn with_timeout<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, WebFailure>>,
) -> Result<T, WebFailure> {
    let late = || WebFailure::Unreachable { message: format!("no answer within {}", render_duration(limit)) };
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(late()))
}

fn broken_failure(message: impl Into<String>) -> WebFailure {
    WebFailure::Broken { message: message.into() }
}
