//! Checks a citation in its own file: whether it is unchanged, or elsewhere in the file.
//!
//! The history of the file's lines is asked first, and only then is its content searched: a text that occurs several
//! times is at the place that its lines went to.

use std::rc::Rc;

use wellread_text::{FuzzySearch, LineIndex, LineMap};

use super::candidates::{SimilarPlace, current_place};
use super::difference::changed_state;
use super::line_history::{FileHistory, FilePast};
use super::sweep::{CitedFileState, MissingCitation};
use super::{CurrentPlace, FileCitation, FollowMethod, RecheckState, decode_text, is_gone};
use crate::ErrorKind;
use crate::domain::corpus::{Hash, VaultPath};
use crate::ports::Corpus;
use crate::trust::below_fields::find_below_fields;

/// The most places of an ambiguous text that are reported.
pub const MAX_PLACES_SHOWN: usize = 8;
/// A passage that has this share of the cited words is the cited one, edited: an equal text in another file is a copy.
pub const SURELY_THE_SAME: f64 = 0.75;

/// A cited file as it is now.
pub enum CitedFile {
    Text(Rc<CitedFileText>),
    /// Not text, or too large; with the reason.
    Bytes(Vec<u8>, String),
    Gone(String),
    /// A file that exists, but is not read any more: a link, or an ignored file. Its text may be elsewhere.
    LeftOut(String),
    Unreachable(String),
}

pub struct CitedFileText {
    pub path: VaultPath,
    pub text: String,
    pub lines: LineIndex,
}

pub enum CitationLookup<'a> {
    Settled(RecheckState),
    Missing(Box<MissingCitation<'a>>),
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
            Ok(text) => {
                let lines = LineIndex::new(&text);
                Self::Text(Rc::new(CitedFileText { path: path.clone(), text, lines }))
            }
            Err((bytes, why)) => Self::Bytes(bytes, why),
        }
    }

    pub fn find_citation<'a>(
        &self,
        quoted: FileCitation<'a>,
        history: &mut FileHistory<'_>,
    ) -> CitationLookup<'a> {
        let holds =
            |bytes: &[u8]| bytes.get(quoted.place.span.clone()) == Some(quoted.text.expose().as_bytes());
        let state = match self {
            Self::Text(file) => return file.find_citation(quoted, history),
            Self::Bytes(bytes, _) if holds(bytes) => return CitationLookup::Settled(RecheckState::Holds),
            Self::Bytes(_, why) | Self::Unreachable(why) => {
                return CitationLookup::Settled(RecheckState::Unreachable { reason: why.clone() });
            }
            Self::Gone(why) => CitedFileState::Gone(why.clone()),
            Self::LeftOut(why) => CitedFileState::LeftOut(why.clone()),
        };
        let past = history.find_past(&quoted, None);
        let renamed = past.as_ref().and_then(|past| past.now.as_ref());
        match renamed {
            Some(now) => now.file.search(quoted, past.as_deref(), state),
            None => {
                let missing = MissingCitation::new(quoted, state, past.as_deref());
                CitationLookup::Missing(Box::new(missing))
            }
        }
    }
}

impl CitedFileText {
    fn find_citation<'a>(
        self: &Rc<Self>,
        quoted: FileCitation<'a>,
        history: &mut FileHistory<'_>,
    ) -> CitationLookup<'a> {
        let is_in_place = self.holds_in_place(&quoted);
        let is_certain = || {
            Hash::compute(self.text.as_bytes()) == quoted.place.hash
                || occurrences(&self.text, quoted.text.expose()).take(2).count() == 1
        };
        if is_in_place && is_certain() {
            return CitationLookup::Settled(RecheckState::Holds);
        }
        let past = history.find_past(&quoted, Some(self));
        let followed = past.as_ref().and_then(|past| past.follow(&quoted));
        if is_in_place && followed.is_none() {
            return CitationLookup::Settled(RecheckState::Holds);
        }
        let why = if self.text.trim().is_empty() {
            "the file is empty now"
        } else {
            "nothing similar is left in the file"
        };
        let state = CitedFileState::There(why.to_owned());
        let now = past.as_ref().and_then(|past| past.now.as_ref());
        now.map_or(self, |now| &now.file).search(quoted, past.as_deref(), state)
    }

    /// Whether the text is still on the lines from which it was cited.
    fn holds_in_place(&self, quoted: &FileCitation<'_>) -> bool {
        let place = quoted.place;
        let lines = self.lines.span(place.start_line, place.end_line);
        lines.is_some_and(|lines| self.text[lines].contains(quoted.text.expose()))
    }

    /// Searches this file, which is the cited one or the one that it became: by the history of its lines, and then by
    /// its content.
    fn search<'a>(
        &self,
        quoted: FileCitation<'a>,
        past: Option<&FilePast>,
        state: CitedFileState,
    ) -> CitationLookup<'a> {
        if let Some(to) = past.and_then(|past| past.follow(&quoted)) {
            let is_same = to.path == quoted.place.path && to.start_line == quoted.place.start_line;
            return CitationLookup::Settled(if is_same {
                RecheckState::Holds
            } else {
                RecheckState::Moved { to, how: FollowMethod::Git }
            });
        }
        let altered = past.and_then(|past| past.follow_altered(&quoted));
        if let Some(like) = altered.as_ref().filter(|like| like.likeness >= SURELY_THE_SAME) {
            return CitationLookup::Settled(changed_state(&quoted, like.to.clone(), &like.now));
        }
        let map = past.and_then(|past| past.now.as_ref()).map(|now| &now.map);
        if let Some(found) = self.find_content(&quoted, map) {
            return CitationLookup::Settled(found);
        }
        let mut missing = MissingCitation::new(quoted, state, past);
        if let Some(like) = altered.or_else(|| self.find_similar(&quoted, map)) {
            missing.offer_similar(like);
        }
        CitationLookup::Missing(Box::new(missing))
    }

    /// Where the whole text is in this file; not where it already was beside the cited place.
    fn find_content(&self, quoted: &FileCitation<'_>, map: Option<&LineMap>) -> Option<RecheckState> {
        let wanted = quoted.text.expose();
        let places = occurrences(&self.text, wanted);
        let places = places.map(|start| current_place(&self.path, &self.lines, start..start + wanted.len()));
        let is_new =
            |place: &CurrentPlace| map.is_none_or(|map| !map.were_there(place.start_line, place.end_line));
        let mut places: Vec<CurrentPlace> = places.filter(is_new).collect();
        places.sort_by_key(|place| (place.span.start.abs_diff(quoted.place.span.start), place.span.start));
        places.truncate(MAX_PLACES_SHOWN);
        if places.len() > 1
            && let Some(start) = find_below_fields(&self.text, quoted.place, wanted)
        {
            places = vec![current_place(&self.path, &self.lines, start..start + wanted.len())];
        }
        match places.len() {
            0 => None,
            1 => {
                let is_renamed = self.path != quoted.place.path;
                let how = if is_renamed { FollowMethod::Git } else { FollowMethod::Lines };
                places.pop().map(|to| RecheckState::Moved { to, how })
            }
            _ => Some(RecheckState::Ambiguous { places }),
        }
    }

    /// The passage that is most similar to the text, unless it was already there beside the cited one.
    fn find_similar(&self, quoted: &FileCitation<'_>, map: Option<&LineMap>) -> Option<SimilarPlace> {
        let search = FuzzySearch::new(&self.text);
        let nearest = search.find_nearest(quoted.text.expose(), quoted.place.span.start)?;
        let like = SimilarPlace::new(&self.path, &self.text, &self.lines, nearest);
        let was_there = map.is_some_and(|map| map.were_there(like.to.start_line, like.to.end_line));
        (!was_there).then_some(like)
    }
}

/// Where a text begins in another. An empty text is nowhere.
fn occurrences<'a>(text: &'a str, wanted: &'a str) -> impl Iterator<Item = usize> {
    text.match_indices(wanted).map(|(at, _)| at).filter(|_| !wanted.is_empty())
}
