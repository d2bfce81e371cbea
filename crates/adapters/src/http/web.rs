//! The guarded client: the one way to anything that is not an endpoint of the user's own choosing, and to search services.
//!
//! See `docs/decisions` for what it refuses.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use wellread_core::Result;
use wellread_core::ports::WebFailure;

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
    settings: Arc<WebSettings>,
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
    /// As the server said it, parameters included.
    pub content_type: Option<String>,
    pub retry_after: Option<Duration>,
    pub bytes: Vec<u8>,
}

impl Web {
    pub fn new(settings: WebSettings) -> Result<Self> {
        Ok(Self { settings: Arc::new(settings) })
    }

    /// A page of the web: every rule holds, every redirect is judged anew, and an error status is a failure.
    pub(crate) async fn page(&self, url: &str, limit: Duration) -> Result<Got, WebFailure> {
        let _ = (url, limit, &self.settings);
        Err(WebFailure::Refused { message: "pages can't be fetched yet".to_owned() })
    }

    /// An answer of a service, of whatever status. No redirect is followed.
    pub(crate) async fn service(&self, asked: &Asked<'_>) -> Result<Got, WebFailure> {
        let _ = asked;
        Err(WebFailure::Refused { message: "services can't be asked yet".to_owned() })
    }
}
