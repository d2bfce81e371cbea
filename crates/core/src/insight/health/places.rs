//! Link targets other than a note as a whole: a place within it, a folder, or an expression that a template will fill
//! in.

use std::collections::HashSet;

use wellread_text::{Span, fold, join_path};

use super::notes::{NoteLink, ParsedNote};

/// The delimiters of template expressions.
const TEMPLATES: [(&str, &str); 2] = [("{{", "}}"), ("<%", "%>")];

/// Why a link to a heading or a block of this note is dead; `None` if it is not.
pub(super) fn missing_place_reason(note: &ParsedNote, link: &NoteLink) -> Option<String> {
    let place = link.subpath.as_deref().map(str::trim).filter(|place| !place.is_empty())?;
    let name = note.path.stem();
    if let Some(id) = place.strip_prefix('^') {
        let is_there = note.blocks.iter().any(|block| fold(block) == fold(id));
        return (!is_there && !note.text.contains(&format!("^{id}")))
            .then(|| format!("`{name}` has no block `^{id}`"));
    }
    // A text fragment, as browsers know it.
    if place.starts_with(":~:") {
        return None;
    }
    let heading = place.rsplit('#').next().unwrap_or(place);
    let is_there = note.headings.iter().any(|known| is_same_heading(&known.text, heading))
        || has_place_elsewhere(&note.text, heading);
    (!is_there).then(|| format!("`{name}` has no heading `{heading}`"))
}

/// Compares letters only, so that anchors made by a renderer match too; a renderer numbers repeated headings.
fn is_same_heading(heading: &str, place: &str) -> bool {
    let (heading, place) = (normalize_heading(&strip_links(heading)), place.trim());
    let first =
        place.rsplit_once(['-', '_']).filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    heading == normalize_heading(place) || first.is_some_and(|(first, _)| heading == normalize_heading(first))
}

/// A heading in a quote or a callout, or an HTML anchor: not a heading of the note itself, but a valid target.
fn has_place_elsewhere(text: &str, place: &str) -> bool {
    let marked = ["id=", "name=", "{#"].iter().any(|mark| text.contains(mark));
    let is_mark = || {
        [format!("\"{place}\""), format!("'{place}'"), format!("{{#{place}}}")]
            .iter()
            .any(|mark| text.contains(mark.as_str()))
    };
    let quoted = text.lines().filter(|line| line.trim_start().starts_with(['>', '-', '*', '+']));
    marked && is_mark() || quoted.filter(|line| line.contains('#')).any(|line| is_same_heading(line, place))
}

/// A heading without the targets of its links.
fn strip_links(heading: &str) -> String {
    let mut bare = String::new();
    let mut rest = heading;
    while let Some((shown, behind)) = rest.split_once("](") {
        bare.push_str(shown);
        rest = behind.split_once(')').map_or("", |(_, behind)| behind);
    }
    bare + rest
}

fn normalize_heading(text: &str) -> String {
    fold(text).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// Whether a Markdown link names an existing folder, relative to the note's folder or the root.
pub(super) fn is_folder(folders: &HashSet<String>, link: &NoteLink, from: &str) -> bool {
    let target = link.target.trim_end_matches('/');
    let is_there = |folder: &str| {
        let folder = if target.starts_with('/') { "" } else { folder };
        join_path(target, folder).is_some_and(|path| path.is_empty() || folders.contains(&fold(&path)))
    };
    !link.is_wiki && (is_there(from) || is_there(""))
}

/// Whether a link contains a template expression, or is inside of one.
pub(super) fn is_in_template(text: &str, span: &Span) -> bool {
    let line = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let (before, within) = (&text[line..span.start], &text[span.clone()]);
    TEMPLATES.iter().any(|(opens, closes)| {
        let is_open = before.rfind(opens).is_some_and(|at| !before[at..].contains(closes));
        is_open || within.contains(opens)
    })
}
