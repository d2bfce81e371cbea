//! Passages of the vault and of the codebases beside it.

use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_text::{ChunkKind, fold};

use super::{Gather, Missed, Skipped};
use crate::Result;
use crate::corpus::{CorpusName, Place, VaultPath};
use crate::evidence::{Found, Provenance, Source};
use crate::id::EvidenceId;
use crate::ports::Filter;
use crate::search::{Hit, Mode, Request};
use crate::untrusted::{Origin, Untrusted};

/// A passage that was found, and who wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    pub hit: Hit,
    pub origin: Origin,
}

/// The same, as a log keeps it.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    source: Source,
    text: String,
    kind: String,
    context: Vec<String>,
    score: f32,
    provenance: Provenance,
    origin: Origin,
}

/// The heading over what Wellread has written itself: no source for anything.
const OUR_SECTION: &str = "research";
/// What is left out may have been among the best.
const SPARE: usize = 8;

impl Gather<'_> {
    /// The best passages for a query, none of this note. What is not to be drawn on is left out.
    pub async fn library(
        &self,
        query: &str,
        limit: usize,
        but: Option<&VaultPath>,
    ) -> Result<(Vec<Passage>, Option<Skipped>)> {
        let arguments = json!({ "query": query, "limit": limit, "but": but });
        let found = async { Ok(self.looked_up(query, limit, but)?.iter().map(Kept::of).collect::<Vec<_>>()) };
        Ok(match self.asked("search_vault", &arguments, Origin::Outside, found, |_| false).await? {
            Ok(kept) => {
                let passages = kept.into_iter().filter_map(Kept::passage);
                (passages.filter(|passage| self.is_still_open(passage)).collect(), None)
            }
            Err(Missed { reason, .. }) => (Vec::new(), Some(Skipped { what: query.to_owned(), reason })),
        })
    }

    fn looked_up(&self, query: &str, limit: usize, but: Option<&VaultPath>) -> Result<Vec<Passage>> {
        let request = Request {
            query: query.to_owned(),
            // Words that must stay here are not sent to an embedding model elsewhere.
            mode: if self.stays && !self.search.embedder.is_local() { Mode::Keyword } else { Mode::Hybrid },
            filter: Filter::default(),
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
            if in_vault && (Some(&place.path) == but || self.is_left_out(&hit)) {
                continue;
            }
            let origin = if in_vault { self.vault.origin_of(&place.path) } else { Origin::Outside };
            passages.push(Passage { hit, origin });
        }
        Ok(passages)
    }

    /// Whether it may be drawn on still: a note may have been made private since a run was cut off.
    fn is_still_open(&self, passage: &Passage) -> bool {
        let place = &passage.hit.place;
        self.private
            || self.run.is_replay()
            || place.corpus != CorpusName::Vault
            || !self.vault.is_private(&place.path)
    }

    fn is_left_out(&self, hit: &Hit) -> bool {
        let ours = hit.context.iter().any(|heading| fold(heading) == OUR_SECTION);
        hit.kind == ChunkKind::Frontmatter
            || ours
            || (!self.private && self.vault.is_private(&hit.place.path))
    }

    /// Puts a passage into the ledger.
    pub fn hit(&self, passage: &Passage, reason: &str) -> Result<EvidenceId> {
        let Passage { hit, origin } = passage;
        self.run.evidence(Found {
            source: Source::at(&hit.place, None),
            text: Untrusted::new(*origin, hit.text.clone()),
            reason: reason.to_owned(),
            provenance: hit.provenance,
            score: Some(hit.score),
            symbol: None,
        })
    }
}

impl Kept {
    fn of(passage: &Passage) -> Self {
        let Passage { hit, origin } = passage;
        Self {
            source: Source::at(&hit.place, None),
            text: hit.text.clone(),
            kind: hit.kind.name().to_owned(),
            context: hit.context.clone(),
            score: hit.score,
            provenance: hit.provenance,
            origin: *origin,
        }
    }

    fn passage(self) -> Option<Passage> {
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
        Some(Passage {
            hit: Hit { place, text: self.text, kind, context, score, provenance },
            origin: self.origin,
        })
    }
}
