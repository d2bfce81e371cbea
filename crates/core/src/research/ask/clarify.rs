//! Asks back if a question is too broad. Only the vault is searched.

use super::wording::plain_text;
use super::{AskAnswer, AskAnswerKind};
use crate::library::search::{Hit, SearchMode, SearchRequest};
use crate::ports::PassageFilter;
use crate::research::Context;

/// A request for clarification, with directions that the vault suggests.
pub(super) fn clarify(context: Context<'_>, query: &str) -> AskAnswer {
    let about = query.trim_matches(|letter: char| !letter.is_alphanumeric());
    let request = SearchRequest {
        query: about.to_owned(),
        mode: SearchMode::Keyword,
        filter: PassageFilter::default(),
        limit: 12,
        per_file: 4,
    };
    let hits = if about.is_empty() {
        Vec::new()
    } else {
        context.search.find(&request).map(|found| found.hits).unwrap_or_default()
    };
    let (mut directions, mut files): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let may_tell =
        |hit: &&Hit| hit.place.corpus.repository().is_none() && !context.vault.is_private(&hit.place.path);
    for hit in hits.iter().filter(may_tell) {
        let heading = hit.context.last().map_or_else(|| hit.place.path.stem().to_owned(), Clone::clone);
        let heading = plain_text(&heading);
        let known = directions.iter().any(|known| known.eq_ignore_ascii_case(&heading));
        if !known && !heading.eq_ignore_ascii_case(about) && !heading.is_empty() && directions.len() < 3 {
            directions.push(heading);
            files.push(hit.place.path.to_string());
        }
    }
    let answer = match directions.as_slice() {
        _ if about.is_empty() => {
            "What would you like to know? A fact, how something works, or how two things compare?".to_owned()
        }
        [] => format!(
            "What would you like to know about {about}: what it is, how it works, or how it compares with something else?"
        ),
        [one] => format!("What would you like to know about {about}: {one}, or something else?"),
        [first @ .., last] => {
            format!("What would you like to know about {about}: {} or {last}?", first.join(", "))
        }
    };
    let kind = AskAnswerKind::Clarify;
    AskAnswer { answer, source: None, kind, run_id: None, coverage: None, notice: None, files }
}
