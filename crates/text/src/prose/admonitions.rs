//! Admonitions of documentation generators, which Markdown parsers take for code.

use std::borrow::Cow;

/// The directives of MyST whose content is prose.
const DIRECTIVES: [&str; 14] = [
    "note",
    "warning",
    "tip",
    "important",
    "caution",
    "danger",
    "hint",
    "attention",
    "admonition",
    "seealso",
    "versionadded",
    "versionchanged",
    "deprecated",
    "error",
];

/// The text with the content of its admonitions as ordinary prose: `!!! note` with an indented block below (MkDocs),
/// and fenced `{note}` directives (MyST). Every byte keeps its place, so spans of the result are spans of the text.
pub fn unwrap_admonitions(text: &str) -> Cow<'_, str> {
    if !["!!! ", "??? ", "???+ ", "```{", ":::{", "~~~{"].iter().any(|mark| text.contains(mark)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut state = State::Text;
    for line in text.split_inclusive('\n') {
        let inner = line.trim_start_matches(' ');
        let indent = line.len() - inner.len();
        state = match state {
            State::Marked(outer) if inner.trim().is_empty() => {
                out.push_str(line);
                State::Marked(outer)
            }
            // The block becomes a list item, whose content is indented as far as the block is.
            State::Marked(outer) if indent >= outer + 4 => {
                out.push_str(&line[..outer]);
                out.push_str("-   ");
                out.push_str(&line[outer + 4..]);
                State::Text
            }
            State::Fenced(fence) if inner.starts_with(fence) && inner.trim().chars().all(is_fence) => {
                push_blank(&mut out, line);
                State::Text
            }
            // The options of a directive.
            State::Fenced(fence) if inner.starts_with(':') => {
                push_blank(&mut out, line);
                State::Fenced(fence)
            }
            State::Fenced(fence) => {
                out.push_str(line);
                State::Fenced(fence)
            }
            State::Text | State::Marked(_) => match opening(inner, indent) {
                Some(opened) => {
                    push_blank(&mut out, line);
                    opened
                }
                None => {
                    out.push_str(line);
                    State::Text
                }
            },
        };
    }
    Cow::Owned(out)
}

enum State<'a> {
    Text,
    /// Below `!!! note`, which is indented this far.
    Marked(usize),
    /// In a fenced directive with this fence.
    Fenced(&'a str),
}

fn opening(line: &str, indent: usize) -> Option<State<'_>> {
    if ["!!! ", "??? ", "???+ "].iter().any(|mark| line.starts_with(mark)) {
        return Some(State::Marked(indent));
    }
    let fence = line.len() - line.trim_start_matches(is_fence).len();
    let name = line[fence..].strip_prefix('{')?;
    let name = name.split('}').next()?.trim();
    (fence >= 3 && DIRECTIVES.contains(&name)).then(|| State::Fenced(&line[..fence]))
}

fn is_fence(letter: char) -> bool {
    "`~:".contains(letter)
}

fn push_blank(out: &mut String, line: &str) {
    out.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_sentences;

    #[test]
    fn the_content_of_an_admonition_is_prose_at_its_own_place() {
        for text in [
            "Before.\n\n!!! warning \"Take care\"\n\n    Only from trusted templates. Never else.\n\nAfter.\n",
            "Before.\n\n```{warning}\nOnly from trusted templates. Never else.\n```\n\nAfter.\n",
            "Before.\n\n:::{note}\n:class: wide\nOnly from trusted templates. Never else.\n:::\n\nAfter.\n",
        ] {
            let unwrapped = unwrap_admonitions(text);
            assert_eq!(unwrapped.len(), text.len());
            let said: Vec<&str> =
                split_sentences(&unwrapped).into_iter().map(|sentence| &text[sentence.span]).collect();
            assert_eq!(said, ["Before.", "Only from trusted templates.", "Never else.", "After."], "{text}");
        }
    }

    #[test]
    fn code_stays_code() {
        for text in
            ["```python\nx = 1\n```\n", "    indented\n", "```{code-block} sh\nls\n```\n", "Wow!!! yes\n"]
        {
            assert_eq!(unwrap_admonitions(text), text);
        }
    }
}
