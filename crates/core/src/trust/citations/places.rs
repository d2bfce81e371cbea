//! Citations in an answer for people: places that can be opened, instead of ids.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{Splice, apply_splices};

use super::{escape_destination, link_title, merge_adjacent_citations};
use crate::domain::evidence::{Evidence, Ledger, Source};
use crate::domain::id::EvidenceId;

/// The longest quote of a citation, in characters.
const LONGEST_QUOTE: usize = 400;

/// What an answer cites: lines of a file, or a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CitedPlace {
    /// The id of the evidence in the run's ledger.
    pub id: String,
    /// The path of the file; absent for a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The repository that the file is in; absent for a note and for a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The first line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<usize>,
    /// The last line, from 1, included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<usize>,
    /// The address of the page; absent for a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The cited text, shortened if it is long.
    pub quote: String,
}

impl CitedPlace {
    /// The place of a piece of evidence.
    pub fn from_evidence(entry: &Evidence) -> Self {
        let file = entry.source.file();
        let text = entry.text.expose();
        let quote = match text.char_indices().nth(LONGEST_QUOTE) {
            Some((cut, _)) => format!("{}…", &text[..cut]),
            None => text.to_owned(),
        };
        Self {
            id: entry.id.to_string(),
            path: file.as_ref().map(|(_, place)| place.path.to_string()),
            repository: file.as_ref().and_then(|(corpus, _)| corpus.repository().map(str::to_owned)),
            start_line: file.as_ref().map(|(_, place)| place.start_line),
            end_line: file.as_ref().map(|(_, place)| place.end_line),
            url: entry.source.page().map(|page| page.url.clone()),
            quote,
        }
    }
}

/// Replaces each id of a text with the place that it stands for: `` (`Bees.md:12-14`) ``, or a link to the page.
/// Unknown ids stay as they are. Returns the places as well, each once, in order.
pub fn show_places(text: &str, ledger: &Ledger) -> (String, Vec<CitedPlace>) {
    let mut cited: Vec<CitedPlace> = Vec::new();
    let mut edits: Vec<Splice> = Vec::new();
    for group in merge_adjacent_citations(text) {
        let ids = group.ids.iter().filter_map(|citation| EvidenceId::parse(&citation.id).ok());
        let entries: Vec<&Evidence> = ids.filter_map(|id| ledger.entry(&id)).collect();
        if entries.is_empty() {
            continue;
        }
        let mut seen = BTreeSet::new();
        let labels = entries.iter().map(|entry| place_label(entry));
        let labels: Vec<String> = labels.filter(|label| seen.insert(label.clone())).collect();
        // The space before the citation goes with it.
        let start = text[..group.span.start].trim_end_matches(' ').len();
        let space = if text[..start].ends_with('\n') || start == 0 { "" } else { " " };
        let text = format!("{space}({})", labels.join(", "));
        edits.push(Splice { span: start..group.span.end, text });
        for entry in entries {
            if !cited.iter().any(|known| known.id == entry.id.to_string()) {
                cited.push(CitedPlace::from_evidence(entry));
            }
        }
    }
    (apply_splices(text, &edits).unwrap_or_else(|_| text.to_owned()), cited)
}

/// The place as it stands in the text. A path and a title are others' words: neither may be markup.
fn place_label(entry: &Evidence) -> String {
    match &entry.source {
        Source::Note(place) | Source::Code { place, .. } => {
            code_span(&with_lines(place.path.as_str(), place.start_line, place.end_line))
        }
        Source::Page(place) | Source::Paper { place, .. } => {
            format!("[{}]({})", link_title(place), escape_destination(&place.url))
        }
    }
}

fn with_lines(path: &str, start_line: usize, end_line: usize) -> String {
    if start_line == end_line {
        format!("{path}:{start_line}")
    } else {
        format!("{path}:{start_line}-{end_line}")
    }
}

fn code_span(text: &str) -> String {
    let plain: String =
        text.chars().map(|letter| if letter.is_control() || letter == '`' { '\'' } else { letter }).collect();
    format!("`{plain}`")
}
