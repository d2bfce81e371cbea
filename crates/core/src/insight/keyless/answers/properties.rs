//! The fields of a note's frontmatter as sentences: "members: 214".

use std::collections::BTreeSet;

use wellread_text::{Sentence, SentenceBlock, SentenceKind, SentencePart};

use super::unit::stems;

/// Fields that say how a note is filed or shown, and nothing of what it is about.
const FILING: [&str; 14] = [
    "tags",
    "tag",
    "aliases",
    "alias",
    "cssclass",
    "cssclasses",
    "publish",
    "permalink",
    "layout",
    "template",
    "draft",
    "id",
    "uid",
    "title",
];
/// A longer value is no property but a text.
const LONGEST: usize = 200;

/// Each field with its value, in order. A list below a field is part of it.
pub(super) fn read_properties(frontmatter: &str) -> Vec<Sentence> {
    let mut found: Vec<Sentence> = Vec::new();
    let mut start = 0;
    // Whether the items that follow belong to the last field that was found.
    let mut takes_items = false;
    for (number, line) in frontmatter.split_inclusive('\n').enumerate() {
        let at = start;
        start += line.len();
        let words = line.trim();
        if ["---", "..."].contains(&words) {
            if number == 0 {
                continue;
            }
            break;
        }
        let from = at + (line.len() - line.trim_start().len());
        if let Some(item) = words.strip_prefix("- ").map(clean).filter(|item| !item.is_empty()) {
            if let Some(list) = found.last_mut().filter(|_| takes_items) {
                extend(list, &item, from + words.len());
            }
            continue;
        }
        let Some((name, value)) = words.split_once(':').filter(|(name, _)| is_field(name)) else {
            takes_items = false;
            continue;
        };
        takes_items = value.trim().is_empty();
        found.push(sentence(from..from + words.len(), format!("{name}: {}", clean(value)).trim().to_owned()));
    }
    // A field without a value of its own holds others, which stand by themselves. An address says nothing.
    let says = |field: &Sentence| {
        !field.text.ends_with(':') && !field.text.contains("://") && field.text.len() <= LONGEST
    };
    found.retain(says);
    found
}

/// The words in the names of a note's fields.
pub(in crate::insight::keyless) fn read_field_stems(note: &str) -> BTreeSet<String> {
    if !note.starts_with("---") {
        return BTreeSet::new();
    }
    let names = read_properties(note).into_iter();
    let names = names.filter_map(|field| Some(field.text.split_once(':')?.0.replace(['_', '-'], " ")));
    names.flat_map(|name| stems(&name)).collect()
}

fn is_field(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('#') && !FILING.contains(&name.to_lowercase().as_str())
}

/// A value without quotation marks and brackets of lists.
fn clean(value: &str) -> String {
    let value = value.trim().trim_matches(['[', ']']).trim();
    let items = value.split(", ").map(|item| item.trim_matches(['"', '\'', '[', ']']));
    items.collect::<Vec<_>>().join(", ")
}

fn sentence(span: std::ops::Range<usize>, text: String) -> Sentence {
    Sentence {
        block: SentenceBlock { span: span.clone(), lines: None, prefix: String::new() },
        span,
        kind: SentenceKind::Prose,
        parts: vec![SentencePart::Prose(text.clone())],
        text,
        citations: Vec::new(),
    }
}

/// Adds an item of a list to the field above it.
fn extend(field: &mut Sentence, item: &str, end: usize) {
    let gap = if field.text.ends_with(':') { " " } else { ", " };
    field.text.push_str(gap);
    field.text.push_str(item);
    field.parts = vec![SentencePart::Prose(field.text.clone())];
    field.span.end = end;
    field.block.span.end = end;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_with_a_value_is_a_sentence_at_its_place() {
        let text = "---\ntags: [club]\nmembers: 214\ncrew:\n  - Ida\n  - \"[[Olav Moe]]\"\nboat:\n  length: 9.4 m\nempty:\n---\n";
        let found = read_properties(text);
        let shown: Vec<(&str, &str)> =
            found.iter().map(|field| (field.text.as_str(), &text[field.span.clone()])).collect();
        assert_eq!(
            shown,
            [
                ("members: 214", "members: 214"),
                ("crew: Ida, Olav Moe", "crew:\n  - Ida\n  - \"[[Olav Moe]]\""),
                ("length: 9.4 m", "length: 9.4 m"),
            ]
        );
        assert_eq!(read_properties("no fields at all"), []);
    }
}
