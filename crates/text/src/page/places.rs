//! Finds what a text refers to besides links: paths with lines, such as `src/lib.rs:10-12`, and footnotes.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::{Language, Span};

/// A path with line numbers, as written in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPlace {
    /// The bytes of the place, with the backticks around it.
    pub span: Span,
    /// The repository named before the path: `wax:src/lib.rs:10`, and inside backticks also `wax: src/lib.rs:10`.
    pub repository: Option<String>,
    /// The path as written.
    pub path: String,
    /// The first and the last line, from 1.
    pub lines: (usize, usize),
}

/// The footnotes of a text, each with its label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Footnotes {
    /// `[^label]` in the text.
    pub references: Vec<(Span, String)>,
    /// `[^label]: …`, to the end of its text.
    pub definitions: Vec<(Span, String)>,
}

/// Files without a programming language that are often cited.
const TEXT_ENDINGS: [&str; 13] =
    ["md", "markdown", "txt", "csv", "tsv", "json", "toml", "yaml", "yml", "html", "xml", "log", "tex"];

/// Finds all paths with line numbers, in the order of the text. In a code span the whole span is one place, so that its
/// path may have spaces. A link and a code block have none.
pub fn find_places(text: &str) -> Vec<WrittenPlace> {
    let (mut found, mut closed): (Vec<WrittenPlace>, Vec<Span>) = (Vec::new(), Vec::new());
    for (event, span) in parse_events(text) {
        match event {
            Event::Code(code) => {
                found.extend(parse_place(&code, span.clone()));
                closed.push(span);
            }
            Event::Start(Tag::CodeBlock(_) | Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
            | Event::InlineHtml(_) => closed.push(span),
            _ => {}
        }
    }
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        let begun = word.trim_start_matches(|letter: char| "([{<\"'*_“„".contains(letter));
        let bare = begun
            .trim_end_matches(|letter: char| letter.is_whitespace() || ")]}>\"'*_.,;:!?”“".contains(letter));
        if !bare.contains([':', '#']) || bare.contains("://") {
            continue;
        }
        let start = start + (word.len() - begun.len());
        let span = start..start + bare.len();
        if closed.iter().all(|other| other.end <= span.start || span.end <= other.start) {
            found.extend(parse_place(bare, span));
        }
    }
    found.sort_by_key(|place| place.span.start);
    found
}

/// Finds the footnotes of a text. A reference without a definition is none.
pub fn find_footnotes(text: &str) -> Footnotes {
    let mut found = Footnotes::default();
    for (event, span) in parse_events(text) {
        match event {
            Event::FootnoteReference(label) => found.references.push((span, label.into_string())),
            Event::Start(Tag::FootnoteDefinition(label)) => {
                found.definitions.push((span, label.into_string()));
            }
            _ => {}
        }
    }
    let defined: BTreeSet<&String> = found.definitions.iter().map(|(_, label)| label).collect();
    found.references.retain(|(_, label)| defined.contains(label));
    found
}

fn parse_events(text: &str) -> impl Iterator<Item = (Event<'_>, Span)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    Parser::new_ext(text, options).into_offset_iter()
}

fn parse_place(written: &str, span: Span) -> Option<WrittenPlace> {
    let (repository, place) = match written.split_once(": ") {
        Some((name, place)) if !name.is_empty() => (Some(name.trim().to_owned()), place.trim()),
        _ => (None, written.trim()),
    };
    let (path, lines) = place.rsplit_once("#L").or_else(|| place.rsplit_once(':'))?;
    let mut lines = parse_lines(lines)?;
    let mut path = path;
    // `src/lib.rs:10:5` has a column behind the line.
    if let Some((shorter, line)) = path.rsplit_once(':')
        && let Some(line) = parse_lines(line)
    {
        (path, lines) = (shorter, line);
    }
    let mut repository = repository;
    if repository.is_none()
        && let Some((name, inside)) = path.split_once(':')
        && is_repository_name(name)
        && !inside.starts_with([':', '/'])
    {
        (repository, path) = (Some(name.to_owned()), inside);
    }
    let is_path = !path.contains("://") && !path.contains(['`', '\n', '|']) && is_known_file(path);
    is_path.then(|| WrittenPlace { span, repository, path: path.to_owned(), lines })
}

/// Whether a word may name a repository; a single letter before a colon is a drive.
fn is_repository_name(word: &str) -> bool {
    word.len() > 1 && word.chars().all(|letter| letter.is_alphanumeric() || "-_.".contains(letter))
}

/// The first and the last line that `10`, `10-12` or `L10-L12` names. None if it names no lines.
pub fn parse_lines(written: &str) -> Option<(usize, usize)> {
    let (first, last) = written.split_once(['-', '–']).unwrap_or((written, written));
    let number = |text: &str| {
        let digits = text.strip_prefix('L').unwrap_or(text);
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<usize>().ok()).flatten()
    };
    let lines = (number(first)?, number(last)?);
    (lines.0 >= 1 && lines.1 >= lines.0).then_some(lines)
}

fn is_known_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    ending.is_some_and(|ending| TEXT_ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
        || Language::from_path(path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_lines_are_found_in_prose_and_in_code() {
        let text = "In `Bees/Varroa mite.md:22` and (src/my_lib.rs:10-12), `wax: src/a.py:3`; src/b.go:7:21, wax:src/a.py:5. At 12:30, \
                    example.com:443, https://a.org/x.rs:3, [x](y.md:4) and src/lib.rs:0 are none; c.ts#L4-L6 is.\n\n\
                    ```\nsrc/d.rs:1\n```\n";
        let found: Vec<(String, (usize, usize))> = find_places(text)
            .into_iter()
            .map(|place| (format!("{:?} {}", place.repository, &text[place.span]), place.lines))
            .collect();
        let expected = [
            ("None `Bees/Varroa mite.md:22`", (22, 22)),
            ("None src/my_lib.rs:10-12", (10, 12)),
            ("Some(\"wax\") `wax: src/a.py:3`", (3, 3)),
            ("None src/b.go:7:21", (7, 7)),
            ("Some(\"wax\") wax:src/a.py:5", (5, 5)),
            ("None c.ts#L4-L6", (4, 6)),
        ];
        assert_eq!(found, expected.map(|(place, lines)| (place.to_owned(), lines)));
    }

    #[test]
    fn footnotes_are_found_with_their_definitions() {
        let text = "Mites breed.[^1] So.[^none]\n\n[^1]: See [[Bees]]:3,\n    and more.\n\nLast.\n";
        let found = find_footnotes(text);
        assert_eq!(found.references.len(), 1);
        assert_eq!(&text[found.references[0].0.clone()], "[^1]");
        assert_eq!(text[found.definitions[0].0.clone()].trim_end(), "[^1]: See [[Bees]]:3,\n    and more.");
    }
}
