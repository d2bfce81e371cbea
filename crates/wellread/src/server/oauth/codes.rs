//! Authorization codes: handed to a client by way of the browser, good once and for a minute. A restart forgets them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wellread_core::Result;

use super::VaultRef;
use super::grants::GrantId;
use crate::mcp::AccessScopes;
use crate::server::browser::random_secret;
use crate::server::browser_sessions::SessionId;
use crate::server::users::UserRef;

const CODE_LASTS: Duration = Duration::from_secs(60);
/// How long a code that was used is remembered, so that a second use is noticed.
const REMEMBERED: Duration = Duration::from_secs(10 * 60);
/// Each took a click of the user.
const MOST_CODES: usize = 64;

/// What the user has allowed, and whom.
#[derive(Debug, Clone)]
pub struct CodeTerms {
    pub client_id: String,
    pub client_name: String,
    pub redirect_uri: String,
    pub challenge: String,
    pub resource: String,
    pub scopes: AccessScopes,
    pub vaults: Vec<VaultRef>,
    /// The session of the browser in which the user has said so: when it ends, so does the code.
    pub session: Option<SessionId>,
    /// Who has said so; the owner where there is none.
    pub user: Option<UserRef>,
}

/// What a code is good for.
#[derive(Debug)]
pub enum Redemption {
    /// This, and it was just used up.
    Terms(Box<CodeTerms>),
    /// Nothing: it was used before, for this grant where one came of it. Somebody has read it on its way.
    Replayed(Option<GrantId>),
    /// Nothing: there is no such code, or it is too old.
    Unknown,
}

#[derive(Debug)]
struct IssuedCode {
    hash: blake3::Hash,
    at: Instant,
    terms: Option<CodeTerms>,
    grant: Option<GrantId>,
    replayed: bool,
}

/// The codes of the last minutes. Only their hashes are kept.
#[derive(Debug, Default)]
pub struct AuthorizationCodes(Mutex<Vec<IssuedCode>>);

impl AuthorizationCodes {
    fn lock(&self) -> MutexGuard<'_, Vec<IssuedCode>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new code.
    pub fn issue(&self, terms: CodeTerms) -> Result<String> {
        let code = random_secret()?;
        let mut codes = self.lock();
        codes.retain(|code| code.at.elapsed() < REMEMBERED);
        if codes.len() >= MOST_CODES {
            codes.remove(0);
        }
        let (hash, at) = (blake3::hash(code.as_bytes()), Instant::now());
        codes.push(IssuedCode { hash, at, terms: Some(terms), grant: None, replayed: false });
        Ok(code)
    }

    /// Uses a code up, whatever comes of it.
    pub fn redeem(&self, code: &str) -> Redemption {
        self.redeem_at(code, Instant::now())
    }

    fn redeem_at(&self, code: &str, now: Instant) -> Redemption {
        let given = blake3::hash(code.as_bytes());
        let mut codes = self.lock();
        let Some(issued) = codes.iter_mut().find(|issued| issued.hash == given) else {
            return Redemption::Unknown;
        };
        match issued.terms.take() {
            Some(_) if now.saturating_duration_since(issued.at) >= CODE_LASTS => Redemption::Unknown,
            Some(terms) => Redemption::Terms(Box::new(terms)),
            None => {
                issued.replayed = true;
                Redemption::Replayed(issued.grant.clone())
            }
        }
    }

    /// Remembers which grant came of a code. Whether the code was used a second time in between.
    pub fn note_grant(&self, code: &str, grant: &GrantId) -> bool {
        let given = blake3::hash(code.as_bytes());
        let mut codes = self.lock();
        let Some(issued) = codes.iter_mut().find(|issued| issued.hash == given) else { return false };
        issued.grant = Some(grant.clone());
        issued.replayed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> CodeTerms {
        CodeTerms {
            client_id: "wrc_x".to_owned(),
            client_name: "x".to_owned(),
            redirect_uri: "https://a.example".to_owned(),
            challenge: String::new(),
            resource: "https://w.example/mcp".to_owned(),
            scopes: AccessScopes::all(),
            vaults: Vec::new(),
            session: None,
            user: None,
        }
    }

    #[test]
    fn a_code_works_once_and_for_a_minute() {
        let codes = AuthorizationCodes::default();
        let (one, other) = (codes.issue(terms()).unwrap(), codes.issue(terms()).unwrap());
        assert!(matches!(codes.redeem(""), Redemption::Unknown));
        assert!(matches!(codes.redeem(&one), Redemption::Terms(_)));
        assert!(matches!(codes.redeem(&one), Redemption::Replayed(None)));
        assert!(matches!(codes.redeem_at(&other, Instant::now() + CODE_LASTS), Redemption::Unknown));
        assert!(!matches!(codes.redeem(&other), Redemption::Terms(_)), "it does not come back");
    }

    #[test]
    fn a_second_use_leads_to_the_grant_also_where_that_came_later() {
        let codes = AuthorizationCodes::default();
        let grant = GrantId::made_up();
        let code = codes.issue(terms()).unwrap();
        codes.redeem(&code);
        assert!(!codes.note_grant(&code, &grant));
        assert!(matches!(codes.redeem(&code), Redemption::Replayed(Some(found)) if found == grant));
        let late = codes.issue(terms()).unwrap();
        codes.redeem(&late);
        codes.redeem(&late);
        assert!(codes.note_grant(&late, &grant), "it was used twice before its grant was there");
    }

    #[test]
    fn the_oldest_makes_room() {
        let codes = AuthorizationCodes::default();
        let first = codes.issue(terms()).unwrap();
        for _ in 0..MOST_CODES {
            codes.issue(terms()).unwrap();
        }
        assert!(matches!(codes.redeem(&first), Redemption::Unknown));
        assert_eq!(codes.lock().len(), MOST_CODES);
    }
}
