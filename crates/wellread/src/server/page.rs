//! The web page's files, which the binary carries: plain modules and style sheets, as they are in `web/`.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::json;
use wellread_adapters::web::ENGINES;

use super::problem::Problem;

/// A file of the page, and what it is.
#[derive(Debug, Clone, Copy)]
pub struct PageFile {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! carried {
    ($($name:literal,)*) => {
        &[$(PageFile { name: $name, text: include_str!(concat!("../../web/", $name)) },)*]
    };
}

pub const INDEX: &str = include_str!("../../web/index.html");

/// Everything but the page itself.
const FILES: &[PageFile] = carried![
    "css/base.css",
    "css/frame.css",
    "css/graph.css",
    "css/pieces.css",
    "css/text.css",
    "css/tokens.css",
    "css/views.css",
    "icon.svg",
    "js/addresses.js",
    "js/api.js",
    "js/ask.js",
    "js/decision.js",
    "js/diff.js",
    "js/dom.js",
    "js/finding.js",
    "js/graph/camera.js",
    "js/graph/colours.js",
    "js/graph/gestures.js",
    "js/graph/layout.js",
    "js/graph/model.js",
    "js/graph/painter.js",
    "js/graph/picture.js",
    "js/graph/section.js",
    "js/graph/tree.js",
    "js/graph/worker.js",
    "js/health_lists.js",
    "js/held.js",
    "js/inbox_list.js",
    "js/inline.js",
    "js/kept.js",
    "js/keys.js",
    "js/leaves_to.js",
    "js/live.js",
    "js/main.js",
    "js/markdown.js",
    "js/marking.js",
    "js/nav.js",
    "js/pieces.js",
    "js/research.js",
    "js/router.js",
    "js/say.js",
    "js/sentences.js",
    "js/sse.js",
    "js/steps.js",
    "js/suppressed.js",
    "js/task.js",
    "js/theme.js",
    "js/time.js",
    "js/views/agenda.js",
    "js/views/chat.js",
    "js/views/find.js",
    "js/views/health.js",
    "js/views/home.js",
    "js/views/inbox.js",
    "js/views/note.js",
    "js/views/one_agenda.js",
    "js/views/one_run.js",
    "js/views/runs.js",
    "js/views/search.js",
    "js/views/settings.js",
    "js/ways.js",
];

/// The one file that is made here: what the page calls the search engines.
pub const ENGINE_LABELS: &str = "js/engine_labels.js";

/// The text of [`ENGINE_LABELS`].
pub fn engine_labels() -> String {
    let labels: BTreeMap<&str, &str> = ENGINES.iter().map(|engine| (engine.name, engine.label)).collect();
    format!("export const LABELS = {};\n", json!(labels))
}

impl PageFile {
    pub fn find(name: &str) -> Result<Self, Problem> {
        FILES.iter().find(|file| file.name == name).copied().ok_or_else(|| {
            Problem::new(
                StatusCode::NOT_FOUND,
                "the page has no such file",
                "reload the page: it may be of an older version",
            )
        })
    }

    pub fn media_type(self) -> &'static str {
        match self.name.rsplit_once('.') {
            Some((_, "js")) => "text/javascript; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/plain; charset=utf-8",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_calls_every_search_engine_by_its_label() {
        let text = engine_labels();
        for label in ["\"duckduckgo\":\"DuckDuckGo\"", "\"searxng\":\"your SearXNG\"", "\"arxiv\":\"arXiv\""]
        {
            assert!(text.contains(label), "{text}");
        }
        assert!(FILES.iter().all(|file| file.name != ENGINE_LABELS));
    }

    #[test]
    fn every_file_of_the_page_is_carried() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(&root).unwrap().display().to_string());
                }
            }
        }
        found.retain(|name| name != "index.html");
        found.sort();
        let carried: Vec<&str> = FILES.iter().map(|file| file.name).collect();
        assert_eq!(
            carried, found,
            "the table in server/page.rs is sorted by name, and has every file of web/"
        );
        for file in FILES {
            assert!(!file.media_type().starts_with("text/plain"), "{}", file.name);
        }
    }
}
