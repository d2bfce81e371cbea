//! Who links to a note.

use std::collections::BTreeSet;

use wellread_text::{Names, Note, Resolution, fold, link_key};

use super::Vault;
use crate::corpus::VaultPath;
use crate::ports::Skipped;
use crate::{Error, Kind, Result};

/// The notes that link to another, sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlinks {
    /// The note that was meant; none where no file has that name and all links to it are dead ones.
    pub to: Option<VaultPath>,
    pub from: Vec<VaultPath>,
    /// Notes that could not be looked into.
    pub skipped: Vec<Skipped>,
}

impl Vault {
    /// Every note that links to this one, whatever form the link takes. A link by one of the note's aliases
    /// counts where no file has that name.
    pub fn backlinks(&self, path: &VaultPath) -> Result<Backlinks> {
        let aliases: BTreeSet<String> = match self.read(path) {
            Ok(note) => note.parse().aliases().iter().map(|alias| fold(alias)).collect(),
            Err(error) if error.kind() == Kind::NotFound => return Err(error),
            // An attachment has none, and those of a note that can't be read are not known.
            Err(_) => BTreeSet::new(),
        };
        let names = self.links.names()?;
        let leads_here = |note: &Note, from: &str| {
            note.links.iter().any(|link| match names.resolve(&link.target, from) {
                Resolution::Missing => aliases.contains(&fold(&link.target)),
                found => found.path() == Some(path.as_str()),
            })
        };
        let mut keys = vec![link_key(path.as_str())];
        keys.extend(aliases.iter().map(|alias| link_key(alias)));
        let (from, skipped) = self.linking(&keys, Some(path), leads_here)?;
        Ok(Backlinks { to: Some(path.clone()), from, skipped })
    }

    /// The same by what a user calls the note: a name or a path. A name that no file has is searched for too.
    pub fn backlinks_by_name(&self, name: &str) -> Result<Backlinks> {
        let name = named_in_link(name);
        if name.is_empty() {
            return Err(Error::invalid("the note's name is empty"));
        }
        match self.note_called(name)? {
            Some(path) => self.backlinks(&path),
            None => {
                let names = self.links.names()?;
                let dead = |note: &Note, from: &str| {
                    note.links.iter().any(|link| {
                        link_key(&link.target) == link_key(name)
                            && names.resolve(&link.target, from) == Resolution::Missing
                    })
                };
                let (from, skipped) = self.linking(&[link_key(name)], None, dead)?;
                Ok(Backlinks { to: None, from, skipped })
            }
        }
    }

    /// How many different files a note links to, those that are not there included.
    pub fn outgoing(&self, path: &VaultPath, note: &Note) -> Result<usize> {
        let names = self.links.names()?;
        let leads = |target: &str| match names.resolve(target, path.as_str()) {
            Resolution::Missing => fold(target.strip_suffix(".md").unwrap_or(target)),
            found => found.path().unwrap_or_default().to_owned(),
        };
        let targets = note.links.iter().map(|link| link.target.as_str()).filter(|target| !target.is_empty());
        Ok(targets.map(leads).collect::<BTreeSet<_>>().len())
    }

    /// The names that a note links to, as they were written, sorted and each once.
    pub fn outlinks(&self, path: &VaultPath) -> Result<Vec<String>> {
        let note = self.read(path)?.parse();
        let mut seen = BTreeSet::new();
        let mut names: Vec<String> = note
            .links
            .iter()
            .filter(|link| !link.target.is_empty())
            .map(|link| link.target.strip_suffix(".md").unwrap_or(&link.target).to_owned())
            .filter(|name| seen.insert(fold(name)))
            .collect();
        names.sort_by_key(|name| fold(name));
        Ok(names)
    }

    fn note_called(&self, name: &str) -> Result<Option<VaultPath>> {
        // A path that must not be touched is refused, not looked up as a name.
        let path = self.rules.file(name)?;
        match self.locate(path.as_str()) {
            Ok(found) => return Ok(Some(found)),
            // So is one that leads out of the vault by a link.
            Err(error) if error.kind() == Kind::Refused => return Err(error),
            Err(_) => {}
        }
        let names: &Names = &*self.links.names()?;
        match names.resolve(name, "") {
            Resolution::Found(path) => self.rules.file(&path).map(Some),
            Resolution::Ambiguous { chosen, others } => {
                let all: Vec<String> =
                    [chosen].into_iter().chain(others).map(|path| format!("`{path}`")).collect();
                Err(Error::invalid(format!("several notes are called `{name}`: {}", all.join(", ")))
                    .hint("give the path of the one that is meant"))
            }
            Resolution::Missing => Ok(None),
        }
    }

    fn linking(
        &self,
        keys: &[String],
        except: Option<&VaultPath>,
        leads_here: impl Fn(&Note, &str) -> bool,
    ) -> Result<(Vec<VaultPath>, Vec<Skipped>)> {
        let mentions = self.links.mentioning(keys)?;
        let mut from = Vec::new();
        for path in mentions.notes {
            if Some(&path) == except {
                continue;
            }
            // It went away since it was found.
            let Ok(note) = self.read(&path) else { continue };
            if leads_here(&note.parse(), path.as_str()) {
                from.push(path);
            }
        }
        from.sort();
        Ok((from, mentions.skipped))
    }
}

/// The name in `![[name#heading|alias]]`; one without brackets is the name itself, whatever is in it.
fn named_in_link(written: &str) -> &str {
    let written = written.trim();
    let link = written.strip_prefix('!').unwrap_or(written);
    match link.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
        Some(inner) => inner.split(['#', '|']).next().unwrap_or(inner).trim(),
        None => written,
    }
}
