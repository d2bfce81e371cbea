//! Cleans a pasted text: without terminal colors, with uniform line endings, of bounded length.

use crate::{Error, Result};

/// If more than one in this many characters is not text, the whole is taken for binary data.
const TOLERATED: usize = 10;

/// The cleaned text, and a notice if it was cut. An error if it is empty or binary.
pub fn clean_text(text: &str, longest: usize) -> Result<(String, Option<String>)> {
    let cut = floor_char_boundary(text, longest);
    let notice = (cut < text.len())
        .then(|| format!("the text is {} bytes long; only the first {cut} were looked at", text.len()));
    let (kept, strange, all) = strip_unreadable(&text[..cut]);
    if strange * TOLERATED > all {
        return Err(Error::invalid("that is not text: it looks like binary data")
            .hint("give an issue's text or a stack trace"));
    }
    if kept.trim().is_empty() {
        return Err(Error::invalid("the text is empty").hint("give an issue's text or a stack trace"));
    }
    Ok((kept, notice))
}

fn floor_char_boundary(text: &str, longest: usize) -> usize {
    if text.len() <= longest {
        return text.len();
    }
    (0..=longest).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The readable text, how many characters were not readable, and how many there were.
fn strip_unreadable(text: &str) -> (String, usize, usize) {
    let mut kept = String::with_capacity(text.len());
    let (mut strange, mut all) = (0, 0);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        all += 1;
        match letter {
            '\u{1b}' | '\u{9b}' => skip_sequence(letter, &mut letters),
            '\r' => {
                letters.next_if_eq(&'\n');
                kept.push('\n');
            }
            '\n' | '\t' => kept.push(letter),
            '\u{feff}' => {}
            // Text never has these; other control characters also occur in terminal logs.
            '\0' | '\u{fffd}' => strange += 1,
            control if control.is_control() => {}
            other => kept.push(other),
        }
    }
    (kept, strange, all)
}

/// Skips an escape sequence for the terminal.
fn skip_sequence(first: char, letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let kind = if first == '\u{9b}' { Some('[') } else { letters.next() };
    match kind {
        Some('[') => {
            while letters.next_if(|letter| matches!(letter, '\u{20}'..='\u{3f}')).is_some() {}
            letters.next_if(|letter| matches!(letter, '\u{40}'..='\u{7e}'));
        }
        // A title or a link: it ends with a bell or an escape, and at the latest at the end of the line.
        Some(']') => {
            while let Some(letter) = letters.next_if(|letter| *letter != '\n') {
                if letter == '\u{7}' {
                    break;
                }
                if letter == '\u{1b}' {
                    letters.next_if_eq(&'\\');
                    break;
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_links_and_line_ends_are_taken_out() {
        let text = "\u{feff}\u{1b}[1;31merror\u{1b}[0m: bad\r\nat \u{1b}]8;;file:///x\u{1b}\\a.rs\u{1b}]8;;\u{7}:1\rnext\u{9b}2K";
        assert_eq!(clean_text(text, 1000).unwrap(), ("error: bad\nat a.rs:1\nnext".to_owned(), None));
    }

    #[test]
    fn a_long_text_is_cut_between_letters_and_it_says_so() {
        let (kept, notice) = clean_text("aäaä", 2).unwrap();
        assert_eq!(kept, "a");
        assert_eq!(notice.unwrap(), "the text is 6 bytes long; only the first 1 were looked at");
    }

    #[test]
    fn nothing_and_binary_data_are_errors() {
        for text in ["", " \r\n\t", "\u{1b}[0m", "\0\0\0abc", "\u{fffd}PNG\u{fffd}\u{fffd}"] {
            assert!(clean_text(text, 1000).is_err(), "{text:?}");
        }
        assert!(clean_text("one strange \u{fffd} in a line of words", 1000).is_ok());
    }
}
