//! Recognizes identifiers: names in code, paths and addresses.

use crate::Span;

/// A code identifier, path or address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identifier {
    /// Code as written, case included: `parse_request`, `foo::bar`, `Vec<T>`.
    Code(String),
    /// A path such as `src/lib.rs`, with optional line numbers.
    Path {
        /// The path without line numbers.
        path: String,
        /// The first and the last line.
        lines: Option<(usize, usize)>,
    },
    /// The address of a web page.
    Address(String),
}

impl Identifier {
    /// The identifier in a code span.
    pub(super) fn from_code_span(code: &str) -> Option<Self> {
        let code = code.trim();
        if !code.contains(char::is_alphanumeric) {
            return None;
        }
        Some(address(code).or_else(|| path(code)).unwrap_or_else(|| Self::Code(code.to_owned())))
    }

    /// The identifier as text, a path with its lines.
    pub fn to_text(&self) -> String {
        match self {
            Self::Code(written) | Self::Address(written) => written.clone(),
            Self::Path { path, lines: None } => path.clone(),
            Self::Path { path, lines: Some((first, last)) } => format!("{path}:{first}-{last}"),
        }
    }
}

/// The identifiers of prose in comparable form, without punctuation around them.
pub(crate) fn identifiers(text: &str) -> Vec<(Span, Identifier)> {
    let mut found = Vec::new();
    let mut at = 0;
    for chunk in text.split(' ') {
        let start = at;
        at += chunk.len() + 1;
        let left = chunk.trim_start_matches(|letter: char| "([{<\"'*,;|".contains(letter));
        let mut word = left.trim_end_matches(|letter: char| "]}>\"'*,;:.!?|".contains(letter));
        if !word.contains('(') {
            word = word.trim_end_matches(')').trim_end_matches(|letter: char| "\"',;:.!?".contains(letter));
        }
        let word = word.strip_suffix("'s").unwrap_or(word);
        let from = start + chunk.len() - left.len();
        if let Some(identifier) = parse_identifier(word) {
            found.push((from..from + word.len(), identifier));
        }
    }
    found
}

fn parse_identifier(word: &str) -> Option<Identifier> {
    if word.len() < 3 || word.chars().all(|letter| letter.is_ascii_alphabetic() && letter.is_lowercase()) {
        return None;
    }
    let code =
        is_snake(word) || is_camel(word) || word.contains("::") || word.ends_with("()") || is_flag(word);
    address(word).or_else(|| path(word)).or_else(|| code.then(|| Identifier::Code(word.to_owned())))
}

fn is_snake(word: &str) -> bool {
    let between = |at: usize| {
        let side =
            |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        side(word[..at].chars().next_back()) && side(word[at + 1..].chars().next())
    };
    word.match_indices('_').any(|(at, _)| between(at)) && word.contains(char::is_alphabetic)
}

/// Whether the word is in camel case with a lower-case first letter; `HashMap` and `GitHub` are names.
fn is_camel(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_lowercase())
        && word
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '.' || letter == '(' || letter == ')')
        && word.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase())
}

fn is_flag(word: &str) -> bool {
    word.strip_prefix("--").is_some_and(|name| name.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

fn address(word: &str) -> Option<Identifier> {
    let known = ["http://", "https://", "www."].iter().any(|start| word.starts_with(start));
    (known && !word.contains(' ')).then(|| Identifier::Address(word.to_owned()))
}

/// A path: `src/lib.rs`, `Bees.md:3-7`, `/etc/hosts`; not `and/or`.
fn path(word: &str) -> Option<Identifier> {
    let (path, lines) = match word.rsplit_once(':') {
        Some((path, lines)) if !path.ends_with(':') => (path, Some(line_range(lines)?)),
        _ => (word, None),
    };
    let fits = |letter: char| letter.is_alphanumeric() || "/._-+@~ ".contains(letter);
    if !path.chars().all(fits) || path.contains(' ') && lines.is_none() {
        return None;
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let ending = file.rsplit_once('.').is_some_and(|(name, ending)| {
        (name.chars().count() > 1 || path.contains('/'))
            && name.contains(char::is_alphabetic)
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && ending.starts_with(|letter: char| letter.is_ascii_lowercase())
    });
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| path.starts_with(start)) && path.len() > 3;
    let is_path = ending || rooted || path.matches('/').count() > 1 && path.contains(char::is_alphabetic);
    is_path.then(|| Identifier::Path { path: path.to_owned(), lines })
}

/// `3`, `3-7`, `L3-L7`
fn line_range(written: &str) -> Option<(usize, usize)> {
    let number = |part: &str| part.strip_prefix('L').unwrap_or(part).parse().ok();
    match written.split_once('-') {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None => number(written).map(|line| (line, line)),
    }
}
