//! `Idempotency-Key`: a client that did not hear the answer may ask again, and gets the same.

use axum::http::HeaderMap;
use serde::Serialize;
use wellread_core::ports::agenda::IdempotentRequest;
use wellread_core::{Error, Result};

use super::ServerContext;

/// The header's name.
pub const KEY: &str = "Idempotency-Key";
pub const LONGEST_KEY: usize = 255;

/// The key of a request among those of its user, with the address and the body that it stands for.
pub fn idempotent_request(
    site: &ServerContext,
    headers: &HeaderMap,
    address: &str,
    body: &impl Serialize,
) -> Result<Option<IdempotentRequest>> {
    let Some(key) = headers.get(KEY) else { return Ok(None) };
    let key = key.to_str().ok().map(str::trim).filter(|key| !key.is_empty() && key.len() <= LONGEST_KEY);
    let key =
        key.ok_or_else(|| Error::invalid(format!("`{KEY}` must be 1 to {LONGEST_KEY} characters of ASCII")))?;
    IdempotentRequest::new(&site.viewer().scope_key(key), address, body).map(Some)
}
