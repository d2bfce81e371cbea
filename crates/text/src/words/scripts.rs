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
    use crate::{FuzzySearch, SourceIndex, Words};

    #[test]
    fn scripts_without_spaces_are_told_from_those_with_spaces() {
        let unspaced = "กຂကកみミﾐ々〇蜜㐀豈한ᄒ𠀀";
        assert!(unspaced.chars().all(is_unspaced), "{unspaced}");
        let spaced = "aéßжאعहதღክᏣᠮབㄅ1_ Ａ。、・「";
        assert!(!spaced.chars().any(is_unspaced), "{spaced}");
    }

    /// Words, fuzzy search and quotations agree on where a word begins and ends.
    #[test]
    fn every_search_finds_a_part_of_a_run_without_spaces_and_no_part_of_a_word() {
        for (text, part) in
            [("蜜蜂飞到椴树", "飞到"), ("ผึ้งบินกลับรัง", "บิน"), ("ﾐﾂﾊﾞﾁ", "ﾂ"), ("ミツバチが", "ツバ")]
        {
            assert_eq!(
                SourceIndex::new(text, false).find_quotation(&crate::to_comparable(part)),
                Some((1, 1)),
                "{part}"
            );
            assert!(Words::from_text(text).len() > 1, "{text}");
            let found = FuzzySearch::new(text).find_nearest(part, 0).map(|found| found.likeness);
            assert!(found.is_some_and(|likeness| likeness > 0.0), "{part}");
        }
        for (text, part) in [("beehive", "hive"), ("ንቦች", "ቦች"), ("ᏩᏚᎵᏏ", "ᏚᎵ"), ("ᠵᠥᠭᠡᠢ", "ᠥᠭᠡ")]
        {
            assert_eq!(SourceIndex::new(text, false).find_quotation(part), None, "{part}");
            assert_eq!(Words::from_text(text).len(), 1, "{text}");
            let found = FuzzySearch::new(text).find_nearest(part, 0).map(|found| found.likeness);
            assert_eq!(found, Some(0.0), "{part}");
        }
    }
}
