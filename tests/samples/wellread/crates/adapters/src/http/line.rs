//! An endpoint that the user set, for callers inside an async runtime: the answer comes in pieces.
//!
//! There is no time limit here but the one for connecting: whoever waits knows how long it is worth.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use reqwest::{RequestBuilder, Response, Url};
use wellread_core::Result;

use super::{Failure, build, endpoint_address, is_here, retry_after};

/// The runtime looks after connections while it runs, so an idle one may be used again for a while.
const KEPT_OPEN: Duration = Duration::from_secs(30);

/// Talks to the scheme, host and port of one address, and to nothing else.
pub(crate) struct Line {
    base: Url,
    /// Made when it is first used: most commands never ask.
    http: OnceLock<Result<reqwest::Client, Failure>>,
}

impl Line {
    /// For an address up to the part that all requests share. Nothing is sent yet.
    pub(crate) fn to(base: &str) -> Result<Self> {
        Ok(Self { base: endpoint_address(base)?, http: OnceLock::new() })
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
        is_here(&self.base)
    }

    /// Sends JSON to a path below the address; answers once the head of the answer is there.
    pub(crate) async fn post(
        &self,
        path: &str,
        headers: &[(HeaderName, HeaderValue)],
        body: Vec<u8>,
    ) -> Result<Pieces, Failure> {
        self.post_as(HeaderValue::from_static("application/json"), path, headers, body).await
    }

    /// The same with a body of another kind.
    pub(crate) async fn post_as(
        &self,
        kind: HeaderValue,
        path: &str,
        headers: &[(HeaderName, HeaderValue)],
        body: Vec<u8>,
    ) -> Result<Pieces, Failure> {
        let mut all = HeaderMap::from_iter(headers.iter().cloned());
        all.insert(CONTENT_TYPE, kind);
        Pieces::of(self.client()?.post(self.at(path)).headers(all).body(body)).await
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Pieces, Failure> {
        Pieces::of(self.client()?.get(self.at(path))).await
    }

    fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.base())
    }

    fn client(&self) -> Result<&reqwest::Client, Failure> {
        let made = self.http.get_or_init(|| {
            let client = build(self.base.scheme() == "https")?;
            client.pool_idle_timeout(KEPT_OPEN).build().map_err(Failure::of)
        });
        made.as_ref().map_err(Clone::clone)
    }
}

/// An answer of whatever status, as it comes.
pub(crate) struct Pieces {
    pub status: u16,
    pub retry_after: Option<Duration>,
    /// Whether it says itself where it ends. Where it does not, a cut connection looks like an end.
    pub framed: bool,
    response: Response,
}

impl Pieces {
    async fn of(request: RequestBuilder) -> Result<Self, Failure> {
        let response = request.send().await.map_err(Failure::of)?;
        let headers = response.headers();
        Ok(Self {
            status: response.status().as_u16(),
            retry_after: retry_after(headers),
            framed: headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING),
            response,
        })
    }

    /// The next piece, of any length; nothing at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let piece = self.response.chunk().await.map_err(Failure::of)?;
        Ok(piece.map(|piece| piece.to_vec()))
    }

    /// All of it, where it is no longer than `cap` bytes.
    pub(crate) async fn whole(mut self, cap: usize) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        while let Some(piece) = self.next().await? {
            if body.len() + piece.len() > cap {
                return Err(Failure::TooLarge);
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// What is left of it, up to `cap` bytes.
    pub(crate) async fn rest(mut self, cap: usize) -> Vec<u8> {
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
