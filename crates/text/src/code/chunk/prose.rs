//! A text file of prose in chunks: by its headings, as reStructuredText and AsciiDoc write them, and by paragraph.

use crate::span::bom_len;
use crate::{LineIndex, Span};

use super::{Chunk, ChunkKind, line_range, pack, paragraphs};

/// A heading: where it begins, its level from 0, and its text.
struct ProseHeading {
    start: usize,
    level: usize,
    text: String,
}

/// The chunks of a text that is neither a note nor code, in order. Its headings are underlined, or have equals signs before
/// them.
pub fn chunk_prose(text: &str) -> Vec<Chunk> {
    chunk_by_headings(text, &find_headings(text))
}

/// The chunks of a text in the format of Org mode, in order.
pub fn chunk_org(text: &str) -> Vec<Chunk> {
    chunk_by_headings(text, &find_org_headings(text))
}

fn chunk_by_headings(text: &str, headings: &[ProseHeading]) -> Vec<Chunk> {
    let lines = LineIndex::new(text);
    let ends = headings.iter().map(|heading| heading.start).chain([text.len()]);
    let mut path: Vec<&ProseHeading> = Vec::new();
    let mut chunks = Vec::new();
    let mut start = bom_len(text);
    for (heading, end) in std::iter::once(None).chain(headings.iter().map(Some)).zip(ends) {
        if let Some(heading) = heading {
            path.retain(|above| above.level < heading.level);
            path.push(heading);
        }
        if end > start {
            let context: Vec<String> = path.iter().map(|heading| heading.text.clone()).collect();
            for span in pack(text, paragraphs(text, start..end)) {
                let lines = line_range(&lines, &span);
                chunks.push(Chunk { span, lines, kind: ChunkKind::Text, context: context.clone() });
            }
            start = end;
        }
    }
    chunks
}

fn find_headings(text: &str) -> Vec<ProseHeading> {
    let mut headings = Vec::new();
    // Underlines have no fixed levels: the first kind that is used is the highest.
    let mut underlines: Vec<char> = Vec::new();
    let mut before: Option<(Span, &str)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.len();
        at = span.end;
        let written = line.trim_end();
        if let Some((level, title)) = marked_heading(written) {
            headings.push(ProseHeading { start: span.start, level, text: title.to_owned() });
        } else if let (Some(mark), Some((above, title))) = (underline(written), &before)
            && is_title(title)
            && written.chars().count() >= title.trim().chars().count()
        {
            let level = underlines.iter().position(|known| *known == mark).unwrap_or_else(|| {
                underlines.push(mark);
                underlines.len() - 1
            });
            headings.push(ProseHeading { start: above.start, level, text: title.trim().to_owned() });
        }
        before = (!written.is_empty()).then_some((span, written));
    }
    headings
}

/// Headings below this level count as ones of it: each passage names all headings above it.
const DEEPEST: usize = 6;

/// Headings of Org mode: `** Title :tag:`, outside of blocks.
fn find_org_headings(text: &str) -> Vec<ProseHeading> {
    let mut headings = Vec::new();
    let mut at = 0;
    let mut in_block = false;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mark = line.trim_start().get(..7).unwrap_or_default();
        let is_end = mark.get(..6).is_some_and(|mark| mark.eq_ignore_ascii_case("#+end_"));
        in_block = (in_block || mark.eq_ignore_ascii_case("#+begin")) && !is_end;
        let title = line.trim_start_matches('*');
        let level = line.len() - title.len();
        let words = title.strip_prefix(' ').map(str::trim).unwrap_or_default();
        if !in_block && level > 0 && words.contains(char::is_alphanumeric) {
            let level = level.min(DEEPEST);
            headings.push(ProseHeading { start, level, text: strip_org_tags(words).to_owned() });
        }
    }
    headings
}

/// The title without the tags behind it.
fn strip_org_tags(title: &str) -> &str {
    match title.rsplit_once(' ') {
        Some((before, tags)) if tags.len() > 2 && tags.starts_with(':') && tags.ends_with(':') => {
            before.trim_end()
        }
        _ => title,
    }
}

/// The level and the text of an AsciiDoc heading: `== Title`.
fn marked_heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('=');
    let level = line.len() - title.len();
    let title = title.strip_prefix(' ')?.trim();
    // A border of a table has no words.
    ((1..=6).contains(&level) && title.contains(char::is_alphanumeric)).then_some((level, title))
}

/// The character that a line of at least three repeats.
fn underline(line: &str) -> Option<char> {
    let first = line.chars().next().filter(|first| "=-~^\"'`+*#.:_".contains(*first))?;
    (line.len() >= 3 && line.chars().all(|letter| letter == first)).then_some(first)
}

fn is_title(line: &str) -> bool {
    !line.starts_with(char::is_whitespace) && line.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(text: &str) -> Vec<(String, String)> {
        let shown = |chunk: Chunk| {
            assert_eq!(chunk.kind, ChunkKind::Text);
            (chunk.context.join(" > "), text[chunk.span].lines().last().unwrap_or_default().to_owned())
        };
        chunk_prose(text).into_iter().map(shown).collect()
    }

    fn pair(context: &str, last: &str) -> (String, String) {
        (context.to_owned(), last.to_owned())
    }

    #[test]
    fn underlined_titles_are_headings_in_the_order_of_their_use() {
        let text = "Intro.\n\n=====\nGuide\n=====\n\nFirst.\n\nInstall\n-------\nRun it.\n\nNotes\n~~~~~\nOne.\n\nUse\n---\nDo.\n";
        let found = sections(text);
        assert_eq!(found.first(), Some(&pair("", "=====")));
        assert!(found.contains(&pair("Guide", "First.")), "{found:?}");
        assert!(found.contains(&pair("Guide > Install", "Run it.")), "{found:?}");
        assert!(found.contains(&pair("Guide > Install > Notes", "One.")), "{found:?}");
        assert!(found.contains(&pair("Guide > Use", "Do.")), "{found:?}");
    }

    #[test]
    fn marked_titles_are_headings() {
        let found = sections("= Guide\n\nFirst.\n\n== Install\nRun it.\n\n----\ncode\n----\n");
        assert_eq!(found[0], pair("Guide", "First."));
        assert_eq!(found[1], pair("Guide > Install", "----"));
    }

    #[test]
    fn a_table_and_a_rule_are_none() {
        let found = sections("a  b\n== ==\n1  2\n\n----------\n\nText.\n");
        assert!(found.iter().all(|(context, _)| context.is_empty()), "{found:?}");
    }

    #[test]
    fn headings_of_org_are_stars_outside_of_blocks() {
        let text = "#+TITLE: Bees\n\n* Hives :bee:\nOak.\n** Frames\n- a list\n#+begin_src c\n* no heading\n#+end_src\n* Honey\nJars.\n";
        let contexts: Vec<(usize, Vec<String>)> =
            chunk_org(text).into_iter().map(|chunk| (chunk.lines.0, chunk.context)).collect();
        let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            contexts,
            [(1, path(&[])), (3, path(&["Hives"])), (5, path(&["Hives", "Frames"])), (10, path(&["Honey"]))]
        );
    }
}
