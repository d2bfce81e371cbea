//! The files that stand beside notes while a change is made, and the folders that it makes.

use std::collections::BTreeSet;
use std::io;

use wellread_core::Result;
use wellread_core::domain::corpus::Hash;

use super::LARGEST_FILE;
use super::disk::{Dir, Stat};
use super::intent::{Intent, IntentStep};
use super::removed::RemovedFile;
use super::walk::Walker;
use super::{io_error, lease};

/// Takes away what stands beside the files of a change that is made.
pub fn remove_staged(walker: &Walker<'_>, intent: &Intent) -> Result<()> {
    for (n, step) in intent.steps.iter().enumerate() {
        if let Some((dir, name)) = walker.reopen(step.path())? {
            let (temp, part) = (intent.temp_name(n), intent.part_name(n));
            match step {
                IntentStep::Edit { old, .. } | IntentStep::Remove { old, .. } => {
                    remove_replaced(walker, &dir, (&temp, &name), Some(*old))
                }
                IntentStep::Create { .. } | IntentStep::Move { .. } => remove_if_present(walker, &dir, &temp),
            }
            .map_err(|error| io_error(&error, "could not clear", &temp))?;
            remove_if_present(walker, &dir, &part)
                .map_err(|error| io_error(&error, "could not clear", &part))?;
        }
    }
    Ok(())
}

/// Takes away a file that stood in a note's place. A program that found it there may still be about to write to it: so it
/// is watched for a moment. `content` is what it was judged by; where it was not, what it holds now.
pub fn remove_replaced(
    walker: &Walker<'_>,
    dir: &Dir,
    (temp, name): (&str, &str),
    content: Option<Hash>,
) -> io::Result<()> {
    let open = walker.removed.and_then(|_| walker.disk.open(dir, temp).ok());
    let open = open.filter(|file| !lease::keeps_removed_files(file));
    let removed = open.and_then(|file| {
        let now = || walker.disk.read(&file, LARGEST_FILE).ok().map(|bytes| Hash::compute(&bytes));
        let content = content.or_else(now)?;
        Some(RemovedFile { file, content, dir: dir.clone(), name: name.to_owned() })
    });
    remove_if_present(walker, dir, temp)?;
    if let (Some(watch), Some(removed)) = (walker.removed, removed) {
        watch.watch(removed);
    }
    Ok(())
}

pub fn remove_if_present(walker: &Walker<'_>, dir: &Dir, name: &str) -> io::Result<()> {
    match walker.disk.unlink(dir, name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound && !is_absent(walker, dir, name) => Err(error),
        _ => Ok(()),
    }
}

/// A file system that is read-only refuses to take away what is not there, too. Nothing is left to be done then, and
/// a change that could never begin must not stay pending.
fn is_absent(walker: &Walker<'_>, dir: &Dir, name: &str) -> bool {
    walker.disk.stat(dir, name).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// A new file with this text, on disk when this returns.
pub fn write_staged(
    walker: &Walker<'_>,
    dir: &Dir,
    name: &str,
    text: &str,
    like: Option<&Stat>,
) -> io::Result<()> {
    let file = walker.disk.create(dir, name, like)?;
    walker.disk.write(&file, text.as_bytes())?;
    walker.disk.sync(&file)
}

pub fn make_folders(walker: &Walker<'_>, folders: &[String]) -> Result<()> {
    for folder in folders {
        let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        let failed = |error: io::Error| io_error(&error, "could not create the folder", folder);
        let dir = walker.open_folder(above)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        match walker.disk.make_dir(&dir, name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Every folder in which the change worked. A sync that fails is an error, and is not tried again.
pub fn sync_folders(walker: &Walker<'_>, intent: &Intent) -> Result<()> {
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    for step in &intent.steps {
        folders.insert(step.path().folder());
        if let IntentStep::Move { to, .. } = step {
            folders.insert(to.folder());
        }
    }
    for made in &intent.folders {
        folders.insert(made.rsplit_once('/').map_or("", |(above, _)| above));
    }
    for folder in folders {
        if let Some(dir) = walker.open_folder(folder)? {
            walker
                .disk
                .sync_dir(&dir)
                .map_err(|error| io_error(&error, "could not sync the folder", folder))?;
        }
    }
    Ok(())
}

/// Takes away folders, innermost first, where they are empty. One that is not, or is gone, stays as it is.
pub fn prune(walker: &Walker<'_>, folders: &[String]) {
    for folder in folders.iter().rev() {
        let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        if let Ok(Some(dir)) = walker.open_folder(above) {
            let _ = walker.disk.remove_dir(&dir, name);
        }
    }
}
