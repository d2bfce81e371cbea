//! Outdated notes that others still link to.

use jiff::civil::Date;

use super::links::Links;
use super::notes::Notes;
use super::report::StaleNote;

/// Days without a change after which a note is old.
const OLD_DAYS: i32 = 365;
/// Days within which a change of a linking note counts as recent.
const RECENT_DAYS: i32 = 90;
/// A note with more links, such as a table of contents, says nothing about any of its targets.
const HUB_LINKS: usize = 50;

/// Outdated notes, the oldest first.
pub(super) fn find_stale_notes(notes: &Notes, links: &Links, today: Date) -> Vec<StaleNote> {
    let age = |at: usize| (today - notes.all[at].changed).get_days();
    let mut found = Vec::new();
    for (at, note) in notes.all.iter().enumerate() {
        if age(at) < OLD_DAYS || note.is_daily || note.is_ours {
            continue;
        }
        let recent = links.from[at].iter().map(|&from| from as usize);
        let mut recent: Vec<usize> = recent
            .filter(|&from| (0..=RECENT_DAYS).contains(&age(from)) && links.to[from].len() < HUB_LINKS)
            .collect();
        recent.sort_by_key(|&from| (age(from), from));
        let Some(&latest) = recent.first() else { continue };
        let others = match recent.len() - 1 {
            0 => String::new(),
            1 => " and another note".to_owned(),
            more => format!(" and {more} other notes"),
        };
        let reason = format!(
            "not changed for {} days; `{}`{others} link{} to it and changed within the last {RECENT_DAYS} days",
            age(at),
            notes.path(latest),
            if others.is_empty() { "s" } else { "" },
        );
        found.push((
            note.changed,
            StaleNote { path: note.path.to_string(), changed: note.changed.to_string(), reason },
        ));
    }
    found.sort_by(|one, other| one.0.cmp(&other.0).then_with(|| one.1.path.cmp(&other.1.path)));
    found.into_iter().map(|(_, stale)| stale).collect()
}
