//! A run's documents for programs: its trace and its evidence.

use serde_json::{Map, Value, json};

use super::summary::{shown_evidence, steps, summarize_run};
use crate::domain::evidence::{Evidence, FilePlace, PagePlace, Source};
use crate::domain::id::RunId;
use crate::ports::event::{LoggedEvent, RunEvent};

/// A document that can be made from a run's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunDocument {
    /// The log of the run.
    Trace,
    /// The evidence of the run.
    Evidence,
    /// The report for people.
    Report,
}

impl RunDocument {
    /// All documents of a run.
    pub const ALL: [Self; 3] = [Self::Trace, Self::Evidence, Self::Report];

    /// The document's file name.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Trace => "trace.json",
            Self::Evidence => "evidence.json",
            Self::Report => "report.md",
        }
    }

    /// The document's MIME type.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Trace | Self::Evidence => "application/json",
            Self::Report => "text/markdown",
        }
    }

    /// The document with this file name.
    pub fn from_file_name(file_name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|document| document.file_name() == file_name)
    }

    /// Renders the document as the text of its file.
    pub fn render(self, run: &RunId, events: &[LoggedEvent]) -> String {
        match self {
            Self::Trace => format!("{:#}\n", trace_document(run, events)),
            Self::Evidence => format!("{:#}\n", evidence_document(run, events)),
            Self::Report => super::render_report(run, events),
        }
    }
}

/// The run's summary, its steps and all logged events.
pub fn trace_document(run: &RunId, events: &[LoggedEvent]) -> Value {
    json!({ "run_id": run, "summary": summarize_run(run, events), "steps": steps(events), "events": events })
}

/// Each piece of evidence with its place, and whether it was shown to a model.
pub fn evidence_document(run: &RunId, events: &[LoggedEvent]) -> Value {
    let shown = shown_evidence(events);
    let entries = events.iter().filter_map(|stamped| match &stamped.event {
        RunEvent::Evidence(evidence) => Some(entry(evidence, shown.contains(&evidence.id))),
        _ => None,
    });
    json!({ "run_id": run, "evidence": entries.collect::<Vec<_>>() })
}

fn entry(evidence: &Evidence, shown: bool) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            fields.insert(name.to_owned(), value);
        }
    };
    put("id", json!(evidence.id));
    match &evidence.source {
        Source::Note(place) => {
            put("kind", json!("note"));
            put_file(&mut put, place);
        }
        Source::Code { repository, place, commit } => {
            put("kind", json!("code"));
            put_file(&mut put, place);
            put("repository", json!(repository));
            put("commit", json!(commit));
        }
        Source::Page(place) => {
            put("kind", json!("page"));
            put_page(&mut put, place);
        }
        Source::Paper { arxiv, place } => {
            put("kind", json!("paper"));
            put("arxiv", json!(arxiv));
            put_page(&mut put, place);
        }
    }
    put("content", json!(evidence.text.expose()));
    put("reason", json!(evidence.reason));
    put("provenance", json!(evidence.provenance));
    put("score", json!(evidence.score));
    put("symbol_id", json!(evidence.symbol.as_ref().map(|symbol| &symbol.id)));
    put("symbol_kind", json!(evidence.symbol.as_ref().map(|symbol| &symbol.kind)));
    put("shown", json!(shown));
    Value::Object(fields)
}

fn put_file(put: &mut impl FnMut(&str, Value), place: &FilePlace) {
    put("file_path", json!(place.path));
    put("start_line", json!(place.start_line));
    put("end_line", json!(place.end_line));
    put("hash", json!(place.hash));
}

fn put_page(put: &mut impl FnMut(&str, Value), place: &PagePlace) {
    put("url", json!(place.url));
    put("title", json!(place.title));
    put("snapshot", json!(place.snapshot));
    put("span", json!([place.span.start, place.span.end]));
}
