//! How a browser gets in: by a link that works once, which leaves a cookie.
//!
//! The cookie is not the token: browsers send cookies to every port of a host, and so to other people's servers. It is a
//! date and a signature, so that a restart does not end it, and a new token does.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use wellread_core::{Error, Result};

use super::listen_address::ListenAddress;
use super::token::{AccessToken, random_hex};

pub const LINK_LASTS: Duration = Duration::from_secs(10 * 60);
const COOKIE_LASTS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Links that wait to be used; the oldest makes room.
const MOST_LINKS: usize = 16;

/// The codes of links that were handed out and not used. Only their hashes are kept.
#[derive(Debug, Default)]
pub struct OneTimeLinks(Mutex<Vec<(blake3::Hash, Instant)>>);

impl OneTimeLinks {
    /// A new link.
    pub fn issue(&self, place: &ListenAddress) -> Result<String> {
        let code = random_hex().map_err(|error| Error::failed(format!("no random numbers: {error}")))?;
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

/// What `Set-Cookie` says to a browser that came by a link.
pub fn make_cookie(token: &AccessToken, place: &ListenAddress) -> String {
    let until = unix_seconds() + COOKIE_LASTS.as_secs();
    format!(
        "{}={until}.{}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}",
        cookie_name(place),
        token.sign(&signed_text(place, until)).to_hex(),
        COOKIE_LASTS.as_secs()
    )
}

/// Whether it has our cookie; nothing where it has none.
pub fn check_cookie(headers: &HeaderMap, token: &AccessToken, place: &ListenAddress) -> Option<bool> {
    let name = cookie_name(place);
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let ours: Vec<&str> = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value).collect();
    (!ours.is_empty()).then(|| ours.iter().any(|value| is_valid(value, token, place, unix_seconds())))
}

fn is_valid(value: &str, token: &AccessToken, place: &ListenAddress, now: u64) -> bool {
    let Some((until, signature)) = value.split_once('.') else { return false };
    let (Ok(until), Ok(signature)) = (until.parse(), blake3::Hash::from_hex(signature)) else { return false };
    signature == token.sign(&signed_text(place, until)) && now < until
}

/// By its port, since one host's ports share their cookies.
fn cookie_name(place: &ListenAddress) -> String {
    format!("wellread-{}", place.port())
}

fn signed_text(place: &ListenAddress, until: u64) -> String {
    format!("{}.{until}", place.port())
}

fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
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

    #[test]
    fn a_cookie_is_good_for_one_server_and_some_weeks() {
        let folder = tempfile::tempdir().unwrap();
        let (token, place) = (AccessToken::load_or_create(folder.path()).unwrap(), place(8000));
        let set = make_cookie(&token, &place);
        let value = set.strip_prefix("wellread-8000=").unwrap().split(';').next().unwrap();
        assert!(is_valid(value, &token, &place, unix_seconds()));
        assert!(!is_valid(value, &token, &self::place(8001), unix_seconds()), "another port's");
        assert!(!is_valid(value, &token, &place, unix_seconds() + COOKIE_LASTS.as_secs() + 1), "too old");
        let (until, signature) = value.split_once('.').unwrap();
        let longer = format!("{}.{signature}", until.parse::<u64>().unwrap() + 1);
        let other = AccessToken::load_or_create(&folder.path().join("other")).unwrap();
        assert!(!is_valid(&longer, &token, &place, unix_seconds()), "made longer");
        assert!(!is_valid(value, &other, &place, unix_seconds()), "another token's");
        assert!(
            !is_valid("", &token, &place, unix_seconds()) && !is_valid("1.", &token, &place, unix_seconds())
        );
    }
}
