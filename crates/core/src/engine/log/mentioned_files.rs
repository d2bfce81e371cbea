//! Which files of the vault a run's log has text of.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::corpus::{CorpusName, VaultPath};
use crate::domain::evidence::{Evidence, Source};
use crate::engine::run::RunSpec;
use crate::library::indexing::is_searchable;
use crate::library::vault::Vault;
use crate::ports::event::{LoggedEvent, RunEvent, RunKind};

/// The paths in a run's events that may be files of the vault that are searched: of its request, its evidence, and its tools'
/// arguments and answers. Files of repositories that the vault does not share and web addresses are left out.
///
/// A path in running text is not found; but no text of a note is in a log without the note's path as a value of its own.
pub fn mentioned_files(vault: &Vault, events: &[LoggedEvent]) -> BTreeSet<String> {
    let mut files = FileCollector::new(vault, events);
    for LoggedEvent { event, .. } in events {
        match event {
            RunEvent::Evidence(entry) => files.add_evidence(entry),
            // The title is running text, also if it ends like a path.
            RunEvent::Began { request, .. } => files.add_value(request),
            _ => {
                if let Ok(value) = serde_json::to_value(event) {
                    files.add_value(&value);
                }
            }
        }
    }
    files.found
}

/// The paths in a run's events that may be files of the vault whose text a model was shown: of its evidence, of what its tools
/// answered, and of what was attached to the user's message.
pub fn shown_files(vault: &Vault, events: &[LoggedEvent]) -> BTreeSet<String> {
    let mut files = FileCollector::new(vault, events);
    for LoggedEvent { event, .. } in events {
        match event {
            RunEvent::Evidence(entry) => files.add_evidence(entry),
            // What a failed call says of a file is that it was asked for.
            RunEvent::Tool { answer, .. } if answer.get("success") != Some(&Value::Bool(false)) => {
                files.add_value(answer);
            }
            RunEvent::Began { request, .. } => {
                let attached = request.get("attached").and_then(Value::as_array).into_iter().flatten();
                for name in attached.filter_map(|attached| attached.get("name")?.as_str()) {
                    // Behind the path there may be lines.
                    let path = name.rsplit_once(" (").map_or(name, |(path, _)| path);
                    [name, path].into_iter().for_each(|path| files.add_text(path));
                }
            }
            _ => {}
        }
    }
    files.found
}

/// The files of the vault that a piece of evidence stands in: one, or several names of one in a repository that the vault
/// shares; none for a page.
pub fn files_of_evidence(vault: &Vault, entry: &Evidence) -> Vec<VaultPath> {
    match &entry.source {
        Source::Note(place) => vec![place.path.clone()],
        Source::Code { repository, place, .. } => vault.find_shared_file(repository, place.path.as_str()),
        Source::Page(_) | Source::Paper { .. } => Vec::new(),
    }
}

/// No path is longer.
const LONGEST_PATH: usize = 4096;

/// Collects the paths of files of the vault.
struct FileCollector<'a> {
    vault: &'a Vault,
    /// The repository that the paths of the run are in, if it is about code.
    repository: Option<String>,
    found: BTreeSet<String>,
}

impl<'a> FileCollector<'a> {
    fn new(vault: &'a Vault, events: &[LoggedEvent]) -> Self {
        let about_code = RunSpec::from_log(events).filter(|spec| spec.kind == RunKind::Code);
        let repository = about_code.map(|spec| {
            let name = spec.request.get("repository").and_then(Value::as_str);
            name.unwrap_or_default().to_owned()
        });
        Self { vault, repository, found: BTreeSet::new() }
    }

    fn add_evidence(&mut self, entry: &Evidence) {
        self.found.extend(files_of_evidence(self.vault, entry).iter().map(ToString::to_string));
    }

    fn add_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            Value::Array(items) => items.iter().for_each(|item| self.add_value(item)),
            Value::Object(fields) => {
                // A hit or a citation in a repository names it.
                let named = fields.get("repo").and_then(Value::as_str).map(str::to_owned);
                let outer = self.repository.clone();
                self.repository = named.or(self.repository.take());
                fields.values().for_each(|field| self.add_value(field));
                self.repository = outer;
            }
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        let is_path = text.len() <= LONGEST_PATH && !text.contains("://") && !text.contains(char::is_control);
        if !is_path || !is_searchable(&CorpusName::Vault, &VaultPath::from_index(text.to_owned())) {
            return;
        }
        match &self.repository {
            None => drop(self.found.insert(text.to_owned())),
            Some(repository) => {
                let shared = self.vault.find_shared_file(repository, text);
                self.found.extend(shared.iter().map(ToString::to_string));
            }
        }
    }
}
