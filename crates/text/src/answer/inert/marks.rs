//! Finds markup of Obsidian, its plugins and browsers, and addresses, outside of code.

use super::address::{BareAddress, LinkVerdict, find_by_host, find_by_scheme};
use super::edit::{InertEdit, RemovedKind};
use super::entity::entity;
use super::reading::MarkdownReadings;
use super::{AllowedLinks, REMOVED_LINK};
use crate::Span;
use crate::note::links;

/// Turns `[[links]]` to missing notes into text and `![[embeds]]` into links, and escapes brackets that only some
/// programs read as a link.
pub(super) fn wikilinks(
    text: &str,
    readings: &MarkdownReadings,
    allowed: &AllowedLinks<'_>,
) -> Vec<InertEdit> {
    let mut edits = vec![];
    let mut stay = vec![];
    for link in links::wikilinks(text, 0..text.len(), &readings.closed) {
        let exists = link.target.is_empty() || (allowed.notes)(&link.target);
        let brackets = link.span.start + usize::from(link.embed);
        let marks = text[..brackets].bytes().rev().take_while(|&byte| byte == b'!').count();
        let start = brackets - if link.embed { marks } else { 0 };
        let kind = if link.embed { RemovedKind::Image } else { RemovedKind::Note };
        stay.push(brackets);
        if exists {
            if link.embed {
                edits.push(InertEdit::new(start..brackets, "").with_kind(kind));
            }
            continue;
        }
        let inner = &text[brackets + 2..link.span.end - 2];
        let alias = inner.find('|').map(|at| at + 1).filter(|_| link.alias.is_some());
        let shown = brackets + 2 + alias.unwrap_or(0);
        // `[[1]](address)` was meant as a link with brackets in its text.
        let outer = if text[link.span.end..].starts_with('(') { ("[", "]") } else { ("", "") };
        edits.push(InertEdit::new(start..shown, outer.0).with_kind(kind));
        edits.push(InertEdit::new(link.span.end - 2..link.span.end, outer.1));
    }
    edits.extend(escape_doubtful_brackets(text, readings, &stay));
    edits
}

/// Escapes the second bracket of each `[[` that is closed somewhere and is not a known link.
fn escape_doubtful_brackets(text: &str, readings: &MarkdownReadings, known: &[usize]) -> Vec<InertEdit> {
    let Some(last) = text.rfind("]]") else { return vec![] };
    let bytes = text.as_bytes();
    let opens = |at: &usize| bytes[*at] == b'[' && bytes[at + 1] == b'[';
    (0..last)
        .filter(opens)
        .filter(|&at| known.binary_search(&at).is_err() && !is_in_spans(&readings.closed, at))
        .filter(|&at| !is_escaped(text, at) && !is_escaped(text, at + 1))
        // In `[[[a]]]` the second bracket belongs to a link.
        .filter(|&at| known.binary_search(&(at + 1)).is_err())
        .map(|at| InertEdit::new(at + 1..at + 2, "\\[").with_kind(RemovedKind::Note))
        .collect()
}

/// Escapes a first line that would become frontmatter, or would turn the line before it into a heading or table.
pub(super) fn first_line(text: &str) -> Option<InertEdit> {
    let start = text.len() - text.trim_start().len();
    let line = text[start..].lines().next()?.trim_end();
    let all = |marks: &str| !line.is_empty() && line.chars().all(|letter| marks.contains(letter));
    let with = if all("-") && line.len() >= 3 {
        "***".to_owned()
    } else if all("=") || all("-") || (all("|:- \t") && line.contains('-') && line.contains(['|', ':'])) {
        format!("\\{line}")
    } else {
        return None;
    };
    Some(InertEdit::new(start..start + line.len(), with).with_structure_kind())
}

/// Finds all marks of a text in one pass.
pub(super) fn marks(text: &str, readings: &MarkdownReadings, allowed: &AllowedLinks<'_>) -> Vec<InertEdit> {
    let mut walk = MarkWalker { text, readings, allowed, edits: vec![], done: 0 };
    let mut at = 0;
    for closed in &readings.closed {
        walk.scan_open_text(at, closed.start);
        walk.templates(closed.clone());
        at = closed.end;
    }
    walk.scan_open_text(at, text.len());
    walk.edits
}

struct MarkWalker<'a> {
    text: &'a str,
    readings: &'a MarkdownReadings,
    allowed: &'a AllowedLinks<'a>,
    edits: Vec<InertEdit>,
    /// The end of the processed text.
    done: usize,
}

impl MarkWalker<'_> {
    /// Scans a part that is not code.
    fn scan_open_text(&mut self, from: usize, to: usize) {
        let bytes = self.text.as_bytes();
        let mut at = from;
        self.done = self.done.max(from);
        while at < to {
            let found = match bytes[at] {
                b'<' => self.angle(at),
                b'%' | b'{' => self.run(at, to),
                b'$' => self.math(at, to),
                b'\\' => self.command(at),
                b'&' => entity(self.text, at),
                b':' => self.address(find_by_scheme(
                    self.text,
                    at,
                    self.done,
                    to,
                    self.in_table(at),
                    self.allowed,
                )),
                b'w' | b'W' => self.address(find_by_host(self.text, at, to, self.in_table(at), self.allowed)),
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    self.address(find_by_host(self.text, at, to, self.in_table(at), self.allowed))
                }
                _ => None,
            };
            at = match found {
                Some(edit) => {
                    let end = edit.span.end;
                    self.done = end;
                    if edit.with != self.text[edit.span.clone()] {
                        self.edits.push(edit);
                    }
                    end
                }
                None => at + 1,
            };
        }
    }

    /// Breaks Templater commands, which run everywhere, even in code.
    fn templates(&mut self, within: Span) {
        let found = self.text[within.clone()].match_indices("<%");
        let found = found.map(|(at, _)| within.start + at..within.start + at + 1);
        self.edits.extend(found.map(|span| InertEdit::new(span, "< ").with_kind(RemovedKind::Plugin)));
    }

    fn angle(&self, at: usize) -> Option<InertEdit> {
        let next = *self.text.as_bytes().get(at + 1)?;
        if next == b'%' {
            return Some(InertEdit::new(at..at + 1, "< ").with_kind(RemovedKind::Plugin));
        }
        if !(next.is_ascii_alphabetic() || b"/!?".contains(&next)) || is_escaped(self.text, at) {
            return None;
        }
        let script = self.text.get(at + 1..at + 7).is_some_and(|name| name.eq_ignore_ascii_case("script"));
        let kind = if script { RemovedKind::Script } else { RemovedKind::Html };
        // Math has no entities.
        let with = if is_in_spans(&self.readings.math, at) { "< " } else { "&lt;" };
        Some(InertEdit::new(at..at + 1, with).with_kind(kind))
    }

    /// Separates the characters of `%%` and `{{`, however many there are.
    fn run(&self, at: usize, to: usize) -> Option<InertEdit> {
        let mark = self.text.as_bytes()[at];
        let length = self.text.as_bytes()[at..to].iter().take_while(|&&byte| byte == mark).count();
        let kind = if mark == b'%' { RemovedKind::Structure } else { RemovedKind::Plugin };
        let apart = vec![char::from(mark).to_string(); length].join(" ");
        (length > 1).then(|| InertEdit::new(at..at + length, apart).with_kind(kind))
    }

    /// Breaks a `$$` that neither begins nor ends math.
    fn math(&self, at: usize, to: usize) -> Option<InertEdit> {
        if is_in_spans(&self.readings.math, at) || is_escaped(self.text, at) {
            return None;
        }
        let length = self.text.as_bytes()[at..to].iter().take_while(|&&byte| byte == b'$').count();
        (length > 1).then(|| InertEdit::new(at..at + length, "\\$".repeat(length)).with_structure_kind())
    }

    /// Breaks math commands that link, load or run something.
    fn command(&self, at: usize) -> Option<InertEdit> {
        const COMMANDS: [&str; 9] =
            ["href", "url", "require", "includegraphics", "style", "class", "cssId", "data", "input"];
        let rest = &self.text[at + 1..];
        let length = rest.bytes().take(16).take_while(u8::is_ascii_alphabetic).count();
        let braces = rest[length..].trim_start_matches(' ').starts_with('{');
        (braces && COMMANDS.contains(&&rest[..length]))
            .then(|| InertEdit::new(at..at + 1, "\\ ").with_kind(RemovedKind::Script))
    }

    /// The edit for an address. For an allowed one, an edit without a change, so that it is skipped as a whole.
    fn address(&self, found: Option<BareAddress>) -> Option<InertEdit> {
        let BareAddress { span, verdict } = found?;
        Some(match verdict {
            LinkVerdict::Stays => InertEdit::new(span.clone(), &self.text[span]),
            LinkVerdict::Script => InertEdit::new(span, REMOVED_LINK).with_kind(RemovedKind::Script),
            LinkVerdict::Away | LinkVerdict::NoNote => {
                InertEdit::new(span, REMOVED_LINK).with_kind(RemovedKind::Link)
            }
        })
    }

    fn in_table(&self, at: usize) -> bool {
        is_in_spans(&self.readings.tables, at)
    }
}

/// Whether an odd number of backslashes precedes this byte.
fn is_escaped(text: &str, at: usize) -> bool {
    text.as_bytes()[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// Whether one of the spans contains this byte.
fn is_in_spans(spans: &[Span], at: usize) -> bool {
    spans.get(spans.partition_point(|span| span.end <= at)).is_some_and(|span| span.start <= at)
}
