//! An endpoint that the user set, for callers inside an async runtime: the answer comes in pieces.
//!
//! There is no time limit here but the one for connecting: whoever waits knows how long it is worth.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use reqwest::{RequestBuilder, Response, Url};
use wellread_core::Result;

use super::{
    ClientIdentity, HttpFailure, is_loopback_url, parse_endpoint_address, retry_after, trusted_client_builder,
};

/// The runtime looks after connections while it runs, so an idle one may be used again for a while.
const KEPT_OPEN: Duration = Duration::from_secs(30);

/// Talks to the scheme, host and port of one address, and to nothing else.
pub(crate) struct AsyncClient {
    base: Url,
    identity: ClientIdentity,
    /// Made when it is first used: most commands never ask.
    http: OnceLock<Result<reqwest::Client, HttpFailure>>,
}

impl AsyncClient {
    /// For an address up to the part that all requests share. Nothing is sent yet.
    pub(crate) fn new(base: &str, identity: &ClientIdentity) -> Result<Self> {
        let base = parse_endpoint_address(base)?;
        Ok(Self { base, identity: identity.clone(), http: OnceLock::new() })
    }

    /// The address without a slash at its end.
    pub(crate) fn base(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Scheme, host and port.
    pub(crate) fn origin(&self) -> String {
        self.base.origin().ascii_serialization()
    }

    pub(crate) fn is_local(&self) -> bool {
        is_loopback_url(&self.base)
    }

    /// Sends JSON to a path below the address; answers once the head of the answer is there.
    pub(crate) async fn post(
        &self,
        path: &str,
        headers: &[(HeaderName, HeaderValue)],
        body: Vec<u8>,
    ) -> Result<ResponseStream, HttpFailure> {
        self.post_with_type(HeaderValue::from_static("application/json"), path, headers, body).await
    }

    /// Sends a body of any kind to a path below the address; answers once the head of the answer is there.
    pub(crate) async fn post_with_type(
        &self,
        kind: HeaderValue,
        path: &str,
        headers: &[(HeaderName, HeaderValue)],
        body: Vec<u8>,
    ) -> Result<ResponseStream, HttpFailure> {
        let mut all = HeaderMap::from_iter(headers.iter().cloned());
        all.insert(CONTENT_TYPE, kind);
        ResponseStream::send(self.client()?.post(self.url_for(path)).headers(all).body(body)).await
    }

    pub(crate) async fn get(&self, path: &str) -> Result<ResponseStream, HttpFailure> {
        ResponseStream::send(self.client()?.get(self.url_for(path))).await
    }

    fn url_for(&self, path: &str) -> String {
        format!("{}/{path}", self.base())
    }

    fn client(&self) -> Result<&reqwest::Client, HttpFailure> {
        let made = self.http.get_or_init(|| {
            let client = trusted_client_builder(self.base.scheme() == "https", &self.identity)?;
            client.pool_idle_timeout(KEPT_OPEN).build().map_err(HttpFailure::from_reqwest)
        });
        made.as_ref().map_err(Clone::clone)
    }
}

/// An answer of whatever status, as it comes.
pub(crate) struct ResponseStream {
    pub status: u16,
    pub retry_after: Option<Duration>,
    /// Whether it says itself where it ends. Where it does not, a cut connection looks like an end.
    pub framed: bool,
    response: Response,
}

impl ResponseStream {
    async fn send(request: RequestBuilder) -> Result<Self, HttpFailure> {
        let response = request.send().await.map_err(HttpFailure::from_reqwest)?;
        let headers = response.headers();
        Ok(Self {
            status: response.status().as_u16(),
            retry_after: retry_after(headers),
            framed: headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING),
            response,
        })
    }

    /// The next piece, of any length; nothing at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>, HttpFailure> {
        let piece = self.response.chunk().await.map_err(HttpFailure::from_reqwest)?;
        Ok(piece.map(|piece| piece.to_vec()))
    }

    /// All of it, where it is no longer than `cap` bytes.
    pub(crate) async fn read_all(mut self, cap: usize) -> Result<Vec<u8>, HttpFailure> {
        let mut body = Vec::new();
        while let Some(piece) = self.next().await? {
            if body.len() + piece.len() > cap {
                return Err(HttpFailure::TooLarge);
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// What is left of it, up to `cap` bytes.
    pub(crate) async fn read_rest(mut self, cap: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while let Ok(Some(piece)) = self.next().await {
            body.extend_from_slice(&piece[..piece.len().min(cap - body.len())]);
            if body.len() == cap {
                break;
            }
        }
        body
    }
}
