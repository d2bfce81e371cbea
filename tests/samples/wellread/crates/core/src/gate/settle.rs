//! Takes out of a text what the evidence does not support, and says so under a heading of its own.
//!
//! It fails closed: what is left is read again, and where its sentences are not the ones that were to stay, the text is
//! put together anew from those. Nothing is dropped: every sentence is in the body or under the heading.

use serde::{Deserialize, Serialize};
use wellread_text::{
    Note, Sentence, SentenceKind, Span, Splice, close_fences, line_ending, sentences, splice,
};

use super::objections::reason;
use super::{Judged, Report, Verdict};

/// The heading over what is not supported.
pub const NOT_SUPPORTED: &str = "Not supported by the evidence";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    pub text: String,
    /// How many sentences stayed because they are supported, and how many because they claim nothing.
    pub supported: usize,
    pub connective: usize,
    /// How many were moved under the heading.
    pub moved: usize,
}

/// The text with what is not supported under its own heading. The report is the one on this very text.
pub fn settle(text: &str, report: &Report) -> Settled {
    let all = sentences(text);
    // A report on another text would have us cut anywhere; such a text has nothing that is supported.
    let fits = all.len() == report.sentences.len()
        && all
            .iter()
            .zip(&report.sentences)
            .all(|(sentence, judged)| sentence.span == judged.span && sentence.text == judged.text);
    let below = already_below(text);
    let stays = |(index, sentence): (usize, &Sentence)| {
        let judged = report.sentences.get(index).filter(|_| fits);
        judged.is_some_and(Judged::stays) || below.iter().any(|span| span.contains(&sentence.span.start))
    };
    let stays: Vec<bool> = all.iter().enumerate().map(stays).collect();
    let count = |wanted: Verdict| {
        report.sentences.iter().filter(|judged| fits && judged.stays() && judged.verdict == wanted).count()
    };
    let (supported, connective) = (count(Verdict::Supported), count(Verdict::Uncited));
    let counts =
        |text: String| Settled { text, supported, connective, moved: all.len() - supported - connective };
    if stays.iter().all(|stays| *stays) {
        return counts(text.to_owned());
    }
    let kept: Vec<&Sentence> =
        all.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(sentence, _)| sentence).collect();
    let mut body = splice(text, &cuts(text, &all, &stays)).unwrap_or_default();
    let left = sentences(&body);
    let same = left.len() == kept.len()
        && left.iter().zip(&kept).all(|(left, kept)| {
            bare(&left.text) == bare(&kept.text) && left.citations.len() == kept.citations.len()
        });
    if !same {
        body = kept.iter().map(|sentence| format!("{}\n\n", alone(sentence, ""))).collect();
    }
    let eol = line_ending(text);
    let mut out = close_fences(body.trim_end());
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(&format!("{} {NOT_SUPPORTED}\n\n", "#".repeat(level(text))));
    for (index, sentence) in all.iter().enumerate().filter(|(index, _)| !stays[*index]) {
        let why =
            report.sentences.get(index).filter(|_| fits).map_or_else(|| "not judged".to_owned(), reasons);
        out.push_str(&format!("- {}\n  ({why})\n", alone(sentence, "  ")));
    }
    if eol == "\r\n" {
        out = out.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    counts(out)
}

/// A sentence without what was put before it to keep it prose.
fn bare(text: &str) -> String {
    text.chars().filter(|letter| *letter != '\\').collect()
}

/// What stands under the heading already.
fn already_below(text: &str) -> Vec<Span> {
    if !text.contains(NOT_SUPPORTED) {
        return Vec::new();
    }
    let headings = Note::parse(text).headings;
    let ends = headings.iter().skip(1).map(|next| next.span.start).chain([text.len()]);
    let below = headings.iter().zip(ends).filter(|(heading, _)| heading.text == NOT_SUPPORTED);
    below.map(|(heading, end)| heading.span.end..end).collect()
}

fn reasons(judged: &Judged) -> String {
    let mut all: Vec<String> = judged.why.iter().map(reason).collect();
    all.dedup();
    match (judged.verdict, all.is_empty()) {
        (verdict, true) => verdict.name().to_owned(),
        (verdict, false) => format!("{}: {}", verdict.name(), all.join("; ")),
    }
}

/// What is cut, block by block.
fn cuts(text: &str, all: &[Sentence], stays: &[bool]) -> Vec<Splice> {
    let mut cuts = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let block = &all[at].block;
        let end = at + all[at..].iter().take_while(|sentence| sentence.block == *block).count();
        let (inside, keep) = (&all[at..end], &stays[at..end]);
        at = end;
        if keep.iter().all(|keep| *keep) {
            continue;
        }
        if keep.iter().any(|keep| *keep) {
            cuts.extend(part(text, inside, keep));
        } else {
            cuts.push(whole(text, &inside[0], &inside[inside.len() - 1]));
        }
    }
    cuts
}

/// Cuts some sentences of a block: what stays closes ranks.
fn part(text: &str, inside: &[Sentence], keep: &[bool]) -> Vec<Splice> {
    let mut cuts = Vec::new();
    let mut at = 0;
    while at < inside.len() {
        if keep[at] {
            at += 1;
            continue;
        }
        let run = keep[at..].iter().take_while(|keep| !**keep).count();
        let (first, last) = (&inside[at], &inside[at + run - 1]);
        let next = inside.get(at + run);
        // Up to the next sentence, which takes the place; the last ones go with the gap before them.
        let (start, end) = match (at, next) {
            (_, Some(next)) => (first.span.start, next.span.start),
            (0, None) => (first.span.start, last.span.end),
            (_, None) => (inside[at - 1].span.end, last.span.end),
        };
        let with = next.map_or("", |next| escape(&text[next.span.clone()]));
        cuts.push(Splice { span: start..end, text: with.to_owned() });
        at += run;
    }
    cuts
}

/// Cuts a block of which nothing stays.
fn whole(text: &str, first: &Sentence, last: &Sentence) -> Splice {
    let block = &first.block;
    let Some(lines) = &block.lines else {
        // The item goes on below it.
        return Splice { span: first.span.start..last.span.end, text: "…".to_owned() };
    };
    if first.span.start > block.span.start || last.span.end < block.span.end {
        let rest =
            text[block.span.start..first.span.start].len() + text[last.span.end..block.span.end].trim().len();
        if rest > 0 {
            return Splice { span: first.span.start..last.span.end, text: String::new() };
        }
    }
    let is_item = block
        .prefix
        .trim_start_matches([' ', '\t', '>'])
        .starts_with(|letter: char| "-+*".contains(letter) || letter.is_ascii_digit());
    let before = text[..lines.start].lines().next_back().unwrap_or_default();
    let after = text[lines.end..].lines().next().unwrap_or_default();
    let blank = |line: &str| line.trim_matches([' ', '\t', '>', '\r']).is_empty();
    let mut span = lines.clone();
    let mut with = String::new();
    if blank(before) && blank(after) {
        span.end += text[lines.end..].find('\n').map_or(after.len(), |at| at + 1);
    } else if !blank(before) && !blank(after) && !is_item && first.kind != SentenceKind::Row {
        with = format!("{}{}", block.prefix.trim_end(), line_ending(text));
    }
    Splice { span, text: with }
}

/// What has to stand before a sentence that comes to stand at the beginning of a line.
fn escape(sentence: &str) -> &'static str {
    let digits = sentence.bytes().take_while(u8::is_ascii_digit).count();
    let listed = digits > 0 && sentence[digits..].starts_with(['.', ')']);
    let marks = sentence.starts_with(['#', '>', '+', '=', '|', '~'])
        || sentence.starts_with("- ")
        || sentence.starts_with("* ");
    if marks && !listed { "\\" } else { "" }
}

/// A sentence by itself, to stand behind a mark of a list with this indentation, or at the margin.
fn alone(sentence: &Sentence, indent: &str) -> String {
    if sentence.kind != SentenceKind::Code {
        let text = sentence.text.trim();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && text[digits..].starts_with(['.', ')']) {
            return format!("{}\\{}", &text[..digits], &text[digits..]);
        }
        return format!("{}{text}", escape(text));
    }
    let longest = sentence.text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: String = sentence.text.lines().map(|line| format!("{indent}{line}\n")).collect();
    format!("{fence}\n{lines}{indent}{fence}")
}

/// The level of the heading: that of the text's own sections.
fn level(text: &str) -> usize {
    let note = Note::parse(text);
    let Some(top) = note.headings.iter().map(|heading| heading.level).min() else { return 2 };
    let mut at_top = note.headings.iter().filter(|heading| heading.level == top);
    let title = at_top.next().is_some_and(|first| text[..first.span.start].trim().is_empty());
    let is_title = title && at_top.next().is_none() && (top == 1 || note.headings.len() > 1);
    usize::from(top) + usize::from(is_title && top < 6)
}
