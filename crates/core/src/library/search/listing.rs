//! All files that a filter chooses, without a query.

use super::fusion::RankedPassage;
use super::{
    PassageSignals, PreparedQuery, Provenance, SearchAnswer, SearchMode, SearchRequest, Searcher,
    join_notices,
};
use crate::{Error, Result};

/// So many more files are asked for, in case some can't be shown.
const SPARE: usize = 20;

impl Searcher {
    /// The files that the filter chooses, the most recently modified first, each by its first passage.
    pub(super) fn list_chosen_files(&self, request: &SearchRequest) -> Result<SearchAnswer> {
        if !request.filter.chooses_files() {
            return Err(if request.filter.excluded.is_empty() {
                Error::invalid("the query is empty")
            } else {
                Error::invalid("the query only says what to leave out")
                    .hint("add words to search for, a tag (`#bees`) or a folder (`path:Bees`)")
            });
        }
        let request = self.limit_to_readable(request);
        // One more than is shown, to know whether there are more.
        let wanted = SearchRequest { limit: request.limit + 1, per_file: 1, ..request.clone() };
        let question = PreparedQuery::without_words();
        let incomplete = self.incomplete_notice(None)?;
        for last in [false, true] {
            let ids = self.library.passages.list_files(&request.filter, wanted.limit + SPARE)?;
            let stored = self.library.passages.load_passages(&ids)?;
            let listed: Vec<RankedPassage> = stored
                .into_iter()
                .map(|passage| RankedPassage {
                    passage,
                    score: 1.0,
                    provenance: Provenance::Manual,
                    signals: PassageSignals { named: true, ..PassageSignals::default() },
                })
                .collect();
            let (mut hits, stale) = self.read_hits(&wanted, &question, &listed);
            if stale.is_empty() || last {
                let more = hits.len() > request.limit;
                hits.truncate(request.limit);
                let shown = hits.len();
                let more = more.then(|| format!("there are more files than these {shown}, the newest"));
                let notice = join_notices([more, incomplete]);
                return Ok(SearchAnswer { hits, mode: SearchMode::Keyword, notice });
            }
            for (corpus, path) in stale {
                self.library.update_files(&corpus, &[path])?;
            }
        }
        Err(Error::failed("the search did not finish"))
    }
}
