//! How a browser gets in: by a link that works once, or with the token. Either begins a session: see `browser_sessions`.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wellread_core::{Error, Result};

use super::listen_address::ListenAddress;
use super::token::random_hex;
use super::users::UserRef;

pub const LINK_LASTS: Duration = Duration::from_secs(10 * 60);
/// Links that wait to be used; the oldest makes room.
const MOST_LINKS: usize = 16;

/// The codes of links that were handed out and not used. Only their hashes are kept.
#[derive(Debug, Default)]
pub struct OneTimeLinks(Mutex<Vec<WaitingLink>>);

#[derive(Debug)]
struct WaitingLink {
    hash: blake3::Hash,
    made: Instant,
    user: Option<UserRef>,
}

impl OneTimeLinks {
    /// A new link, which signs a browser in as this user, or as the owner where there is none.
    pub fn issue(&self, place: &ListenAddress, user: Option<UserRef>) -> Result<String> {
        let code = random_secret()?;
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if codes.len() == MOST_LINKS {
            codes.remove(0);
        }
        codes.push(WaitingLink { hash: blake3::hash(code.as_bytes()), made: Instant::now(), user });
        Ok(format!("{}/open?code={code}", place.url()))
    }

    /// Whom a code signs in that was handed out lately; `None` if it is no such code. It is none any more.
    pub fn redeem(&self, code: &str) -> Option<Option<UserRef>> {
        self.redeem_at(code, Instant::now())
    }

    fn redeem_at(&self, code: &str, now: Instant) -> Option<Option<UserRef>> {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|link| now.saturating_duration_since(link.made) < LINK_LASTS);
        let given = blake3::hash(code.as_bytes());
        let at = codes.iter().position(|link| link.hash == given);
        at.map(|at| codes.remove(at).user)
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
        let issue = || links.issue(&place(80), None).unwrap();
        let (one, other) = (issue(), issue());
        assert!(links.redeem("").is_none() && links.redeem("0").is_none());
        assert!(links.redeem(code(&one)) == Some(None) && links.redeem(code(&one)).is_none());
        assert!(links.redeem_at(code(&other), Instant::now() + LINK_LASTS).is_none());
        assert!(links.redeem(code(&other)).is_none(), "it does not come back");
    }
}
