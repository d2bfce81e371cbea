//! Numbers and dates that differ between notes about the same thing.
//!
//! Only blocks with a figure in them are split into sentences, which is the expensive part.

use wellread_text::Span;

use super::notes::{Notes, ParsedNote};
use super::report::{Contradiction, QuotedLines};
use crate::insight::keyless::{Passage, find_differences, is_within};

/// The most contradictions in the report.
const MAX_CONTRADICTIONS: usize = 50;

pub(super) fn find_contradictions(notes: &Notes) -> Vec<Contradiction> {
    let stretches: Vec<(&ParsedNote, TextBlock)> = notes
        .all
        .iter()
        .flat_map(|note| split_blocks(note).into_iter().map(move |stretch| (note, stretch)))
        .collect();
    let passages: Vec<Passage<'_>> = stretches
        .iter()
        .map(|(note, stretch)| Passage {
            source: note.path.as_str(),
            text: &note.text[stretch.span.clone()],
            start: stretch.span.start,
            first_line: stretch.line,
            headings: &stretch.headings,
            is_prose: true,
        })
        .collect();
    let quoted = |quote: &crate::insight::keyless::Quote| QuotedLines {
        path: stretches[quote.passage].0.path.to_string(),
        start_line: quote.lines.0,
        end_line: quote.lines.1,
        quote: quote.text.clone(),
    };
    find_differences(&passages, None, MAX_CONTRADICTIONS)
        .into_iter()
        .map(|found| Contradiction {
            one: quoted(&found.one),
            other: quoted(&found.other),
            what: found.what,
            values: found.values.into(),
        })
        .collect()
}

/// Lines between two blank ones, with the headings above them.
struct TextBlock {
    span: Span,
    line: usize,
    headings: Vec<String>,
}

fn split_blocks(note: &ParsedNote) -> Vec<TextBlock> {
    let (text, body) = (note.text.as_str(), note.body());
    let mut found = Vec::new();
    let mut begun: Option<(usize, usize)> = None;
    let mut at = body.start;
    let mut end = |from: Option<(usize, usize)>, until: usize| {
        if let Some((start, line)) = from
            && has_figure(note, &(start..until))
            && !is_within(&(start..start), &note.own)
            && !note.opaque.iter().any(|span| span.start < start && start < span.end)
        {
            found.push(TextBlock { span: start..until, line, headings: headings(note, start) });
        }
    };
    for (line, written) in (note.line_at(body.start)..).zip(text[body].split_inclusive('\n')) {
        if written.trim().is_empty() {
            end(begun.take(), at);
        } else if begun.is_none() {
            begun = Some((at, line));
        }
        at += written.len();
    }
    end(begun, at);
    found
}

/// Whether the running text has a digit, or a link shows a day.
fn has_figure(note: &ParsedNote, span: &Span) -> bool {
    let bytes = note.text.as_bytes();
    let mut at = span.start;
    let mut closed = note.closed[note.closed.partition_point(|closed| closed.end <= at)..].iter().peekable();
    while at < span.end {
        while closed.peek().is_some_and(|closed| closed.end <= at) {
            closed.next();
        }
        match closed.peek() {
            Some(closed) if closed.start <= at => {
                if note.text[closed.start..closed.end]
                    .trim_start_matches(['[', '!'])
                    .starts_with(|first: char| first.is_ascii_digit())
                {
                    return true;
                }
                at = closed.end;
            }
            next => {
                let until = next.map_or(span.end, |closed| closed.start.min(span.end));
                if bytes[at..until].iter().any(u8::is_ascii_digit) {
                    return true;
                }
                at = until;
            }
        }
    }
    false
}

/// The headings above a place.
fn headings(note: &ParsedNote, at: usize) -> Vec<String> {
    let mut above: Vec<(u8, &str)> = Vec::new();
    for heading in note.headings.iter().take_while(|heading| heading.span.start <= at) {
        above.retain(|(level, _)| *level < heading.level);
        above.push((heading.level, &*heading.text));
    }
    above.into_iter().map(|(_, text)| text.to_owned()).collect()
}
