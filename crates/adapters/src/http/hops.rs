//! The way to a page: where each step may lead, and whether what is there sends on.

use std::net::{IpAddr, SocketAddr};

use reqwest::header::LOCATION;
use reqwest::{Response, StatusCode, Url};
use url::Host;
use wellread_core::ports::WebFailure;

use super::address::{self, AllowedHosts};
use super::refused_failure;
use super::resolve::{AddressPolicy, Resolver};

pub(super) const MOST_REDIRECTS: usize = 5;
/// An answer with more addresses than this is no answer.
const MOST_ADDRESSES: usize = 128;

/// Why a step may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HopPermission {
    /// It is open to everybody: every rule holds.
    Public,
    /// The user named this host and port: it may be internal.
    Named,
}

/// One step of the way. Its address is well spelled; where it is has not been looked at.
#[derive(Debug, Clone)]
pub(super) struct Hop {
    pub url: Url,
    pub permission: HopPermission,
}

impl Hop {
    /// The address that the user gave, or that a search found.
    pub(super) fn first(written: &str, allowed: &AllowedHosts) -> Result<Self, WebFailure> {
        Self::new(address::parse(written)?, allowed, true)
    }

    /// Where an answer sends on. Only a host that the user named may lead to another that they named.
    pub(super) fn next(&self, location: &str, allowed: &AllowedHosts) -> Result<Self, WebFailure> {
        let url = address::join(&self.url, location)?;
        if self.url.scheme() == "https" && url.scheme() != "https" {
            return Err(refused_failure(format!(
                "{} redirects to an address that is not encrypted",
                address::host(&self.url)
            )));
        }
        Self::new(url, allowed, self.permission == HopPermission::Named)
    }

    fn new(url: Url, allowed: &AllowedHosts, may_be_named: bool) -> Result<Self, WebFailure> {
        if may_be_named && allowed.contains(&url) {
            return Ok(Self { url, permission: HopPermission::Named });
        }
        if !address::has_usual_port(&url) {
            return Err(refused_failure(format!(
                "{}: port {} is not 80 or 443",
                address::host(&url),
                address::port(&url)
            )));
        }
        Ok(Self { url, permission: HopPermission::Public })
    }

    /// The addresses to dial, every one of them checked.
    pub(super) async fn resolve_checked(
        &self,
        resolver: &dyn Resolver,
        policy: &dyn AddressPolicy,
    ) -> Result<Vec<SocketAddr>, WebFailure> {
        let found = resolve_host(&self.url, resolver).await?;
        if self.permission == HopPermission::Public
            && let Some(why) = policy.refusal_reason(&found)
        {
            return Err(refused_failure(format!("{} is {why}", address::host(&self.url))));
        }
        Ok(found)
    }
}

/// Where a host is, as a number that is written or by looking it up. Nowhere is a failure.
pub(super) async fn resolve_host(url: &Url, resolver: &dyn Resolver) -> Result<Vec<SocketAddr>, WebFailure> {
    let port = address::port(url);
    let name = match url.host() {
        Some(Host::Ipv4(ip)) => return Ok(vec![(IpAddr::V4(ip), port).into()]),
        Some(Host::Ipv6(ip)) => return Ok(vec![(IpAddr::V6(ip), port).into()]),
        Some(Host::Domain(name)) => name,
        None => return Err(refused_failure("the address names no host")),
    };
    let nowhere = |why: &str| WebFailure::Unreachable { message: format!("{name} can't be resolved: {why}") };
    match resolver.look_up(name, port).await {
        Ok(found) if found.is_empty() => Err(nowhere("it has no address")),
        Ok(found) if found.len() > MOST_ADDRESSES => Err(nowhere("it has too many addresses")),
        Ok(found) => Ok(found),
        Err(error) => Err(nowhere(&error.to_string())),
    }
}

/// Where an answer sends on. Nothing where it does not.
pub(super) fn redirect_location(response: &Response) -> Result<Option<String>, WebFailure> {
    let status = response.status();
    let sends_on = matches!(
        status,
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    if !sends_on {
        return Ok(None);
    }
    let nowhere = || WebFailure::Broken { message: format!("status {} without a target", status.as_u16()) };
    let mut locations = response.headers().get_all(LOCATION).iter();
    let (first, more) = (locations.next().ok_or_else(nowhere)?, locations.next());
    if more.is_some() {
        return Err(nowhere());
    }
    String::from_utf8(first.as_bytes().to_vec()).map(Some).map_err(|_| nowhere())
}
