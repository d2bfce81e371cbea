//! Writes a sentence of a source between quotation marks in Markdown, so that the gate finds it there.

use wellread_text::{
    SHORTEST_QUOTATION, Sentence, SentencePart, SourceIndex, Span, extract_claims, split_sentences,
    to_comparable,
};

/// A Markdown sentence as a quotation, quotation marks included. `None` if it can't be quoted without gaps: it is too
/// short, it contains an address, an embed or HTML, or its own quotation marks are in the way.
pub fn to_quotation(sentence: &str) -> Option<String> {
    let all = split_sentences(sentence);
    let [only] = all.as_slice() else { return None };
    quote_sentence(only, &SourceIndex::new(sentence, true))
}

/// A parsed sentence as a quotation that the gate finds in `source`.
pub(super) fn quote_sentence(sentence: &Sentence, source: &SourceIndex) -> Option<String> {
    let text = sentence.text.as_str();
    if ["://", "www.", "![", "%%", STRUCK].iter().any(|mark| text.contains(mark)) {
        return None;
    }
    if text.contains("$$") || !is_mostly_words(text) {
        return None;
    }
    let mut said = without_end_marks(&sentence.parts);
    let nested =
        said.iter().any(|part| matches!(part, SentencePart::Prose(words) if has_double_marks(words)));
    if nested {
        said.iter_mut().for_each(use_single_quotes);
    }
    let words = escape_markdown(&said);
    if words.chars().count() < SHORTEST_QUOTATION {
        return None;
    }
    let marked = if nested { format!("“{words}”") } else { format!("\"{words}\"") };
    is_found(&marked, source).then_some(marked)
}

/// Sentences as they are written, without quotation marks: their words in Markdown, on one line and without links.
/// `None` if they contain an embed, a comment or a formula, or no words.
pub(super) fn write_plain(sentences: &[Sentence]) -> Option<String> {
    let hidden = |sentence: &Sentence| ["![", "%%", "$$"].iter().any(|mark| sentence.text.contains(mark));
    if sentences.iter().any(hidden) {
        return None;
    }
    let words = sentences.iter().map(|sentence| escape_markdown(&without_end_marks(&valid_parts(sentence))));
    let words = words.collect::<Vec<_>>().join(" ");
    words.contains(char::is_alphanumeric).then_some(words)
}

/// What opens and closes struck-out words.
const STRUCK: &str = "~~";

/// The parts of a sentence without what is struck out in it.
fn valid_parts(sentence: &Sentence) -> Vec<SentencePart> {
    if !sentence.text.contains(STRUCK) {
        return sentence.parts.clone();
    }
    let pieces: Vec<&str> = sentence.text.split(STRUCK).collect();
    // Of an odd number of marks, the last opens nothing.
    let last = pieces.len() - 1;
    let kept = pieces.iter().enumerate().filter(|(at, _)| at % 2 == 0 || *at == last);
    let text: String = kept.map(|(_, piece)| *piece).collect();
    split_sentences(&text).into_iter().flat_map(|sentence| sentence.parts).collect()
}

/// Whether a sentence is a remark on what is struck out at its beginning, and says nothing without that: "~~Simvastatin~~ stopped".
pub(super) fn remarks_on_struck_out(sentence: &Sentence) -> bool {
    let Some(rest) = sentence.text.trim_start().strip_prefix(STRUCK) else { return false };
    rest.split_once(STRUCK).is_some_and(|(_, left)| {
        let first = left.trim_start_matches(|letter: char| !letter.is_alphanumeric()).chars().next();
        first.is_none_or(char::is_lowercase)
    })
}

/// Whether a text is mostly words, and not a formula.
fn is_mostly_words(text: &str) -> bool {
    let black = text.chars().filter(|letter| !letter.is_whitespace());
    let (words, all) =
        black.fold((0, 0), |(words, all), letter| (words + usize::from(letter.is_alphanumeric()), all + 1));
    words * 10 > all * 7
}

/// A line of code as inline code.
pub(super) fn quote_code(line: &str, source: &SourceIndex) -> Option<String> {
    let line = line.trim();
    let fits =
        (SHORTEST_QUOTATION..=160).contains(&line.len()) && !line.contains('`') && !line.contains("://");
    let marked = format!("`{line}`");
    (fits && is_read_whole(&marked) && source.has_code(&to_comparable(line))).then_some(marked)
}

/// The range of a sentence without blockquote markers before it, and without footnote marks and block ids behind it.
pub(super) fn trim_marks(text: &str, span: &Span) -> Span {
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

fn without_end_marks(said: &[SentencePart]) -> Vec<SentencePart> {
    let mut said = said.to_vec();
    if let Some(SentencePart::Prose(last)) = said.last_mut() {
        let kept = trim_marks(last, &(0..last.len()));
        last.truncate(kept.end);
    }
    said
}

/// Escapes words so that Markdown shows just these words.
fn escape_markdown(said: &[SentencePart]) -> String {
    let mut out = String::new();
    for part in said {
        match part {
            SentencePart::Prose(words) => {
                for (at, letter) in words.char_indices() {
                    if is_markup(words, at, letter) {
                        out.push('\\');
                    }
                    out.push(letter);
                }
            }
            SentencePart::Code(code) if code.contains('`') => out.push_str(code),
            SentencePart::Code(code) => out.push_str(&format!("`{code}`")),
            SentencePart::Address(_) => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a character could be read as markup by Markdown or Obsidian.
fn is_markup(words: &str, at: usize, letter: char) -> bool {
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

/// A quotation inside of a quotation gets single marks. Code keeps its own.
fn use_single_quotes(said: &mut SentencePart) {
    let SentencePart::Prose(words) = said else { return };
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

/// Whether the gate recognizes the quotation and finds it.
pub(super) fn is_found(marked: &str, source: &SourceIndex) -> bool {
    let cited = format!("- {marked} [ev-x-001]\n");
    let all = split_sentences(&cited);
    let [only] = all.as_slice() else { return false };
    let claimed = extract_claims(only);
    let [quotation] = claimed.quotations.as_slice() else { return false };
    let nothing_else = claimed.quoted_words.is_empty()
        && claimed.numbers.is_empty()
        && claimed.dates.is_empty()
        && claimed.names.is_empty()
        && claimed.identifiers.is_empty();
    only.citations.len() == 1 && nothing_else && source.find_quotation(quotation).is_some()
}

fn is_read_whole(marked: &str) -> bool {
    let cited = format!("- {marked} [ev-x-001]\n");
    let all = split_sentences(&cited);
    all.len() == 1 && all[0].citations.len() == 1
}

/// The words of a sentence on one line, without marks of emphasis, links and lists, and without what is struck out.
pub(super) fn plain_text(sentence: &Sentence) -> String {
    let parts = valid_parts(sentence).into_iter().filter_map(|part| match part {
        SentencePart::Prose(words) | SentencePart::Code(words) => Some(words),
        SentencePart::Address(_) => None,
    });
    parts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A sentence without its links.
pub(super) fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        out.push_str(&rest[..open]);
        let inner = &rest[open..];
        let close = if inner.starts_with("[[") {
            inner.find("]]").map(|at| at + 2)
        } else {
            inner.find("](").and_then(|at| inner[at..].find(')').map(|end| at + end + 1))
        };
        match close {
            Some(end) => {
                out.push(' ');
                rest = &inner[end..];
            }
            None => {
                out.push('[');
                rest = &inner[1..];
            }
        }
    }
    out.push_str(rest);
    out
}
