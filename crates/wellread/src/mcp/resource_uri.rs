//! The addresses of resources, read and written.

use std::fmt;

use wellread_core::domain::id::RunId;
use wellread_core::engine::log::RunDocument;
use wellread_core::{Error, Result};

use crate::file_uri::{percent_decode, percent_encode};

pub const RUNS: &str = "research://runs/";
const SCHEME: &str = "vault://";

/// Where the notes of a vault stand: `vault:///` for the vault that calls are about if they name none, `vault://NAME/` for
/// another. The first folder of a path is no host, and keeps its capitals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotesAddress(String);

impl NotesAddress {
    pub fn new(vault: &str) -> Self {
        Self(format!("{SCHEME}{}/", vault.to_ascii_lowercase()))
    }

    /// A path of the vault, as it is written in an address.
    fn strip<'a>(&self, uri: &'a str) -> Option<&'a str> {
        let (start, path) = uri.split_at_checked(self.0.len())?;
        start.eq_ignore_ascii_case(&self.0).then_some(path)
    }

    /// Whether an address is one of this vault's notes, there or not.
    pub fn contains(&self, uri: &str) -> bool {
        self.strip(uri).is_some()
    }
}

impl Default for NotesAddress {
    fn default() -> Self {
        Self::new("")
    }
}

impl fmt::Display for NotesAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceUri {
    Run(RunId, RunDocument),
    /// A path as it was written: whether it is one is for the vault to say.
    Note(String),
}

impl ResourceUri {
    /// An address, with the notes of a vault or without any.
    pub fn parse(uri: &str, notes: Option<&NotesAddress>) -> Result<Self> {
        if let Some(path) = notes.and_then(|notes| notes.strip(uri)) {
            return percent_decode(path)
                .map(Self::Note)
                .ok_or_else(|| Error::not_found(format!("`{uri}` is not percent-encoded UTF-8")));
        }
        let wrong = || {
            let notes = notes.map(|notes| format!(" or `{notes}<path>`")).unwrap_or_default();
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

    /// The address, with a note's in the vault that has it.
    pub fn render(&self, notes: &NotesAddress) -> String {
        match self {
            Self::Run(run, document) => format!("{RUNS}{run}/{}", document.file_name()),
            Self::Note(path) => format!("{notes}{}", percent_encode(path)),
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
            for notes in [NotesAddress::default(), NotesAddress::new("Work")] {
                let address = ResourceUri::Note(path.to_owned());
                let written = address.render(&notes);
                assert_eq!(ResourceUri::parse(&written, Some(&notes)).unwrap(), address);
                assert!(written.is_ascii());
            }
        }
        assert_eq!(
            ResourceUri::parse("vault:///Grüße x.md", Some(&NotesAddress::default())).unwrap(),
            ResourceUri::Note("Grüße x.md".to_owned())
        );
    }

    #[test]
    fn a_note_is_addressed_in_its_own_vault() {
        let work = NotesAddress::new("work");
        for (uri, is_there) in
            [("vault://work/Home.md", true), ("vault://WORK/Home.md", true), ("vault:///Home.md", false)]
        {
            assert_eq!(work.contains(uri), is_there, "{uri}");
            assert_eq!(ResourceUri::parse(uri, Some(&work)).is_ok(), is_there, "{uri}");
        }
        assert!(!NotesAddress::default().contains("vault://work/Home.md"));
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
            assert!(ResourceUri::parse(wrong, Some(&NotesAddress::default())).is_err(), "{wrong}");
        }
        assert!(ResourceUri::parse("vault:///Home.md", None).is_err(), "notes are switched off");
    }
}
