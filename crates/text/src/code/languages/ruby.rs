//! How source code in Ruby is read.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::code::language::{LanguageSpec, ReadingRules};
use crate::code::name_rules::{ConstructorRule, NameRules};
use crate::span::line_end;

pub(super) static LANGUAGE: LanguageSpec = LanguageSpec {
    endings: &["rb", "rake", "gemspec", "ru"],
    files: &["Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"],
    programs: &["ruby"],
    definitions: &[include_str!("../queries/ruby.scm")],
    uses: &[include_str!("../queries/ruby_uses.scm")],
    // The scanner keeps the words of open heredocs in a buffer that they can overflow.
    reading: ReadingRules { guard: |text| Some(mask_heredocs(text)), ..ReadingRules::new() },
    names: NameRules {
        unimported_names: true,
        implicit_this: true,
        spread_types: true,
        constructors: ConstructorRule::Named("initialize"),
        ..NameRules::new()
    },
    ..LanguageSpec::new("ruby", || tree_sitter_ruby::LANGUAGE.into())
};

/// A heredoc whose word is longer is taken for none.
const MAX_WORD: usize = 200;

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
}
