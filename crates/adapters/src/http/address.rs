//! What the address of a page may be, by its spelling alone: nothing is resolved here.

use std::collections::HashSet;

use reqwest::Url;
use url::Host;
use wellread_core::ports::WebFailure;
use wellread_core::{Error, Result};

use super::{public_address, refused_failure};

const LONGEST: usize = 8 * 1024;
const USUAL_PORTS: [u16; 2] = [80, 443];
const INTERNAL_ENDINGS: [&str; 4] = [".localhost", ".local", ".internal", ".home.arpa"];

/// The address of a page, parsed once: what is dialed is made from what comes out.
pub(super) fn parse(written: &str) -> Result<Url, WebFailure> {
    check_plain(written)?;
    check_url(Url::parse(written))
}

/// Where a redirect leads from a page.
pub(super) fn join(page: &Url, written: &str) -> Result<Url, WebFailure> {
    check_plain(written)?;
    check_url(page.join(written))
}

/// A parser takes some control characters away in silence, so they are looked for before.
fn check_plain(written: &str) -> Result<(), WebFailure> {
    if written.len() > LONGEST {
        return Err(refused_failure(format!("the address is longer than {LONGEST} bytes")));
    }
    if written.chars().any(char::is_control) {
        return Err(refused_failure("the address holds control characters"));
    }
    Ok(())
}

fn check_url(parsed: std::result::Result<Url, url::ParseError>) -> Result<Url, WebFailure> {
    let url = parsed.map_err(|error| refused_failure(format!("it is not a valid address: {error}")))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(refused_failure(format!(
            "addresses with the scheme `{}:` are not fetched",
            shorten_scheme(url.scheme())
        )));
    }
    // The address may hold a password, so it is not repeated.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused_failure("the address holds a user or a password"));
    }
    if url.host_str().is_none_or(|host| host.trim_matches('.').is_empty()) {
        return Err(refused_failure("the address names no host"));
    }
    if url.as_str().len() > LONGEST {
        return Err(refused_failure(format!("the address is longer than {LONGEST} bytes")));
    }
    Ok(url)
}

fn shorten_scheme(scheme: &str) -> String {
    scheme.chars().take(20).collect()
}

pub(super) fn port(url: &Url) -> u16 {
    url.port_or_known_default().unwrap_or_default()
}

pub(super) fn has_usual_port(url: &Url) -> bool {
    USUAL_PORTS.contains(&port(url))
}

/// Whether the host is internal by how it is spelled: a number that is not public, or a name that only an own network knows.
pub(super) fn is_internal(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => public_address::non_public_reason(ip.into()).is_some(),
        Some(Host::Ipv6(ip)) => public_address::non_public_reason(ip.into()).is_some(),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            !name.contains('.') || INTERNAL_ENDINGS.iter().any(|ending| name.ends_with(ending))
        }
        None => true,
    }
}

/// The host as messages name it.
pub(super) fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

/// The hosts and ports that the user named: pages may be fetched from there although they are internal.
#[derive(Debug)]
pub(super) struct AllowedHosts(HashSet<(String, u16)>);

impl AllowedHosts {
    pub(super) fn parse(entries: &[String]) -> Result<Self> {
        entries.iter().map(|entry| parse_host_and_port(entry)).collect::<Result<_>>().map(Self)
    }

    pub(super) fn contains(&self, url: &Url) -> bool {
        self.0.contains(&(host(url).to_owned(), port(url)))
    }
}

/// Reads `host:port`, as `http.allow` has it; the host comes out as addresses spell it.
pub fn parse_host_and_port(entry: &str) -> Result<(String, u16)> {
    let wrong = || {
        Error::invalid(format!("`{entry}` is not a host and port"))
            .hint("for example \"wiki.home:8080\" or \"[fd00::7]:8080\", without http:// and without a path")
    };
    let (host, port) = entry.rsplit_once(':').ok_or_else(wrong)?;
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let port: u16 = port.parse().ok().filter(|port| digits && *port > 0).ok_or_else(wrong)?;
    if host.is_empty()
        || host.contains(['/', '\\', '?', '#', '@', '*', '%'])
        || host.chars().any(|c| c.is_control() || c.is_whitespace())
    {
        return Err(wrong());
    }
    // An IPv6 address stands in brackets, so any other colon is a mistake.
    if host.contains(':') && !host.starts_with('[') {
        return Err(wrong());
    }
    let url = Url::parse(&format!("http://{host}/")).map_err(|_| wrong())?;
    let host = url.host_str().filter(|_| url.port().is_none()).ok_or_else(wrong)?;
    Ok((host.to_owned(), port))
}
