//! Several queries at once, with one list of results.

use super::{Hit, Relevance, SearchMode, SearchRequest, Searcher};
use crate::{Error, Result};

/// The most queries of one search.
pub const MAX_QUERIES: usize = 8;
/// The larger, the less the first ranks stand out.
const RANK_OFFSET: f32 = 60.0;

/// A hit and the queries that found it.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedHit {
    /// The hit. Its score is a share of the best ranks for all queries.
    pub hit: Hit,
    /// The positions of the queries that found it, in order.
    pub queries: Vec<usize>,
}

/// The result of several queries.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedAnswer {
    /// The hits of all queries, each once: what several queries found, and found early, comes first.
    pub hits: Vec<SharedHit>,
    /// The mode that was used in the end.
    pub mode: SearchMode,
    /// A notice for the user.
    pub notice: Option<String>,
}

impl Searcher {
    /// Searches for each of these, and fuses the results by their ranks. Limits are those of the first request.
    pub fn find_several(&self, requests: &[SearchRequest]) -> Result<SharedAnswer> {
        let Some(first) = requests.first() else { return Err(Error::invalid("the query is empty")) };
        if requests.len() > MAX_QUERIES {
            return Err(Error::invalid(format!("at most {MAX_QUERIES} queries at once")));
        }
        let mut hits: Vec<SharedHit> = Vec::new();
        let mut notices: Vec<String> = Vec::new();
        let mut mode = None;
        for (query, request) in requests.iter().enumerate() {
            let answer = self.find_as_written(request)?;
            if !request.query.is_empty() {
                mode = mode.or(Some(answer.mode));
            }
            notices.extend(answer.notice.filter(|notice| !notices.contains(notice)));
            for (rank, hit) in answer.hits.into_iter().enumerate() {
                let score = (RANK_OFFSET + 1.0) / (RANK_OFFSET + 1.0 + rank as f32) / requests.len() as f32;
                add_hit(&mut hits, hit, query, score);
            }
        }
        hits.sort_by(|one, other| other.hit.score.total_cmp(&one.hit.score));
        let mut kept: Vec<SharedHit> = Vec::new();
        for found in hits {
            let file = (&found.hit.place.corpus, &found.hit.place.path);
            let of_file =
                kept.iter().filter(|other| (&other.hit.place.corpus, &other.hit.place.path) == file);
            if of_file.count() < first.per_file && kept.len() < first.limit {
                kept.push(found);
            }
        }
        let notice = (!notices.is_empty()).then(|| notices.join(". "));
        Ok(SharedAnswer { hits: kept, mode: mode.unwrap_or(first.mode), notice })
    }
}

/// Adds a hit, or another query to one that has text in common with it.
fn add_hit(hits: &mut Vec<SharedHit>, hit: Hit, query: usize, score: f32) {
    let place = &hit.place;
    let same = hits.iter_mut().find(|known| {
        let other = &known.hit.place;
        (&other.corpus, &other.path) == (&place.corpus, &place.path)
            && other.span.start < place.span.end
            && place.span.start < other.span.end
    });
    match same {
        Some(known) if known.queries.contains(&query) => {}
        Some(known) => {
            known.queries.push(query);
            known.hit.score += score;
            if hit.relevance == Relevance::Strong {
                known.hit.relevance = Relevance::Strong;
            }
        }
        None => hits.push(SharedHit { hit: Hit { score, ..hit }, queries: vec![query] }),
    }
}
