//! Reads again what was cited.

use std::sync::Arc;

use wellread_text::Lines;

use crate::Kind;
use crate::corpus::CorpusName;
use crate::evidence::{Evidence, Source};
use crate::ports::{Corpus, Snapshots};

/// Where evidence can be read again.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    pub corpora: &'a [(CorpusName, Arc<dyn Corpus>)],
    pub snapshots: &'a dyn Snapshots,
}

/// What stands at a place now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
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
pub enum Standing {
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

impl Places<'_> {
    /// What stands where the source says, whatever it was.
    pub fn read_again(&self, source: &Source) -> Reading {
        match self.whole(source) {
            Err(reading) => reading,
            Ok((text, same_file)) => at(&text, source, same_file),
        }
    }

    /// Whether the place still holds the evidence's text, byte for byte.
    pub fn standing(&self, evidence: &Evidence) -> Standing {
        let wanted = evidence.text.look();
        let (text, same_file) = match self.whole(&evidence.source) {
            Ok(whole) => whole,
            Err(Reading::Unreachable(because)) => return Standing::Unreachable(because),
            Err(_) => return Standing::Gone,
        };
        let now = match at(&text, &evidence.source, same_file) {
            Reading::Text { text, start_line, .. } if text == wanted => {
                return Standing::Holds { start_line };
            }
            Reading::Text { text, .. } => Some(text),
            _ => None,
        };
        match text.find(wanted).filter(|_| !wanted.trim().is_empty()) {
            Some(start) => {
                let lines = Lines::of(&text);
                let end = (start + wanted.len()).saturating_sub(1);
                Standing::Moved { start_line: lines.line_of(start), end_line: lines.line_of(end) }
            }
            None => Standing::Changed { now },
        }
    }

    /// The whole text that the place is in, and whether it has the hash that it had.
    fn whole(&self, source: &Source) -> Result<(String, bool), Reading> {
        if let Some(page) = source.page() {
            let kept = self.snapshots.kept(page.snapshot);
            let kept = kept.map_err(|error| Reading::Unreachable(error.to_string()))?;
            return kept.map(|text| (text, true)).ok_or(Reading::Gone);
        }
        let Some((name, place)) = source.file() else { return Err(Reading::Gone) };
        let corpus = self.corpora.iter().find(|(known, _)| *known == name);
        let Some((_, corpus)) = corpus else {
            return Err(Reading::Unreachable(format!("`{name}` is not set up")));
        };
        let content = corpus.read(&place.path).map_err(|error| match error.kind() {
            Kind::NotFound => Reading::Gone,
            _ => Reading::Unreachable(error.to_string()),
        })?;
        let same = content.hash == place.hash;
        String::from_utf8(content.bytes).map(|text| (text, same)).map_err(|_| Reading::Changed)
    }
}

fn at(text: &str, source: &Source, same_file: bool) -> Reading {
    let span = source.file().map(|(_, place)| &place.span).or_else(|| source.page().map(|place| &place.span));
    let Some((span, words)) = span.and_then(|span| Some((span, text.get(span.clone())?))) else {
        return Reading::Changed;
    };
    let start_line = text.as_bytes()[..span.start].iter().filter(|&&byte| byte == b'\n').count() + 1;
    Reading::Text { text: words.to_owned(), start_line, same_file }
}
