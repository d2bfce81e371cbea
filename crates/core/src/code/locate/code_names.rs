//! Finds words of a text that are spelled like names in code.

use std::collections::BTreeMap;

use super::issue_template::blank_options;
use crate::code::codebase::dotted_name;

/// A name that the text mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeName {
    /// The name, with dots between its parts.
    pub name: String,
    /// Whether it is in backticks, qualified or called, and not only spelled like a name.
    pub is_marked: bool,
    /// Whether it is one plain word, such as `open`, which may mean anything.
    pub is_plain: bool,
}

const LONGEST: usize = 200;
/// The most names that are taken from one text.
const MOST: usize = 200;

/// The names of a text, in the order in which they first occur.
pub fn find_code_names<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<CodeName> {
    let mut found: BTreeMap<String, (usize, bool, bool)> = BTreeMap::new();
    for line in lines.map(blank_options) {
        // Every second part is between backticks.
        for (part, text) in line.split('`').enumerate() {
            for word in text.split(|letter: char| !is_name_character(letter)) {
                let Some(spelled) = parse_code_name(word, part % 2 == 1) else { continue };
                let next = found.len();
                let known = found.entry(spelled.name).or_insert((next, false, true));
                known.1 |= spelled.is_marked;
                known.2 &= spelled.is_plain;
                if found.len() >= MOST {
                    return sort_by_occurrence(found);
                }
            }
        }
    }
    sort_by_occurrence(found)
}

fn sort_by_occurrence(found: BTreeMap<String, (usize, bool, bool)>) -> Vec<CodeName> {
    let mut names: Vec<(usize, CodeName)> = found
        .into_iter()
        .map(|(name, (at, is_marked, is_plain))| (at, CodeName { name, is_marked, is_plain }))
        .collect();
    names.sort_by_key(|(at, _)| *at);
    names.into_iter().map(|(_, name)| name).collect()
}

fn is_name_character(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | ':' | '.' | '#' | '(' | ')' | '!' | '$')
}

fn parse_code_name(word: &str, in_backticks: bool) -> Option<CodeName> {
    if word.len() > LONGEST {
        return None;
    }
    let is_called = word.contains("()");
    let word = word.split('(').next().unwrap_or(word).trim_end_matches('!');
    let name = dotted_name(word).replace('$', ".");
    let parts: Vec<&str> = name.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let last = parts.last()?;
    let begins = |part: &&str| {
        let part = part.strip_prefix('#').unwrap_or(part);
        part.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
    };
    if !parts.iter().all(begins) || last.chars().count() < 2 {
        return None;
    }
    // `e.g.` and a missing space between two sentences are not names; nor is a file name with its extension.
    let is_qualified = parts.len() > 1 && !word.ends_with('.') && parts.iter().all(|part| part.len() > 1);
    let looks_so = is_qualified || is_compound_word(last);
    (in_backticks || is_called || looks_so).then(|| CodeName {
        name: if is_qualified { parts.join(".") } else { (*last).to_owned() },
        is_marked: in_backticks || is_called || is_qualified,
        is_plain: !is_called && !looks_so,
    })
}

/// Whether a word is compound: `parse_line`, `parseLine`, `ParseError`.
fn is_compound_word(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let has_hump =
        inner.chars().zip(inner.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    has_hump || (inner.contains('_') && inner.chars().any(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        let text = "Calling `open` or Store::open() fails. See parse_header and HttpClient (not the end.Of a sentence), \
                    e.g. Store#close, Store.#lid, #12, SWARM_DROP_KG, v1.2.3, 42, I/O; a.b is short. Use println!.";
        let found: Vec<(String, bool)> = find_code_names(text.lines())
            .into_iter()
            .map(|spelled| (spelled.name, spelled.is_marked))
            .collect();
        let found: Vec<(&str, bool)> = found.iter().map(|(name, marked)| (name.as_str(), *marked)).collect();
        assert_eq!(
            found,
            [
                ("open", true),
                ("Store.open", true),
                ("parse_header", false),
                ("HttpClient", false),
                ("end.Of", true),
                ("Store.close", true),
                ("Store.#lid", true),
                ("SWARM_DROP_KG", false),
            ]
        );
    }

    #[test]
    fn a_text_of_names_alone_is_bounded() {
        let text: String = (0..10_000).map(|at| format!("name_{at} ")).collect();
        assert_eq!(find_code_names(text.lines()).len(), MOST);
    }
}
