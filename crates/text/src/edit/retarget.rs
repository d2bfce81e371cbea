//! Updates links after files moved.
//!
//! For each link of a note: which file did it mean before, which must it mean now, and does it still? If not, its
//! path is rewritten in the same style, and nothing else of the link changes. This covers links to moved files,
//! relative links in a moved note, and links that would now mean a file that moved in.

mod rewrite;

use std::collections::HashMap;

use crate::note::canvas::escape_json;
use crate::{Canvas, FileNames, Frontmatter, Link, LinkForm, Note, Resolution, Splice, apply_splices};

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
    /// The links whose paths are rewritten, as written before, each with its line.
    pub rewritten: Vec<String>,
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
    update(&LinkingFile { text, parsed: ParsedFile::Note(note), old_path, new_path }, moved)
}

/// The changes that keep a canvas's cards, and the links in their text, pointing to their files; as [`update_links`]
/// does for a note.
pub fn update_canvas_links(
    text: &str,
    canvas: &Canvas,
    old_path: &str,
    new_path: &str,
    moved: &FileMoves<'_>,
) -> LinkUpdates {
    update(&LinkingFile { text, parsed: ParsedFile::Canvas(canvas), old_path, new_path }, moved)
}

/// A file that has links, before and after the move.
struct LinkingFile<'a> {
    text: &'a str,
    parsed: ParsedFile<'a>,
    old_path: &'a str,
    new_path: &'a str,
}

#[derive(Clone, Copy)]
enum ParsedFile<'a> {
    Note(&'a Note),
    Canvas(&'a Canvas),
}

impl<'a> ParsedFile<'a> {
    fn links(self) -> &'a [Link] {
        match self {
            Self::Note(note) => &note.links,
            Self::Canvas(canvas) => &canvas.links,
        }
    }

    fn frontmatter(self) -> Option<&'a Frontmatter> {
        match self {
            Self::Note(note) => note.frontmatter.as_ref(),
            Self::Canvas(_) => None,
        }
    }

    /// The links of a changed text of the same kind of file.
    fn links_in(self, text: &str) -> Vec<Link> {
        match self {
            Self::Note(_) => Note::parse(text).links,
            Self::Canvas(_) => Canvas::parse(text).map(|canvas| canvas.links).unwrap_or_default(),
        }
    }

    /// A link's path as it is written in this kind of file.
    fn write(self, path: String) -> String {
        match self {
            Self::Note(_) => path,
            Self::Canvas(_) => escape_json(&path),
        }
    }
}

fn update(file: &LinkingFile<'_>, moved: &FileMoves<'_>) -> LinkUpdates {
    let mut followed = LinkUpdates::default();
    let mut changes = vec![];
    for link in file.parsed.links().iter().filter(|link| !link.target.is_empty()) {
        let before = moved.before.resolve(&link.target, file.old_path);
        let Some(was) = before.path() else { continue };
        let must = moved.moves.get(was).map_or(was, String::as_str).to_owned();
        if !moved.after.contains(&must) || still_means(moved, link, file.new_path, &must, &before) {
            continue;
        }
        let target = match link.form {
            LinkForm::Card => Ok(must.clone()),
            _ => rewrite::rewrite_target(file, moved.after, link, was, &must),
        };
        match target {
            Ok(path) => {
                let text = file.parsed.write(path);
                changes.push(LinkChange {
                    link,
                    must,
                    splice: Splice { span: link.target_span.clone(), text },
                });
            }
            Err(why) => followed.refused.push(refusal(file.text, link, &why)),
        }
    }
    changes.sort_by_key(|change| change.splice.span.start);
    accept(file, moved.after, changes, &mut followed);
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
    file: &LinkingFile<'_>,
    names: &FileNames,
    changes: Vec<LinkChange<'_>>,
    followed: &mut LinkUpdates,
) {
    let together = reads_well(file, names, &changes.iter().collect::<Vec<_>>());
    let few = changes.len() <= TRIED_ALONE;
    for change in changes {
        if together || few && reads_well(file, names, &[&change]) {
            followed.rewritten.push(describe(file.text, change.link));
            followed.splices.push(change.splice);
        } else {
            let why = format!("`{}` would not be read as a link there", change.splice.text);
            followed.refused.push(refusal(file.text, change.link, &why));
        }
    }
}

fn reads_well(file: &LinkingFile<'_>, names: &FileNames, changes: &[&LinkChange<'_>]) -> bool {
    if changes.is_empty() {
        return true;
    }
    let splices: Vec<Splice> = changes.iter().map(|change| change.splice.clone()).collect();
    let Ok(changed) = apply_splices(file.text, &splices) else { return false };
    let links = file.parsed.links_in(&changed);
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
        target.is_some_and(|target| names.resolve(target, file.new_path).path() == Some(change.must.as_str()))
    })
}

/// A link as it is written, and its line.
fn describe(text: &str, link: &Link) -> String {
    let written: String = text[link.span.clone()].chars().take(120).collect();
    format!("`{written}` on line {}", link.line)
}

fn refusal(text: &str, link: &Link, why: &str) -> String {
    format!("{}: {why}", describe(text, link))
}

#[cfg(test)]
mod tests;
