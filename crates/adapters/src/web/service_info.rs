//! What a service means by a status that is no success. Never repeats what it was sent.

use wellread_core::ports::WebFailure;

/// How a service is spoken of, and what to do where it takes no key.
#[derive(Debug, Clone, Copy)]
pub struct ServiceInfo {
    pub name: &'static str,
    /// Nothing for a service that has no keys.
    pub key_hint: Option<&'static str>,
}

impl ServiceInfo {
    /// Nothing where the status is one of success.
    pub fn check_status(self, status: u16) -> Result<(), WebFailure> {
        let message = format!("{} answered with status {status}", self.name);
        Err(match (status, self.key_hint) {
            (200..=299, _) => return Ok(()),
            (401 | 403, Some(hint)) => WebFailure::Key {
                message: format!("{} does not take the key (status {status})", self.name),
                hint: hint.to_owned(),
            },
            (401 | 403, None) => WebFailure::Blocked { message },
            (402 | 432 | 433, _) => WebFailure::busy(format!(
                "what the key may use of {} is used up (status {status})",
                self.name
            )),
            (429, _) => WebFailure::busy(format!("{} was asked too often (status 429)", self.name)),
            (503 | 529, _) => WebFailure::busy(message),
            (408 | 500..=599, _) => WebFailure::Unreachable { message },
            _ => WebFailure::Broken { message },
        })
    }

    pub fn broken_failure(self, why: &str) -> WebFailure {
        WebFailure::Broken { message: format!("{} answered with {why}", self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_failure() {
        let keyed = ServiceInfo { name: "brave", key_hint: Some("set BRAVE_API_KEY") };
        let open = ServiceInfo { name: "duckduckgo", key_hint: None };
        let kind = |failure: Result<(), WebFailure>| match failure {
            Ok(()) => "fine",
            Err(WebFailure::Key { hint, .. }) if hint.contains("BRAVE_API_KEY") => "key",
            Err(WebFailure::Blocked { .. }) => "blocked",
            Err(WebFailure::Busy { .. }) => "busy",
            Err(WebFailure::Unreachable { .. }) => "unreachable",
            Err(WebFailure::Broken { .. }) => "broken",
            Err(_) => "else",
        };
        for (status, of_keyed, of_open) in [
            (200, "fine", "fine"),
            (204, "fine", "fine"),
            (301, "broken", "broken"),
            (400, "broken", "broken"),
            (401, "key", "blocked"),
            (403, "key", "blocked"),
            (404, "broken", "broken"),
            (429, "busy", "busy"),
            (432, "busy", "busy"),
            (500, "unreachable", "unreachable"),
            (503, "busy", "busy"),
            (504, "unreachable", "unreachable"),
        ] {
            assert_eq!(kind(keyed.check_status(status)), of_keyed, "{status}");
            assert_eq!(kind(open.check_status(status)), of_open, "{status}");
        }
    }
}
