//! What the user has allowed clients elsewhere, and the tokens of each.
//!
//! A grant is a file in the data folder, named by a hash under the server's token, with hashes of the client's tokens: reading it
//! lets nobody in, removing it ends the grant in every process at once, and a new token of the server ends all of them. A refresh
//! token is good once. Each has the secret of its grant besides its own, so that one that was used before is known as such: then
//! somebody else has it, and the grant ends.

mod grant_files;
mod tokens;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::domain::rights::UserName;
use wellread_core::{Error, Result};

use self::grant_files::{GrantFiles, StoredAccess, StoredGrant, unix_now};
use self::tokens::{AccessText, RefreshText};
use super::OAuthError;
use crate::config::Config;
use crate::mcp::AccessScopes;
use crate::platform;
use crate::server::browser::random_secret;
use crate::server::token::AccessToken;
use crate::server::users::UserRef;

/// Seconds for which an access token is good.
const ACCESS_LASTS: u64 = 15 * 60;
/// The user is asked again after this.
const GRANT_LASTS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Grants that are kept; the one that was used longest ago makes room.
const MOST_GRANTS: usize = 100;
/// Access tokens of one grant that are good at a time: who has two requests under way may refresh between them.
const MOST_ACCESS: usize = 3;

/// A grant, without what lets anybody in: the name of its file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GrantId(String);

/// A vault as the user has seen it: another folder under the same name is another vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VaultRef {
    pub name: String,
    pub folder: PathBuf,
}

impl VaultRef {
    pub fn new(name: &str, folder: &Path) -> Self {
        Self { name: name.to_owned(), folder: folder.to_owned() }
    }

    /// The vault of these settings.
    pub fn from_config(config: &Config) -> Result<Self> {
        Ok(Self::new(config.vault_name(), &platform::canonicalize_existing(&config.vault()?)))
    }
}

/// A grant to be made.
#[derive(Debug)]
pub struct NewGrant {
    pub client_id: String,
    pub client_name: String,
    pub resource: String,
    pub scopes: AccessScopes,
    pub vaults: Vec<VaultRef>,
    /// Who has allowed it; the owner where there is none.
    pub user: Option<UserRef>,
}

/// Tokens as a client gets them.
pub struct IssuedTokens {
    pub grant: GrantId,
    pub access: String,
    pub refresh: String,
    pub expires_in: u64,
    pub scopes: AccessScopes,
}

/// Without the tokens themselves.
impl fmt::Debug for IssuedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuedTokens").field("scopes", &self.scopes).finish_non_exhaustive()
    }
}

/// A client that has a good access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteClient {
    pub grant: GrantId,
    /// The one address that its token is for.
    pub resource: String,
    pub scopes: AccessScopes,
    pub vaults: Vec<VaultRef>,
    /// How long its token is still good.
    pub remaining: Duration,
    /// Who has allowed it; the owner where there is none.
    pub user: Option<UserRef>,
}

/// What a client says when it wants new tokens.
pub struct RefreshRequest<'a> {
    pub refresh: &'a str,
    pub client_id: &'a str,
    pub resource: Option<&'a str>,
    pub scope: Option<&'a str>,
    /// Whether what was given to a user still counts.
    pub is_current: &'a dyn Fn(&UserRef) -> bool,
}

/// A grant as it is listed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedGrant {
    /// Ends it, with `/api/remote-clients/{id}/end`.
    pub id: String,
    /// What the client calls itself. Nobody has checked that.
    pub client: String,
    /// The address of the Model Context Protocol that it may use.
    pub resource: String,
    pub scopes: AccessScopes,
    /// The vaults that it may use.
    pub vaults: Vec<String>,
    /// When the user allowed it, in seconds since 1970.
    pub began: u64,
    /// When it was last used, within a minute.
    pub last_used: u64,
    /// The user with an account who has allowed it; left out for the server's owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub user: Option<UserName>,
}

/// The grants, in a folder beside the token.
#[derive(Debug)]
pub struct Grants {
    files: GrantFiles,
}

impl Grants {
    /// The grants in this data folder.
    pub fn new(data: &Path) -> Self {
        Self { files: GrantFiles::new(data) }
    }

    /// Makes a grant, in place of one that the same client had of the same user for the same address.
    pub fn begin(&self, token: &AccessToken, new: NewGrant) -> Result<IssuedTokens> {
        let _locked = self.files.lock()?;
        let client = hash_text(&new.client_id);
        let name = |user: &Option<UserRef>| user.as_ref().map(|user| user.name.clone());
        let is_replaced = |old: &StoredGrant| {
            old.client == client && old.resource == new.resource && name(&old.user) == name(&new.user)
        };
        for (id, _) in self.files.all().filter(|(_, old)| is_replaced(old)) {
            self.files.remove(&id)?;
        }
        self.files.make_room(MOST_GRANTS);
        let (id, family) = (tokens::random_id()?, random_secret()?);
        let mut stored = StoredGrant {
            client,
            client_name: new.client_name,
            resource: new.resource,
            scopes: new.scopes,
            vaults: new.vaults,
            user: new.user,
            began: unix_now(),
            family: hash_text(&family),
            refresh: String::new(),
            access: Vec::new(),
        };
        let scopes = stored.scopes.clone();
        self.issue(file_of(token, &id), &id, &family, &mut stored, scopes)
    }

    /// New tokens in place of a refresh token, which is used up by it.
    pub fn refresh(
        &self,
        token: &AccessToken,
        request: &RefreshRequest<'_>,
    ) -> Result<IssuedTokens, OAuthError> {
        let failed = |error: Error| OAuthError::new("server_error", error.message());
        let text = RefreshText::parse(request.refresh).ok_or_else(OAuthError::invalid_grant)?;
        let grant = file_of(token, text.id);
        let _locked = self.files.lock().map_err(failed)?;
        let mut stored = self.files.read(&grant).ok_or_else(OAuthError::invalid_grant)?;
        if !is_hash_of(&stored.family, text.family) || stored.client != hash_text(request.client_id) {
            return Err(OAuthError::invalid_grant());
        }
        if stored.user.as_ref().is_some_and(|user| !(request.is_current)(user)) {
            self.files.remove(&grant).map_err(failed)?;
            return Err(OAuthError::invalid_grant());
        }
        if !is_hash_of(&stored.refresh, text.secret) {
            // It was used before: by the client or by a thief, and nobody knows who of them asks now.
            self.files.remove(&grant).map_err(failed)?;
            return Err(OAuthError::invalid_grant());
        }
        if request.resource.is_some_and(|resource| resource != stored.resource) {
            return Err(OAuthError::new("invalid_target", "the user has allowed another `resource`"));
        }
        let asked = request.scope.filter(|scope| !scope.trim().is_empty());
        let scopes = asked.map_or_else(|| stored.scopes.clone(), AccessScopes::parse);
        if scopes.is_empty() || !stored.scopes.covers(&scopes) {
            return Err(OAuthError::new("invalid_scope", "the user has not allowed all of that"));
        }
        self.issue(grant, text.id, text.family, &mut stored, scopes).map_err(failed)
    }

    fn issue(
        &self,
        grant: GrantId,
        id: &str,
        family: &str,
        stored: &mut StoredGrant,
        scopes: AccessScopes,
    ) -> Result<IssuedTokens> {
        let (access, refresh, now) = (random_secret()?, random_secret()?, unix_now());
        stored.refresh = hash_text(&refresh);
        stored.access.retain(|old| now < old.expires);
        if stored.access.len() >= MOST_ACCESS {
            stored.access.remove(0);
        }
        let expires = now + ACCESS_LASTS;
        stored.access.push(StoredAccess { hash: hash_text(&access), expires, scopes: Some(scopes.clone()) });
        self.files.write(&grant, stored)?;
        Ok(IssuedTokens {
            grant,
            access: AccessText { id, secret: &access }.to_string(),
            refresh: RefreshText { id, family, secret: &refresh }.to_string(),
            expires_in: ACCESS_LASTS,
            scopes,
        })
    }

    /// The client of an access token that is good for this address.
    pub fn check(&self, token: &AccessToken, given: &str, resource: &str) -> Option<RemoteClient> {
        let text = AccessText::parse(given)?;
        let grant = file_of(token, text.id);
        let stored = self.files.read(&grant).filter(|stored| stored.resource == resource)?;
        let access = stored.access.iter().find(|access| is_hash_of(&access.hash, text.secret))?;
        let remaining =
            access.expires.checked_sub(unix_now()).filter(|left| (1..=ACCESS_LASTS).contains(left))?;
        let scopes = access.scopes.clone().unwrap_or(stored.scopes);
        self.files.note_use(&grant);
        Some(RemoteClient {
            grant,
            resource: stored.resource,
            scopes,
            vaults: stored.vaults,
            remaining: Duration::from_secs(remaining),
            user: stored.user,
        })
    }

    /// Ends the grant that a token belongs to, whichever of its tokens it is. Who has none ends nothing.
    pub fn revoke(&self, token: &AccessToken, given: &str) -> Result<()> {
        let access = AccessText::parse(given);
        let refresh = RefreshText::parse(given);
        let Some(id) = access.as_ref().map(|text| text.id).or(refresh.as_ref().map(|text| text.id)) else {
            return Ok(());
        };
        let grant = file_of(token, id);
        let _locked = self.files.lock()?;
        let Some(stored) = self.files.read(&grant) else { return Ok(()) };
        let is_access = access
            .is_some_and(|text| stored.access.iter().any(|access| is_hash_of(&access.hash, text.secret)));
        let is_refresh = refresh.is_some_and(|text| is_hash_of(&stored.family, text.family));
        if is_access || is_refresh { self.files.remove(&grant) } else { Ok(()) }
    }

    /// Whether it goes on.
    pub fn is_open(&self, grant: &GrantId) -> bool {
        self.files.read(grant).is_some()
    }

    /// Those of a user that go on, or all of them where no user is named; those used last first.
    pub fn list(&self, of: Option<&UserName>) -> Vec<ListedGrant> {
        let all = self.files.all().map(|(id, stored)| self.files.describe(&id, stored));
        let mut listed: Vec<ListedGrant> =
            all.filter(|grant| of.is_none() || grant.user.as_ref() == of).collect();
        listed.sort_by(|one, other| (other.last_used, &other.id).cmp(&(one.last_used, &one.id)));
        listed
    }

    /// Ends the grant with this id; `Err` if there is none, or it is not of the user who is named.
    pub fn end(&self, id: &str, of: Option<&UserName>) -> Result<()> {
        // A refresh that is under way must not bring it back.
        let _locked = self.files.lock()?;
        let is_theirs =
            |stored: &StoredGrant| of.is_none() || stored.user.as_ref().map(|user| &user.name) == of;
        let found = self.files.all().find(|(grant, stored)| grant.short() == id && is_theirs(stored));
        let (grant, _) = found.ok_or_else(|| {
            Error::not_found(format!("there is no remote client `{id}`")).hint("it may have ended already")
        })?;
        self.files.remove(&grant)
    }

    /// Ends this one, if it goes on.
    pub fn end_grant(&self, grant: &GrantId) -> Result<()> {
        let _locked = self.files.lock()?;
        self.files.remove(grant)
    }

    /// Ends all of them, and says how many there were.
    pub fn end_all(&self) -> Result<usize> {
        if self.files.all().next().is_none() {
            return Ok(0);
        }
        let _locked = self.files.lock()?;
        let ended = self.files.all().count();
        self.files.remove_all()?;
        Ok(ended)
    }
}

impl GrantId {
    /// What it is called in lists.
    fn short(&self) -> &str {
        self.0.get(..16).unwrap_or(&self.0)
    }

    #[cfg(test)]
    pub fn made_up() -> Self {
        Self("0".repeat(64))
    }
}

/// The file of a grant. With another token of the server, it is another.
fn file_of(token: &AccessToken, id: &str) -> GrantId {
    GrantId(token.sign(&format!("grant {id}")).to_hex().to_string())
}

fn hash_text(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Compared in constant time.
fn is_hash_of(stored: &str, given: &str) -> bool {
    blake3::Hash::from_hex(stored).is_ok_and(|stored| stored == blake3::hash(given.as_bytes()))
}

#[cfg(test)]
mod tests;
