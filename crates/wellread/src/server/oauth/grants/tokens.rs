//! How tokens are written: which grant they belong to, and what proves it.

use std::fmt;

use wellread_core::Result;

use crate::server::browser::random_secret;
use crate::server::oauth::ACCESS_PREFIX;

const REFRESH_PREFIX: &str = "wrr_";
const ID_LENGTH: usize = 32;
const SECRET_LENGTH: usize = 64;

/// An access token.
pub struct AccessText<'a> {
    pub id: &'a str,
    pub secret: &'a str,
}

/// A refresh token.
pub struct RefreshText<'a> {
    pub id: &'a str,
    /// The same in all refresh tokens of a grant.
    pub family: &'a str,
    pub secret: &'a str,
}

/// A name for a grant that nobody has used.
pub fn random_id() -> Result<String> {
    Ok(random_secret()?[..ID_LENGTH].to_owned())
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

impl<'a> AccessText<'a> {
    pub fn parse(text: &'a str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(ACCESS_PREFIX)?.split_once('.')?;
        (is_hex(id, ID_LENGTH) && is_hex(secret, SECRET_LENGTH)).then_some(Self { id, secret })
    }
}

impl<'a> RefreshText<'a> {
    pub fn parse(text: &'a str) -> Option<Self> {
        let (id, rest) = text.strip_prefix(REFRESH_PREFIX)?.split_once('.')?;
        let (family, secret) = rest.split_once('.')?;
        let fits = is_hex(id, ID_LENGTH) && is_hex(family, SECRET_LENGTH) && is_hex(secret, SECRET_LENGTH);
        fits.then_some(Self { id, family, secret })
    }
}

impl fmt::Display for AccessText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ACCESS_PREFIX}{}.{}", self.id, self.secret)
    }
}

impl fmt::Display for RefreshText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{REFRESH_PREFIX}{}.{}.{}", self.id, self.family, self.secret)
    }
}
