//! Where a service is that the user set, taken apart. Nothing is sent here.

use wellread_core::Result;

use super::{endpoint_address, is_here};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    /// Scheme, host and port.
    pub origin: String,
    /// What stands before the service's own paths: without a slash at its end, and mostly empty.
    pub prefix: String,
    pub is_local: bool,
}

impl Endpoint {
    pub(crate) fn of(base: &str) -> Result<Self> {
        let parsed = endpoint_address(base)?;
        Ok(Self {
            origin: parsed.origin().ascii_serialization(),
            prefix: parsed.path().trim_end_matches('/').to_owned(),
            is_local: is_here(&parsed),
        })
    }

    /// A path of the service, with what stands before it.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let made = |base| Endpoint::of(base).map(|it| (it.origin.clone(), it.path("/search"), it.is_local));
        let found = |origin: &str, path: &str, local| Ok((origin.to_owned(), path.to_owned(), local));
        assert_eq!(made("https://api.tavily.com"), found("https://api.tavily.com", "/search", false));
        assert_eq!(made("http://127.0.0.1:8888/"), found("http://127.0.0.1:8888", "/search", true));
        assert_eq!(made("https://a.org/searx/"), found("https://a.org", "/searx/search", false));
        for wrong in ["", "a.org", "ftp://a.org", "https://u:p@a.org", "https://a.org/?q=1"] {
            assert!(made(wrong).is_err(), "{wrong}");
        }
    }
}
