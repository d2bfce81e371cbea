//! OAuth for MCP clients elsewhere, which reach the server by a proxy or a tunnel: a small authorization server for one user.
//!
//! The user signs in with the page's own session and allows a client some scopes on some vaults; that is a grant. Its access
//! tokens are short, are for one address of the Model Context Protocol, and open nothing else. Clients register themselves and
//! are not stored: their id says all that is known of them. None of it exists unless the user has set a public address.

mod authorization;
mod client_id;
mod codes;
mod grants;
mod oauth_error;
pub mod public_route;

use std::path::PathBuf;

pub use self::authorization::{AuthorizationRequest, CheckedRequest, proves};
pub use self::client_id::{RegisteredClient, RegistrationRequest};
pub use self::codes::{CodeTerms, Redemption};
pub use self::grants::{
    GrantId, Grants, IssuedTokens, ListedGrant, NewGrant, RefreshRequest, RemoteClient, VaultRef,
};
pub use self::oauth_error::OAuthError;
pub use self::public_route::PublicRoute;

use self::codes::AuthorizationCodes;
use super::problem::Problem;
use crate::config::PublicAddress;
use crate::mcp::AccessScopes;

/// Where the Model Context Protocol is spoken, in every vault.
pub const MCP_PATH: &str = "/mcp";
/// Where clients look for what a resource wants; the resource's path follows.
pub const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource";
/// How access tokens begin.
pub const ACCESS_PREFIX: &str = "wra_";

/// What there is for clients elsewhere.
#[derive(Debug)]
pub struct RemoteAccess {
    pub public: PublicAddress,
    pub grants: Grants,
    pub codes: AuthorizationCodes,
}

impl RemoteAccess {
    pub fn new(public: PublicAddress, grants: Grants) -> Self {
        Self { public, grants, codes: AuthorizationCodes::default() }
    }

    /// The address of a vault's protocol, which tokens are for; that of all vaults where none is named.
    pub fn resource(&self, vault: Option<&str>) -> String {
        let prefix = vault.map(super::sites::address_of).unwrap_or_default();
        format!("{}{prefix}{MCP_PATH}", self.public.origin())
    }

    /// Those of these vaults that an address of the protocol leads to; nothing if it is none of ours.
    pub fn vaults_at(&self, resource: &str, vaults: &[(String, PathBuf)]) -> Option<Vec<VaultRef>> {
        let known = || vaults.iter().map(|(name, folder)| VaultRef::new(name, folder));
        if resource == self.resource(None) {
            return Some(known().collect());
        }
        known().find(|vault| resource == self.resource(Some(&vault.name))).map(|vault| vec![vault])
    }

    /// Tells a client that has no token for a resource where to get one.
    pub fn challenge(&self, problem: Problem, resource: &str, is_wrong: bool) -> Problem {
        let error = if is_wrong { ", error=\"invalid_token\"" } else { "" };
        problem.with_challenge(format!("Bearer realm=\"wellread\"{error}, {}", self.metadata_of(resource)))
    }

    /// Tells a client that has a token which scopes it needs in addition to its own.
    pub fn demand_scopes(&self, client: &RemoteClient, needed: &AccessScopes) -> Problem {
        let metadata = self.metadata_of(&client.resource);
        let wanted = client.scopes.union(needed);
        Problem::forbidden(
            format!("this needs the scopes `{needed}`, and the user has allowed `{}`", client.scopes),
            "connect again and ask the user for more",
        )
        .with_challenge(format!(
            "Bearer realm=\"wellread\", error=\"insufficient_scope\", scope=\"{wanted}\", {metadata}"
        ))
    }

    fn metadata_of(&self, resource: &str) -> String {
        let origin = self.public.origin();
        // It stands between quotes: an address with others than these can't be one of ours.
        let is_plain =
            |path: &&str| path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.~%".contains(&byte));
        let path = resource.strip_prefix(origin).filter(is_plain).unwrap_or(MCP_PATH);
        format!("resource_metadata=\"{origin}{RESOURCE_METADATA}{path}\"")
    }
}
