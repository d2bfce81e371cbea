//! Reads the text of ranked passages again.

use std::collections::HashMap;

use wellread_text::{ChunkKind, LineIndex, Note, Span, SymbolKind, fold};

use super::fusion::RankedPassage;
use super::relevance::{count_covered, judge_relevance};
use super::{Hit, PreparedQuery, Relevance, SearchRequest, Searcher};
use crate::domain::corpus::{CorpusName, Place, VaultPath};
use crate::ports::{FileContent, StoredPassage};

/// Whole lines are returned up to this many bytes.
const MAX_TEXT_BYTES: usize = 4000;
/// After so many candidates in a row that have nothing to do with the query, the rest is not read.
const MAX_IRRELEVANT: usize = 20;
/// A part of a function is shown with the whole function up to this many lines and bytes.
const MAX_FUNCTION_LINES: usize = 120;
const MAX_FUNCTION_BYTES: usize = 8000;

type StaleFiles = Vec<(CorpusName, VaultPath)>;

impl Searcher {
    /// The best candidates as hits, and the files that changed since they were indexed.
    pub(super) fn read_hits(
        &self,
        request: &SearchRequest,
        question: &PreparedQuery,
        ranked: &[RankedPassage],
    ) -> (Vec<Hit>, StaleFiles) {
        let mut gathered = HitCollector::default();
        for candidate in ranked {
            self.add_hit(request, question, candidate, &mut gathered);
            if gathered.hits.len() == request.limit || gathered.irrelevant == MAX_IRRELEVANT {
                break;
            }
        }
        // Stable: what has something to do with the query comes first, in its order.
        gathered.hits.sort_by_key(|hit| hit.score == 0.0);
        gathered.add_bare_tags(request);
        (gathered.hits, gathered.stale)
    }

    fn add_hit(
        &self,
        request: &SearchRequest,
        question: &PreparedQuery,
        candidate: &RankedPassage,
        gathered: &mut HitCollector,
    ) {
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
        let relevance = judge_passage(question, candidate, text);
        if relevance.is_none() && !question.keeps_unrelated {
            gathered.irrelevant += 1;
            return;
        }
        gathered.irrelevant = 0;
        let (span, lines) = self
            .whole_function(passage, text)
            .unwrap_or_else(|| (display_span(text, passage.lines, &passage.span), passage.lines));
        let repeated = gathered.hits.iter().chain(&gathered.bare_tags).any(|hit| {
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
            score: if relevance.is_some() { candidate.score } else { 0.0 },
            provenance: candidate.provenance,
            relevance: relevance.unwrap_or(Relevance::Weak),
            signals: candidate.signals,
        };
        gathered.add(hit, request);
    }

    /// The function that a passage is a part of, if it can be shown whole.
    fn whole_function(&self, passage: &StoredPassage, text: &str) -> Option<(Span, (usize, usize))> {
        if passage.kind != ChunkKind::Definition {
            return None;
        }
        let (first, last) = passage.lines;
        let name = passage.context.join(".");
        let stored = self.library.symbols.structure(&passage.corpus, &passage.path).ok()??;
        let function = stored.structure.definitions.iter().find(|found| {
            matches!(found.kind, SymbolKind::Function | SymbolKind::Method)
                && found.qualified == name
                && found.lines.0 <= last
                && first <= found.lines.1
        })?;
        let lines = (first.min(function.lines.0), last.max(function.lines.1));
        if lines == passage.lines || lines.1 - lines.0 >= MAX_FUNCTION_LINES {
            return None;
        }
        let whole = LineIndex::new(text).span(lines.0, lines.1)?;
        (whole.len() <= MAX_FUNCTION_BYTES).then(|| (trim_ending(text, whole), lines))
    }
}

/// The relevance of a candidate, by its text as it is now; `None` if it has nothing to do with the query.
fn judge_passage(question: &PreparedQuery, candidate: &RankedPassage, text: &str) -> Option<Relevance> {
    let passage = &candidate.passage;
    let covered = match candidate.signals.words {
        None => 0.0,
        Some(_) if candidate.signals.all_words => question.terms.len() as f32,
        Some(_) => {
            let above = passage.context.iter().map(String::as_str);
            let texts = [text.get(passage.span.clone()).unwrap_or_default(), passage.path.as_str()];
            let covered = count_covered(texts.into_iter().chain(above), &question.terms);
            // Something was found: if not here, then in the note's title or aliases.
            if covered > 0.0 { covered } else { 1.0 }
        }
    };
    judge_relevance(&candidate.signals, covered, question.terms.len(), question.nearness)
}

#[derive(Default)]
struct HitCollector {
    hits: Vec<Hit>,
    /// Hits that say nothing but the tags of their notes: they come after all others.
    bare_tags: Vec<Hit>,
    stale: StaleFiles,
    /// How many candidates in a row had nothing to do with the query.
    irrelevant: usize,
    files: HashMap<(CorpusName, VaultPath), FileContent>,
}

impl HitCollector {
    fn add(&mut self, hit: Hit, request: &SearchRequest) {
        let is_late = !request.query.trim().is_empty() && is_bare_tags(&hit);
        if is_late { &mut self.bare_tags } else { &mut self.hits }.push(hit);
    }

    /// Puts the hits that are nothing but tags behind the others, as far as there is room.
    fn add_bare_tags(&mut self, request: &SearchRequest) {
        let lowest = self.hits.last().map_or(1.0, |last| last.score);
        for hit in std::mem::take(&mut self.bare_tags) {
            let key = (hit.place.corpus.clone(), hit.place.path.clone());
            if self.hits.len() < request.limit && self.count_in_file(&key) < request.per_file {
                self.hits.push(Hit { score: hit.score.min(lowest), ..hit });
            }
        }
    }

    fn count_in_file(&self, (corpus, path): &(CorpusName, VaultPath)) -> usize {
        self.hits.iter().filter(|hit| (&hit.place.corpus, &hit.place.path) == (corpus, path)).count()
    }
}

/// Whether a hit is frontmatter that has nothing but tags.
fn is_bare_tags(hit: &Hit) -> bool {
    let is_tags = |name: &str| ["tags", "tag"].contains(&fold(name.trim()).as_str());
    let fields = || Note::parse(&hit.text).frontmatter?.fields.ok();
    hit.kind == ChunkKind::Frontmatter
        && fields().is_some_and(|fields| fields.iter().all(|(name, _)| is_tags(name)))
}

/// Whole lines, without the last line ending. The span itself if the lines are too long.
fn display_span(text: &str, lines: (usize, usize), span: &Span) -> Span {
    match LineIndex::new(text).span(lines.0, lines.1) {
        Some(whole) if whole.len() <= MAX_TEXT_BYTES => trim_ending(text, whole),
        _ => span.clone(),
    }
}

/// The span of whole lines without the last line ending and without a byte order mark.
fn trim_ending(text: &str, whole: Span) -> Span {
    let shown = &text[whole.clone()];
    let ending = shown.len() - shown.trim_end_matches(['\n', '\r']).len();
    let mark = if whole.start == 0 && text.starts_with(wellread_text::BOM) {
        wellread_text::BOM.len_utf8()
    } else {
        0
    };
    whole.start + mark..whole.end - ending
}
