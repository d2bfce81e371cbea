//! What keeps a file from the parsers that it would bring down.
//!
//! A grammar's own scanner, written in C, keeps its state in a buffer of fixed size. Two of them can be made to
//! write past its end, which ends the process: Ruby's by heredocs, Python's by indentation. So Ruby's never sees a
//! heredoc, and Python's no line that is indented beyond all measure. Bash's looks letters up in a table of 256 where a
//! brace stands before them, so it sees ASCII alone. The other scanners were read for the same mistakes and do not make them.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::span::line_end;

use super::Language;

/// Every level of Python needs a column, and its scanner has room for about 500 levels.
const MAX_INDENT: usize = 400;

/// A heredoc whose word is longer is taken for none.
const MAX_WORD: usize = 200;

/// The text as the parser may have it, byte for byte in the same place; or `None` if it may not.
pub(super) fn guard_text(text: &str, language: Language) -> Option<Cow<'_, str>> {
    match language {
        Language::Ruby => Some(mask_heredocs(text)),
        Language::Bash => Some(mask_non_ascii(text)),
        Language::Python if max_indent(text) > MAX_INDENT => None,
        _ => Some(Cow::Borrowed(text)),
    }
}

/// The text with a letter for each byte that is none of ASCII's. What it means in a script is the same: a part of a word.
fn mask_non_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.bytes().map(|byte| if byte.is_ascii() { char::from(byte) } else { 'x' }).collect())
}

/// The longest white space before code. A backslash at a line's end goes on with the line.
fn max_indent(text: &str) -> usize {
    let (mut deepest, mut width, mut leading) = (0, 0, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\n' => (width, leading) = (0, true),
            b'\\' if matches!(bytes.peek(), Some(b'\n' | b'\r')) => {
                bytes.next_if_eq(&b'\r');
                bytes.next_if_eq(&b'\n');
                leading = true;
            }
            b' ' | b'\t' | b'\r' | 0x0c if leading => width += 1,
            _ => leading = false,
        }
        deepest = deepest.max(width);
    }
    deepest
}

/// Ruby with strings in place of heredocs: their bodies are blank, and each opening is a string as long as it was.
/// What looks like an opening and has no end is written as a sum, which is as good a use of an operator as any.
fn mask_heredocs(text: &str) -> Cow<'_, str> {
    if !text.contains("<<") {
        return Cow::Borrowed(text);
    }
    let ends = line_ends(text);
    let mut masked = text.to_owned().into_bytes();
    // Where to look on; the end of the line that is looked at; and the end of the bodies that follow it.
    let (mut at, mut line, mut body) = (0, 0, 0);
    while let Some(found) = text[at..].find("<<").map(|found| at + found) {
        if found >= line && found < body {
            at = body;
            continue;
        }
        if found >= line {
            line = line_end(text, found);
        }
        at = found + 1;
        let Some(opening) = opening(&text[found..line]) else { continue };
        let from = body.max(line);
        let end =
            ends.get(opening.word).and_then(|ends| ends[ends.partition_point(|&end| end.0 < from)..].first());
        match end {
            Some(&(_, end)) if !opening.word.is_empty() => {
                blank(&mut masked[found..found + opening.len]);
                (masked[found], masked[found + opening.len - 1]) = (b'"', b'"');
                blank(&mut masked[from..end]);
                (at, body) = (found + opening.len, end);
            }
            _ => masked[found..found + 2].copy_from_slice(b"+ "),
        }
    }
    // Whole characters give way to spaces, so that it is text still.
    String::from_utf8(masked).map_or(Cow::Borrowed(""), Cow::Owned)
}

struct HeredocOpening<'a> {
    word: &'a str,
    len: usize,
}

/// The opening of a heredoc at the start of this text, as far as the scanner could take it for one.
fn opening(text: &str) -> Option<HeredocOpening<'_>> {
    let rest = text.strip_prefix("<<")?;
    let rest = rest.strip_prefix(['~', '-']).unwrap_or(rest);
    let before = text.len() - rest.len();
    let first = rest.chars().next()?;
    if matches!(first, '"' | '\'' | '`') {
        let quoted = &rest[1..];
        let near = quoted.char_indices().take(MAX_WORD).find(|(_, letter)| *letter == first);
        let word = near.map_or("", |(end, _)| &quoted[..end]);
        return Some(HeredocOpening { word, len: before + 2 + word.len() });
    }
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let end = rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len());
    is_letter(first).then(|| HeredocOpening { word: &rest[..end], len: before + end })
}

/// The lines by what they hold, each with its start and its end, in order.
fn line_ends(text: &str) -> HashMap<&str, Vec<(usize, usize)>> {
    let mut ends: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        ends.entry(line.trim()).or_default().push((at, at + line.len()));
        at += line.len();
    }
    ends
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heredocs_become_strings_and_nothing_moves() {
        for (text, expected) in [
            ("a = 1\n", "a = 1\n"),
            ("a << b\nclass << self\n", "a << b\nclass << self\n"),
            ("x = <<~SQL\n  é #{<<A}\n  SQL\ny\n", "x = \"    \"\n           \n     \ny\n"),
            ("f(<<A, <<-'B b')\n1\nA\n2\nB b\nz\n", "f(\" \", \"      \")\n \n \n \n   \nz\n"),
            ("x <<y\n", "x + y\n"),
            ("<<\"open\nopen\n", "+ \"open\nopen\n"),
            ("<<<A\nA\n", "<\" \"\n \n"),
            ("<<''\n\n", "+ ''\n\n"),
            ("<<A\n<<B\nA\n<<B\nB\n", "\" \"\n   \n \n\" \"\n \n"),
        ] {
            assert_eq!(mask_heredocs(text), expected, "{text:?}");
        }
    }

    #[test]
    fn indentation_is_measured_through_continued_lines() {
        assert_eq!(max_indent("if a:\n    b\n\n  c  d\n"), 4);
        assert_eq!(max_indent("  \\\n   a"), 5);
        assert_eq!(max_indent("a   \\\n  b"), 2);
    }
}
