//! Passages of the vault and of the codebases beside it.

use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_text::{ChunkKind, fold};

use super::{GatherFailure, Gatherer, SkippedSource};
use crate::Result;
use crate::domain::corpus::{CorpusName, Place, VaultPath};
use crate::domain::evidence::{NewEvidence, Provenance, Source};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::library::search::{Hit, SearchMode, SearchRequest};
use crate::ports::PassageFilter;

/// A passage that was found, and who wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryPassage {
    /// The passage as it was found.
    pub hit: Hit,
    /// Who wrote it.
    pub origin: Origin,
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

impl Gatherer<'_> {
    /// The best passages for a query, none from the note `but`; private notes, frontmatter and our own sections are
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
                .find_passages(query, limit, but)?
                .iter()
                .map(LoggedPassage::from_passage)
                .collect::<Vec<_>>())
        };
        Ok(match self.ask_via_run("search_vault", &arguments, Origin::Outside, found, |_| false).await? {
            Ok(kept) => {
                let passages = kept.into_iter().filter_map(LoggedPassage::into_passage);
                (passages.filter(|passage| self.is_still_allowed(passage)).collect(), None)
            }
            Err(GatherFailure { reason, .. }) => {
                (Vec::new(), Some(SkippedSource { what: query.to_owned(), reason }))
            }
        })
    }

    fn find_passages(
        &self,
        query: &str,
        limit: usize,
        but: Option<&VaultPath>,
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
            per_file: 2,
        };
        let mut passages = Vec::new();
        for hit in self.search.find(&request)?.hits {
            if passages.len() == limit {
                break;
            }
            let place = &hit.place;
            let in_vault = place.corpus == CorpusName::Vault;
            if in_vault && (Some(&place.path) == but || self.is_excluded(&hit)) {
                continue;
            }
            let origin = if in_vault {
                self.vault.origin_of_passage(&place.path, &place.span)
            } else {
                Origin::Outside
            };
            passages.push(LibraryPassage { hit, origin });
        }
        Ok(passages)
    }

    /// Whether a logged passage may still be used: its note may have become private since the run was interrupted.
    fn is_still_allowed(&self, passage: &LibraryPassage) -> bool {
        let place = &passage.hit.place;
        self.private
            || self.run.is_replay()
            || place.corpus != CorpusName::Vault
            || !self.vault.is_private(&place.path)
    }

    fn is_excluded(&self, hit: &Hit) -> bool {
        let ours = hit.context.iter().any(|heading| fold(heading) == OUR_SECTION);
        hit.kind == ChunkKind::Frontmatter
            || ours
            || (!self.private && self.vault.is_private(&hit.place.path))
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
            hit: Hit { place, text: self.text, kind, context, score, provenance },
            origin: self.origin,
        })
    }
}
