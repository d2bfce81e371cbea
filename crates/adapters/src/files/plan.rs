//! From what a change asks for to the steps that make it: every file read and compared, every new text built.
//!
//! Nothing is written here. Where a file is not what the change expects, it ends here.

use std::collections::BTreeSet;

use wellread_core::domain::corpus::{Action, Hash, VaultPath};
use wellread_core::{Error, Result};
use wellread_text::apply_splices;

use super::disk::Stat;
use super::intent::IntentStep;
use super::walk::{WalkOutcome, Walker};
use super::{LARGEST_FILE, read_error, read_settled};

/// A step with what it takes to make it.
pub struct PlannedStep {
    pub step: IntentStep,
    pub text: String,
    pub like: Option<Stat>,
}

/// The step for an action. Folders that it lacks are noted.
pub fn plan(walker: &Walker<'_>, action: &Action, folders: &mut BTreeSet<String>) -> Result<PlannedStep> {
    match action {
        Action::Create { path, text } => {
            check_size(path, text)?;
            let path = find_vacant(walker, path, folders)?;
            let step = IntentStep::Create { path, new: Hash::compute(text.as_bytes()) };
            Ok(PlannedStep { step, text: text.clone(), like: None })
        }
        Action::Edit { path, expect, splices } => {
            let (real, like, old_text) = read_unchanged(walker, path, *expect)?;
            check_writable(path, &like)?;
            let text = apply_splices(&old_text, splices)
                .map_err(|error| Error::failed(format!("{error}")).with_path(path.as_str()))?;
            check_size(path, &text)?;
            let new = Hash::compute(text.as_bytes());
            let step = IntentStep::Edit { path: real, old_text, old: *expect, new };
            Ok(PlannedStep { step, text, like: Some(like) })
        }
        Action::Move { from, to } => {
            let (place, stat) = walker.find_existing(from)?;
            walker.pin_folder(&place);
            if place.real != *from {
                return Err(Error::refused(format!("`{from}` is a link, or lies behind one"))
                    .with_path(from.as_str())
                    .hint(format!("move `{}`, which it points to", place.real)));
            }
            let to = find_vacant(walker, to, folders)?;
            let step = IntentStep::Move { from: place.real, to, inode: stat.inode };
            Ok(PlannedStep { step, text: String::new(), like: None })
        }
        Action::Remove { path, expect } => {
            let (path, _, old_text) = read_unchanged(walker, path, *expect)?;
            Ok(PlannedStep {
                step: IntentStep::Remove { path, old_text, old: *expect },
                text: String::new(),
                like: None,
            })
        }
    }
}

/// A file that the user made read-only is not to be written. An exchange would not ask.
fn check_writable(path: &VaultPath, stat: &Stat) -> Result<()> {
    if stat.mode & 0o222 != 0 {
        return Ok(());
    }
    Err(Error::refused(format!("`{path}` is read-only"))
        .with_path(path.as_str())
        .hint("nothing was changed; make it writable first"))
}

/// What is written can be read again, and so be undone.
fn check_size(path: &VaultPath, text: &str) -> Result<()> {
    if text.len() as u64 <= LARGEST_FILE {
        return Ok(());
    }
    let most = LARGEST_FILE / (1024 * 1024);
    Err(Error::refused(format!("`{path}` would be larger than {most} MiB, and larger files are not read"))
        .with_path(path.as_str())
        .hint("nothing was changed"))
}

/// A place where nothing stands, by its true path; the folders that it lacks are noted.
fn find_vacant(walker: &Walker<'_>, path: &VaultPath, folders: &mut BTreeSet<String>) -> Result<VaultPath> {
    match walker.walk(path)? {
        WalkOutcome::At(place) if place.stat.is_none() => {
            walker.pin_folder(&place);
            Ok(place.real)
        }
        WalkOutcome::At(_) => Err(Error::conflict(format!("a file already exists at `{path}`"))
            .with_path(path.as_str())
            .hint("nothing was changed; choose another name")),
        WalkOutcome::NoFolder { missing, real } => {
            folders.extend(missing);
            Ok(real)
        }
    }
}

/// A file that still holds what the change was made from.
fn read_unchanged(walker: &Walker<'_>, path: &VaultPath, expect: Hash) -> Result<(VaultPath, Stat, String)> {
    let (place, stat) = walker.find_existing(path)?;
    walker.pin_folder(&place);
    let bytes =
        read_settled(walker.disk, &place.dir, &place.name).map_err(|error| read_error(&error, path))?;
    if Hash::compute(&bytes) != expect {
        return Err(changed_error(path));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::refused(format!("`{path}` is not UTF-8 and is never written")).with_path(path.as_str())
    })?;
    Ok((place.real, stat, text))
}

pub fn changed_error(path: &VaultPath) -> Error {
    Error::changed(format!("`{path}` changed while it was being edited"))
        .with_path(path.as_str())
        .hint("nothing was written; try again")
}
