//! Which files of the vault a run's log has text of, and who may see it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::Result;
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::domain::evidence::{Evidence, Source};
use crate::library::indexing::is_searchable;
use crate::library::vault::Vault;
use crate::ports::RunLogs;
use crate::ports::event::{LoggedEvent, RunEvent, RunKind};

/// The paths in a run's events that may be files of the vault that are searched: of its request, its evidence, and its tools'
/// arguments and answers. Files of repositories and web addresses are left out.
///
/// A path in running text is not found; but no text of a note is in a log without the note's path as a value of its own.
pub fn mentioned_files(events: &[LoggedEvent]) -> BTreeSet<String> {
    let about_code =
        matches!(events.first().map(|first| &first.event), Some(RunEvent::Began { kind: RunKind::Code, .. }));
    let mut found = BTreeSet::new();
    for LoggedEvent { event, .. } in events {
        match event {
            RunEvent::Evidence(entry) => found.extend(note_of(entry).map(ToString::to_string)),
            // The other paths of such a run are those of the repository.
            _ if about_code => {}
            // The title is running text, also if it ends like a path.
            RunEvent::Began { request, .. } => collect_paths(request, &mut found),
            _ => {
                if let Ok(value) = serde_json::to_value(event) {
                    collect_paths(&value, &mut found);
                }
            }
        }
    }
    found
}

/// The paths in a run's events that may be files of the vault whose text a model was shown: of its evidence, of what its tools
/// answered, and of what was attached to the user's message.
pub fn shown_files(events: &[LoggedEvent]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for LoggedEvent { event, .. } in events {
        match event {
            RunEvent::Evidence(entry) => found.extend(note_of(entry).map(ToString::to_string)),
            // What a failed call says of a file is that it was asked for.
            RunEvent::Tool { answer, .. } if answer.get("success") != Some(&Value::Bool(false)) => {
                collect_paths(answer, &mut found);
            }
            RunEvent::Began { request, .. } => {
                let attached = request.get("attached").and_then(Value::as_array).into_iter().flatten();
                for name in attached.filter_map(|attached| attached.get("name")?.as_str()) {
                    // Behind the path there may be lines.
                    let path = name.rsplit_once(" (").map_or(name, |(path, _)| path);
                    [name, path].into_iter().for_each(|path| collect_paths(&path.into(), &mut found));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a run that goes on would repeat text of a note that is private by now. What was cited was there; of what else looks
/// like a path, nobody knows.
pub fn drew_on_private_notes(vault: &Vault, cited: &[Evidence], events: &[LoggedEvent]) -> bool {
    let is_public = |note: &VaultPath| vault.is_private_by_now(note.as_str()) == Some(false);
    !cited.iter().filter_map(note_of).all(is_public)
        || shown_files(events).iter().any(|file| vault.is_private_by_now(file) == Some(true))
}

/// Whether a run with these events may be shown beside this vault. In a view without private notes, a run that has text of one
/// does not exist, nor does one about a note that is gone: it may be a private one that was moved.
pub fn is_shown_by(vault: &Vault, events: &[LoggedEvent]) -> bool {
    if !vault.hides_private() {
        return true;
    }
    let is_private =
        |path: &String| vault.rules.parse_file(path).is_ok_and(|path| vault.whole().is_private(&path));
    let read_private = |event: &LoggedEvent| matches!(event.event, RunEvent::Tool { private: true, .. });
    !events.iter().any(read_private) && !mentioned_files(events).iter().any(is_private)
}

/// The notes that are in the evidence of the runs that may be shown beside this vault.
pub fn notes_in_evidence(records: &dyn RunLogs, vault: &Vault) -> Result<BTreeSet<VaultPath>> {
    if !vault.hides_private() {
        return records.notes_in_evidence();
    }
    let mut notes = BTreeSet::new();
    for run in records.runs("", usize::MAX)? {
        // A log that can't be read is skipped.
        let events = records.events(&run.id).unwrap_or_default();
        if is_shown_by(vault, &events) {
            notes.extend(events.into_iter().filter_map(|event| match event.event {
                RunEvent::Evidence(entry) => note_of(&entry).cloned(),
                _ => None,
            }));
        }
    }
    Ok(notes)
}

/// The note that a piece of evidence stands in.
fn note_of(entry: &Evidence) -> Option<&VaultPath> {
    match &entry.source {
        Source::Note(place) => Some(&place.path),
        _ => None,
    }
}

/// No path is longer.
const LONGEST_PATH: usize = 4096;

fn collect_paths(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let is_path =
                text.len() <= LONGEST_PATH && !text.contains("://") && !text.contains(char::is_control);
            if is_path && is_searchable(&CorpusName::Vault, &VaultPath::from_index(text.clone())) {
                found.insert(text.clone());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_paths(item, found)),
        // A hit or a citation in a repository names it.
        Value::Object(fields) if fields.get("repo").is_some_and(Value::is_string) => {}
        Value::Object(fields) => fields.values().for_each(|field| collect_paths(field, found)),
        _ => {}
    }
}
