//! Which runs may be shown, and which may go on: a run that has text of a private note does not exist for a model on
//! another machine.

use std::collections::BTreeSet;

use serde_json::Value;

use super::mentioned_files::{files_of_evidence, mentioned_files, shown_files};
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::{Evidence, Source};
use crate::domain::id::RunId;
use crate::library::public_view::{NoteFate, ReadPeriod};
use crate::library::vault::Vault;
use crate::ports::event::{LoggedEvent, RunEvent};
use crate::ports::{RunHeader, RunLogs};
use crate::{ErrorKind, Result};

/// The events of a run, unless it may not be shown beside this vault: then there is none, whatever there is of it.
pub fn read_shown_run(records: &dyn RunLogs, vault: &Vault, run: &RunId) -> Result<Vec<LoggedEvent>> {
    match records.events(run) {
        Ok(events) if is_shown_by(vault, &events) => Ok(events),
        // Of a run that was forgotten, nobody knows what it had.
        Err(error) if !vault.hides_private() || error.kind() != ErrorKind::NotFound => Err(error),
        Ok(_) | Err(_) => Err(RunHeader::not_found_error(run)),
    }
}

/// Whether a run with these events may be shown beside this vault. In a view without private notes, a run does not exist
/// that has text of a note which was private then, or is by now. Neither does one about a note that is gone: it may be a
/// private one that was moved.
pub fn is_shown_by(vault: &Vault, events: &[LoggedEvent]) -> bool {
    if !vault.hides_private() {
        return true;
    }
    let files = || mentioned_files(vault, events);
    !was_private(events) && vault.shows_all(files().iter().map(String::as_str), read_period(events))
}

/// Whether a run that goes on would repeat text of a note that is private by now. What was cited was there; of what else looks
/// like a path, nobody knows.
pub fn drew_on_private_notes(vault: &Vault, cited: &[Evidence], events: &[LoggedEvent]) -> bool {
    let (past, period) = (vault.past_names(), read_period(events));
    let fate = |note: &VaultPath| past.trace(note, period);
    let mut cited = cited.iter().flat_map(|entry| files_of_evidence(vault, entry));
    let is_private =
        |file: &String| vault.rules.parse_file(file).is_ok_and(|path| fate(&path) == NoteFate::Private);
    cited.any(|note| fate(&note) != NoteFate::Public) || shown_files(vault, events).iter().any(is_private)
}

/// When a run read the notes that it names.
pub fn read_period(events: &[LoggedEvent]) -> ReadPeriod {
    // That it is taken up again says nothing of the notes that it read before.
    let read = |event: &&LoggedEvent| !matches!(event.event, RunEvent::Resumed);
    match (events.first(), events.iter().rev().find(read)) {
        (Some(first), Some(last)) => ReadPeriod { first: first.at, last: last.at },
        _ => ReadPeriod::UNKNOWN,
    }
}

/// The notes that are in the evidence of the runs that may be shown beside this vault.
pub fn notes_in_evidence(records: &dyn RunLogs, vault: &Vault) -> Result<BTreeSet<VaultPath>> {
    if !vault.hides_private() {
        return records.notes_in_evidence();
    }
    let mut notes = BTreeSet::new();
    for run in records.runs("", usize::MAX)? {
        // A log that can't be read is skipped.
        let events = read_shown_run(records, vault, &run.id).unwrap_or_default();
        notes.extend(events.into_iter().filter_map(|event| match event.event {
            RunEvent::Evidence(entry) => match entry.source {
                Source::Note(place) => Some(place.path),
                _ => None,
            },
            _ => None,
        }));
    }
    Ok(notes)
}

/// Whether a run was given or read something that was private at that time. That stays so, whatever becomes of the note.
fn was_private(events: &[LoggedEvent]) -> bool {
    events.iter().any(|event| match &event.event {
        RunEvent::Began { private, request, .. } => *private || is_marked_private(request),
        RunEvent::Tool { private, .. } => *private,
        _ => false,
    })
}

/// Whether a request of an earlier version says that it has something private: the run's first event did not say so then.
fn is_marked_private(request: &Value) -> bool {
    let says =
        |value: Option<&Value>| value.and_then(|value| value.get("private")) == Some(&Value::Bool(true));
    let attached = request.get("attached").and_then(Value::as_array);
    says(Some(request))
        || says(request.get("session"))
        || attached.is_some_and(|attached| attached.iter().any(|text| says(Some(text))))
}
