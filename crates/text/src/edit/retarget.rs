//! Updates links after files moved.
//!
//! For each link of a note: which file did it mean before, which must it mean now, and does it still? If not, its
//! path is rewritten in the same style, and nothing else of the link changes. This covers links to moved files,
//! relative links in a moved note, and links that would now mean a file that moved in.

mod rewrite;

use std::collections::HashMap;

use crate::{FileNames, Link, Note, Resolution, Splice, apply_splices};

/// A move of one or more files.
#[derive(Debug, Clone, Copy)]
pub struct FileMoves<'a> {
    /// The files of the vault before the move.
    pub before: &'a FileNames,
    /// The files of the vault after the move.
    pub after: &'a FileNames,
    /// New paths by old path.
    pub moves: &'a HashMap<String, String>,
}

/// The changes to the links of one note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkUpdates {
    /// The rewritten paths.
    pub splices: Vec<Splice>,
    /// Links that should change but cannot, each with the reason.
    pub refused: Vec<String>,
}

/// The changes that keep a note's links pointing to their files. `note` is the parsed `text`; the note itself may
/// have moved from `old_path` to `new_path`. A dead link stays as it is.
pub fn update_links(
    text: &str,
    note: &Note,
    old_path: &str,
    new_path: &str,
    moved: &FileMoves<'_>,
) -> LinkUpdates {
    let mut followed = LinkUpdates::default();
    let mut changes = vec![];
    for link in note.links.iter().filter(|link| !link.target.is_empty()) {
        let before = moved.before.resolve(&link.target, old_path);
        let Some(was) = before.path() else { continue };
        let must = moved.moves.get(was).map_or(was, String::as_str).to_owned();
        if !moved.after.contains(&must) || still_means(moved, link, new_path, &must, &before) {
            continue;
        }
        let place = rewrite::LinkContext { text, note, old_path, new_path, names: moved.after };
        match rewrite::rewrite_target(&place, link, was, &must) {
            Ok(written) => {
                changes.push(LinkChange {
                    link,
                    must,
                    splice: Splice { span: link.target_span.clone(), text: written },
                });
            }
            Err(why) => followed.refused.push(refusal(text, link, &why)),
        }
    }
    changes.sort_by_key(|change| change.splice.span.start);
    accept(text, new_path, moved.after, changes, &mut followed);
    followed
}

struct LinkChange<'a> {
    link: &'a Link,
    must: String,
    splice: Splice,
}

/// Whether the link still means the right file. An ambiguous link may stay ambiguous if the same file is chosen.
fn still_means(moved: &FileMoves<'_>, link: &Link, new_path: &str, must: &str, before: &Resolution) -> bool {
    match moved.after.resolve(&link.target, new_path) {
        Resolution::Found(path) => path == must,
        Resolution::Ambiguous { chosen, .. } => {
            chosen == must && matches!(before, Resolution::Ambiguous { .. })
        }
        Resolution::Missing => false,
    }
}

/// At most this many changes are tried one by one if all together do not parse as intended.
const TRIED_ALONE: usize = 64;

/// Keeps the changes that have the intended meaning when parsed again. A file name can contain anything; only parsing
/// shows whether it opens a comment, math or code.
fn accept(
    text: &str,
    new_path: &str,
    names: &FileNames,
    changes: Vec<LinkChange<'_>>,
    followed: &mut LinkUpdates,
) {
    if changes.is_empty() || reads_well(text, new_path, names, &changes.iter().collect::<Vec<_>>()) {
        followed.splices.extend(changes.into_iter().map(|change| change.splice));
        return;
    }
    let few = changes.len() <= TRIED_ALONE;
    for change in changes {
        if few && reads_well(text, new_path, names, &[&change]) {
            followed.splices.push(change.splice);
        } else {
            let why = format!("`{}` would not be read as a link there", change.splice.text);
            followed.refused.push(refusal(text, change.link, &why));
        }
    }
}

fn reads_well(text: &str, new_path: &str, names: &FileNames, changes: &[&LinkChange<'_>]) -> bool {
    let splices: Vec<Splice> = changes.iter().map(|change| change.splice.clone()).collect();
    let Ok(changed) = apply_splices(text, &splices) else { return false };
    let links = Note::parse(&changed).links;
    let targets: HashMap<(usize, usize), &str> = links
        .iter()
        .map(|link| ((link.target_span.start, link.target_span.end), link.target.as_str()))
        .collect();
    // How much the text before each change has grown and shrunk.
    let (mut longer, mut shorter) = (0, 0);
    changes.iter().all(|change| {
        let start = change.splice.span.start + longer - shorter;
        longer += change.splice.text.len();
        shorter += change.splice.span.len();
        let target = targets.get(&(start, start + change.splice.text.len()));
        target.is_some_and(|target| names.resolve(target, new_path).path() == Some(change.must.as_str()))
    })
}

fn refusal(text: &str, link: &Link, why: &str) -> String {
    let written: String = text[link.span.clone()].chars().take(120).collect();
    format!("`{written}` on line {}: {why}", link.line)
}

#[cfg(test)]
mod tests;
