//! The addresses of resources, read and written.

use std::fmt;

use wellread_core::domain::id::RunId;
use wellread_core::engine::log::RunDocument;
use wellread_core::{Error, Result};

use crate::file_uri::{percent_decode, percent_encode};

pub const RUNS: &str = "research://runs/";
/// Three slashes: the first folder of a path is no host, and keeps its capitals.
pub const NOTES: &str = "vault:///";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceUri {
    Run(RunId, RunDocument),
    /// A path as it was written: whether it is one is for the vault to say.
    Note(String),
}

impl ResourceUri {
    pub fn parse(uri: &str, with_notes: bool) -> Result<Self> {
        if let Some(path) = uri.strip_prefix(NOTES).filter(|_| with_notes) {
            return percent_decode(path)
                .map(Self::Note)
                .ok_or_else(|| Error::not_found(format!("`{uri}` is not percent-encoded UTF-8")));
        }
        let wrong = || {
            let notes = if with_notes { format!(" or `{NOTES}<path>`") } else { String::new() };
            Error::not_found(format!("there is no resource `{uri}`"))
                .hint(format!("an address is `{RUNS}<run id>/<trace.json|evidence.json|report.md>`{notes}"))
        };
        let (run, document) =
            uri.strip_prefix(RUNS).and_then(|rest| rest.split_once('/')).ok_or_else(wrong)?;
        match (RunId::parse(run), RunDocument::from_file_name(document)) {
            (Ok(run), Some(document)) => Ok(Self::Run(run, document)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(run, document) => write!(f, "{RUNS}{run}/{}", document.file_name()),
            Self::Note(path) => write!(f, "{NOTES}{}", percent_encode(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_address_is_read_as_it_was_written() {
        for path in ["Home.md", "Bees/Varroa mite.md", "Grüße/100% & [x]#?.md", "a%20b.md"] {
            let address = ResourceUri::Note(path.to_owned());
            assert_eq!(ResourceUri::parse(&address.to_string(), true).unwrap(), address);
            assert!(address.to_string().is_ascii());
        }
        assert_eq!(
            ResourceUri::parse("vault:///Grüße x.md", true).unwrap(),
            ResourceUri::Note("Grüße x.md".to_owned())
        );
    }

    #[test]
    fn what_is_no_address_is_refused() {
        let run = "00000000000000";
        for wrong in [
            "",
            "vault://Home.md",
            "vault:///%",
            "vault:///%4",
            "vault:///%zz",
            "vault:///%+1",
            "vault:///%ff",
            "file:///etc/passwd",
            "research://runs/",
            &format!("research://runs/{run}"),
            &format!("research://runs/{run}/"),
            &format!("research://runs/{run}/secrets"),
            &format!("research://runs/{run}/report.md/x"),
            "research://runs/../report.md",
            "research://runs/short/report.md",
        ] {
            assert!(ResourceUri::parse(wrong, true).is_err(), "{wrong}");
        }
        assert!(ResourceUri::parse("vault:///Home.md", false).is_err(), "notes are switched off");
    }
}
