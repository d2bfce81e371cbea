//! Reads cited places again.

use std::sync::Arc;

use wellread_text::LineIndex;

use super::cited_text::{Surroundings, read_headings};
use crate::ErrorKind;
use crate::domain::corpus::CorpusName;
use crate::domain::evidence::{Evidence, Source};
use crate::ports::{Corpus, Snapshots, Verifier};
use crate::trust::below_fields::find_below_fields;

/// Everything needed to read evidence again.
#[derive(Clone, Copy)]
pub struct EvidenceReader<'a> {
    /// The vault and the repositories.
    pub corpora: &'a [(CorpusName, Arc<dyn Corpus>)],
    /// The stored pages.
    pub snapshots: &'a dyn Snapshots,
    /// The small model that reads a sentence beside what it cites; without one the rules alone decide.
    pub verifier: Option<&'a dyn Verifier>,
}

/// The result of reading a place again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceReading {
    /// The text of the place.
    Text {
        /// The text.
        text: String,
        /// The line that it begins on, from 1.
        start_line: usize,
        /// Whether the whole file is unchanged.
        same_file: bool,
    },
    /// The file is shorter now, or the place splits a character.
    Changed,
    /// The file or the stored page is gone.
    Gone,
    /// The place can't be read; with the reason.
    Unreachable(String),
}

/// The current state of a piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceState {
    /// The place still has the evidence's text.
    Holds {
        /// The line that the text begins on, from 1.
        start_line: usize,
    },
    /// The text is elsewhere in the same file.
    Moved {
        /// The first line there, from 1.
        start_line: usize,
        /// The last line there, included.
        end_line: usize,
    },
    /// The place has other text.
    Changed {
        /// The text there now; none if the file is too short.
        now: Option<String>,
    },
    /// The file or the stored page is gone.
    Gone,
    /// The place can't be read; with the reason.
    Unreachable(String),
}

impl EvidenceReader<'_> {
    /// Reads the text that is now at the source's place. It is not compared with anything.
    pub fn read_again(&self, source: &Source) -> PlaceReading {
        match self.read_whole_text(source) {
            Err(reading) => reading,
            Ok((text, same_file)) => slice_place(&text, source, same_file),
        }
    }

    /// Compares the text at the evidence's place with the evidence, byte for byte.
    pub fn place_state(&self, evidence: &Evidence) -> PlaceState {
        let wanted = evidence.text.expose();
        let (text, same_file) = match self.read_whole_text(&evidence.source) {
            Ok(whole) => whole,
            Err(PlaceReading::Unreachable(because)) => return PlaceState::Unreachable(because),
            Err(_) => return PlaceState::Gone,
        };
        let now = match slice_place(&text, &evidence.source, same_file) {
            PlaceReading::Text { text, start_line, .. } if text == wanted => {
                return PlaceState::Holds { start_line };
            }
            PlaceReading::Text { text, .. } => Some(text),
            _ => None,
        };
        if let Source::Note(place) = &evidence.source
            && let Some(start) = find_below_fields(&text, place, wanted)
        {
            return PlaceState::Holds { start_line: LineIndex::new(&text).line_of(start) };
        }
        match text.find(wanted).filter(|_| !wanted.trim().is_empty()) {
            Some(start) => {
                let lines = LineIndex::new(&text);
                let end = (start + wanted.len()).saturating_sub(1);
                PlaceState::Moved { start_line: lines.line_of(start), end_line: lines.line_of(end) }
            }
            None => PlaceState::Changed { now },
        }
    }

    /// What stands above the evidence in its document now.
    pub(super) fn find_surroundings(&self, evidence: &Evidence, start_line: usize) -> Surroundings {
        match self.read_whole_text(&evidence.source) {
            Ok((text, _)) => Surroundings::above(&text, &read_headings(&text), start_line),
            Err(_) => Surroundings::default(),
        }
    }

    /// Reads the whole text that the place is in, and whether its hash is unchanged.
    fn read_whole_text(&self, source: &Source) -> Result<(String, bool), PlaceReading> {
        if let Some(page) = source.page() {
            let kept = self.snapshots.load(page.snapshot);
            let kept = kept.map_err(|error| PlaceReading::Unreachable(error.to_string()))?;
            return kept.map(|text| (text, true)).ok_or(PlaceReading::Gone);
        }
        let Some((name, place)) = source.file() else { return Err(PlaceReading::Gone) };
        let corpus = self.corpora.iter().find(|(known, _)| *known == name);
        let Some((_, corpus)) = corpus else {
            return Err(PlaceReading::Unreachable(format!("`{name}` is not set up")));
        };
        let content = corpus.read(&place.path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => PlaceReading::Gone,
            _ => PlaceReading::Unreachable(error.to_string()),
        })?;
        let same = content.hash == place.hash;
        String::from_utf8(content.bytes).map(|text| (text, same)).map_err(|_| PlaceReading::Changed)
    }
}

fn slice_place(text: &str, source: &Source, same_file: bool) -> PlaceReading {
    let span = source.file().map(|(_, place)| &place.span).or_else(|| source.page().map(|place| &place.span));
    let Some((span, words)) = span.and_then(|span| Some((span, text.get(span.clone())?))) else {
        return PlaceReading::Changed;
    };
    let start_line = text.as_bytes()[..span.start].iter().filter(|&&byte| byte == b'\n').count() + 1;
    PlaceReading::Text { text: words.to_owned(), start_line, same_file }
}
