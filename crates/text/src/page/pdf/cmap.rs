//! Character maps of a font in the file: `<0041> <0061>`, `<20> <7e> <0020>`.

use std::collections::HashMap;

/// The maximum number of codes that are read.
const MOST: usize = 70_000;

/// A map from character codes to text.
#[derive(Debug, Default)]
pub(super) struct CMap {
    texts: HashMap<u32, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    Hex(Vec<u8>),
    Open,
    Close,
    Word(&'a [u8]),
}

impl CMap {
    pub(super) fn get(&self, code: u32) -> Option<&str> {
        self.texts.get(&code).map(String::as_str)
    }

    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut part: Vec<Token<'_>> = Vec::new();
        for token in tokens(bytes) {
            match token {
                Token::Word(b"endbfchar") => map.letters(&std::mem::take(&mut part)),
                Token::Word(b"endbfrange") => map.ranges(&std::mem::take(&mut part)),
                Token::Word(word) if word.starts_with(b"begin") || word.starts_with(b"end") => part.clear(),
                Token::Word(_) => {}
                token if part.len() < 4 * MOST => part.push(token),
                _ => {}
            }
            if map.texts.len() > MOST {
                break;
            }
        }
        map
    }

    fn letters(&mut self, part: &[Token<'_>]) {
        for two in part.chunks_exact(2) {
            if let [Token::Hex(code), Token::Hex(encoded)] = two {
                self.texts.insert(number(code), utf16(encoded));
            }
        }
    }

    fn ranges(&mut self, part: &[Token<'_>]) {
        let mut rest = part;
        while let [Token::Hex(first), Token::Hex(last), after @ ..] = rest {
            let (first, last) = (number(first), number(last));
            let codes = first..=last.min(first.saturating_add(MOST as u32));
            match after {
                [Token::Hex(encoded), after @ ..] => {
                    rest = after;
                    for (code, step) in codes.zip(0..) {
                        if self.texts.len() > MOST {
                            return;
                        }
                        self.texts.insert(code, shift_last_letter(encoded, step));
                    }
                }
                [Token::Open, after @ ..] => {
                    let end = after.iter().position(|token| *token == Token::Close).unwrap_or(after.len());
                    for (code, encoded) in codes.zip(&after[..end]) {
                        if let Token::Hex(encoded) = encoded {
                            self.texts.insert(code, utf16(encoded));
                        }
                    }
                    rest = after.get(end + 1..).unwrap_or_default();
                }
                _ => return,
            }
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// The text with its last character advanced by `step`.
fn shift_last_letter(encoded: &[u8], step: u32) -> String {
    let text = utf16(encoded);
    let mut letters: Vec<char> = text.chars().collect();
    if let Some(last) = letters.last_mut() {
        *last = char::from_u32(u32::from(*last).saturating_add(step)).unwrap_or('\u{fffd}');
    }
    letters.into_iter().collect()
}

fn utf16(bytes: &[u8]) -> String {
    let units: Vec<u16> = match bytes {
        [one] => vec![u16::from(*one)],
        _ => bytes.chunks_exact(2).map(|two| u16::from_be_bytes([two[0], two[1]])).collect(),
    };
    String::from_utf16_lossy(&units)
}

fn tokens(bytes: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_ascii_start();
            match rest.first()? {
                b'%' => {
                    let end =
                        rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                    rest = &rest[end..];
                }
                b'<' if rest.get(1) != Some(&b'<') => {
                    let end = rest.iter().position(|&byte| byte == b'>').unwrap_or(rest.len());
                    let digits: Vec<u8> = rest[1..end]
                        .iter()
                        .filter_map(|&byte| char::from(byte).to_digit(16).map(|digit| digit as u8))
                        .take(64)
                        .collect();
                    rest = rest.get(end + 1..).unwrap_or_default();
                    return Some(Token::Hex(
                        digits
                            .chunks(2)
                            .map(|two| two.iter().fold(0, |byte, digit| byte << 4 | digit))
                            .collect(),
                    ));
                }
                b'[' => {
                    rest = &rest[1..];
                    return Some(Token::Open);
                }
                b']' => {
                    rest = &rest[1..];
                    return Some(Token::Close);
                }
                _ => {
                    let is_end =
                        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'[' | b']' | b'%');
                    let end = rest[1..].iter().position(is_end).map_or(rest.len(), |end| end + 1);
                    let word = &rest[..end];
                    rest = &rest[end..];
                    return Some(Token::Word(word));
                }
            }
        }
    })
}
