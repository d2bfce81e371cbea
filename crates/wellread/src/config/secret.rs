//! Keys to services. What is written may be the key itself, `env:NAME` or `file:PATH`; it is looked up when it is used.
//!
//! Neither type can be shown: there is no `Display`, and `Debug` says that there is one and not which.

use std::fmt;
use std::fs::File;
use std::io::Read as _;

use wellread_core::{Error, Result};

use super::read_variable;
use crate::platform;

const LARGEST_FILE: u64 = 64 * 1024;
const HIDDEN: &str = "********";

/// A key, ready to be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The key itself, for the one place that sends it.
    pub fn expose_secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A key as it is written in the settings.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct WrittenSecret(String);

impl WrittenSecret {
    pub fn new(written: &str) -> Self {
        Self(written.trim().to_owned())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it says where the key is kept instead of being the key.
    pub fn names_a_place(&self) -> bool {
        self.0.starts_with("env:") || self.0.starts_with("file:")
    }

    /// What may be seen of it: where it is kept, but never itself.
    pub fn as_redacted(&self) -> &str {
        if self.is_empty() || self.names_a_place() { &self.0 } else { HIDDEN }
    }

    /// As it is to be written to the settings file, and nowhere else.
    pub(super) fn as_written(&self) -> &str {
        &self.0
    }

    /// Looks the key up. Nothing where none is set.
    pub fn reveal(&self, setting: &str) -> Result<Option<Secret>> {
        let found = if let Some(name) = self.0.strip_prefix("env:") {
            let missing = || {
                Error::invalid(format!(
                    "the setting `{setting}` names the variable `{name}`, which is not set"
                ))
            };
            read_variable(name)?.ok_or_else(missing)?
        } else if let Some(path) = self.0.strip_prefix("file:") {
            read_secret_file(path).map_err(|error| {
                Error::invalid(format!("the setting `{setting}` names the file `{path}`: {error}"))
            })?
        } else {
            self.0.clone()
        };
        let key = found.trim();
        if key.is_empty() && !self.is_empty() {
            return Err(Error::invalid(format!("the setting `{setting}` names a key that is empty")));
        }
        if key.contains(char::is_control) {
            return Err(Error::invalid(format!(
                "the key of the setting `{setting}` is not one line of text"
            )));
        }
        Ok((!key.is_empty()).then(|| Secret(key.to_owned())))
    }
}

fn read_secret_file(path: &str) -> Result<String> {
    let file = File::open(platform::expand_home(path)?);
    let mut text = String::new();
    let read = file.and_then(|file| file.take(LARGEST_FILE).read_to_string(&mut text));
    read.map(|_| text).map_err(|error| Error::invalid(error.to_string()))
}

impl fmt::Debug for WrittenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_redacted())
    }
}

impl serde::Serialize for WrittenSecret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_redacted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reveal(written: &str) -> Result<Option<Secret>> {
        WrittenSecret::new(written).reveal("embedding.api_key")
    }

    #[test]
    fn a_key_is_itself_or_where_it_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, "sk-from-file\n").unwrap();
        let from_file = format!("file:{}", file.display());
        for (written, key) in
            [("", None), ("  ", None), ("sk-plain", Some("sk-plain")), (&from_file, Some("sk-from-file"))]
        {
            assert_eq!(reveal(written).unwrap().as_ref().map(Secret::expose_secret), key, "{written}");
        }
        assert_eq!(
            reveal("env:PATH").unwrap().unwrap().expose_secret(),
            std::env::var("PATH").unwrap().trim()
        );
        std::fs::write(&file, " \n").unwrap();
        for wrong in ["env:NO_SUCH_VARIABLE_HERE", "file:/no/such/file", &from_file, "sk-two\nlines"] {
            let error = reveal(wrong).unwrap_err();
            assert!(error.message().contains("`embedding.api_key`"), "{error}");
            assert!(!error.message().contains("sk-"), "{error}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let written = WrittenSecret::new("sk-plain");
        let revealed = written.reveal("x").unwrap();
        let shown = format!("{written:?} {revealed:?} {}", serde_json::to_string(&written).unwrap());
        assert!(!shown.contains("sk-"), "{shown}");
        assert_eq!(WrittenSecret::new("env:NAME").as_redacted(), "env:NAME");
    }
}
