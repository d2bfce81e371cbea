//! Finds quotations in running text by their opening and closing marks.

use crate::Span;

/// The marks that close a quotation opened by this mark.
fn closers(open: char) -> &'static [char] {
    match open {
        '“' => &['”', '“'],
        '„' | '‟' => &['“', '”', '‟'],
        '«' => &['»'],
        '‹' => &['›'],
        '「' => &['」'],
        '『' => &['』'],
        '"' => &['"'],
        '‘' | '‚' => &['’', '‘'],
        '\'' => &['\''],
        _ => &[],
    }
}

const MARKS: [char; 16] =
    ['“', '”', '„', '‟', '«', '»', '‹', '›', '「', '」', '『', '』', '"', '‘', '’', '\''];

/// The outermost quotations in a part of a text, with their marks, in order. Marks in code are ignored.
///
/// Single marks are also apostrophes; between them, only several words count as a quotation.
pub(crate) fn quotations(text: &str, within: &Span, code: &[Span]) -> Vec<Span> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut found: Vec<Span> = Vec::new();
    let mut next_code = 0;
    for (offset, mark) in text[within.clone()].char_indices().filter(|(_, letter)| is_mark(*letter)) {
        let at = within.start + offset;
        while code.get(next_code).is_some_and(|span| span.end <= at) {
            next_code += 1;
        }
        if code.get(next_code).is_some_and(|span| span.start <= at) {
            continue;
        }
        let before = text[within.start..at].chars().next_back();
        let after = text[at + mark.len_utf8()..within.end].chars().next();
        let (mut closes, opens) = classify_mark(mark, before, after);
        // Few are open at once; checking only the last ones keeps the time linear.
        let near = open.len().saturating_sub(4);
        let partner = open[near..].iter().rposition(|&(_, other)| closers(other).contains(&mark));
        closes &= partner.is_some();
        if closes && let Some(partner) = partner {
            let (start, _) = open[near + partner];
            open.truncate(near + partner);
            let span = start..at + mark.len_utf8();
            let single = matches!(mark, '\'' | '’' | '‘');
            if !single || text[span.clone()].trim_matches(['\'', '’', '‘']).contains(char::is_whitespace)
            {
                while found.last().is_some_and(|inner| inner.start > span.start) {
                    found.pop();
                }
                found.push(span);
            }
        } else if opens {
            // A mark that opens again while it is open: the first was not an opening mark.
            if mark == '"'
                && let Some(same) = open[near..].iter().rposition(|&(_, other)| other == mark)
            {
                open.truncate(near + same);
            }
            open.push((at, mark));
        }
    }
    found
}

fn is_mark(letter: char) -> bool {
    letter == '"' || letter == '\'' || letter == '‚' || (!letter.is_ascii() && MARKS.contains(&letter))
}

/// Whether a mark can close here, and whether it can open.
fn classify_mark(mark: char, before: Option<char>, after: Option<char>) -> (bool, bool) {
    let word_before = before.is_some_and(char::is_alphanumeric);
    let word_after = after.is_some_and(char::is_alphanumeric);
    let gap_before = before.is_none_or(char::is_whitespace);
    let gap_after = after.is_none_or(char::is_whitespace);
    match mark {
        '”' | '»' | '›' | '」' | '』' => (true, false),
        '„' | '‚' | '«' | '‹' | '「' | '『' => (false, true),
        // In German it closes.
        '“' | '‟' => (!gap_before && !word_after, !word_before),
        '‘' => (!gap_before && !word_after, !word_before && word_after),
        '’' => (!gap_before && !word_after, false),
        '\'' => (!gap_before && !word_after, gap_before && word_after || before == Some('(')),
        _ => (!gap_before || gap_after, !word_before && !gap_after),
    }
}
