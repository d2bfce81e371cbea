//! Letters without case and accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A text in lower case and without accents. Marks that are no accents, as Thai vowels, stay.
pub fn to_plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_plain(&mut out, text);
    out
}

pub fn push_plain(out: &mut String, text: &str) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
        return;
    }
    let mut accented = false;
    for letter in text.nfkd().flat_map(char::to_lowercase) {
        if is_combining_mark(letter) {
            if !accented {
                out.push(letter);
            }
            continue;
        }
        accented = takes_accents(letter);
        match whole_letter(letter) {
            Some(spelled) => out.push_str(spelled),
            None => out.push(letter),
        }
    }
    // What was taken apart and had nothing taken off goes together again: Hangul, kana with their marks.
    if out.chars().any(|letter| letter >= '\u{1100}') {
        *out = out.nfc().collect();
    }
}

/// Latin, Greek and Cyrillic: a mark on such a letter changes how it sounds, and people leave it out when they type.
fn takes_accents(letter: char) -> bool {
    letter.is_ascii()
        || ('\u{00c0}'..='\u{052f}').contains(&letter)
        || ('\u{1e00}'..='\u{1fff}').contains(&letter)
}

/// Letters that no table takes apart.
fn whole_letter(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'ı' => "i",
        'þ' => "th",
        'ς' => "σ",
        _ => return None,
    })
}
