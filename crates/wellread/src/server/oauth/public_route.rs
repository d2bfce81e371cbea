//! What is served under the public address: the protocol, and what a client and the user need to connect. Nothing else is
//! there, whoever asks.

use axum::http::Method;
use axum::http::request::Parts;

use super::{MCP_PATH, RESOURCE_METADATA};
use crate::server::guard::{INVITATION, LINK};
use crate::server::sites::InVault;

pub const SERVER_METADATA: &str = "/.well-known/oauth-authorization-server";
pub const AUTHORIZE: &str = "/oauth/authorize";
pub const REGISTER: &str = "/oauth/register";
pub const TOKEN: &str = "/oauth/token";
pub const REVOKE: &str = "/oauth/revoke";
pub const CONSENT: &str = "/oauth/consent";
pub const CONSENT_REQUEST: &str = "/oauth/consent/request";

/// The files of the page on which the user allows or denies, and signs in before.
const FILES: [&str; 11] = [
    "/page/js/consent.js",
    "/page/js/dom.js",
    "/page/js/joined.js",
    "/page/js/opened.js",
    "/page/js/page_key.js",
    "/page/js/theme.js",
    "/page/css/tokens.css",
    "/page/css/base.css",
    "/page/css/controls.css",
    "/page/css/consent.css",
    "/page/icon.svg",
];

/// Who is let in to a part of what is served there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicRoute {
    /// Everybody: it says nothing of the user's, or checks for itself.
    Open,
    /// The user, who has signed in.
    User,
    /// Clients with an access token.
    Mcp,
}

impl PublicRoute {
    pub fn find(request: &Parts) -> Option<Self> {
        let path = request.uri.path();
        if path == MCP_PATH {
            return Some(Self::Mcp);
        }
        if request.extensions.get::<InVault>().is_some() {
            return None;
        }
        let is_metadata =
            path.strip_prefix(RESOURCE_METADATA).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        match path {
            CONSENT | CONSENT_REQUEST => Some(Self::User),
            SERVER_METADATA | AUTHORIZE | REGISTER | TOKEN | REVOKE | LINK | INVITATION => Some(Self::Open),
            _ if is_metadata || FILES.contains(&path) => Some(Self::Open),
            _ => None,
        }
    }

    /// Whether a browser may come to this from another site: that is how a client sends it here.
    pub fn is_arrival(request: &Parts) -> bool {
        request.method == Method::GET
            && request.uri.path() == AUTHORIZE
            && request.extensions.get::<InVault>().is_none()
    }
}
