//! When two names are the same name.

use unicode_normalization::UnicodeNormalization;

/// The form in which names are compared: lower case, composed (NFC).
///
/// Lower-cased character by character, since the rules for whole words make `Σ` depend on what follows it, and
/// `.md` may or may not.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// The composed form (NFC): how a name is typed, however a file system spells it.
pub fn composed(name: &str) -> String {
    name.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_composition_do_not_matter() {
        assert_eq!(fold("Cafe\u{301}"), fold("CAFÉ"));
        assert_eq!(fold("ΟΔΟΣ.md"), format!("{}.md", fold("ΟΔΟΣ")));
        assert_ne!(fold("a b"), fold("ab"));
    }
}
