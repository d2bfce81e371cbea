//! Moves files, and updates the links to them.

use std::collections::{BTreeSet, HashMap};

use wellread_text::{Canvas, FileMoves, FileNames, LinkUpdates, link_key, update_canvas_links, update_links};

use super::{ChangeOptions, ChangeOutcome, NoteText, Vault};
use crate::domain::corpus::{Action, VaultPath};
use crate::{Error, ErrorKind, Result};

/// A move as the user requested it.
#[derive(Debug, Clone, Copy)]
pub struct MoveRequest<'a> {
    /// The file to move.
    pub source: &'a str,
    /// The new path, the file's name included.
    pub destination: &'a str,
    /// Whether to rewrite links so that they still lead to the same files.
    pub update_links: bool,
}

/// The result of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedFile {
    /// The old path.
    pub from: VaultPath,
    /// The new path.
    pub to: VaultPath,
    /// The notes and canvases in which links were rewritten.
    pub updated: Vec<VaultPath>,
    /// Links that were not rewritten, and why. Without `update_links`, every link that the move leaves behind.
    pub left_alone: Vec<String>,
    /// What became of the change.
    pub outcome: ChangeOutcome,
}

/// The rewritten links.
#[derive(Default)]
struct LinkRewrites {
    updated: Vec<VaultPath>,
    left_alone: Vec<String>,
}

impl LinkRewrites {
    fn leave(&mut self, line: String) {
        if !self.left_alone.contains(&line) {
            self.left_alone.push(line);
        }
    }
}

impl Vault {
    /// Moves a file. Links to it are rewritten to its new path, and all other links still lead where they did.
    pub fn move_file(&self, how: ChangeOptions<'_>, request: MoveRequest<'_>) -> Result<MovedFile> {
        let from = self.locate(request.source)?;
        let to = self.destination(&from, request.destination)?;
        if from == to {
            return Err(Error::invalid(format!("`{from}` already exists")).with_path(from.as_str()));
        }
        let (outcome, LinkRewrites { updated, left_alone }) = self.change(how, || {
            self.check_vacant(&to)?;
            self.plan_move(&from, &to, request.update_links)
        })?;
        Ok(MovedFile { from, to, updated, left_alone, outcome })
    }

    /// Moves a file to the vault's trash folder, as Obsidian does. Undo brings it back.
    pub fn trash(&self, how: ChangeOptions<'_>, path: &VaultPath) -> Result<ChangeOutcome> {
        let (stem, ending) = path.name().rsplit_once('.').unwrap_or((path.name(), ""));
        let named = |n: usize| match (n, ending) {
            (0, _) => path.name().to_owned(),
            (n, "") => format!("{stem} {n}"),
            (n, _) => format!("{stem} {n}.{ending}"),
        };
        let to_trash = || {
            if self.files.find(path)?.is_none() {
                return Err(Error::not_found(format!("File not found: {path}")).with_path(path.as_str()));
            }
            let mut n = 0;
            let mut to = VaultPath::in_trash(&named(n));
            // A name that is taken by a note which this view hides is taken, too.
            while self.whole().files.find(&to)?.is_some() {
                n += 1;
                to = VaultPath::in_trash(&named(n));
            }
            Ok((vec![Action::Move { from: path.clone(), to }], ()))
        };
        self.change(how, to_trash).map(|(outcome, ())| outcome)
    }

    /// The new path; without an extension it gets that of the file.
    fn destination(&self, from: &VaultPath, written: &str) -> Result<VaultPath> {
        let to = self.rules.parse_file(written).map_err(|error| match error.kind() {
            ErrorKind::Invalid => error.hint("give the file's new path, its name included"),
            _ => error,
        })?;
        self.with_extension(to, from.extension(), written)
    }

    /// Edits come first, under the old names; the move comes last.
    fn plan_move(
        &self,
        from: &VaultPath,
        to: &VaultPath,
        update_links: bool,
    ) -> Result<(Vec<Action>, LinkRewrites)> {
        let (mut actions, mut rewrites) = (Vec::new(), LinkRewrites::default());
        // A link that is not in the index yet would be missed. Links in notes that this view hides follow the move, too.
        let whole = self.whole();
        whole.links.sync()?;
        let before = whole.links.names()?;
        let mut after: FileNames = (*before).clone();
        after.remove(from.as_str());
        after.insert(to.as_str());
        let moves = HashMap::from([(from.as_str().to_owned(), to.as_str().to_owned())]);
        let moved = FileMoves { before: &before, after: &after, moves: &moves };
        // Only links whose last part is the old or the new name can change their meaning, except for the file's own
        // links, which may be relative to its folder.
        let keys = [link_key(from.as_str()), link_key(to.as_str())];
        let mentions = whole.links.find_mentions(&keys)?;
        if !self.hides_private() {
            let skipped = mentions.skipped.iter();
            rewrites.left_alone.extend(skipped.map(|note| format!("{}: {}", note.path, note.reason)));
        }
        let mut notes: BTreeSet<VaultPath> = mentions.notes.into_iter().collect();
        if from.is_note() || from.is_canvas() {
            notes.insert(from.clone());
        }
        for path in notes {
            let mut hidden = LinkRewrites::default();
            let rewrites = if self.is_visible(&path) { &mut rewrites } else { &mut hidden };
            let edit = whole.plan_link_edits(rewrites, &path, from, to, &moved)?;
            match edit {
                Some(edit) if update_links => actions.push(edit.action),
                Some(edit) => {
                    rewrites.updated.pop();
                    let left = |link: &String| format!("{path}: {link}: links were not to be updated");
                    rewrites.left_alone.extend(edit.links.iter().map(left));
                }
                None => {}
            }
        }
        actions.push(Action::Move { from: from.clone(), to: to.clone() });
        Ok((actions, rewrites))
    }

    fn plan_link_edits(
        &self,
        links: &mut LinkRewrites,
        path: &VaultPath,
        from: &VaultPath,
        to: &VaultPath,
        moved: &FileMoves<'_>,
    ) -> Result<Option<LinkEdit>> {
        let note = match self.read(path) {
            Ok(note) => note,
            // The note was deleted since it was found: it has no links to rewrite.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return if path == from { Err(error) } else { Ok(None) };
            }
            Err(error) => {
                links.leave(format!("{path}: {error}"));
                return Ok(None);
            }
        };
        let new_path = if path == from { to } else { path };
        let rewrites = match compute_link_updates(&note, new_path, moved) {
            Ok(rewrites) => rewrites,
            Err(reason) => {
                links.leave(format!("{path}: {reason}"));
                return Ok(None);
            }
        };
        links.left_alone.extend(rewrites.refused.iter().map(|link| format!("{path}: {link}")));
        if rewrites.splices.is_empty() {
            return Ok(None);
        }
        if let Some(warning) = note.warning {
            links.left_alone.push(format!("{path}: {warning}"));
            links.left_alone.extend(rewrites.rewritten.iter().map(|link| format!("{path}: {link}")));
            return Ok(None);
        }
        links.updated.push(new_path.clone());
        let action = Action::Edit { path: path.clone(), expect: note.hash, splices: rewrites.splices };
        Ok(Some(LinkEdit { action, links: rewrites.rewritten }))
    }
}

/// The edit of one file's links, and the links that it changes.
struct LinkEdit {
    action: Action,
    links: Vec<String>,
}

/// The changes to a note's or a canvas's links, or why a canvas can't be read.
fn compute_link_updates(
    file: &NoteText,
    new_path: &VaultPath,
    moved: &FileMoves<'_>,
) -> Result<LinkUpdates, String> {
    let (old_path, new_path) = (file.path.as_str(), new_path.as_str());
    if file.path.is_canvas() {
        let canvas = Canvas::parse(&file.text)?;
        return Ok(update_canvas_links(&file.text, &canvas, old_path, new_path, moved));
    }
    Ok(update_links(&file.text, &file.parse(), old_path, new_path, moved))
}
