//! Markdown and code as a reader sees them, line by line.

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::LineIndex;
use crate::note::mask::mask;
use crate::note::scan::Scan;

/// The words of each line without Markdown markup.
pub(crate) fn plain_texts(text: &str, count: usize) -> Vec<String> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_WIKILINKS;
    let places = LineIndex::new(text);
    let mut lines = vec![String::new(); count];
    for (event, span) in Parser::new_ext(&mask(text, &Scan::default()), options).into_offset_iter() {
        let line = places.line_of(span.start) - 1;
        match event {
            // Code comes in one event for all its lines, or one for each.
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) | Event::Html(text) => {
                for (offset, part) in text.split('\n').enumerate() {
                    if let Some(into) = lines.get_mut(line + offset) {
                        into.push_str(part);
                    }
                }
            }
            Event::Start(Tag::TableCell) => {
                if let Some(into) = lines.get_mut(line) {
                    into.push_str(" | ");
                }
            }
            _ => {}
        }
    }
    lines
}

/// The text with blanks for what is struck out in it: it holds no longer. Lines stay where they are.
pub fn without_struck_out(text: &str) -> Cow<'_, str> {
    if !text.contains("~~") {
        return Cow::Borrowed(text);
    }
    let parser =
        Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES).into_offset_iter();
    let mut left = text.to_owned();
    for (event, span) in parser {
        if matches!(event, Event::Start(Tag::Strikethrough)) && text[span.clone()].starts_with("~~") {
            let blank: String =
                left[span.clone()].chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }).collect();
            // As many bytes as before, so that the next span fits.
            let missing = span.len() - blank.len();
            left.replace_range(span, &(blank + &" ".repeat(missing)));
        }
    }
    Cow::Owned(left)
}

/// What stands at the beginning of a line of a comment, the longer before the shorter.
const COMMENT_MARKS: [&str; 10] = ["///", "//!", "//", "/**", "/*", "*/", "--", ";;", "*", "#"];

/// The lines of code, those of comments without their marks.
pub(super) fn without_comment_marks<'a>(lines: &[&'a str]) -> impl Iterator<Item = &'a str> {
    lines.iter().map(|line| {
        let trimmed = line.trim_start();
        let mark = COMMENT_MARKS.iter().find_map(|mark| trimmed.strip_prefix(mark));
        mark.filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])).unwrap_or(line)
    })
}
