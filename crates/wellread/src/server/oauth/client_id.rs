//! Clients, which register themselves (RFC 7591) and are not stored: the id that a client is given contains what it said of
//! itself.
//!
//! Anybody may register, so an id proves nothing, and strangers who register by the thousands take up no room. All clients are
//! public: they have no secret, and prove by PKCE that they are the one that asked.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use url::Url;

use super::OAuthError;
use crate::config::is_loopback;
use crate::server::token::random_hex;

const PREFIX: &str = "wrc_";
const MOST_REDIRECTS: usize = 5;
/// In bytes.
const LONGEST_REDIRECT: usize = 300;
/// In characters.
const LONGEST_NAME: usize = 80;
const LONGEST_ID: usize = 4096;
const UNNAMED: &str = "a program without a name";
/// The fields of an answer.
const ANSWERED: [&str; 5] = ["code", "state", "iss", "error", "error_description"];

/// What a client says of itself. It says more, which is not needed.
#[derive(Debug, Deserialize)]
pub struct RegistrationRequest {
    redirect_uris: Vec<String>,
    client_name: Option<String>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
}

/// A client, as its id says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisteredClient {
    /// What it calls itself. Nobody has checked that.
    #[serde(rename = "n")]
    pub name: String,
    /// Where it may be answered.
    #[serde(rename = "r")]
    pub redirects: Vec<String>,
    /// Makes the ids of two clients that say the same differ.
    #[serde(rename = "u")]
    unique: String,
}

impl RegisteredClient {
    /// Takes a client in.
    pub fn register(request: RegistrationRequest) -> Result<Self, OAuthError> {
        let metadata = |why: &str| OAuthError::new("invalid_client_metadata", why);
        let has = |list: &Option<Vec<String>>, word: &str| {
            list.as_ref().is_none_or(|list| list.iter().any(|one| one == word))
        };
        if !has(&request.grant_types, "authorization_code") || !has(&request.response_types, "code") {
            return Err(metadata("only the authorization code flow is offered here"));
        }
        let name = request.client_name.unwrap_or_default();
        let name: String =
            name.trim().chars().filter(|letter| !is_hidden(*letter)).take(LONGEST_NAME).collect();
        let name = if name.trim().is_empty() { UNNAMED.to_owned() } else { name };
        let unique = random_hex().map_err(|_| metadata("no random numbers"))?[..16].to_owned();
        let client = Self { name, redirects: request.redirect_uris, unique };
        client.check()?;
        Ok(client)
    }

    fn check(&self) -> Result<(), OAuthError> {
        let refuse = |why: String| Err(OAuthError::new("invalid_redirect_uri", why));
        if self.redirects.is_empty() || self.redirects.len() > MOST_REDIRECTS {
            return refuse(format!("a client has one to {MOST_REDIRECTS} redirect URIs"));
        }
        match self.redirects.iter().find(|uri| parse_redirect(uri).is_none()) {
            Some(_) => refuse(format!(
                "a redirect URI is https, or http on loopback, without user and fragment, and has at most {LONGEST_REDIRECT} bytes"
            )),
            None => Ok(()),
        }
    }

    /// Its id.
    pub fn id(&self) -> String {
        let said = serde_json::to_vec(self).unwrap_or_default();
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(said))
    }

    /// The client of an id. What it says is looked at as when it registered: anybody can write an id.
    pub fn parse(id: &str) -> Option<Self> {
        let said = id.strip_prefix(PREFIX).filter(|_| id.len() <= LONGEST_ID)?;
        let client: Self = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(said).ok()?).ok()?;
        let is_plain = client.name.chars().count() <= LONGEST_NAME
            && !client.name.trim().is_empty()
            && !client.name.chars().any(is_hidden);
        (is_plain && client.check().is_ok()).then_some(client)
    }

    /// Whether it may be answered there: exactly where it said, but on loopback at any port (RFC 8252).
    pub fn allows_redirect(&self, uri: &str) -> bool {
        let Some(given) = parse_redirect(uri) else { return false };
        self.redirects.iter().any(|known| {
            known == uri
                || (given.scheme() == "http"
                    && parse_redirect(known).map(without_port) == Some(without_port(given.clone())))
        })
    }
}

/// A redirect URI, if a client may have it.
pub fn parse_redirect(uri: &str) -> Option<Url> {
    let is_plain =
        uri.len() <= LONGEST_REDIRECT && uri.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let url = Url::parse(uri).ok().filter(|_| is_plain)?;
    let host = url.host()?;
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&host));
    let is_bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    // What the answer adds stands there once.
    let is_free = !url.query_pairs().any(|(name, _)| ANSWERED.contains(&&*name));
    (is_safe && is_bare && is_free).then_some(url)
}

fn without_port(mut url: Url) -> Url {
    // It has a host, so it may have a port.
    let _ = url.set_port(None);
    url
}

/// Characters that a name could disguise itself with.
fn is_hidden(letter: char) -> bool {
    let invisible = matches!(letter,
        '\u{ad}' | '\u{115f}'..='\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    letter.is_control() || invisible
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn register(request: serde_json::Value) -> Result<RegisteredClient, OAuthError> {
        RegisteredClient::register(serde_json::from_value(request).unwrap())
    }

    #[test]
    fn an_id_says_what_the_client_said() {
        let request = json!({ "client_name": "Bee\u{202e}\nkeeper", "redirect_uris": ["https://a.example/cb"], "jwks": {} });
        let client = register(request.clone()).unwrap();
        assert_eq!(client.name, "Beekeeper");
        assert_eq!(RegisteredClient::parse(&client.id()), Some(client.clone()));
        assert_ne!(register(request).unwrap().id(), client.id());
        assert_eq!(register(json!({ "redirect_uris": ["https://a.example"] })).unwrap().name, UNNAMED);
        let id = client.id();
        for wrong in [
            "",
            "wrc_",
            "wrc_!",
            "wrc_e30",
            &id[1..],
            &id[..id.len() - 3],
            &format!("{id}{}", "A".repeat(5000)),
        ] {
            assert_eq!(RegisteredClient::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_written_id_is_held_to_the_same_rules() {
        for said in [
            json!({ "n": "x", "r": ["http://evil.example/cb"], "u": "0" }),
            json!({ "n": "x", "r": [], "u": "0" }),
            json!({ "n": "x".repeat(LONGEST_NAME + 1), "r": ["https://a.example"], "u": "0" }),
            json!({ "n": "a\u{202e}b", "r": ["https://a.example"], "u": "0" }),
        ] {
            let id = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(said.to_string()));
            assert_eq!(RegisteredClient::parse(&id), None, "{said}");
        }
    }

    #[test]
    fn only_addresses_that_nobody_else_can_read_are_answered() {
        for good in [
            "https://a.example/cb",
            "https://a.example/cb?x=1",
            "http://127.0.0.1/cb",
            "http://localhost:7/cb",
            "http://[::1]:7/cb",
        ] {
            assert!(register(json!({ "redirect_uris": [good] })).is_ok(), "{good}");
        }
        for bad in [
            "http://a.example/cb",
            "http://127.0.0.1.nip.io/cb",
            "https://user@a.example/cb",
            "https://a.example/cb#x",
            "https://a.example/cb?code=mine",
            "https://a.example/cb?x=1&st%61te=mine",
            "javascript:alert(1)",
            "data:text/html,x",
            "cursor://callback",
            "//a.example/cb",
            "https://a.example\\@evil.example/",
            "https:// a.example",
            "*",
            "",
        ] {
            let refused = register(json!({ "redirect_uris": [bad] })).unwrap_err();
            assert_eq!(refused.code, "invalid_redirect_uri", "{bad}");
        }
        assert!(register(json!({ "redirect_uris": [] })).is_err());
        assert!(register(json!({ "redirect_uris": vec!["https://a.example"; MOST_REDIRECTS + 1] })).is_err());
        let implicit = json!({ "redirect_uris": ["https://a.example"], "response_types": ["token"] });
        assert_eq!(register(implicit).unwrap_err().code, "invalid_client_metadata");
    }

    #[test]
    fn an_answer_goes_exactly_where_the_client_said() {
        let client =
            register(json!({ "redirect_uris": ["https://a.example/cb", "http://127.0.0.1/cb"] })).unwrap();
        for good in ["https://a.example/cb", "http://127.0.0.1/cb", "http://127.0.0.1:4711/cb"] {
            assert!(client.allows_redirect(good), "{good}");
        }
        for bad in [
            "https://a.example/cb/",
            "https://a.example/cb?x=1",
            "https://a.example:8443/cb",
            "https://A.example.evil.example/cb",
            "https://evil.example/cb",
            "http://a.example/cb",
            "http://127.0.0.1:4711/other",
            "http://localhost:4711/cb",
            "https://127.0.0.1:4711/cb",
        ] {
            assert!(!client.allows_redirect(bad), "{bad}");
        }
    }
}
