//! Passages of the vault and of the codebases beside it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wellread_text::{ChunkKind, Note, Terms, chunk_note, fold, significant_words};

use super::{GatherFailure, Gatherer, SkippedSource};
use crate::Result;
use crate::domain::corpus::{CorpusName, Place, VaultPath};
use crate::domain::evidence::{NewEvidence, Provenance, Source};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::library::search::{Hit, PassageSignals, Relevance, SearchMode, SearchRequest};
use crate::library::vault::PassageJudge;
use crate::ports::PassageFilter;

/// A passage that was found, and who wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryPassage {
    /// The passage as it was found.
    pub hit: Hit,
    /// Who wrote it.
    pub origin: Origin,
}

/// How far a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchReach {
    /// To passages that have something to do with the query.
    Related,
    /// Also to the nearest of the others, which come last and with a score of 0: somebody reads them anyway.
    Distant,
}

/// A passage as stored in the log.
#[derive(Debug, Serialize, Deserialize)]
struct LoggedPassage {
    source: Source,
    text: String,
    kind: String,
    context: Vec<String>,
    score: f32,
    provenance: Provenance,
    origin: Origin,
}

/// The folded heading over what Wellread wrote itself, which is never a source.
const OUR_SECTION: &str = "research";
/// Extra hits to request, since some of the best may be excluded.
const SPARE: usize = 8;
/// How many of the notes found are read further than their hits, and how much of each, in bytes.
const MAX_WIDENED: usize = 5;
const MAX_WIDENED_BYTES: usize = 16_000;
/// The first passages of a note say what it is about, whatever their words.
const OPENING: usize = 3;

impl Gatherer<'_> {
    /// The best passages for a query, none from the note `but`, and at most a quarter of them from one file; private notes, frontmatter and our own sections are
    /// excluded. A failed search is returned as a skipped source.
    pub async fn search_library(
        &self,
        query: &str,
        limit: usize,
        but: Option<&VaultPath>,
    ) -> Result<(Vec<LibraryPassage>, Option<SkippedSource>)> {
        let arguments = json!({ "query": query, "limit": limit, "but": but });
        let found = async {
            Ok(self
                .find_passages(query, limit, but, SearchReach::Related)?
                .iter()
                .map(LoggedPassage::from_passage)
                .collect::<Vec<_>>())
        };
        self.search_via_run(query, &arguments, found).await
    }

    async fn search_via_run(
        &self,
        query: &str,
        arguments: &Value,
        found: impl Future<Output = Result<Vec<LoggedPassage>>>,
    ) -> Result<(Vec<LibraryPassage>, Option<SkippedSource>)> {
        Ok(match self.ask_via_run("search_vault", arguments, Origin::Outside, found, |_| false).await? {
            Ok(kept) => {
                let passages = kept.into_iter().filter_map(LoggedPassage::into_passage);
                let judge = self.vault.judge_passages();
                (passages.filter(|passage| self.is_still_allowed(&judge, passage)).collect(), None)
            }
            Err(GatherFailure { reason, .. }) => {
                (Vec::new(), Some(SkippedSource { what: query.to_owned(), reason }))
            }
        })
    }

    /// Whether texts can be compared by meaning, by a model on this machine whose scale is known.
    pub fn compares_by_meaning(&self) -> bool {
        let embedder = &*self.search.embedder;
        embedder.is_local() && embedder.has_standard_scale()
    }

    /// Like [`search_library`](Self::search_library), with the related passages of the notes that were found first:
    /// a sentence is rarely answered in the words that found its note. For reading without a model.
    pub async fn search_library_widely(
        &self,
        query: &str,
        limit: usize,
        but: Option<&VaultPath>,
        reach: SearchReach,
    ) -> Result<(Vec<LibraryPassage>, Option<SkippedSource>)> {
        let mut arguments = json!({ "query": query, "limit": limit, "wide": true });
        if let Some(but) = but {
            arguments["but"] = json!(but);
        }
        let found = async {
            let passages = self.find_passages(query, limit, but, reach)?;
            let (related, distant): (Vec<_>, Vec<_>) =
                passages.into_iter().partition(|passage| passage.hit.score > 0.0);
            let mut wide = self.widen(query, related);
            for passage in distant {
                let place = &passage.hit.place;
                let is_known = |known: &LibraryPassage| {
                    let other = &known.hit.place;
                    (&other.corpus, &other.path, other.span.start)
                        == (&place.corpus, &place.path, place.span.start)
                };
                if !wide.iter().any(is_known) {
                    wide.push(passage);
                }
            }
            Ok(wide.iter().map(LoggedPassage::from_passage).collect::<Vec<_>>())
        };
        self.search_via_run(query, &arguments, found).await
    }

    /// Adds the passages of the first notes that share a word with the query. A note that is named for what the query
    /// asks comes first.
    fn widen(&self, query: &str, mut passages: Vec<LibraryPassage>) -> Vec<LibraryPassage> {
        let words: BTreeSet<String> = significant_words(query).into_iter().collect();
        let is_named = |passage: &&LibraryPassage| {
            let title = significant_words(passage.hit.place.path.stem());
            !title.is_empty() && title.iter().all(|word| words.contains(word))
        };
        let in_vault = |passage: &&LibraryPassage| {
            let path = &passage.hit.place.path;
            passage.hit.place.corpus == CorpusName::Vault && (path.is_note() || path.is_other_prose())
        };
        let all = || passages.iter().filter(in_vault);
        let ranked = all().filter(is_named).chain(all().filter(|passage| !is_named(passage)));
        let mut notes: Vec<LibraryPassage> = Vec::new();
        for passage in ranked {
            let is_new = notes.iter().all(|known| known.hit.place.path != passage.hit.place.path);
            if is_new && notes.len() < MAX_WIDENED {
                notes.push(passage.clone());
            }
        }
        let judge = self.vault.judge_passages();
        for found in notes {
            let known: Vec<usize> = passages
                .iter()
                .filter(|passage| passage.hit.place.path == found.hit.place.path)
                .map(|passage| passage.hit.place.span.start)
                .collect();
            passages.extend(self.read_related(&judge, &found, &words, &known));
        }
        passages
    }

    /// The fields of a note and its passages that share a word with the query, without those that are known.
    fn read_related(
        &self,
        judge: &PassageJudge<'_>,
        found: &LibraryPassage,
        words: &BTreeSet<String>,
        known: &[usize],
    ) -> Vec<LibraryPassage> {
        let place = &found.hit.place;
        let Ok(note) = self.vault.read(&place.path) else { return Vec::new() };
        if note.hash != place.hash {
            return Vec::new();
        }
        let (fields, parts): (Vec<_>, Vec<_>) = chunk_note(&note.text, &Note::parse(&note.text))
            .into_iter()
            .partition(|chunk| chunk.kind == ChunkKind::Frontmatter);
        let (mut related, mut size) = (Vec::new(), 0);
        for (number, chunk) in parts.into_iter().chain(fields).enumerate() {
            let text = &note.text[chunk.span.clone()];
            let terms = Terms::from_text(text);
            let shares = terms.words.split(' ').any(|word| words.contains(word));
            let matters = number < OPENING || shares || chunk.kind == ChunkKind::Frontmatter;
            if known.contains(&chunk.span.start) || !matters {
                continue;
            }
            size += text.len();
            if size > MAX_WIDENED_BYTES {
                break;
            }
            let hit = Hit {
                place: Place { lines: chunk.lines, span: chunk.span.clone(), ..place.clone() },
                text: text.to_owned(),
                kind: chunk.kind,
                context: chunk.context,
                score: 0.0,
                provenance: found.hit.provenance,
                relevance: found.hit.relevance,
                signals: PassageSignals::default(),
            };
            if !self.is_off_limits(judge, &hit) {
                let origin = judge.origin_of(&hit.place.path, &hit.place.span);
                related.push(LibraryPassage { hit, origin });
            }
        }
        related
    }

    fn find_passages(
        &self,
        query: &str,
        limit: usize,
        but: Option<&VaultPath>,
        reach: SearchReach,
    ) -> Result<Vec<LibraryPassage>> {
        let request = SearchRequest {
            query: query.to_owned(),
            // Words that must stay here are not sent to an embedding model elsewhere.
            mode: if self.stays && !self.search.embedder.is_local() {
                SearchMode::Keyword
            } else {
                SearchMode::Hybrid
            },
            filter: PassageFilter::default(),
            limit: limit + SPARE,
            per_file: (limit / 4).max(2),
        };
        let found = match reach {
            SearchReach::Related => self.search.find(&request)?,
            SearchReach::Distant => self.search.find_widely(&request)?,
        };
        let judge = self.vault.judge_passages();
        let mut passages = Vec::new();
        for hit in found.hits {
            if passages.len() == limit {
                break;
            }
            let place = &hit.place;
            let in_vault = place.corpus == CorpusName::Vault;
            if in_vault && (Some(&place.path) == but || self.is_excluded(&judge, &hit)) {
                continue;
            }
            let origin = if in_vault { judge.origin_of(&place.path, &place.span) } else { Origin::Outside };
            passages.push(LibraryPassage { hit, origin });
        }
        Ok(passages)
    }

    /// Whether a logged passage may still be used: its note may have become private since the run was interrupted.
    fn is_still_allowed(&self, judge: &PassageJudge<'_>, passage: &LibraryPassage) -> bool {
        let place = &passage.hit.place;
        self.private
            || self.run.is_replay()
            || place.corpus != CorpusName::Vault
            || !judge.is_private(&place.path)
    }

    /// Whether a hit is no passage to quote from: its note's fields are read with the note, and by themselves say little.
    fn is_excluded(&self, judge: &PassageJudge<'_>, hit: &Hit) -> bool {
        hit.kind == ChunkKind::Frontmatter || self.is_off_limits(judge, hit)
    }

    /// Whether a run wrote it, or it is private.
    fn is_off_limits(&self, judge: &PassageJudge<'_>, hit: &Hit) -> bool {
        let ours = hit.context.iter().any(|heading| fold(heading) == OUR_SECTION);
        ours || (!self.private && judge.is_private(&hit.place.path))
    }

    /// Adds a passage to the ledger.
    pub fn add_passage_evidence(&self, passage: &LibraryPassage, reason: &str) -> Result<EvidenceId> {
        let LibraryPassage { hit, origin } = passage;
        self.run.add_evidence(NewEvidence {
            source: Source::from_place(&hit.place, None),
            text: Untrusted::new(*origin, hit.text.clone()),
            reason: reason.to_owned(),
            provenance: hit.provenance,
            score: Some(hit.score),
            symbol: None,
        })
    }
}

impl LoggedPassage {
    fn from_passage(passage: &LibraryPassage) -> Self {
        let LibraryPassage { hit, origin } = passage;
        Self {
            source: Source::from_place(&hit.place, None),
            text: hit.text.clone(),
            kind: hit.kind.name().to_owned(),
            context: hit.context.clone(),
            score: hit.score,
            provenance: hit.provenance,
            origin: *origin,
        }
    }

    fn into_passage(self) -> Option<LibraryPassage> {
        let (corpus, place) = self.source.file()?;
        let place = Place {
            corpus,
            path: place.path.clone(),
            lines: (place.start_line, place.end_line),
            span: place.span.clone(),
            hash: place.hash,
        };
        let kind = ChunkKind::ALL.into_iter().find(|kind| kind.name() == self.kind)?;
        let (context, score, provenance) = (self.context, self.score, self.provenance);
        Some(LibraryPassage {
            hit: Hit {
                place,
                text: self.text,
                kind,
                context,
                score,
                provenance,
                relevance: Relevance::default(),
                signals: PassageSignals::default(),
            },
            origin: self.origin,
        })
    }
}
