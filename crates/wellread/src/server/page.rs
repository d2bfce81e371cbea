//! The web page's files, which the binary carries: plain modules and style sheets, as they are in `web/`.

use std::collections::BTreeMap;

use crate::web_files;
use crate::wiring::outside::ENGINES;
use axum::http::StatusCode;
use serde_json::json;

use super::problem::Problem;

/// A file of the page, and what it is.
#[derive(Debug, Clone, Copy)]
pub struct PageFile {
    pub name: &'static str,
    pub text: &'static str,
}

/// What a browser asks for first.
pub const INDEX: &str = include_str!("../../web/index.html");

/// The one file that is made here: what the page calls the search engines.
pub const ENGINE_LABELS: &str = "js/engine_labels.js";

/// The text of [`ENGINE_LABELS`].
pub fn engine_labels() -> String {
    let labels: BTreeMap<&str, &str> = ENGINES.iter().map(|engine| (engine.name, engine.label)).collect();
    format!("export const LABELS = {};\n", json!(labels))
}

impl PageFile {
    pub fn find(name: &str) -> Result<Self, Problem> {
        let found = web_files::FILES.iter().find(|(known, _)| *known == name);
        found.map(|&(name, text)| Self { name, text }).ok_or_else(|| {
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

    use wellread_core::ports::event::RunKind;

    use super::*;

    #[test]
    fn the_page_calls_every_search_engine_by_its_label() {
        let text = engine_labels();
        for label in ["\"duckduckgo\":\"DuckDuckGo\"", "\"searxng\":\"your SearXNG\"", "\"arxiv\":\"arXiv\""]
        {
            assert!(text.contains(label), "{text}");
        }
        assert!(web_files::FILES.iter().all(|(name, _)| *name != ENGINE_LABELS));
    }

    #[test]
    fn the_page_has_a_tab_for_every_kind_of_run() {
        let view = PageFile::find("js/views/runs.js").unwrap().text;
        let tabs = view.lines().filter_map(|line| line.strip_prefix("    ['")?.split_once("', '"));
        let mut tabs: Vec<&str> = tabs.map(|(kind, _)| kind).filter(|kind| !kind.is_empty()).collect();
        let mut kinds = RunKind::LISTED.map(RunKind::name);
        tabs.sort_unstable();
        kinds.sort_unstable();
        assert_eq!(tabs, kinds, "`KINDS` in web/js/views/runs.js has the kinds that runs are listed by");
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
        let carried: Vec<&str> = web_files::FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(carried, found, "`build.rs` takes every file of web/");
        for name in carried {
            assert!(!PageFile::find(name).unwrap().media_type().starts_with("text/plain"), "{name}");
        }
    }
}
