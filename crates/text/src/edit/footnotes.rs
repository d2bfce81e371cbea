//! Footnotes of a text that is added to a note, renamed where the note has some of the same name.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Note, Span, Splice, apply_splices, fold};

/// Renames the footnotes of a text whose labels the other texts have too: they would show each other's contents.
/// References and definitions get the same new label; everything else stays as it is.
pub fn rename_footnotes(text: &str, others: &[&str]) -> String {
    let taken: BTreeSet<String> = others.iter().flat_map(|other| footnote_labels(other)).collect();
    let mut known: BTreeSet<String> = taken.union(&footnote_labels(text)).cloned().collect();
    let mut renamed: BTreeMap<String, String> = BTreeMap::new();
    let opaque = Note::parse(text).opaque;
    let mut edits = Vec::new();
    for span in find_labels(text) {
        let label = fold(&text[span.clone()]);
        if !taken.contains(&label) || opaque.iter().any(|code| code.contains(&span.start)) {
            continue;
        }
        let new = renamed.entry(label.clone()).or_insert_with(|| {
            let free = (1..).map(|n| format!("{label}-r{n}")).find(|name| !known.contains(name));
            let free = free.unwrap_or_default();
            known.insert(free.clone());
            free
        });
        edits.push(Splice { span, text: new.clone() });
    }
    apply_splices(text, &edits).unwrap_or_else(|_| text.to_owned())
}

/// The labels of all footnotes of a text in lower case, also of those that are not defined in it.
pub fn footnote_labels(text: &str) -> BTreeSet<String> {
    find_labels(text).into_iter().map(|span| fold(&text[span])).collect()
}

/// The labels in `[^label]`, in code and elsewhere.
fn find_labels(text: &str) -> Vec<Span> {
    let mut labels = Vec::new();
    for (at, _) in text.match_indices("[^") {
        let start = at + 2;
        let end =
            text[start..].find(|letter: char| letter.is_whitespace() || matches!(letter, '[' | ']' | '^'));
        let Some(end) = end.map(|end| start + end).filter(|&end| end > start) else { continue };
        if text[end..].starts_with(']') {
            labels.push(start..end);
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_labels_that_the_note_has_too_are_renamed() {
        let note = "Mine[^1] and [^Bee].\n\n[^1]: Mine.\n[^bee]: Too.\n";
        for (text, expected) in [
            ("New[^1].\n\n[^1]: New.", "New[^1-r1].\n\n[^1-r1]: New."),
            ("[^BEE] [^bee] [^2]", "[^bee-r1] [^bee-r1] [^2]"),
            ("[^1] [^1-r1]", "[^1-r2] [^1-r1]"),
            ("`[^1]` and [^1]", "`[^1]` and [^1-r1]"),
            ("[^ 1] [^] [^1 [^a b]", "[^ 1] [^] [^1 [^a b]"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(rename_footnotes(text, &[note]), expected, "{text}");
        }
        assert_eq!(rename_footnotes("[^1]", &[]), "[^1]");
    }
}
