//! A file gets a new place, and the links to it follow.

use std::collections::{BTreeSet, HashMap};

use wellread_text::{Moved, Names, follow, link_key};

use super::{How, Outcome, Vault};
use crate::corpus::{Action, VaultPath};
use crate::{Error, Kind, Result};

/// A move as a user asks for it.
#[derive(Debug, Clone, Copy)]
pub struct MoveRequest<'a> {
    pub source: &'a str,
    pub destination: &'a str,
    pub update_links: bool,
}

/// What a move did besides moving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedFile {
    pub from: VaultPath,
    pub to: VaultPath,
    /// The notes in which links were rewritten.
    pub updated: Vec<VaultPath>,
    /// Links that could not be rewritten, and why.
    pub left_alone: Vec<String>,
    pub outcome: Outcome,
}

/// What became of the links.
#[derive(Default)]
struct Followed {
    updated: Vec<VaultPath>,
    left_alone: Vec<String>,
}

impl Vault {
    /// Moves a file. Links that led to it lead to it afterwards, and every other link leads where it led before.
    pub fn move_file(&self, how: How<'_>, request: MoveRequest<'_>) -> Result<MovedFile> {
        let from = self.locate(request.source)?;
        let to = self.destination(&from, request.destination)?;
        if from == to {
            return Err(Error::invalid(format!("`{from}` is there already")).at(from.as_str()));
        }
        let (outcome, Followed { updated, left_alone }) = self.change(how, || {
            self.vacant(&to)?;
            self.plan_move(&from, &to, request.update_links)
        })?;
        Ok(MovedFile { from, to, updated, left_alone, outcome })
    }

    /// Takes a file to the vault's trash folder, as Obsidian does. `undo` brings it back.
    pub fn trash(&self, how: How<'_>, path: &VaultPath) -> Result<Outcome> {
        let (stem, ending) = path.name().rsplit_once('.').unwrap_or((path.name(), ""));
        let named = |n: usize| match (n, ending) {
            (0, _) => path.name().to_owned(),
            (n, "") => format!("{stem} {n}"),
            (n, _) => format!("{stem} {n}.{ending}"),
        };
        let to_trash = || {
            if self.files.find(path)?.is_none() {
                return Err(Error::not_found(format!("File not found: {path}")).at(path.as_str()));
            }
            let mut n = 0;
            let mut to = VaultPath::in_trash(&named(n));
            while self.files.find(&to)?.is_some() {
                n += 1;
                to = VaultPath::in_trash(&named(n));
            }
            Ok((vec![Action::Move { from: path.clone(), to }], ()))
        };
        self.change(how, to_trash).map(|(outcome, ())| outcome)
    }

    /// The new path; without an ending it keeps the one that the file has.
    fn destination(&self, from: &VaultPath, written: &str) -> Result<VaultPath> {
        let to = self.rules.file(written).map_err(|error| match error.kind() {
            Kind::Invalid => error.hint("give the file's new path, its name included"),
            _ => error,
        })?;
        self.with_ending(to, from.ending(), written)
    }

    /// Edits come first, under the old names; the move comes last.
    fn plan_move(
        &self,
        from: &VaultPath,
        to: &VaultPath,
        update_links: bool,
    ) -> Result<(Vec<Action>, Followed)> {
        let (mut actions, mut followed) = (Vec::new(), Followed::default());
        if update_links {
            // A link that the index has not heard of yet would be left behind.
            self.links.settle()?;
            let before = self.links.names()?;
            let mut after: Names = (*before).clone();
            after.remove(from.as_str());
            after.insert(to.as_str());
            let moves = HashMap::from([(from.as_str().to_owned(), to.as_str().to_owned())]);
            let moved = Moved { before: &before, after: &after, moves: &moves };
            // Only a link whose last part is the old or the new name can lead elsewhere afterwards; but for the file's
            // own links, which may be relative to where it stands.
            let keys = [link_key(from.as_str()), link_key(to.as_str())];
            let mentions = self.links.mentioning(&keys)?;
            followed
                .left_alone
                .extend(mentions.skipped.iter().map(|note| format!("{}: {}", note.path, note.reason)));
            let mut notes: BTreeSet<VaultPath> = mentions.notes.into_iter().collect();
            if from.is_note() {
                notes.insert(from.clone());
            }
            for path in notes {
                actions.extend(self.plan_links(&mut followed, &path, from, to, &moved)?);
            }
        }
        actions.push(Action::Move { from: from.clone(), to: to.clone() });
        Ok((actions, followed))
    }

    fn plan_links(
        &self,
        links: &mut Followed,
        path: &VaultPath,
        from: &VaultPath,
        to: &VaultPath,
        moved: &Moved<'_>,
    ) -> Result<Option<Action>> {
        let note = match self.read(path) {
            Ok(note) => note,
            // It went away since it was found: no link of it is left to follow.
            Err(error) if error.kind() == Kind::NotFound => {
                return if path == from { Err(error) } else { Ok(None) };
            }
            Err(error) => {
                let line = format!("{path}: {error}");
                if !links.left_alone.contains(&line) {
                    links.left_alone.push(line);
                }
                return Ok(None);
            }
        };
        let new_path = if path == from { to } else { path };
        let followed = follow(&note.text, &note.parse(), path.as_str(), new_path.as_str(), moved);
        links.left_alone.extend(followed.refused.iter().map(|link| format!("{path}: {link}")));
        if followed.splices.is_empty() {
            return Ok(None);
        }
        if let Some(warning) = note.warning {
            links.left_alone.push(format!("{path}: {warning}"));
            return Ok(None);
        }
        links.updated.push(new_path.clone());
        Ok(Some(Action::Edit { path: path.clone(), expect: note.hash, splices: followed.splices }))
    }
}
