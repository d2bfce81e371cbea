//! Words of scripts with and without spaces.

use wellread_text::{FuzzySearch, SourceIndex, Words, to_comparable};

/// Words, fuzzy search and quotations agree on where a word begins and ends.
#[test]
fn every_search_finds_a_part_of_a_run_without_spaces_and_no_part_of_a_word() {
    for (text, part) in [("蜜蜂飞到椴树", "飞到"), ("ผึ้งบินกลับรัง", "บิน"), ("ﾐﾂﾊﾞﾁ", "ﾂ"), ("ミツバチが", "ツバ")]
    {
        assert_eq!(
            SourceIndex::new(text, false).find_quotation(&to_comparable(part)),
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
