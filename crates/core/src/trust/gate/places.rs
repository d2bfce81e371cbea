//! Reads again what was cited.

use std::sync::Arc;

use wellread_text::LineIndex;

use crate::ErrorKind;
use crate::domain::corpus::CorpusName;
use crate::domain::evidence::{Evidence, Source};
use crate::ports::{Corpus, Snapshots};

/// Where evidence can be read again.
#[derive(Clone, Copy)]
pub struct EvidenceReader<'a> {
    pub corpora: &'a [(CorpusName, Arc<dyn Corpus>)],
    pub snapshots: &'a dyn Snapshots,
}

/// What stands at a place now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceReading {
    /// The bytes of the place, and the line that they begin on.
    Text {
        text: String,
        start_line: usize,
        same_file: bool,
    },
    /// The file is shorter now, or the place cuts a letter in half.
    Changed,
    Gone,
    Unreachable(String),
}

/// How a piece of evidence stands today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceState {
    Holds {
        start_line: usize,
    },
    /// Its text is elsewhere in the same file, on these lines.
    Moved {
        start_line: usize,
        end_line: usize,
    },
    /// Something else is there; none where the file is too short.
    Changed {
        now: Option<String>,
    },
    Gone,
    Unreachable(String),
}

impl EvidenceReader<'_> {
    /// What stands where the source says, whatever it was.
    pub fn read_again(&self, source: &Source) -> PlaceReading {
        match self.read_whole_text(source) {
            Err(reading) => reading,
            Ok((text, same_file)) => slice_place(&text, source, same_file),
        }
    }

    /// Whether the place still holds the evidence's text, byte for byte.
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
        match text.find(wanted).filter(|_| !wanted.trim().is_empty()) {
            Some(start) => {
                let lines = LineIndex::new(&text);
                let end = (start + wanted.len()).saturating_sub(1);
                PlaceState::Moved { start_line: lines.line_of(start), end_line: lines.line_of(end) }
            }
            None => PlaceState::Changed { now },
        }
    }

    /// The whole text that the place is in, and whether it has the hash that it had.
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
