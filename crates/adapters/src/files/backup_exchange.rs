//! An exchange of two files by way of a third name, for systems that have none in one step.
//!
//! Windows puts a file in the place of another and keeps the other under a name of its own (`ReplaceFileW`). Then that
//! one gets the first file's old name, and the two have changed places. Nothing is dropped on the way: what stood in the
//! place is under one of three names at any moment, and [`finish`] finds it there.

use std::io;

use super::disk::{Dir, Disk};
use super::swap::keep_beside;

/// Where the file that came out stands until it has its new name.
pub fn backup_name(other: &str) -> String {
    format!("{other}.out")
}

/// Exchanges two files of a folder. `replace` puts `other` in the place of `one`, and what stood there under the name that it is
/// given; where it fails, it may have come half way.
pub fn exchange(
    disk: &dyn Disk,
    at: &Dir,
    (one, other): (&str, &str),
    replace: impl FnOnce(&str) -> io::Result<()>,
) -> io::Result<()> {
    let backup = backup_name(other);
    // What is there already holds words that may be nowhere else, and it would be replaced.
    if stands(disk, at, &backup)? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    match replace(&backup) {
        Ok(()) => disk.rename_new((at, &backup), (at, other)),
        Err(error) => match finish(disk, at, one, other)? {
            None => Err(error),
            // Somebody saved a file of their own while the place was empty: it is theirs now.
            Some(copy) => {
                tracing::warn!(
                    note = one,
                    copy,
                    "a file was replaced during an edit; the earlier text is kept"
                );
                Err(io::ErrorKind::NotFound.into())
            }
        },
    }
}

/// Brings an exchange that was cut off to its end, or back to its beginning. Where somebody has saved a file of their own in
/// the meantime, what came out is kept beside it, and the name of that copy is the answer.
pub fn finish(disk: &dyn Disk, at: &Dir, one: &str, other: &str) -> io::Result<Option<String>> {
    let backup = backup_name(other);
    if !stands(disk, at, &backup)? {
        return Ok(None);
    }
    let free = if !stands(disk, at, one)? {
        // The file was taken out, and nothing put in.
        Some(one)
    } else if !stands(disk, at, other)? {
        Some(other)
    } else {
        None
    };
    match free.map(|name| disk.rename_new((at, &backup), (at, name))) {
        Some(Err(error)) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Some(done) => return done.map(|()| None),
        None => {}
    }
    keep_beside(one, |copy| disk.rename_new((at, &backup), (at, copy))).map(Some)
}

fn stands(disk: &dyn Disk, at: &Dir, name: &str) -> io::Result<bool> {
    match disk.stat(at, name) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
