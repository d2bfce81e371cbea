//! What a link may mean besides a note: a place within it, a folder, or nothing yet, since a template fills it in.

use std::collections::HashSet;

use wellread_text::{Link, LinkForm, Span, fold, joined_path};

use super::reading::ReadNote;

/// Marks that a template puts its words between.
const TEMPLATES: [(&str, &str); 2] = [("{{", "}}"), ("<%", "%>")];

/// Why a link to a heading or a block of this note leads nowhere within it.
pub(super) fn lacks(note: &ReadNote, link: &Link) -> Option<String> {
    let place = link.subpath.as_deref().map(str::trim).filter(|place| !place.is_empty())?;
    let name = note.path.stem();
    if let Some(id) = place.strip_prefix('^') {
        let is_there = note.note.blocks.iter().any(|block| fold(&block.id) == fold(id));
        return (!is_there && !note.text.contains(&format!("^{id}")))
            .then(|| format!("`{name}` has no block `^{id}`"));
    }
    // A part of the text, as browsers know it.
    if place.starts_with(":~:") {
        return None;
    }
    let heading = place.rsplit('#').next().unwrap_or(place);
    let is_there = note.note.headings.iter().any(|known| is_called(&known.text, heading))
        || stands_elsewhere(&note.text, heading);
    (!is_there).then(|| format!("`{name}` has no heading `{heading}`"))
}

/// By letters alone, so that what a renderer makes of a heading is known, too; of two that are the same, it numbers the second.
fn is_called(heading: &str, place: &str) -> bool {
    let (heading, place) = (letters(&unlinked(heading)), place.trim());
    let first =
        place.rsplit_once(['-', '_']).filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    heading == letters(place) || first.is_some_and(|(first, _)| heading == letters(first))
}

/// A heading in a quote or a callout, or a mark of HTML: no heading of the note itself, and led to all the same.
fn stands_elsewhere(text: &str, place: &str) -> bool {
    let marked = ["id=", "name=", "{#"].iter().any(|mark| text.contains(mark));
    let is_mark = || {
        [format!("\"{place}\""), format!("'{place}'"), format!("{{#{place}}}")]
            .iter()
            .any(|mark| text.contains(mark.as_str()))
    };
    let quoted = text.lines().filter(|line| line.trim_start().starts_with(['>', '-', '*', '+']));
    marked && is_mark() || quoted.filter(|line| line.contains('#')).any(|line| is_called(line, place))
}

/// A heading without where its links lead.
fn unlinked(heading: &str) -> String {
    let mut bare = String::new();
    let mut rest = heading;
    while let Some((shown, behind)) = rest.split_once("](") {
        bare.push_str(shown);
        rest = behind.split_once(')').map_or("", |(_, behind)| behind);
    }
    bare + rest
}

fn letters(text: &str) -> String {
    fold(text).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// Whether a link in markdown names a folder that is there, from the note's folder or from the root.
pub(super) fn is_folder(folders: &HashSet<String>, link: &Link, from: &str) -> bool {
    let target = link.target.trim_end_matches('/');
    let is_there = |folder: &str| {
        let folder = if target.starts_with('/') { "" } else { folder };
        joined_path(target, folder).is_some_and(|path| path.is_empty() || folders.contains(&fold(&path)))
    };
    link.form != LinkForm::Wiki && (is_there(from) || is_there(""))
}

/// Whether a link holds what a template fills in, or stands within it.
pub(super) fn is_in_template(text: &str, span: &Span) -> bool {
    let line = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let (before, within) = (&text[line..span.start], &text[span.clone()]);
    TEMPLATES.iter().any(|(opens, closes)| {
        let is_open = before.rfind(opens).is_some_and(|at| !before[at..].contains(closes));
        is_open || within.contains(opens)
    })
}
