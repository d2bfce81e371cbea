//! Removes case and accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Returns a text in lower case and without accents. Marks that are not accents, such as Thai vowels, stay.
pub fn to_plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_plain(&mut out, text);
    out
}

/// Appends a text in lower case and without accents.
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
    // Compose again what was decomposed and lost nothing: Hangul, kana with their marks.
    if out.chars().any(|letter| letter >= '\u{1100}') {
        *out = out.nfc().collect();
    }
}

/// Whether the letter is Latin, Greek or Cyrillic: marks on such letters are accents, which people omit when they
/// type.
fn takes_accents(letter: char) -> bool {
    letter.is_ascii()
        || ('\u{00c0}'..='\u{052f}').contains(&letter)
        || ('\u{1e00}'..='\u{1fff}').contains(&letter)
}

/// Spells out letters that have no Unicode decomposition.
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
