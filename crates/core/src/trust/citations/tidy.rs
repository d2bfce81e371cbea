//! Keeps the citations of a text to its sentences, each id once among those that stand together.

use std::collections::BTreeSet;

use wellread_text::{CitationGroup, Splice, apply_splices, find_citations, split_sentences};

/// The text with the citations of its sentences alone, each id only once among those that stand together. What is no sentence is
/// judged by nobody: a heading, the head of a table, a list of places. It must not name a source.
pub fn tidy_citations(text: &str) -> String {
    dedupe_citations(&drop_stray_citations(text))
}

fn drop_stray_citations(text: &str) -> String {
    let sentences = split_sentences(text);
    let used: BTreeSet<usize> =
        sentences.iter().flat_map(|sentence| &sentence.citations).map(|cited| cited.span.start).collect();
    let stray = find_citations(text)
        .into_iter()
        .filter(|group| group.ids.iter().all(|cited| !used.contains(&cited.span.start)));
    // The space before a citation goes with it; but what stood around it must not become one.
    let cut = stray.map(|group| {
        let start = text[..group.span.start].trim_end_matches(' ').len();
        let joins =
            text[group.span.end..].starts_with(|letter: char| letter.is_alphanumeric() || letter == '-');
        Splice { span: start..group.span.end, text: if joins { " ".to_owned() } else { String::new() } }
    });
    apply_splices(text, &cut.collect::<Vec<_>>()).unwrap_or_else(|_| text.to_owned())
}

fn dedupe_citations(text: &str) -> String {
    let edit = |group: &CitationGroup| {
        let mut seen = BTreeSet::new();
        let ids: Vec<&str> = group.ids.iter().map(|citation| citation.id.as_str()).collect();
        let once: Vec<String> =
            ids.iter().filter(|id| seen.insert(**id)).map(|id| format!("[{id}]")).collect();
        (once.len() < ids.len()).then(|| Splice { span: group.span.clone(), text: once.join(" ") })
    };
    let edits: Vec<Splice> = merge_adjacent_citations(text).iter().filter_map(edit).collect();
    apply_splices(text, &edits).unwrap_or_else(|_| text.to_owned())
}

/// The citations of a text, adjacent ones merged into one group.
pub(super) fn merge_adjacent_citations(text: &str) -> Vec<CitationGroup> {
    let mut all: Vec<CitationGroup> = Vec::new();
    for group in find_citations(text) {
        let between =
            |last: &CitationGroup| text[last.span.end..group.span.start].trim_matches([',', ';', ' ']);
        match all.last_mut().filter(|last| between(last).is_empty()) {
            Some(last) => {
                last.span.end = group.span.end;
                last.ids.extend(group.ids);
            }
            None => all.push(group),
        }
    }
    for group in &mut all {
        // Parentheses around the whole group.
        let opened = text[group.span.clone()].starts_with('(') && !text[group.span.clone()].ends_with(')');
        group.span.end += usize::from(opened && text[group.span.end..].starts_with(')'));
    }
    all
}
