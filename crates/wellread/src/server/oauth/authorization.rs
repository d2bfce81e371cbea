//! A client's request to be allowed something, as it stands in the address that it opens in the user's browser.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::OAuthError;
use super::client_id::{RegisteredClient, parse_redirect};
use crate::mcp::{AccessScope, AccessScopes};

const LONGEST_STATE: usize = 2048;
/// A SHA-256 in base64, without padding.
const CHALLENGE_LENGTH: usize = 43;

/// The request as it was sent.
#[derive(Debug, Clone, Deserialize)]
pub struct AuthorizationRequest {
    response_type: Option<String>,
    client_id: Option<String>,
    redirect_uri: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
    scope: Option<String>,
    state: Option<String>,
    resource: Option<String>,
}

/// A request that makes sense. Whether there is such a vault is known only to those who are signed in.
#[derive(Debug, Clone)]
pub struct CheckedRequest {
    pub client: RegisteredClient,
    pub client_id: String,
    pub redirect_uri: String,
    pub challenge: String,
    pub scopes: AccessScopes,
    pub resource: String,
    state: Option<String>,
}

impl AuthorizationRequest {
    pub fn check(self) -> Result<CheckedRequest, OAuthError> {
        let client_id = self.client_id.unwrap_or_default();
        let client = RegisteredClient::parse(&client_id).ok_or_else(|| {
            OAuthError::new("invalid_client", "the client is not known here; it has to register first")
        })?;
        let redirect_uri = self.redirect_uri.unwrap_or_default();
        if !client.allows_redirect(&redirect_uri) {
            return Err(OAuthError::invalid_request(
                "`redirect_uri` is not one that the client has registered",
            ));
        }
        if self.response_type.as_deref() != Some("code") {
            return Err(OAuthError::new("unsupported_response_type", "`response_type` must be `code`"));
        }
        let challenge = self.code_challenge.unwrap_or_default();
        let is_hash = challenge.len() == CHALLENGE_LENGTH && URL_SAFE_NO_PAD.decode(&challenge).is_ok();
        if !is_hash || self.code_challenge_method.as_deref() != Some("S256") {
            return Err(OAuthError::invalid_request("PKCE is needed: a `code_challenge` of the method S256"));
        }
        if self.state.as_ref().is_some_and(|state| state.len() > LONGEST_STATE) {
            return Err(OAuthError::invalid_request(format!("`state` has more than {LONGEST_STATE} bytes")));
        }
        let asked = self.scope.as_deref().map_or_else(AccessScopes::all, AccessScopes::parse);
        // No other scope is of use without it.
        let scopes = asked.union(&AccessScopes::from_iter([AccessScope::Read]));
        if asked.is_empty() {
            return Err(OAuthError::new("invalid_scope", format!("the scopes are {}", AccessScopes::all())));
        }
        let resource = self.resource.ok_or_else(|| {
            OAuthError::new("invalid_target", "`resource` is missing: the address that the token is for")
        })?;
        Ok(CheckedRequest { client, client_id, redirect_uri, challenge, scopes, resource, state: self.state })
    }
}

impl CheckedRequest {
    /// Where the browser goes with this answer, which names who gives it (RFC 9207).
    pub fn answer(&self, issuer: &str, fields: &[(&str, &str)]) -> String {
        let Some(mut url) = parse_redirect(&self.redirect_uri) else { return issuer.to_owned() };
        let state = self.state.as_deref().map(|state| ("state", state));
        let fields = fields.iter().copied().chain(state).chain([("iss", issuer)]);
        url.query_pairs_mut().extend_pairs(fields);
        url.into()
    }

    /// Who gets the answer, for people.
    pub fn redirect_host(&self) -> String {
        parse_redirect(&self.redirect_uri).map_or_else(String::new, |url| url.origin().ascii_serialization())
    }

    /// Whether a program on the user's own computer gets the answer.
    pub fn is_local(&self) -> bool {
        self.redirect_uri.starts_with("http://")
    }
}

/// Whether somebody who shows this verifier has made the request with this challenge (RFC 7636).
pub fn proves(verifier: &str, challenge: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_verifier = (43..=128).contains(&verifier.len()) && verifier.bytes().all(fits);
    is_verifier && URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())) == challenge
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verifier_proves_its_own_challenge_alone() {
        // From RFC 7636, appendix B.
        let (verifier, challenge) =
            ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert!(proves(verifier, challenge));
        for wrong in ["", challenge, &verifier[1..], &format!("{verifier}="), &format!("{verifier}a")] {
            assert!(!proves(wrong, challenge), "{wrong}");
        }
        assert!(!proves(verifier, "") && !proves(verifier, verifier));
    }
}
