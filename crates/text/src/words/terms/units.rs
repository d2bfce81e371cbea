//! Word boundaries.

use crate::words::scripts::is_unspaced;

/// Characters that may join two words into a compound that is searched for as a whole.
pub const CONNECTORS: [char; 3] = ['.', '-', '_'];

/// A run of text between word boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextUnit<'a> {
    /// Words of a script with spaces; several of them if connectors join them.
    Spaced(&'a str),
    /// A run of a script that has no spaces between its words.
    Unspaced(&'a str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Gap,
    Word,
    Unspaced,
    Connector,
    Apostrophe,
}

/// Calls `found` with each unit of a text, in order.
pub fn units<'a>(text: &'a str, mut found: impl FnMut(TextUnit<'a>)) {
    let mut at = 0;
    while at < text.len() {
        let (class, width) = class_at(text, at);
        match class {
            CharClass::Word => {
                let end = spaced_end(text, at + width);
                found(TextUnit::Spaced(&text[at..end]));
                at = after_clitic(text, end);
            }
            CharClass::Unspaced => {
                let end = run_end(text, at + width, CharClass::Unspaced);
                found(TextUnit::Unspaced(&text[at..end]));
                at = end;
            }
            _ => at += width,
        }
    }
}

/// The parts of a word with capitals inside: `parseRequest`, `HTTPServer`. Empty for any other word.
pub fn camel_parts(word: &str) -> Vec<&str> {
    let bytes = word.as_bytes();
    // The common case first: no capital after the first letter.
    if !bytes.iter().skip(1).any(u8::is_ascii_uppercase) || !bytes.iter().any(u8::is_ascii_lowercase) {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 1..bytes.len() {
        let (before, here) = (bytes[at - 1], bytes[at]);
        let after = bytes.get(at + 1).copied().unwrap_or(b'A');
        let begins_part = !before.is_ascii_uppercase() && here.is_ascii_uppercase();
        // The last capital of several begins the next word: `HTTP` `Server`.
        let last_capital =
            before.is_ascii_uppercase() && here.is_ascii_uppercase() && after.is_ascii_lowercase();
        if begins_part || last_capital {
            parts.push(&word[start..at]);
            start = at;
        }
    }
    if start == 0 {
        return Vec::new();
    }
    parts.push(&word[start..]);
    parts
}

/// The end of a unit after its first letter: words with a single connector between two of them.
fn spaced_end(text: &str, mut at: usize) -> usize {
    loop {
        at = run_end(text, at, CharClass::Word);
        match class_at(text, at) {
            (CharClass::Connector, width) if class_at(text, at + width).0 == CharClass::Word => at += width,
            _ => return at,
        }
    }
}

fn run_end(text: &str, mut at: usize, class: CharClass) -> usize {
    loop {
        // Nearly all words consist of these letters, which need no further check.
        if class == CharClass::Word {
            at += text.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        }
        match class_at(text, at) {
            (found, width) if found == class && width > 0 => at += width,
            _ => return at,
        }
    }
}

/// The position after a clitic (`'s`, `'t`, `'ll`) that follows a word: nobody searches for these.
fn after_clitic(text: &str, end: usize) -> usize {
    let (CharClass::Apostrophe, width) = class_at(text, end) else { return end };
    let tail = run_end(text, end + width, CharClass::Word);
    if (1..=2).contains(&(tail - end - width)) { tail } else { end }
}

/// The class of the character at a byte and its width in bytes; a gap of width 0 at the end.
fn class_at(text: &str, at: usize) -> (CharClass, usize) {
    let Some(&byte) = text.as_bytes().get(at) else { return (CharClass::Gap, 0) };
    if byte < 0x80 {
        let class = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => CharClass::Word,
            b'.' | b'-' | b'_' => CharClass::Connector,
            b'\'' => CharClass::Apostrophe,
            _ => CharClass::Gap,
        };
        return (class, 1);
    }
    let Some(letter) = text[at..].chars().next() else { return (CharClass::Gap, 1) };
    let class = if letter == '’' {
        CharClass::Apostrophe
    } else if is_unspaced(letter) {
        CharClass::Unspaced
    } else if letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter) {
        CharClass::Word
    } else {
        CharClass::Gap
    };
    (class, letter.len_utf8())
}
