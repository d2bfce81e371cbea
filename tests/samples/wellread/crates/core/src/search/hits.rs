//! From a ranking to text that was read again.

use std::collections::HashMap;

use wellread_text::{Lines, Span};

use super::fuse::Candidate;
use super::{Hit, Request, Search};
use crate::corpus::{CorpusName, Place, VaultPath};
use crate::ports::{FileContent, StoredPassage};

/// Lines are shown whole up to this many bytes.
const LONGEST_TEXT: usize = 4000;

type Stale = Vec<(CorpusName, VaultPath)>;

impl Search {
    /// The best candidates as hits, and the files that are not what they were when they were indexed.
    pub(super) fn hits(&self, request: &Request, ranked: &[Candidate]) -> (Vec<Hit>, Stale) {
        let mut gathered = Gathered::default();
        for candidate in ranked {
            self.take(request, candidate, &mut gathered);
            if gathered.hits.len() == request.limit {
                break;
            }
        }
        (gathered.hits, gathered.stale)
    }

    fn take(&self, request: &Request, candidate: &Candidate, gathered: &mut Gathered) {
        let passage = &candidate.passage;
        let key = (passage.corpus.clone(), passage.path.clone());
        if gathered.of_file(&key) >= request.per_file || gathered.stale.contains(&key) {
            return;
        }
        let content = match gathered.files.get(&key) {
            Some(content) => content,
            None => match self.library.read(&passage.corpus, &passage.path) {
                Ok(content) if content.hash == passage.hash => {
                    gathered.files.entry(key.clone()).or_insert(content)
                }
                _ => {
                    gathered.stale.push(key);
                    return;
                }
            },
        };
        let Ok(text) = std::str::from_utf8(&content.bytes) else { return };
        let span = shown_span(text, passage);
        let lines = passage.lines;
        let repeated = gathered.hits.iter().any(|hit| {
            (&hit.place.corpus, &hit.place.path) == (&passage.corpus, &passage.path)
                && hit.place.span.start < span.end
                && span.start < hit.place.span.end
        });
        let (Some(shown), false) = (text.get(span.clone()), repeated) else { return };
        let hit = Hit {
            text: shown.to_owned(),
            place: Place {
                corpus: passage.corpus.clone(),
                path: passage.path.clone(),
                lines,
                span,
                hash: content.hash,
            },
            kind: passage.kind,
            context: passage.context.clone(),
            score: candidate.score,
            provenance: candidate.provenance,
        };
        gathered.hits.push(hit);
    }
}

#[derive(Default)]
struct Gathered {
    hits: Vec<Hit>,
    stale: Stale,
    files: HashMap<(CorpusName, VaultPath), FileContent>,
}

impl Gathered {
    fn of_file(&self, (corpus, path): &(CorpusName, VaultPath)) -> usize {
        self.hits.iter().filter(|hit| (&hit.place.corpus, &hit.place.path) == (corpus, path)).count()
    }
}

/// The passage's lines as a whole, without the last one's ending. A part of a line where the lines are too long.
fn shown_span(text: &str, passage: &StoredPassage) -> Span {
    let lines = Lines::of(text);
    let Some(whole) = lines.span(passage.lines.0, passage.lines.1) else { return passage.span.clone() };
    if whole.len() > LONGEST_TEXT {
        return passage.span.clone();
    }
    let shown = &text[whole.clone()];
    let ending = shown.len() - shown.trim_end_matches(['\n', '\r']).len();
    let mark = if whole.start == 0 && text.starts_with(wellread_text::BOM) {
        wellread_text::BOM.len_utf8()
    } else {
        0
    };
    whole.start + mark..whole.end - ending
}
