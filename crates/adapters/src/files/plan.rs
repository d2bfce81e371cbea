//! From what a change asks for to the steps that make it: every file read and compared, every new text built.
//!
//! Nothing is written here. Where a file is not what the change expects, it ends here.

use std::collections::BTreeSet;

use wellread_core::domain::corpus::{Action, Hash, VaultPath};
use wellread_core::{Error, Result};
use wellread_text::splice;

use super::disk::Stat;
use super::intent::Step;
use super::walk::{Walked, Walker};
use super::{LARGEST_FILE, settled, unread};

/// A step with what it takes to make it.
pub struct Planned {
    pub step: Step,
    pub text: String,
    pub like: Option<Stat>,
}

/// The step for an action. Folders that it lacks are noted.
pub fn plan(walker: &Walker<'_>, action: &Action, folders: &mut BTreeSet<String>) -> Result<Planned> {
    match action {
        Action::Create { path, text } => {
            fits(path, text)?;
            let path = vacant(walker, path, folders)?;
            let step = Step::Create { path, new: Hash::of(text.as_bytes()) };
            Ok(Planned { step, text: text.clone(), like: None })
        }
        Action::Edit { path, expect, splices } => {
            let (real, like, old_text) = unchanged(walker, path, *expect)?;
            writable(path, &like)?;
            let text = splice(&old_text, splices)
                .map_err(|error| Error::failed(format!("{error}")).at(path.as_str()))?;
            fits(path, &text)?;
            let new = Hash::of(text.as_bytes());
            let step = Step::Edit { path: real, old_text, old: *expect, new };
            Ok(Planned { step, text, like: Some(like) })
        }
        Action::Move { from, to } => {
            let (place, stat) = walker.existing(from)?;
            walker.hold(&place);
            if place.real != *from {
                return Err(Error::refused(format!("`{from}` is a link, or stands behind one"))
                    .at(from.as_str())
                    .hint(format!("move `{}`, which it leads to", place.real)));
            }
            let to = vacant(walker, to, folders)?;
            let step = Step::Move { from: place.real, to, inode: stat.inode };
            Ok(Planned { step, text: String::new(), like: None })
        }
        Action::Remove { path, expect } => {
            let (path, _, old_text) = unchanged(walker, path, *expect)?;
            Ok(Planned {
                step: Step::Remove { path, old_text, old: *expect },
                text: String::new(),
                like: None,
            })
        }
    }
}

/// A file that the user made read-only is not to be written. An exchange would not ask.
fn writable(path: &VaultPath, stat: &Stat) -> Result<()> {
    if stat.mode & 0o222 != 0 {
        return Ok(());
    }
    Err(Error::refused(format!("`{path}` is read-only"))
        .at(path.as_str())
        .hint("nothing was changed; make it writable first"))
}

/// What is written can be read again, and so be undone.
fn fits(path: &VaultPath, text: &str) -> Result<()> {
    if text.len() as u64 <= LARGEST_FILE {
        return Ok(());
    }
    let most = LARGEST_FILE / (1024 * 1024);
    Err(Error::refused(format!("`{path}` would be larger than {most} MiB, and nothing larger is read"))
        .at(path.as_str())
        .hint("nothing was changed"))
}

/// A place where nothing stands, by its true path; the folders that it lacks are noted.
fn vacant(walker: &Walker<'_>, path: &VaultPath, folders: &mut BTreeSet<String>) -> Result<VaultPath> {
    match walker.walk(path)? {
        Walked::At(place) if place.stat.is_none() => {
            walker.hold(&place);
            Ok(place.real)
        }
        Walked::At(_) => Err(Error::conflict(format!("there is a file at `{path}` already"))
            .at(path.as_str())
            .hint("nothing was changed; choose another name")),
        Walked::NoFolder { missing, real } => {
            folders.extend(missing);
            Ok(real)
        }
    }
}

/// A file that still holds what the change was made from.
fn unchanged(walker: &Walker<'_>, path: &VaultPath, expect: Hash) -> Result<(VaultPath, Stat, String)> {
    let (place, stat) = walker.existing(path)?;
    walker.hold(&place);
    let bytes = settled(walker.disk, &place.dir, &place.name).map_err(|error| unread(&error, path))?;
    if Hash::of(&bytes) != expect {
        return Err(changed(path));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::refused(format!("`{path}` is not UTF-8 and is never written")).at(path.as_str())
    })?;
    Ok((place.real, stat, text))
}

pub fn changed(path: &VaultPath) -> Error {
    Error::changed(format!("`{path}` changed while it was being edited"))
        .at(path.as_str())
        .hint("nothing was written; try again")
}
