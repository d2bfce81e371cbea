//! The documents of a run for programs: all that happened, and the evidence.

use serde_json::{Map, Value, json};

use super::summary::{shown, steps, summary};
use crate::event::{Event, Stamped};
use crate::evidence::{Evidence, FilePlace, PagePlace, Source};
use crate::id::RunId;

/// What a run can be asked for, by the name of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    Trace,
    Evidence,
    Report,
}

impl Document {
    pub const ALL: [Self; 3] = [Self::Trace, Self::Evidence, Self::Report];

    pub fn file_name(self) -> &'static str {
        match self {
            Self::Trace => "trace.json",
            Self::Evidence => "evidence.json",
            Self::Report => "report.md",
        }
    }

    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Trace | Self::Evidence => "application/json",
            Self::Report => "text/markdown",
        }
    }

    pub fn named(file_name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|document| document.file_name() == file_name)
    }

    /// The whole document.
    pub fn text(self, run: &RunId, events: &[Stamped]) -> String {
        match self {
            Self::Trace => format!("{:#}\n", trace(run, events)),
            Self::Evidence => format!("{:#}\n", evidence(run, events)),
            Self::Report => super::report(run, events),
        }
    }
}

/// How the run stands, its steps in short, and every event as it was written down.
pub fn trace(run: &RunId, events: &[Stamped]) -> Value {
    json!({ "run_id": run, "summary": summary(run, events), "steps": steps(events), "events": events })
}

/// Each piece of evidence with its place, and whether a model saw it.
pub fn evidence(run: &RunId, events: &[Stamped]) -> Value {
    let shown = shown(events);
    let entries = events.iter().filter_map(|stamped| match &stamped.event {
        Event::Evidence(evidence) => Some(entry(evidence, shown.contains(&evidence.id))),
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
    put("content", json!(evidence.text.look()));
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
