//! A query as a user writes it: words, and signs that narrow the search.
//!
//! | written | what it does |
//! | --- | --- |
//! | `"a phrase"` | only passages with these words in this order |
//! | `#tag` `tag:tag` | only files with the tag, or one nested below it |
//! | `path:folder` | only files in such a folder |
//! | `-word` `-"a phrase"` | no file that contains it |
//! | `-#tag` `-tag:tag` `-path:folder` | no file with the tag, or in the folder |
//!
//! Everything else is text: a sign inside a word (`well-read`, `c#`), `--flag`, a number (`-1`, `#1`), one letter (`-v`), and
//! whatever is in quotation marks. So is every sign after the first [`MOST_SIGNS`].

use wellread_text::{Note, QueryTerm, query_terms};

use crate::ports::{Exclusions, PassageFilter, PathPattern};

/// The most signs that narrow a search: each is a condition on every file.
pub const MOST_SIGNS: usize = 64;

/// A query that a user wrote, parsed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserQuery {
    /// What to search for, without the signs that narrow the search.
    pub text: String,
    /// Only files with each of these tags.
    pub tags: Vec<String>,
    /// Only files whose path has each of these patterns.
    pub paths: Vec<PathPattern>,
    /// The files to leave out.
    pub excluded: Exclusions,
}

impl UserQuery {
    /// Parses a query. There is no wrong one: what is not a sign is text.
    pub fn parse(written: &str) -> Self {
        let mut query = Self::default();
        let mut rest = written.trim_start();
        let mut signs = 0;
        while !rest.is_empty() {
            let (token, behind) = rest.split_at(token_length(rest));
            if signs < MOST_SIGNS && query.add_sign(token) {
                signs += 1;
            } else {
                if !query.text.is_empty() {
                    query.text.push(' ');
                }
                query.text.push_str(token);
            }
            rest = behind.trim_start();
        }
        query
    }

    /// Adds what the query says about files to a filter.
    #[must_use]
    pub fn narrow(&self, mut filter: PassageFilter) -> PassageFilter {
        filter.tags.extend(self.tags.iter().cloned());
        filter.paths.extend(self.paths.iter().cloned());
        filter.excluded.terms.extend(self.excluded.terms.iter().cloned());
        filter.excluded.tags.extend(self.excluded.tags.iter().cloned());
        filter.excluded.paths.extend(self.excluded.paths.iter().cloned());
        filter
    }

    /// Whether anything narrows the search.
    pub fn has_signs(&self) -> bool {
        !(self.tags.is_empty() && self.paths.is_empty() && self.excluded.is_empty())
    }

    /// Adds a token that narrows the search; false if it is text.
    fn add_sign(&mut self, token: &str) -> bool {
        let (is_excluded, sign) = match token.strip_prefix('-') {
            Some(sign) => (true, sign),
            None => (false, token),
        };
        let is_empty_label =
            |label| strip_label(sign, label).is_some_and(|named| named.trim_matches('/').is_empty());
        if is_empty_label("path:") || is_empty_label("tag:") {
            return false;
        }
        if let Some(tag) = parse_tag(sign) {
            let tags = if is_excluded { &mut self.excluded.tags } else { &mut self.tags };
            tags.push(tag);
        } else if let Some(path) = strip_label(sign, "path:").and_then(PathPattern::parse) {
            let paths = if is_excluded { &mut self.excluded.paths } else { &mut self.paths };
            paths.push(path);
        } else if let Some(term) = parse_term(sign).filter(|_| is_excluded) {
            self.excluded.terms.push(term);
        } else {
            return false;
        }
        true
    }
}

/// The length of the first token: up to a space that is not between quotation marks.
fn token_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        if letter.is_whitespace() {
            break;
        }
        at += letter.len_utf8();
        if letter == '"' {
            // A quotation mark that is not closed is an ordinary letter.
            at += text[at..].find('"').map_or(0, |closing| closing + 1);
        }
    }
    at
}

/// What is behind a label, without quotation marks.
fn strip_label<'a>(sign: &'a str, label: &str) -> Option<&'a str> {
    let named = sign.get(..label.len())?.eq_ignore_ascii_case(label);
    named.then(|| sign[label.len()..].trim_matches('"'))
}

/// A tag as it is written in a note, or behind `tag:`.
fn parse_tag(sign: &str) -> Option<String> {
    if let Some(named) = strip_label(sign, "tag:") {
        return PassageFilter::normalize_tag(named);
    }
    let written = sign.trim_end_matches('/');
    let tags = Note::parse(written).tags;
    let whole = tags.first().is_some_and(|tag| written.starts_with('#') && tag.span == (0..written.len()));
    whole.then(|| PassageFilter::normalize_tag(written)).flatten()
}

/// A word or a phrase in quotation marks, as a single term; `None` for a number, a sign or a single ASCII letter.
fn parse_term(sign: &str) -> Option<QueryTerm> {
    let is_quoted = sign.len() > 2 && sign.starts_with('"') && sign.ends_with('"');
    let is_word = sign.starts_with(char::is_alphabetic) && !(sign.is_ascii() && sign.len() == 1);
    if !is_quoted && !is_word {
        return None;
    }
    let mut terms = query_terms(sign);
    if terms.len() != 1 {
        terms = query_terms(&format!("\"{}\"", sign.replace('"', " ")));
    }
    terms.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(written: &str) -> String {
        let query = UserQuery::parse(written);
        assert!(!query.has_signs(), "{written}: {query:?}");
        query.text
    }

    #[test]
    fn signs_narrow_the_search_and_are_not_searched_for() {
        let query = UserQuery::parse(
            r#"honey -bees "oak hive" #Project tag:log path:Mead path:"My Notes" -"wax moth" -#old/ -path:/Archive -tag:x"#,
        );
        assert_eq!(query.text, r#"honey "oak hive""#);
        assert_eq!(query.tags, ["project", "log"]);
        assert_eq!(query.paths.iter().map(PathPattern::parts).collect::<Vec<_>>(), ["/mead", "/my notes"]);
        assert_eq!(query.excluded.tags, ["old", "x"]);
        assert_eq!(query.excluded.paths.iter().map(PathPattern::parts).collect::<Vec<_>>(), ["/archive"]);
        let terms: Vec<&str> = query.excluded.terms.iter().map(|term| term.written.as_str()).collect();
        assert_eq!(terms, ["bees", "wax moth"]);
    }

    #[test]
    fn a_sign_in_a_word_a_flag_a_number_and_a_quotation_are_text() {
        for written in [
            "c#",
            "well-read",
            "--flag",
            "-1",
            "- x",
            "-v",
            "#1",
            "#[derive(Debug)]",
            "#",
            "##",
            "\"-bees\"",
            "\"#tag\"",
            "a -> b",
            "path:",
            "tag:",
            "-path:",
            "-path:/",
            "-tag:",
            "-",
            "x:-y",
            "\"open",
            "-5.2 degrees",
            "http://x.y/#frag",
        ] {
            assert_eq!(text(written), written);
        }
        assert_eq!(text("  two   words "), "two words");
    }

    #[test]
    fn signs_beyond_the_most_are_text() {
        let written: Vec<String> = (0..MOST_SIGNS + 2).map(|at| format!("#a{at}")).collect();
        let query = UserQuery::parse(&written.join(" "));
        assert_eq!((query.tags.len(), query.text.as_str()), (MOST_SIGNS, "#a64 #a65"));
    }

    #[test]
    fn a_single_letter_of_a_script_without_spaces_can_be_left_out() {
        assert_eq!(UserQuery::parse("-猫").excluded.terms.len(), 1);
    }
}
