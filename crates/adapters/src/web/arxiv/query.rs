//! Turns the user's query into arXiv's syntax.

use wellread_text::query_terms;

/// arXiv's field prefixes: a query with one is sent as it is.
const FIELDS: [&str; 9] = ["ti:", "au:", "abs:", "co:", "jr:", "cat:", "rn:", "id:", "all:"];
/// The most words that are sent: more would match nothing.
const MOST_WORDS: usize = 12;

#[derive(Debug, PartialEq, Eq)]
pub enum ArxivQuery {
    /// One paper, by its id.
    Paper(String),
    Words(String),
}

impl ArxivQuery {
    pub fn parse(query: &str) -> Self {
        let query = query.trim();
        if let Some(id) = parse_paper_id(query) {
            return Self::Paper(id.to_owned());
        }
        let begins = |word: &str| FIELDS.iter().any(|field| word.trim_start_matches('(').starts_with(field));
        if query.split_whitespace().any(begins) {
            return Self::Words(query.to_owned());
        }
        let word = |written: &str| match written.contains(char::is_whitespace) {
            true => format!("all:\"{written}\""),
            false => format!("all:{written}"),
        };
        let words: Vec<String> =
            query_terms(query).iter().take(MOST_WORDS).map(|term| word(&term.written)).collect();
        // A query without words is sent as it is.
        Self::Words(if words.is_empty() { format!("all:{query}") } else { words.join(" AND ") })
    }
}

/// A paper's id, with or without `arXiv:`: `2301.00001v2`, `math/0601001`.
fn parse_paper_id(written: &str) -> Option<&str> {
    let bare = match written.split_once(':') {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("arxiv") => rest.trim(),
        Some(_) => return None,
        None => written,
    };
    let digits =
        |text: &str, fits: &[usize]| fits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let (number, version) =
        bare.rsplit_once('v').map_or((bare, None), |(number, version)| (number, Some(version)));
    if version.is_some_and(|version| !digits(version, &[1, 2])) {
        return None;
    }
    let new =
        number.split_once('.').is_some_and(|(month, count)| digits(month, &[4]) && digits(count, &[4, 5]));
    let old = number.split_once('/').is_some_and(|(archive, count)| {
        digits(count, &[7]) && archive.bytes().all(|b| b.is_ascii_alphabetic() || b"-.".contains(&b))
    });
    (new || old).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_fields_phrases_and_words_are_told_apart() {
        for (typed, id) in [
            ("2301.00001", "2301.00001"),
            (" arXiv:2301.00001v12 ", "2301.00001v12"),
            ("math/0601001v1", "math/0601001v1"),
            ("math.GT/0601001", "math.GT/0601001"),
        ] {
            assert_eq!(ArxivQuery::parse(typed), ArxivQuery::Paper(id.to_owned()), "{typed}");
        }
        for (typed, words) in [
            ("What is graph attention?", "all:graph AND all:attention"),
            ("\"heat bath\" walks", "all:\"heat bath\" AND all:walks"),
            ("au:knuth AND ti:search", "au:knuth AND ti:search"),
            ("3.14", "all:3.14"),
            ("a/b testing", "all:b AND all:testing"),
            ("???", "all:???"),
        ] {
            assert_eq!(ArxivQuery::parse(typed), ArxivQuery::Words(words.to_owned()), "{typed}");
        }
    }
}
