//! Notes that grew old while others go on to rely on them.

use jiff::civil::Date;

use super::links::Links;
use super::reading::Notes;
use super::report::Stale;

/// In days: what was not changed for so long is old, what was changed within so long is not.
const OLD: i32 = 365;
const RECENT: i32 = 90;
/// Who links to everything, such as a table of contents, says nothing about any of it.
const HUB: usize = 50;

/// The oldest first.
pub(super) fn stale(notes: &Notes, links: &Links, today: Date) -> Vec<Stale> {
    let age = |at: usize| (today - notes.all[at].changed).get_days();
    let mut found = Vec::new();
    for (at, note) in notes.all.iter().enumerate() {
        if age(at) < OLD || note.is_daily || note.is_ours {
            continue;
        }
        let recent = links.from[at].iter().map(|&from| from as usize);
        let mut recent: Vec<usize> =
            recent.filter(|&from| (0..=RECENT).contains(&age(from)) && links.to[from].len() < HUB).collect();
        recent.sort_by_key(|&from| (age(from), from));
        let Some(&latest) = recent.first() else { continue };
        let others = match recent.len() - 1 {
            0 => String::new(),
            1 => " and another note".to_owned(),
            more => format!(" and {more} other notes"),
        };
        let reason = format!(
            "not changed for {} days; `{}`{others} link{} to it and changed within the last {RECENT} days",
            age(at),
            notes.path(latest),
            if others.is_empty() { "s" } else { "" },
        );
        found.push((
            note.changed,
            Stale { path: note.path.to_string(), changed: note.changed.to_string(), reason },
        ));
    }
    found.sort_by(|one, other| one.0.cmp(&other.0).then_with(|| one.1.path.cmp(&other.1.path)));
    found.into_iter().map(|(_, stale)| stale).collect()
}
