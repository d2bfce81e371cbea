//! A sentence of a source as it can stand between quotation marks in markdown, so that the gate finds it there.

use wellread_text::{Held, SHORTEST_QUOTATION, Said, Sentence, Span, claims, comparable, sentences};

/// A sentence of markdown as a quotation, its marks included. None where it can't be quoted as one run: it is too short,
/// it holds an address, an embed or HTML, or its own quotation marks are in the way.
pub fn quotable(sentence: &str) -> Option<String> {
    let all = sentences(sentence);
    let [only] = all.as_slice() else { return None };
    quoted(only, &Held::of(sentence, true))
}

/// The same of a sentence that was read already, looked for in what it is of.
pub(super) fn quoted(sentence: &Sentence, source: &Held) -> Option<String> {
    let text = sentence.text.as_str();
    if text.contains("://") || text.contains("www.") || text.contains("![") || text.contains("%%") {
        return None;
    }
    if text.contains("$$") || !speaks(text) {
        return None;
    }
    let mut said = without_end_marks(&sentence.said);
    let nested = said.iter().any(|part| matches!(part, Said::Prose(words) if has_double_marks(words)));
    if nested {
        said.iter_mut().for_each(with_single_marks);
    }
    let words = said_in_markdown(&said);
    if words.chars().count() < SHORTEST_QUOTATION {
        return None;
    }
    let marked = if nested { format!("“{words}”") } else { format!("\"{words}\"") };
    is_found(&marked, source).then_some(marked)
}

/// Whether it is words for the most part, and no formula.
fn speaks(text: &str) -> bool {
    let black = text.chars().filter(|letter| !letter.is_whitespace());
    let (words, all) =
        black.fold((0, 0), |(words, all), letter| (words + usize::from(letter.is_alphanumeric()), all + 1));
    words * 10 > all * 7
}

/// A line of code as code.
pub(super) fn quoted_code(line: &str, source: &Held) -> Option<String> {
    let line = line.trim();
    let fits =
        (SHORTEST_QUOTATION..=160).contains(&line.len()) && !line.contains('`') && !line.contains("://");
    let marked = format!("`{line}`");
    (fits && is_read_whole(&marked) && source.has_code(&comparable(line))).then_some(marked)
}

/// The bytes of a sentence without the marks of a quote before it and what stands behind it: marks of footnotes and the
/// name of its block.
pub(super) fn bare(text: &str, span: &Span) -> Span {
    let mut end = span.end;
    let start = end - text[span.clone()].trim_start_matches([' ', '\t', '\r', '\n', '>']).len();
    loop {
        let rest = text[start..end].trim_end();
        end = start + rest.len();
        let cut = if rest.ends_with(']') {
            rest.rfind("[^").filter(|&at| !rest[at..rest.len() - 1].contains(']'))
        } else {
            rest.rfind(" ^").filter(|&at| {
                let id = &rest[at + 2..];
                !id.is_empty() && id.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
            })
        };
        match cut {
            Some(at) if at > 0 => end = start + at,
            _ => return start..end,
        }
    }
}

fn without_end_marks(said: &[Said]) -> Vec<Said> {
    let mut said = said.to_vec();
    if let Some(Said::Prose(last)) = said.last_mut() {
        let kept = bare(last, &(0..last.len()));
        last.truncate(kept.end);
    }
    said
}

/// Words as markdown that says nothing but these words.
fn said_in_markdown(said: &[Said]) -> String {
    let mut out = String::new();
    for part in said {
        match part {
            Said::Prose(words) => {
                for (at, letter) in words.char_indices() {
                    if is_live(words, at, letter) {
                        out.push('\\');
                    }
                    out.push(letter);
                }
            }
            Said::Code(code) if code.contains('`') => out.push_str(code),
            Said::Code(code) => out.push_str(&format!("`{code}`")),
            Said::Address(_) => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a letter could be read as a mark of markdown, or of Obsidian.
fn is_live(words: &str, at: usize, letter: char) -> bool {
    let before = words[..at].chars().next_back();
    let after = words[at + letter.len_utf8()..].chars().next();
    let joined = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
    match letter {
        '\\' | '*' | '`' | '[' | ']' | '$' => true,
        '_' => !(joined(before) && joined(after)),
        '#' => !joined(before),
        '~' | '=' => after == Some(letter) || before == Some(letter),
        '<' => after.is_some_and(|next| next.is_alphabetic() || "/!?".contains(next)),
        '&' => after.is_some_and(|next| next.is_alphanumeric() || next == '#'),
        _ => false,
    }
}

fn has_double_marks(words: &str) -> bool {
    words.contains(['"', '“', '”', '„', '‟', '«', '»'])
}

/// A quotation inside of a quotation has single marks. Code keeps its own.
fn with_single_marks(said: &mut Said) {
    let Said::Prose(words) = said else { return };
    let mut out = String::with_capacity(words.len());
    for letter in words.chars() {
        let opens = out.is_empty() || out.ends_with([' ', '(', '[', '‘']);
        out.push(match letter {
            '"' if opens => '‘',
            '“' | '„' | '«' => '‘',
            '"' | '”' | '‟' | '»' => '’',
            other => other,
        });
    }
    *words = out;
}

/// Whether the gate reads the quotation as one, and finds it.
pub(super) fn is_found(marked: &str, source: &Held) -> bool {
    let cited = format!("- {marked} [ev-x-001]\n");
    let all = sentences(&cited);
    let [only] = all.as_slice() else { return false };
    let claimed = claims(only);
    let [quotation] = claimed.quotations.as_slice() else { return false };
    let nothing_else = claimed.quoted_words.is_empty()
        && claimed.numbers.is_empty()
        && claimed.dates.is_empty()
        && claimed.names.is_empty()
        && claimed.identifiers.is_empty();
    only.citations.len() == 1 && nothing_else && source.quotation(quotation).is_some()
}

fn is_read_whole(marked: &str) -> bool {
    let cited = format!("- {marked} [ev-x-001]\n");
    let all = sentences(&cited);
    all.len() == 1 && all[0].citations.len() == 1
}
