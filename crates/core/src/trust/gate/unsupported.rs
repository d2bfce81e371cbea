//! Moves sentences that the evidence does not support under a heading of their own.
//!
//! Fails closed: the remaining text is parsed again, and if its sentences are not exactly those that were to stay, the
//! text is rebuilt from them. Nothing is dropped: every sentence is in the body or under the heading.

use serde::{Deserialize, Serialize};
use wellread_text::{
    Note, Sentence, SentenceKind, Span, Splice, apply_splices, close_open_blocks, extract_claims,
    line_ending, split_sentences,
};

use super::judge::is_connective;
use super::objections::render_reason;
use crate::domain::verdict::{GateReport, JudgedSentence, Verdict, VerdictReason};

/// The heading above unsupported sentences.
pub const NOT_SUPPORTED: &str = "Not supported by the evidence";

/// A text after the gate, with unsupported sentences under a heading of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatedText {
    /// The text.
    pub text: String,
    /// How many sentences stayed because they are supported.
    pub supported: usize,
    /// How many sentences stayed because they claim nothing.
    pub connective: usize,
    /// How many sentences were moved under the heading.
    pub moved: usize,
}

/// Moves the unsupported sentences of a text under [`NOT_SUPPORTED`]. `report` must be the report on this very text.
pub fn move_unsupported(text: &str, report: &GateReport) -> GatedText {
    let all = split_sentences(text);
    // A report on another text would cut anywhere; nothing of such a text counts as supported.
    let fits = all.len() == report.sentences.len()
        && all
            .iter()
            .zip(&report.sentences)
            .all(|(sentence, judged)| sentence.span == judged.span && sentence.text == judged.text);
    let below = unsupported_sections(text);
    let stays = |(index, sentence): (usize, &Sentence)| {
        let judged = report.sentences.get(index).filter(|_| fits);
        judged.is_some_and(JudgedSentence::passes)
            || below.iter().any(|span| span.contains(&sentence.span.start))
    };
    let stays: Vec<bool> = all.iter().enumerate().map(stays).collect();
    let count = |is_wanted: fn(Verdict) -> bool| {
        let passing = report.sentences.iter().filter(|judged| fits && judged.passes());
        passing.filter(|judged| is_wanted(judged.verdict)).count()
    };
    let supported = count(Verdict::is_borne_out);
    let connective = count(|verdict| verdict == Verdict::Uncited);
    let counts =
        |text: String| GatedText { text, supported, connective, moved: all.len() - supported - connective };
    if stays.iter().all(|stays| *stays) {
        return counts(text.to_owned());
    }
    let kept: Vec<&Sentence> =
        all.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(sentence, _)| sentence).collect();
    let mut body = apply_splices(text, &cut_out(text, &all, &stays)).unwrap_or_default();
    let left = split_sentences(&body);
    let same = left.len() == kept.len()
        && left.iter().zip(&kept).all(|(left, kept)| {
            strip_escapes(&left.text) == strip_escapes(&kept.text)
                && left.citations.len() == kept.citations.len()
        });
    if !same {
        body = kept.iter().map(|sentence| format!("{}\n\n", render_sentence(sentence, ""))).collect();
    }
    let eol = line_ending(text);
    let mut out = close_open_blocks(body.trim_end());
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(&format!("{} {NOT_SUPPORTED}\n\n", "#".repeat(heading_level(text))));
    for (index, sentence) in all.iter().enumerate().filter(|(index, _)| !stays[*index]) {
        let why = report
            .sentences
            .get(index)
            .filter(|_| fits)
            .map_or_else(|| "not judged".to_owned(), render_reasons);
        out.push_str(&format!("- {}\n  ({why})\n", render_sentence(sentence, "  ")));
    }
    if eol == "\r\n" {
        out = out.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    counts(out)
}

/// The sentences of a text that make a claim and cite nothing: nobody checked them. Code makes no claim, and what stands
/// under [`NOT_SUPPORTED`] is marked already.
pub fn find_unchecked(text: &str) -> Vec<String> {
    let below = unsupported_sections(text);
    let is_open = |sentence: &Sentence| {
        sentence.citations.is_empty()
            && sentence.kind != SentenceKind::Code
            && !below.iter().any(|span| span.contains(&sentence.span.start))
            && !is_connective(sentence, &extract_claims(sentence))
    };
    split_sentences(text).into_iter().filter(is_open).map(|sentence| sentence.text).collect()
}

/// The text without the sections under [`NOT_SUPPORTED`]: what these cite was not confirmed, and is no source of the text.
pub fn supported_part(text: &str) -> String {
    let cuts: Vec<Splice> =
        unsupported_sections(text).into_iter().map(|span| Splice { span, text: String::new() }).collect();
    apply_splices(text, &cuts).unwrap_or_default()
}

/// A sentence without backslashes that keep it from becoming markup.
fn strip_escapes(text: &str) -> String {
    text.chars().filter(|letter| *letter != '\\').collect()
}

/// The sections below a heading [`NOT_SUPPORTED`] that the text has already.
fn unsupported_sections(text: &str) -> Vec<Span> {
    if !text.contains(NOT_SUPPORTED) {
        return Vec::new();
    }
    let headings = Note::parse(text).headings;
    let ends = headings.iter().skip(1).map(|next| next.span.start).chain([text.len()]);
    let below = headings.iter().zip(ends).filter(|(heading, _)| heading.text == NOT_SUPPORTED);
    below.map(|(heading, end)| heading.span.end..end).collect()
}

fn render_reasons(judged: &JudgedSentence) -> String {
    let render = |why: &VerdictReason| match why {
        VerdictReason::Lowered { source, .. } if !source.is_empty() => {
            format!("{}: “{source}”", render_reason(why))
        }
        _ => render_reason(why),
    };
    let mut all: Vec<String> = judged.why.iter().map(render).collect();
    all.dedup();
    match (judged.verdict, all.is_empty()) {
        (verdict, true) => verdict.name().to_owned(),
        (verdict, false) => format!("{}: {}", verdict.name(), all.join("; ")),
    }
}

/// The cuts that remove the sentences that do not stay, block by block. `all` are the sentences of this very text.
pub fn cut_out(text: &str, all: &[Sentence], stays: &[bool]) -> Vec<Splice> {
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
            cuts.extend(cut_sentences(text, inside, keep));
        } else {
            cuts.push(cut_block(text, &inside[0], &inside[inside.len() - 1]));
        }
    }
    cuts
}

/// Cuts some sentences of a block; the others close up.
fn cut_sentences(text: &str, inside: &[Sentence], keep: &[bool]) -> Vec<Splice> {
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
        // Up to the next sentence, which takes the place; the last ones are cut with the space before them.
        let (start, end) = match (at, next) {
            (_, Some(next)) => (first.span.start, next.span.start),
            (0, None) => (first.span.start, last.span.end),
            (_, None) => (inside[at - 1].span.end, last.span.end),
        };
        let with = next.map_or("", |next| escape_prefix(&text[next.span.clone()]));
        cuts.push(Splice { span: start..end, text: with.to_owned() });
        at += run;
    }
    cuts
}

/// Cuts a block of which no sentence stays.
fn cut_block(text: &str, first: &Sentence, last: &Sentence) -> Splice {
    let block = &first.block;
    let Some(lines) = &block.lines else {
        // The list item continues below it.
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

/// The escape needed before a sentence that will begin a line.
fn escape_prefix(sentence: &str) -> &'static str {
    let digits = sentence.bytes().take_while(u8::is_ascii_digit).count();
    let listed = digits > 0 && sentence[digits..].starts_with(['.', ')']);
    let marks = sentence.starts_with(['#', '>', '+', '=', '|', '~'])
        || sentence.starts_with("- ")
        || sentence.starts_with("* ");
    if marks && !listed { "\\" } else { "" }
}

/// Renders a sentence by itself, as a list item with this indentation or at the margin.
fn render_sentence(sentence: &Sentence, indent: &str) -> String {
    if sentence.kind != SentenceKind::Code {
        let text = sentence.text.trim();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && text[digits..].starts_with(['.', ')']) {
            return format!("{}\\{}", &text[..digits], &text[digits..]);
        }
        return format!("{}{text}", escape_prefix(text));
    }
    let longest = sentence.text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: String = sentence.text.lines().map(|line| format!("{indent}{line}\n")).collect();
    format!("{fence}\n{lines}{indent}{fence}")
}

/// The heading's level: that of the text's own sections. A text without any may be the body of a section of a note, and
/// must not end it.
fn heading_level(text: &str) -> usize {
    let note = Note::parse(text);
    let Some(top) = note.headings.iter().map(|heading| heading.level).min() else { return 3 };
    let mut at_top = note.headings.iter().filter(|heading| heading.level == top);
    let title = at_top.next().is_some_and(|first| text[..first.span.start].trim().is_empty());
    let is_title = title && at_top.next().is_none() && (top == 1 || note.headings.len() > 1);
    usize::from(top) + usize::from(is_title && top < 6)
}
