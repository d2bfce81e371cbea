//! Searches for names that were mistyped.

use wellread_text::{QueryTerm, TermForm, is_misspelling};

use super::{PreparedQuery, Searcher};
use crate::Result;
use crate::ports::{PassageFilter, WordMatches};

/// The most names that a mistyped word stands for.
const MOST_NAMES: usize = 3;

impl Searcher {
    /// The passages that match the words of the query. A word that occurs nowhere is replaced by names that are spelled almost
    /// like it.
    pub(super) fn match_words(
        &self,
        question: &mut PreparedQuery,
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<WordMatches> {
        let passages = &self.library.passages;
        let found = passages.find_matching(&question.terms, filter, limit)?;
        let mut corrected = Vec::new();
        for &at in &found.unknown {
            let names = self.similar_names(&question.terms[at], filter)?;
            if !names.is_empty() {
                corrected.push(format!("`{}`", question.terms[at].written));
                question.terms[at] = question.terms[at].clone().with_words(names);
            }
        }
        if corrected.is_empty() {
            return Ok(found);
        }
        let notice =
            format!("searched for names spelled like {}, which occurs nowhere", corrected.join(" and "));
        question.notice = Some(match question.notice.take() {
            Some(earlier) => format!("{earlier}; {notice}"),
            None => notice,
        });
        passages.find_matching(&question.terms, filter, limit)
    }

    /// The names in the searched corpora that a word may be a misspelling of.
    fn similar_names(&self, term: &QueryTerm, filter: &PassageFilter) -> Result<Vec<String>> {
        let ([TermForm::Word(word)], Some(first)) =
            (&term.forms[..], term.forms.first().and_then(first_letter))
        else {
            return Ok(Vec::new());
        };
        let mut names = self.library.passages.list_names(first, filter)?;
        names.retain(|name| is_misspelling(word, name) || is_ending_mistyped(&term.written, name));
        names.truncate(MOST_NAMES);
        Ok(names)
    }
}

fn first_letter(form: &TermForm) -> Option<char> {
    match form {
        TermForm::Word(word) => word.chars().next(),
        TermForm::Phrase(_) | TermForm::Prefix(_) => None,
    }
}

/// Whether a name is the stem of a word whose ending is mistyped: `organisatiens`. What is left of the word may be as long as an
/// ending, which is shorter after a short stem.
fn is_ending_mistyped(written: &str, stem: &str) -> bool {
    let longest = match stem.len() {
        0..5 => 0,
        5..7 => 3,
        _ => 6,
    };
    let rest = written.to_lowercase().strip_prefix(stem).map_or(0, str::len);
    (1..=longest).contains(&rest)
}

#[cfg(test)]
mod tests {
    use super::is_ending_mistyped;

    #[test]
    fn a_mistyped_ending_leaves_the_stem() {
        for (written, stem) in
            [("securety", "secur"), ("Organisatiens", "organis"), ("conventiens", "convent")]
        {
            assert!(is_ending_mistyped(written, stem), "{written}");
        }
        for (written, stem) in
            [("queensland", "queen"), ("portable", "port"), ("hive", "honey"), ("secur", "secur")]
        {
            assert!(!is_ending_mistyped(written, stem), "{written}");
        }
    }
}
