//! Turns the names of notes into links, in text that is about to be added to a note.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::{Note, Span};

/// Shorter names occur everywhere.
const MIN_LETTERS: usize = 3;

/// Turns the names of existing notes into `[[wikilinks]]`: whole words, same case, the leftmost and longest first.
///
/// Anything but prose stays as it is: frontmatter, code, math, comments, HTML, tags, addresses, and links of any
/// form.
pub fn link_names(text: &str, names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().copied().filter(|name| can_be_linked(name)).collect();
    let Ok(search) = AhoCorasick::new(&names) else { return text.to_owned() };
    if names.is_empty() {
        return text.to_owned();
    }
    let closed = Note::parse(text).unlinkable_spans(text);
    let is_open = |span: &Span| {
        let next = closed.partition_point(|other| other.end <= span.start);
        closed.get(next).is_none_or(|other| other.start >= span.end)
    };
    let found = search.find_overlapping_iter(text).map(|found| found.start()..found.end());
    let mut found: Vec<Span> = found.filter(|span| is_whole_word(text, span) && is_open(span)).collect();
    found.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));

    let mut out = String::with_capacity(text.len() + found.len() * 4);
    let mut done = 0;
    for span in found {
        if span.start < done {
            continue;
        }
        out.push_str(&text[done..span.start]);
        out.push_str("[[");
        out.push_str(&text[span.clone()]);
        out.push_str("]]");
        done = span.end;
    }
    out.push_str(&text[done..]);
    out
}

fn can_be_linked(name: &str) -> bool {
    name.chars().nth(MIN_LETTERS - 1).is_some()
        && name.trim() == name
        && !name.contains(['[', ']', '|', '#', '^', '\\', '`', '$', '<', '>'])
        && !name.contains("%%")
        && !name.chars().any(char::is_control)
}

impl Note {
    /// The spans in which the name of a note is not made a link: frontmatter, code, math, comments, HTML, tags,
    /// addresses, and links of any form. Sorted and disjoint.
    pub fn unlinkable_spans(&self, text: &str) -> Vec<Span> {
        let mut spans = self.opaque.clone();
        spans.extend(self.frontmatter.iter().map(|found| found.span.clone()));
        spans.extend(self.links.iter().map(|link| link.span.clone()));
        spans.extend(self.foreign_links.iter().cloned());
        spans.extend(self.tags.iter().map(|tag| tag.span.clone()));
        spans.extend(address_spans(text));
        spans.sort_by_key(|span| span.start);
        let mut merged: Vec<Span> = vec![];
        for span in spans {
            match merged.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => merged.push(span),
            }
        }
        merged
    }
}

/// Addresses in running text: everything that contains `://` or `www.`, up to the next white space.
fn address_spans(text: &str) -> Vec<Span> {
    static MARKS: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| AhoCorasick::new(["://", "www.", "mailto:"]).ok());
    let ends_one = |letter: char| letter.is_whitespace() || matches!(letter, '<' | '>' | '"');
    let mut spans: Vec<Span> = vec![];
    let mut at = 0;
    for found in MARKS.iter().flat_map(|marks| marks.find_iter(text)) {
        let middle = found.start();
        if middle >= at {
            let start = text[at..middle].rfind(ends_one).map_or(at, |blank| at + blank);
            at = text[middle..].find(ends_one).map_or(text.len(), |blank| middle + blank);
            spans.push(start..at);
        }
    }
    spans
}

pub(crate) fn is_whole_word(text: &str, span: &Span) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let joins = |letter: char| matches!(letter, '.' | '/' | '\\' | '@' | ':');
    let mut before = text[..span.start].chars().rev();
    let mut after = text[span.end..].chars();
    let (last, last_but_one) = (before.next(), before.next());
    let (next, next_but_one) = (after.next(), after.next());
    // `Node` is not a whole word in `Node.js` or in `lib/Node`.
    let joined_before = last.is_some_and(joins) && last_but_one.is_some_and(is_word);
    let joined_after = next.is_some_and(joins) && next_but_one.is_some_and(is_word);
    // In `[name]`, `[^name]` and `[!name]` the bracket already has a meaning.
    let in_bracket = last == Some('[') || (matches!(last, Some('^' | '!')) && last_but_one == Some('['));
    !last.is_some_and(is_word)
        && !next.is_some_and(is_word)
        && !joined_before
        && !joined_after
        && !in_bracket
        && !matches!(last, Some('\\' | '/' | '@'))
}

#[cfg(test)]
mod tests;
