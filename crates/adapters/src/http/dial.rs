//! Sends one request to addresses that were checked, and to no other.

use std::future::ready;
use std::net::SocketAddr;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::HeaderMap;
use reqwest::{Method, Response, Url};
use rustls::ClientConfig;
use tokio::sync::OnceCell;
use wellread_core::ports::WebFailure;

use super::{HttpFailure, WebSettings, client_builder, refused_failure, tls};

const HEADERS_TIMEOUT: Duration = Duration::from_secs(10);
/// Addresses of one host that are tried.
const MOST_TRIED_ADDRESSES: usize = 8;

pub(super) struct DialRequest<'a> {
    pub url: &'a Url,
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Option<Vec<u8>>,
}

/// What all connections share.
#[derive(Default)]
pub(super) struct Dialer {
    /// Read when it is first needed, which for most commands is never.
    trust: OnceCell<Result<ClientConfig, HttpFailure>>,
}

impl Dialer {
    /// The head of the answer. Each request has a client of its own, which knows these addresses and no other.
    pub(super) async fn send(
        &self,
        request: DialRequest<'_>,
        to: &[SocketAddr],
        settings: &WebSettings,
    ) -> Result<Response, WebFailure> {
        let encrypted = request.url.scheme() == "https";
        let config = if encrypted { self.tls_config(settings).await? } else { tls::untrusting_config() };
        let client = client_builder(encrypted, &settings.identity)
            .tls_backend_preconfigured(config)
            .dns_resolver(FixedResolver(to.iter().take(MOST_TRIED_ADDRESSES).copied().collect()))
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(0)
            .build()
            .map_err(|error| to_web_failure(&HttpFailure::from_reqwest(error)))?;
        let mut sent = client.request(request.method, request.url.clone()).headers(request.headers);
        if let Some(body) = request.body {
            sent = sent.body(body);
        }
        let answer = tokio::time::timeout(HEADERS_TIMEOUT, sent.send()).await;
        let response = answer
            .map_err(|_| to_web_failure(&HttpFailure::TimedOut))?
            .map_err(|error| to_web_failure(&HttpFailure::from_reqwest(error)))?;
        let peer = response.remote_addr().map(|peer| (peer.ip().to_canonical(), peer.port()));
        let is_checked = to.iter().any(|address| peer == Some((address.ip().to_canonical(), address.port())));
        if !is_checked {
            return Err(refused_failure("a different address answered than the one that was checked"));
        }
        Ok(response)
    }

    async fn tls_config(&self, settings: &WebSettings) -> Result<ClientConfig, WebFailure> {
        let read = async || {
            let file = settings.identity.ca_file.clone();
            let read = tokio::task::spawn_blocking(move || tls::trusting_config(file.as_deref())).await;
            read.unwrap_or_else(|error| Err(HttpFailure::Local(error.to_string())))
        };
        self.trust.get_or_init(read).await.clone().map_err(|failure| to_web_failure(&failure))
    }
}

/// Resolves every name to the same addresses.
struct FixedResolver(Vec<SocketAddr>);

impl Resolve for FixedResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(ready(Ok(addresses)))
    }
}

fn to_web_failure(failure: &HttpFailure) -> WebFailure {
    let message = failure.to_string();
    match failure {
        HttpFailure::Unreachable(_) | HttpFailure::TimedOut | HttpFailure::Cut(_) | HttpFailure::Local(_) => {
            WebFailure::Unreachable { message }
        }
        _ => WebFailure::Broken { message },
    }
}
