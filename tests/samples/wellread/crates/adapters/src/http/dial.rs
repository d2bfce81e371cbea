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

use super::{Failure, WebSettings, client, refused, tls};

const HEADERS: Duration = Duration::from_secs(10);
/// Addresses of one host that are tried.
const TRIED: usize = 8;

pub(super) struct Request<'a> {
    pub url: &'a Url,
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Option<Vec<u8>>,
}

/// What all connections share.
#[derive(Default)]
pub(super) struct Dial {
    /// Read when it is first needed, which for most commands is never.
    trust: OnceCell<Result<ClientConfig, Failure>>,
}

impl Dial {
    /// The head of the answer. Each request has a client of its own, which knows these addresses and no other.
    pub(super) async fn send(
        &self,
        request: Request<'_>,
        to: &[SocketAddr],
        settings: &WebSettings,
    ) -> Result<Response, WebFailure> {
        let encrypted = request.url.scheme() == "https";
        let config = if encrypted { self.trusting(settings).await? } else { tls::trusting_nobody() };
        let client = client(encrypted)
            .tls_backend_preconfigured(config)
            .user_agent(&settings.user_agent)
            .dns_resolver(Exactly(to.iter().take(TRIED).copied().collect()))
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(0)
            .build()
            .map_err(|error| failed(&Failure::of(error)))?;
        let mut sent = client.request(request.method, request.url.clone()).headers(request.headers);
        if let Some(body) = request.body {
            sent = sent.body(body);
        }
        let answer = tokio::time::timeout(HEADERS, sent.send()).await;
        let response =
            answer.map_err(|_| failed(&Failure::TimedOut))?.map_err(|error| failed(&Failure::of(error)))?;
        let peer = response.remote_addr().map(|peer| (peer.ip().to_canonical(), peer.port()));
        let meant = to.iter().any(|address| peer == Some((address.ip().to_canonical(), address.port())));
        if !meant {
            return Err(refused("another address answered than the one that was checked"));
        }
        Ok(response)
    }

    async fn trusting(&self, settings: &WebSettings) -> Result<ClientConfig, WebFailure> {
        let read = async || {
            let file = settings.ca_file.clone();
            let read = tokio::task::spawn_blocking(move || tls::trusting(file.as_deref())).await;
            read.unwrap_or_else(|error| Err(Failure::Local(error.to_string())))
        };
        self.trust.get_or_init(read).await.clone().map_err(|failure| failed(&failure))
    }
}

/// Knows one answer, whatever is asked.
struct Exactly(Vec<SocketAddr>);

impl Resolve for Exactly {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(ready(Ok(addresses)))
    }
}

fn failed(failure: &Failure) -> WebFailure {
    let message = failure.to_string();
    match failure {
        Failure::Unreachable(_) | Failure::TimedOut | Failure::Cut(_) | Failure::Local(_) => {
            WebFailure::Unreachable { message }
        }
        _ => WebFailure::Broken { message },
    }
}
