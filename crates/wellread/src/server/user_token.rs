//! The secrets of users: tokens, and the codes of invitations. Each begins with the name of its user, and only its hash is stored.

use std::fmt;
use std::net::SocketAddr;

use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::rights::UserName;

use super::browser::random_secret;
use super::guard::INVITATION;
use super::listen_address::ListenAddress;
use crate::config::Config;

/// How the tokens of users begin.
const TOKEN_PREFIX: &str = "wru_";
/// How the codes of invitations begin.
const INVITATION_PREFIX: &str = "wri_";

/// A secret that was just made, to be shown once.
pub struct UserSecret {
    pub text: String,
    /// What is stored of it.
    pub hash: Hash,
}

/// Without the secret itself.
impl fmt::Debug for UserSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserSecret")
    }
}

impl UserSecret {
    /// A new token.
    pub fn new_token(name: &UserName) -> Result<Self> {
        Self::new(TOKEN_PREFIX, name)
    }

    /// The code of a new invitation.
    pub fn new_invitation(name: &UserName) -> Result<Self> {
        Self::new(INVITATION_PREFIX, name)
    }

    fn new(prefix: &str, name: &UserName) -> Result<Self> {
        let text = format!("{prefix}{name}.{}", random_secret()?);
        let hash = Hash::compute(text.as_bytes());
        Ok(Self { text, hash })
    }
}

/// Where somebody who was invited goes: to the public address if there is one, or to where the settings say that the server is.
pub fn invitation_url(config: &Config, code: &str) -> Result<String> {
    let settings = config.server()?;
    let place = match &settings.public {
        Some(public) => public.origin().to_owned(),
        None => ListenAddress::new(SocketAddr::new(settings.bind, settings.port), Vec::new).url(),
    };
    Ok(format!("{place}{INVITATION}?code={code}"))
}

/// A secret as somebody shows it: whose it is said to be, and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSecret {
    pub name: UserName,
    pub hash: Hash,
}

impl ShownSecret {
    /// A text that may be a token; `None` if it can't be one.
    pub fn parse_token(text: &[u8]) -> Option<Self> {
        Self::parse(TOKEN_PREFIX, text)
    }

    /// A text that may be the code of an invitation; `None` if it can't be one.
    pub fn parse_invitation(text: &str) -> Option<Self> {
        Self::parse(INVITATION_PREFIX, text.as_bytes())
    }

    fn parse(prefix: &str, text: &[u8]) -> Option<Self> {
        let (name, _) = str::from_utf8(text).ok()?.strip_prefix(prefix)?.rsplit_once('.')?;
        Some(Self { name: UserName::parse(name).ok()?, hash: Hash::compute(text) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_names_its_user_and_is_not_shown_by_mistake() {
        let name = UserName::parse("j.doe").unwrap();
        let (token, other) = (UserSecret::new_token(&name).unwrap(), UserSecret::new_token(&name).unwrap());
        assert_ne!(token.text, other.text);
        assert!(token.text.starts_with("wru_j.doe.") && token.text.len() == "wru_j.doe.".len() + 64);
        let shown = ShownSecret::parse_token(token.text.as_bytes()).unwrap();
        assert_eq!((shown.name, shown.hash), (name.clone(), token.hash));
        assert!(!format!("{token:?}").contains(&token.text[12..]));
        let invitation = UserSecret::new_invitation(&name).unwrap();
        assert!(ShownSecret::parse_token(invitation.text.as_bytes()).is_none(), "an invitation is no token");
        assert!(ShownSecret::parse_invitation(&token.text).is_none());
        for wrong in ["", "wru_", "wru_.x", "wru_Anna.x", "wru_../x.y", "anna.x"] {
            assert!(ShownSecret::parse_token(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }
}
