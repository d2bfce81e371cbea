//! Scripts that are written without spaces between words.
//!
//! The one table for everything that needs word boundaries: index terms, hashes of words, fuzzy search and quotations.
//! Index terms and sketches are stored, so a change of this table needs another version of the index.

/// Whether the letter belongs to a script without spaces between words, or is Hangul, whose words carry their particles
/// with them.
///
/// Scripts that separate words or syllables by a mark of their own, such as Tibetan and Ethiopic, are not among them.
pub(crate) fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0e00}'..='\u{0eff}'     // Thai, Lao
        | '\u{1000}'..='\u{109f}'   // Burmese
        | '\u{1100}'..='\u{11ff}'   // Hangul letters
        | '\u{1780}'..='\u{17ff}'   // Khmer
        | '\u{3005}'..='\u{3007}'   // Marks and numerals of ideographs
        | '\u{3041}'..='\u{3096}' | '\u{3099}'..='\u{309a}' | '\u{309d}'..='\u{309f}'   // Hiragana
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'   // Katakana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'   // Ideographs
        | '\u{ac00}'..='\u{d7af}'   // Hangul syllables
        | '\u{ff66}'..='\u{ff9f}'   // Katakana of half width
        | '\u{20000}'..='\u{3ffff}' // Ideographs of the supplementary planes
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_without_spaces_are_told_from_those_with_spaces() {
        let unspaced = "กຂကកみミﾐ々〇蜜㐀豈한ᄒ𠀀";
        assert!(unspaced.chars().all(is_unspaced), "{unspaced}");
        let spaced = "aéßжאعहதღክᏣᠮབㄅ1_ Ａ。、・「";
        assert!(!spaced.chars().any(is_unspaced), "{spaced}");
    }
}
