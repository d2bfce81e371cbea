//! Finds the notes that link to a note.

use std::collections::BTreeSet;

use wellread_text::{FileNames, Link, LinkForm, Note, Resolution, fold, link_key};

use super::Vault;
use crate::domain::corpus::VaultPath;
use crate::ports::SkippedFile;
use crate::{Error, ErrorKind, Result};

/// The notes that link to a note, sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlinks {
    /// The note; none if no file has that name and all links to it are dead.
    pub to: Option<VaultPath>,
    /// The notes that link to it.
    pub from: Vec<VaultPath>,
    /// Notes that could not be read.
    pub skipped: Vec<SkippedFile>,
}

impl Vault {
    /// Every note that links to this one, whatever form the link takes. A link by one of the note's aliases counts if
    /// no file has that name.
    pub fn backlinks(&self, path: &VaultPath) -> Result<Backlinks> {
        let aliases: BTreeSet<String> = match self.read(path) {
            Ok(note) => note.parse().aliases().iter().map(|alias| fold(alias)).collect(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(error),
            // An attachment has no aliases, and those of an unreadable note are unknown.
            Err(_) => BTreeSet::new(),
        };
        let names = self.links.names()?;
        let leads_here = |links: &[Link], from: &str| {
            links.iter().any(|link| match names.resolve(&link.target, from) {
                Resolution::Missing => aliases.contains(&fold(&link.target)),
                found => found.path() == Some(path.as_str()),
            })
        };
        let mut keys = vec![link_key(path.as_str())];
        keys.extend(aliases.iter().map(|alias| link_key(alias)));
        let (from, skipped) = self.find_linking_notes(&keys, Some(path), leads_here)?;
        Ok(Backlinks { to: Some(path.clone()), from, skipped })
    }

    /// Every note that links to a note given by its name or path. Links to a name that no file has are found too.
    pub fn backlinks_by_name(&self, name: &str) -> Result<Backlinks> {
        let name = parse_link_name(name);
        if name.is_empty() {
            return Err(Error::invalid("the note's name is empty"));
        }
        match self.find_note_by_name(name)? {
            Some(path) => self.backlinks(&path),
            None => {
                let names = self.links.names()?;
                let dead = |links: &[Link], from: &str| {
                    links.iter().any(|link| {
                        link_key(&link.target) == link_key(name)
                            && names.resolve(&link.target, from) == Resolution::Missing
                    })
                };
                let (from, skipped) = self.find_linking_notes(&[link_key(name)], None, dead)?;
                Ok(Backlinks { to: None, from, skipped })
            }
        }
    }

    /// The number of different files that a note links to, missing ones included.
    pub fn count_outgoing_links(&self, path: &VaultPath, note: &Note) -> Result<usize> {
        let names = self.links.names()?;
        let leads = |target: &str| match names.resolve(target, path.as_str()) {
            Resolution::Missing => fold(target.strip_suffix(".md").unwrap_or(target)),
            found => found.path().unwrap_or_default().to_owned(),
        };
        let targets = note.links.iter().map(|link| link.target.as_str()).filter(|target| !target.is_empty());
        Ok(targets.map(leads).collect::<BTreeSet<_>>().len())
    }

    /// The names that a note links to, as written, sorted and each once.
    pub fn outlinks(&self, path: &VaultPath) -> Result<Vec<String>> {
        let links = self.read(path)?.links();
        let mut seen = BTreeSet::new();
        let mut names: Vec<String> = links
            .iter()
            .filter(|link| !link.target.is_empty())
            .map(|link| match link.form {
                LinkForm::Card => link.target.trim_start_matches('/'),
                _ => link.target.as_str(),
            })
            .map(|target| target.strip_suffix(".md").unwrap_or(target).to_owned())
            .filter(|name| seen.insert(fold(name)))
            .collect();
        names.sort_by_key(|name| fold(name));
        Ok(names)
    }

    fn find_note_by_name(&self, name: &str) -> Result<Option<VaultPath>> {
        // A path that must not be touched is refused, not looked up as a name.
        let path = self.rules.parse_file(name)?;
        match self.find_existing(&path) {
            Ok(Some(found)) => return Ok(Some(found)),
            Ok(None) => {}
            // A path that leads out of the vault by a symbolic link is refused too.
            Err(error) if error.kind() == ErrorKind::Refused => return Err(error),
            Err(_) => {}
        }
        let names: &FileNames = &*self.links.names()?;
        match names.resolve(name, "") {
            Resolution::Found(path) => self.rules.parse_file(&path).map(Some),
            Resolution::Ambiguous { chosen, others } => {
                let all: Vec<String> =
                    [chosen].into_iter().chain(others).map(|path| format!("`{path}`")).collect();
                Err(Error::invalid(format!("several notes are called `{name}`: {}", all.join(", ")))
                    .hint("give the path of the right one"))
            }
            Resolution::Missing => Ok(None),
        }
    }

    fn find_linking_notes(
        &self,
        keys: &[String],
        except: Option<&VaultPath>,
        leads_here: impl Fn(&[Link], &str) -> bool,
    ) -> Result<(Vec<VaultPath>, Vec<SkippedFile>)> {
        let mentions = self.links.find_mentions(keys)?;
        let mut from = Vec::new();
        for path in mentions.notes {
            if Some(&path) == except {
                continue;
            }
            // The note was deleted since it was found.
            let Ok(note) = self.read(&path) else { continue };
            if leads_here(&note.links(), path.as_str()) {
                from.push(path);
            }
        }
        from.sort();
        Ok((from, mentions.skipped))
    }
}

/// The name in `![[name#heading|alias]]`; a text without brackets is the name itself, whatever it contains.
fn parse_link_name(written: &str) -> &str {
    let written = written.trim();
    let link = written.strip_prefix('!').unwrap_or(written);
    match link.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
        Some(inner) => inner.split(['#', '|']).next().unwrap_or(inner).trim(),
        None => written,
    }
}
