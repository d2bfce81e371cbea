//! Runs and notes as resources: listed in pages, described by templates, read by their address.

use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::json;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log::RunDocument;
use wellread_core::ports::RunHeader;
use wellread_core::ports::event::RunEvent;
use wellread_core::{Error, ErrorKind, Result};

use super::client_scope::ClientScope;
use super::resource_uri::{NotesAddress, RUNS, ResourceUri};

/// How many resources a page has, three more at the most.
const PAGE: usize = 90;

/// A part of the list, and where the next part begins. Runs come first, newest first; then the notes by their paths.
pub fn list_page(
    scope: &ClientScope,
    cursor: Option<&str>,
) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
    let (runs_before, notes_after) = match cursor.and_then(|cursor| cursor.split_once(':')) {
        None if cursor.is_none() => (Some(None), ""),
        Some(("run", id)) if RunId::parse(id).is_ok() => (Some(Some(id)), ""),
        Some(("note", path)) => (None, path),
        _ => return Err(ErrorData::invalid_params("unknown cursor", None)),
    };
    let mut found = Vec::new();
    if let Some(before) = runs_before {
        let runs = scope.app.records.runs("", usize::MAX).map_err(|error| to_protocol_error(&error, None))?;
        let mut last = None;
        let further = runs.iter().filter(|run| before.is_none_or(|before| run.id.as_str() < before));
        for run in further.filter(|run| scope.shows_run(run)) {
            if let Some(last) = last.filter(|_| found.len() >= PAGE) {
                return Ok((found, Some(format!("run:{last}"))));
            }
            found.extend(RunDocument::ALL.map(|document| run_resource(scope, run, document)));
            last = Some(&run.id);
        }
    }
    let Some(notes) = scope.notes() else { return Ok((found, None)) };
    let files = scope.ctx.vault.files.list().map_err(|error| to_protocol_error(&error, None))?.files;
    let mut last = notes_after.to_owned();
    for entry in files.iter().filter(|entry| entry.path.is_note() && entry.path.as_str() > notes_after) {
        if found.len() >= PAGE {
            return Ok((found, Some(format!("note:{last}"))));
        }
        found.push(note_resource(notes, &entry.path, entry.size));
        last = entry.path.as_str().to_owned();
    }
    Ok((found, None))
}

pub fn list_templates(notes: Option<&NotesAddress>) -> Vec<ResourceTemplate> {
    let of_run = RunDocument::ALL.map(|document| {
        let about = match document {
            RunDocument::Trace => "Everything that happened in a run, event by event.",
            RunDocument::Evidence => "The evidence of a run: each text with its place.",
            RunDocument::Report => "The result of a run, what it spent, and what left this machine.",
        };
        let name = document.file_name();
        ResourceTemplate::new(format!("{RUNS}{{run_id}}/{name}"), format!("run {name}"))
            .with_description(about)
            .with_mime_type(document.mime_type())
    });
    of_run.into_iter().chain(list_note_template(notes)).collect()
}

/// The template of a vault's notes, where they are offered.
pub fn list_note_template(notes: Option<&NotesAddress>) -> Option<ResourceTemplate> {
    notes.map(|notes| {
        ResourceTemplate::new(format!("{notes}{{+path}}"), "note")
            .with_description("A note in the vault by its path, percent-encoded.")
            .with_mime_type("text/markdown")
    })
}

/// A resource, and whether it stays as it is: a run that has ended does.
pub fn read(scope: &ClientScope, uri: &str) -> Result<(ResourceContents, bool), ErrorData> {
    let wrong = |error: Error| to_protocol_error(&error, Some(uri));
    match ResourceUri::parse(uri, scope.notes()).map_err(wrong)? {
        ResourceUri::Run(run, document) => {
            let events = scope.read_run(&run).map_err(wrong)?;
            let text = document.render(&run, &events);
            let is_over = events.last().is_some_and(|last| matches!(last.event, RunEvent::Ended(_)));
            Ok((ResourceContents::text(text, uri).with_mime_type(document.mime_type()), is_over))
        }
        ResourceUri::Note(written) => {
            let vault = &scope.ctx.vault;
            let note = vault.locate(&written).and_then(|path| vault.read(&path)).map_err(wrong)?;
            Ok((ResourceContents::text(note.text, uri).with_mime_type(mime_type(&note.path)), false))
        }
    }
}

/// An error as the protocol tells it: what is not there, or may not be seen, is a resource that is not found.
pub fn to_protocol_error(error: &Error, uri: Option<&str>) -> ErrorData {
    let hint = error.hint_text().map(|hint| format!(" ({hint})")).unwrap_or_default();
    let message = format!("{}{hint}", error.message());
    match error.kind() {
        ErrorKind::Failed
        | ErrorKind::Denied
        | ErrorKind::BadReply
        | ErrorKind::NotSetUp
        | ErrorKind::Unavailable => ErrorData::internal_error(message, None),
        _ => ErrorData::resource_not_found(message, uri.map(|uri| json!({ "uri": uri }))),
    }
}

fn run_resource(scope: &ClientScope, run: &RunHeader, document: RunDocument) -> Resource {
    let ended = run.ended.as_deref().unwrap_or("not finished");
    let about = format!("{} run of {}, {ended}", run.kind.name(), run.began.strftime("%Y-%m-%d %H:%M:%SZ"));
    let name = document.file_name();
    let uri = ResourceUri::Run(run.id.clone(), document).render(&scope.address);
    Resource::new(uri, format!("run {} {name}", run.id))
        .with_title(format!("{}: {name}", run.title))
        .with_description(about)
        .with_mime_type(document.mime_type())
}

fn note_resource(notes: &NotesAddress, path: &VaultPath, size: u64) -> Resource {
    Resource::new(ResourceUri::Note(path.as_str().to_owned()).render(notes), path.as_str())
        .with_title(path.stem())
        .with_mime_type(mime_type(path))
        .with_size(size)
}

fn mime_type(path: &VaultPath) -> &'static str {
    match path.extension() {
        Some("md" | "markdown") => "text/markdown",
        _ => "text/plain",
    }
}
