//! Reads the text of ranked passages again.

use std::collections::HashMap;

use wellread_text::{LineIndex, Span};

use super::fusion::RankedPassage;
use super::{Hit, SearchRequest, Searcher};
use crate::domain::corpus::{CorpusName, Place, VaultPath};
use crate::ports::{FileContent, StoredPassage};

/// Whole lines are returned up to this many bytes.
const MAX_TEXT_BYTES: usize = 4000;

type StaleFiles = Vec<(CorpusName, VaultPath)>;

impl Searcher {
    /// The best candidates as hits, and the files that changed since they were indexed.
    pub(super) fn read_hits(
        &self,
        request: &SearchRequest,
        ranked: &[RankedPassage],
    ) -> (Vec<Hit>, StaleFiles) {
        let mut gathered = HitCollector::default();
        for candidate in ranked {
            self.add_hit(request, candidate, &mut gathered);
            if gathered.hits.len() == request.limit {
                break;
            }
        }
        (gathered.hits, gathered.stale)
    }

    fn add_hit(&self, request: &SearchRequest, candidate: &RankedPassage, gathered: &mut HitCollector) {
        let passage = &candidate.passage;
        let key = (passage.corpus.clone(), passage.path.clone());
        if gathered.count_in_file(&key) >= request.per_file || gathered.stale.contains(&key) {
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
        let span = display_span(text, passage);
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
struct HitCollector {
    hits: Vec<Hit>,
    stale: StaleFiles,
    files: HashMap<(CorpusName, VaultPath), FileContent>,
}

impl HitCollector {
    fn count_in_file(&self, (corpus, path): &(CorpusName, VaultPath)) -> usize {
        self.hits.iter().filter(|hit| (&hit.place.corpus, &hit.place.path) == (corpus, path)).count()
    }
}

/// The passage's whole lines, without the last line ending. Part of a line if the lines are too long.
fn display_span(text: &str, passage: &StoredPassage) -> Span {
    let lines = LineIndex::new(text);
    let Some(whole) = lines.span(passage.lines.0, passage.lines.1) else { return passage.span.clone() };
    if whole.len() > MAX_TEXT_BYTES {
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
