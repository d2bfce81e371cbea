//! Phrases in quotation marks: a query that a user wrote finds only passages that contain them.

use std::collections::HashMap;

use wellread_text::query_phrases;

use super::{PreparedQuery, SearchAnswer, SearchMode, SearchRequest, Searcher, join_notices};
use crate::Result;
use crate::ports::{PassageFilter, PassageId};

/// The most passages with the phrases of a query that are ranked.
const MOST_WITH_PHRASES: usize = 2000;
const WITHOUT_PHRASE: &str = "no passage contains what is in quotation marks, in this order; without them, its words are \
                              searched for";

impl Searcher {
    /// Like [`find`](Self::find), for a query that a user wrote: each phrase in quotation marks is in every hit, or in a
    /// title or heading above it.
    pub fn find_as_written(&self, request: &SearchRequest) -> Result<SearchAnswer> {
        let phrases = query_phrases(&request.query);
        if request.limit == 0 || phrases.is_empty() {
            return self.find(request);
        }
        let question = self.prepare_query(&request.query, request.mode)?;
        let question = PreparedQuery { phrases, keeps_unrelated: true, ..question };
        let mut answer = self.find_prepared(request, question)?;
        if answer.hits.is_empty() {
            answer.notice = join_notices([answer.notice, Some(WITHOUT_PHRASE.to_owned())]);
        }
        Ok(answer)
    }

    /// The passages that contain each phrase of the query, with how well they fit by words; `None` if it has no phrases.
    pub(super) fn find_with_phrases(
        &self,
        question: &PreparedQuery,
        filter: &PassageFilter,
    ) -> Result<Option<HashMap<PassageId, Option<f32>>>> {
        if question.phrases.is_empty() {
            return Ok(None);
        }
        let found = self.library.passages.find_matching(&question.phrases, filter, MOST_WITH_PHRASES)?;
        let by_words = question.mode != SearchMode::Semantic;
        let complete = found.passages.into_iter().filter(|scored| found.complete.contains(&scored.id));
        Ok(Some(complete.map(|scored| (scored.id, by_words.then_some(scored.score))).collect()))
    }
}
