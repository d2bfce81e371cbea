//! Renders a paragraph: plain words on one line, and the place of its source.

use wellread_text::{AllowedLinks, Splice, apply_splices, find_citations, make_inert, split_sentences};

use crate::domain::evidence::Source;

/// The most sentences of an answer.
pub(super) const MOST_SENTENCES: usize = 5;

/// The location of a source; a single line is given by one number, without a range.
pub(super) fn render_place(source: &Source) -> String {
    let shown = source.location();
    let line = source.file().map(|(_, place)| (place.start_line, place.end_line));
    match line.filter(|(first, last)| first == last) {
        Some((_, last)) => shown.strip_suffix(&format!("-{last}")).map_or(shown.clone(), str::to_owned),
        None => shown,
    }
}

/// The text on one line.
pub(super) fn join_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text without citations, links and markup, on one line.
pub(super) fn plain_text(text: &str) -> String {
    // The space before a citation goes with it.
    let gone = find_citations(text).into_iter().map(|group| {
        let start = text[..group.span.start].trim_end_matches(' ').len();
        Splice { span: start..group.span.end, text: String::new() }
    });
    let gone: Vec<Splice> = gone.collect();
    let bare = apply_splices(text, &gone).unwrap_or_default();
    let no = |_: &str| false;
    let plain = make_inert(&bare, &AllowedLinks { urls: &no, notes: &no }).text;
    join_words(&plain)
}

/// The first `MOST_SENTENCES` sentences.
pub(super) fn first_sentences(text: &str) -> String {
    let all = split_sentences(text);
    let first: Vec<&str> = all.iter().take(MOST_SENTENCES).map(|sentence| sentence.text.as_str()).collect();
    first.join(" ")
}

/// Lowers the first letter so that a sentence can follow other words; only for common first words, since names keep
/// their capital.
pub(super) fn lower_first(text: &str) -> String {
    const BEGINNINGS: [&str; 16] = [
        "The ", "A ", "An ", "It ", "This ", "That ", "These ", "There ", "In ", "On ", "At ", "For ",
        "They ", "Most ", "Some ", "Its ",
    ];
    if !BEGINNINGS.iter().any(|word| text.starts_with(word)) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters.as_str().chars()).collect()
}
