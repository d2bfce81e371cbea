//! Finds characters written as `&name;` or `&#58;` without a reason: they hide an address from readers of the text.

use super::edit::{InertEdit, RemovedKind};
use crate::answer::neutral::{is_hidden, is_joiner_or_selector};

/// The edit for such an entity at `at`, if there is one.
pub(super) fn entity(text: &str, at: usize) -> Option<InertEdit> {
    const LONGEST: usize = 32;
    let rest = &text.as_bytes()[at..];
    let length = rest.iter().take(LONGEST).position(|&byte| byte == b';')?;
    let name = text.get(at + 1..at + length)?;
    let letter = match name.strip_prefix('#') {
        Some(number) => decode_numeric(number)?,
        None => decode_named(name)?,
    };
    let span = at..at + length + 1;
    match letter {
        _ if is_hidden(letter) || is_joiner_or_selector(letter) => {
            Some(InertEdit::new(span, "").with_kind(RemovedKind::Hidden))
        }
        '\n' | '\r' | '\t' => Some(InertEdit::new(span, " ").with_structure_kind()),
        ':' | '/' | '.' | '@' => Some(InertEdit::new(span, letter).with_structure_kind()),
        _ if letter.is_ascii_alphanumeric() => Some(InertEdit::new(span, letter).with_structure_kind()),
        _ => None,
    }
}

fn decode_numeric(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

fn decode_named(name: &str) -> Option<char> {
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
