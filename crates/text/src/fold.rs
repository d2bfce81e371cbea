//! Normal forms in which names and texts are compared.

use unicode_normalization::UnicodeNormalization;

/// Returns the form in which names are compared: lower case, composed (NFC).
///
/// Each character is lower-cased by itself: the rules for whole words make `Σ` depend on what follows it, and a name
/// may come with or without `.md`.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// Returns the composed form (NFC): as a name is typed, however a file system spells it.
pub fn to_nfc(name: &str) -> String {
    name.nfc().collect()
}

/// Returns the form in which the wording of two texts is compared: compatible Unicode forms (NFKC), plain quotation
/// marks and dashes, one space for any white space, no invisible characters. Case is kept, and letters that only look
/// alike stay different.
pub fn to_comparable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    let mut push = |letter: char| {
        if letter.is_whitespace() {
            gap = !out.is_empty();
        } else if !is_invisible(letter) {
            if gap {
                out.push(' ');
                gap = false;
            }
            out.push(letter);
        }
    };
    if text.is_ascii() {
        text.chars().for_each(push);
        return out;
    }
    // NFKC alone would turn `10²` into 102 and `1½` into 11/2.
    let spelled = text.chars().flat_map(|letter| {
        let before = match letter {
            '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' => Some('^'),
            '¼'..='¾' | '⅐'..='⅞' => Some(' '),
            _ => None,
        };
        before.into_iter().chain([letter])
    });
    for letter in spelled.nfkc() {
        push(match letter {
            '‘' | '’' | '‚' | '‛' | '′' | '‹' | '›' => '\'',
            '“' | '”' | '„' | '‟' | '«' | '»' => '"',
            '‐'..='―' | '−' => '-',
            other => other,
        });
    }
    out
}

/// Soft hyphens, joiners, direction marks, variation selectors, byte-order marks.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_text_are_compared_as_the_same() {
        for (one, other) in [
            ("a\u{a0} b\r\n c ", "a b c"),
            ("“x” – ‘y’", "\"x\" - 'y'"),
            ("cafe\u{301}", "café"),
            ("ﬁne １２", "fine 12"),
            ("hi\u{200b}ve", "hive"),
        ] {
            assert_eq!(to_comparable(one), to_comparable(other), "{one:?}");
        }
        for (one, other) in
            [("hive", "h\u{456}ve"), ("10²", "102"), ("1½", "11⁄2"), ("Hive", "hive"), ("ab", "a b")]
        {
            assert_ne!(to_comparable(one), to_comparable(other), "{one:?}");
        }
    }

    #[test]
    fn case_and_composition_do_not_matter() {
        assert_eq!(fold("Cafe\u{301}"), fold("CAFÉ"));
        assert_eq!(fold("ΟΔΟΣ.md"), format!("{}.md", fold("ΟΔΟΣ")));
        assert_ne!(fold("a b"), fold("ab"));
    }
}
