//! Checks a citation in its own file: whether it is unchanged, or elsewhere in the file.

use wellread_text::{FuzzySearch, LineIndex};

use super::candidates::{SimilarPlace, current_place};
use super::sweep::{CitedFileState, MissingCitation};
use super::{CurrentPlace, FileCitation, FollowMethod, RecheckState, decode_text, is_gone};
use crate::ErrorKind;
use crate::domain::corpus::VaultPath;
use crate::ports::Corpus;

/// The most alternative places that are reported.
const MAX_ALTERNATIVES: usize = 8;

/// A cited file as it is now.
pub enum CitedFile {
    Text(Box<CitedFileText>),
    /// Not text, or too large; with the reason.
    Bytes(Vec<u8>, String),
    Gone(String),
    /// A file that exists, but is not read any more: a link, or an ignored file. Its text may be elsewhere.
    LeftOut(String),
    Unreachable(String),
}

pub struct CitedFileText {
    text: String,
    lines: LineIndex,
}

pub enum CitationLookup<'a> {
    Settled(RecheckState),
    Missing(MissingCitation<'a>),
}

impl CitedFile {
    pub fn read(corpus: &dyn Corpus, path: &VaultPath) -> Self {
        let bytes = match corpus.read(path) {
            Ok(content) => content.bytes,
            Err(error) if is_gone(&error) => return Self::Gone("the file is gone".to_owned()),
            // A file that exists and can't be read may still hold; a link, or an ignored file, counts as missing.
            Err(error) if error.kind() == ErrorKind::Refused && !matches!(corpus.find(path), Ok(Some(_))) => {
                return Self::LeftOut(error.message().to_owned());
            }
            Err(error) => return Self::Unreachable(error.message().to_owned()),
        };
        match decode_text(bytes) {
            Ok(text) => Self::Text(Box::new(CitedFileText { lines: LineIndex::new(&text), text })),
            Err((bytes, why)) => Self::Bytes(bytes, why),
        }
    }

    pub fn find_citation<'a>(&self, quoted: FileCitation<'a>) -> CitationLookup<'a> {
        let holds =
            |bytes: &[u8]| bytes.get(quoted.place.span.clone()) == Some(quoted.text.expose().as_bytes());
        let unreachable =
            |why: &String| CitationLookup::Settled(RecheckState::Unreachable { reason: why.clone() });
        match self {
            Self::Text(file) if holds(file.text.as_bytes()) => CitationLookup::Settled(RecheckState::Holds),
            Self::Text(file) => file.find_citation(quoted),
            Self::Bytes(bytes, _) if holds(bytes) => CitationLookup::Settled(RecheckState::Holds),
            Self::Bytes(_, why) | Self::Unreachable(why) => unreachable(why),
            Self::Gone(why) => {
                CitationLookup::Missing(MissingCitation::new(quoted, CitedFileState::Gone(why.clone())))
            }
            Self::LeftOut(why) => {
                CitationLookup::Missing(MissingCitation::new(quoted, CitedFileState::LeftOut(why.clone())))
            }
        }
    }
}

impl CitedFileText {
    fn find_citation<'a>(&self, quoted: FileCitation<'a>) -> CitationLookup<'a> {
        let (wanted, path) = (quoted.text.expose(), &quoted.place.path);
        let at = |start: usize| current_place(path, &self.lines, start..start + wanted.len());
        if let Some(nearest) = nearest_occurrence(&self.text, wanted, quoted.place.span.start) {
            let others =
                occurrences(&self.text, wanted).filter(|&start| start != nearest).take(MAX_ALTERNATIVES);
            let also: Vec<CurrentPlace> = others.map(at).collect();
            return CitationLookup::Settled(RecheckState::Moved {
                to: at(nearest),
                how: FollowMethod::Lines,
                also,
            });
        }
        let why = if self.text.trim().is_empty() {
            "the file is empty now"
        } else {
            "nothing similar is left in the file"
        };
        let mut missing = MissingCitation::new(quoted, CitedFileState::There(why.to_owned()));
        let wording = FuzzySearch::new(&self.text);
        if let Some(like) = wording.find_nearest(wanted, quoted.place.span.start) {
            missing.offer_similar(SimilarPlace::new(path, &self.text, &self.lines, like));
        }
        CitationLookup::Missing(missing)
    }
}

/// The occurrence of the text nearest to its old place. An empty text has none.
fn nearest_occurrence(text: &str, wanted: &str, old_start: usize) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    let near = text.floor_char_boundary(old_start.min(text.len()));
    let after = text[near..].find(wanted).map(|at| near + at);
    // An occurrence that begins before this may end after it.
    let before = text[..text.floor_char_boundary((near + wanted.len() - 1).min(text.len()))].rfind(wanted);
    match (before, after) {
        (Some(before), Some(after)) if old_start.abs_diff(before) <= old_start.abs_diff(after) => {
            Some(before)
        }
        (before, after) => after.or(before),
    }
}

fn occurrences<'a>(text: &'a str, wanted: &'a str) -> impl Iterator<Item = usize> {
    text.match_indices(wanted).map(|(at, _)| at)
}
