//! A paragraph as it is shown: words alone, on one line, with the place that carries it.

use wellread_text::{Allowed, Splice, citations, inert, sentences, splice};

use crate::evidence::Source;

/// As many as a quick answer has.
pub(super) const MOST_SENTENCES: usize = 5;

/// Where a source stands: one line by its number alone.
pub(super) fn place(source: &Source) -> String {
    let shown = source.shown();
    let line = source.file().map(|(_, place)| (place.start_line, place.end_line));
    match line.filter(|(first, last)| first == last) {
        Some((_, last)) => shown.strip_suffix(&format!("-{last}")).map_or(shown.clone(), str::to_owned),
        None => shown,
    }
}

/// The text without its citations, on one line, and words alone.
pub(super) fn shown(text: &str) -> String {
    // The blank before a citation was there for it.
    let gone = citations(text).into_iter().map(|group| {
        let start = text[..group.span.start].trim_end_matches(' ').len();
        Splice { span: start..group.span.end, text: String::new() }
    });
    let gone: Vec<Splice> = gone.collect();
    let bare = splice(text, &gone).unwrap_or_default();
    let no = |_: &str| false;
    let plain = inert(&bare, &Allowed { urls: &no, notes: &no }).text;
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// No more than an answer has.
pub(super) fn first_sentences(text: &str) -> String {
    let all = sentences(text);
    let first: Vec<&str> = all.iter().take(MOST_SENTENCES).map(|sentence| sentence.text.as_str()).collect();
    first.join(" ")
}

/// A sentence as it goes on behind others: words that begin any sentence lose their capital, names keep theirs.
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
