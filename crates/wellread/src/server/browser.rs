//! How a browser gets in: by a link that works once, or with the token. Either begins a session: see `browser_sessions`.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wellread_core::{Error, Result};

use super::listen_address::ListenAddress;
use super::token::random_hex;

pub const LINK_LASTS: Duration = Duration::from_secs(10 * 60);
/// Links that wait to be used; the oldest makes room.
const MOST_LINKS: usize = 16;

/// The codes of links that were handed out and not used. Only their hashes are kept.
#[derive(Debug, Default)]
pub struct OneTimeLinks(Mutex<Vec<(blake3::Hash, Instant)>>);

impl OneTimeLinks {
    /// A new link.
    pub fn issue(&self, place: &ListenAddress) -> Result<String> {
        let code = random_secret()?;
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if codes.len() == MOST_LINKS {
            codes.remove(0);
        }
        codes.push((blake3::hash(code.as_bytes()), Instant::now()));
        Ok(format!("{}/open?code={code}", place.url()))
    }

    /// Whether it is a code that was handed out lately. It is none any more.
    pub fn redeem(&self, code: &str) -> bool {
        self.redeem_at(code, Instant::now())
    }

    fn redeem_at(&self, code: &str, now: Instant) -> bool {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|(_, made)| now.saturating_duration_since(*made) < LINK_LASTS);
        let given = blake3::hash(code.as_bytes());
        let at = codes.iter().position(|(hash, _)| *hash == given);
        at.map(|at| codes.remove(at)).is_some()
    }
}

/// Random text that nobody can guess.
pub fn random_secret() -> Result<String> {
    random_hex().map_err(|error| Error::failed(format!("no random numbers: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(port: u16) -> ListenAddress {
        ListenAddress::new(([127, 0, 0, 1], port).into(), Vec::new)
    }

    fn code(link: &str) -> &str {
        link.split_once("code=").unwrap().1
    }

    #[test]
    fn a_link_works_once_and_for_ten_minutes() {
        let links = OneTimeLinks::default();
        let (one, other) = (links.issue(&place(80)).unwrap(), links.issue(&place(80)).unwrap());
        assert!(!links.redeem("") && !links.redeem("0"));
        assert!(links.redeem(code(&one)) && !links.redeem(code(&one)));
        assert!(!links.redeem_at(code(&other), Instant::now() + LINK_LASTS));
        assert!(!links.redeem(code(&other)), "it does not come back");
    }
}
