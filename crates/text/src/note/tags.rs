//! Tags in a note's text: `#project/wellread`.

use crate::Span;

/// A tag in the text of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The name without `#`; a nested tag contains slashes.
    pub name: String,
    /// The span, `#` included.
    pub span: Span,
}

/// The tags in `within` that begin in none of the `excluded` spans, which are sorted by their starts.
pub(crate) fn tags(text: &str, within: Span, excluded: &[Span]) -> Vec<Tag> {
    let mut tags = vec![];
    let mut excluded = excluded.iter().peekable();
    let mut covered_to = 0;
    let mut at = within.start;
    while let Some(found) = text[at..within.end].find('#') {
        let start = at + found;
        at = start + 1;
        while let Some(span) = excluded.next_if(|span| span.start <= start) {
            covered_to = covered_to.max(span.end);
        }
        if start < covered_to || !may_begin_after(text[within.start..start].chars().next_back()) {
            continue;
        }
        let end = at + text[at..within.end].find(|letter| !is_tag_letter(letter)).unwrap_or(within.end - at);
        let end = excluded.peek().map_or(end, |span| end.min(span.start));
        let name = text[at..end].trim_end_matches('/');
        // Only digits make a number, as in `#1`.
        if name.chars().any(|letter| !letter.is_ascii_digit() && letter != '/') {
            tags.push(Tag { name: name.to_owned(), span: start..at + name.len() });
        }
        at = end;
    }
    tags
}

fn may_begin_after(before: Option<char>) -> bool {
    before.is_none_or(|letter| letter.is_whitespace() || matches!(letter, '(' | '[' | '{'))
}

/// Letters and digits of all scripts, emoji, and `_ - /`; no punctuation and no other ASCII symbols.
fn is_tag_letter(letter: char) -> bool {
    match letter {
        '_' | '-' | '/' | '\u{200d}' => true,
        _ if letter.is_ascii() => letter.is_ascii_alphanumeric(),
        // Punctuation: general, supplemental, East Asian, and its full-width forms.
        '\u{2000}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}' | '\u{3000}'..='\u{303f}' => false,
        '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff65}' => false,
        '\u{ab}' | '\u{bb}' | '\u{a1}' | '\u{bf}' | '\u{feff}' => false,
        _ => !letter.is_whitespace() && !letter.is_control(),
    }
}

/// The tags of a frontmatter value: a list, or a string separated by commas or spaces.
pub(crate) fn tags_of_value(value: &serde_json::Value) -> Vec<String> {
    let words: Vec<String> = match value {
        serde_json::Value::Array(items) => {
            items.iter().filter_map(crate::note::frontmatter::scalar_text).collect()
        }
        _ => crate::note::frontmatter::scalar_text(value)
            .map(|text| text.split([',', ' ', '\t', '\n']).map(str::to_owned).collect())
            .unwrap_or_default(),
    };
    let names = words.iter().map(|word| word.trim().trim_start_matches('#').trim_end_matches('/'));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
