//! Characters written as `&name;` or `&#58;` that have no reason to be: those hide an address from who reads the text.

use super::edit::{Edit, What};
use crate::answer::neutral::{has_a_use, is_hidden};

/// The edit for the entity that the text at `at` begins with, if it is one of those.
pub(super) fn entity(text: &str, at: usize) -> Option<Edit> {
    const LONGEST: usize = 32;
    let rest = &text.as_bytes()[at..];
    let length = rest.iter().take(LONGEST).position(|&byte| byte == b';')?;
    let name = text.get(at + 1..at + length)?;
    let letter = match name.strip_prefix('#') {
        Some(number) => numbered(number)?,
        None => named(name)?,
    };
    let span = at..at + length + 1;
    match letter {
        _ if is_hidden(letter) || has_a_use(letter) => Some(Edit::of(span, "").counts(What::Hidden)),
        '\n' | '\r' | '\t' => Some(Edit::of(span, " ").structure()),
        ':' | '/' | '.' | '@' => Some(Edit::of(span, letter).structure()),
        _ if letter.is_ascii_alphanumeric() => Some(Edit::of(span, letter).structure()),
        _ => None,
    }
}

fn numbered(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

fn named(name: &str) -> Option<char> {
    Some(match name {
        "colon" => ':',
        "sol" => '/',
        "period" => '.',
        "commat" => '@',
        "Tab" => '\t',
        "NewLine" => '\n',
        "shy" => '\u{ad}',
        "zwj" | "zwnj" => '\u{200d}',
        "lrm" | "rlm" => '\u{200e}',
        "ZeroWidthSpace"
        | "NegativeVeryThinSpace"
        | "NegativeThinSpace"
        | "NegativeMediumSpace"
        | "NegativeThickSpace" => '\u{200b}',
        "NoBreak" | "ApplyFunction" | "af" | "InvisibleTimes" | "it" | "InvisibleComma" | "ic" => '\u{2060}',
        _ => return None,
    })
}
