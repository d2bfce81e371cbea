//! Our tokenizer against tokens that the original made from the same vocabulary (`tokenizers` 0.23).

use std::sync::LazyLock;

use super::WordPiece;
use crate::weights::EncoderWeights;

static TOKENIZER: LazyLock<WordPiece> =
    LazyLock::new(|| WordPiece::built_in(EncoderWeights::open().vocabulary).unwrap());

#[test]
fn texts_are_cut_as_the_original_cuts_them() {
    let known: [(&str, &[u32]); 10] = [
        ("That is a happy person", &[101, 2008, 2003, 1037, 3407, 2711, 102]),
        ("", &[101, 102]),
        (
            "Ünïcödé naïve café — „Straße“ und ŒUVRE",
            &[101, 27260, 15743, 7668, 1517, 1525, 2358, 27807, 1523, 6151, 1107, 2226, 12229, 102],
        ),
        (
            "東京は日本の首都です。 한국어 텍스트",
            &[
                101, 1879, 1755, 1672, 1864, 1876, 1671, 100, 1961, 1665, 30184, 1636, 1469, 30006, 30021,
                29991, 30014, 30020, 29999, 30008, 1467, 30009, 30020, 29997, 30017, 30003, 30017, 102,
            ],
        ),
        (
            "😀 emoji 👩\u{200d}👩\u{200d}👧 and \u{200b}zero width",
            &[101, 100, 7861, 29147, 2072, 100, 1998, 5717, 9381, 102],
        ),
        (
            "##ing ## antidisestablishmentarianism",
            &[101, 1001, 1001, 13749, 1001, 1001, 3424, 10521, 4355, 7875, 13602, 3672, 12199, 2964, 102],
        ),
        ("tabs\u{9}and\u{d}\u{a}lines\u{0}\u{7} \u{3000}wide", &[101, 21628, 2015, 1998, 3210, 2898, 102]),
        ("e\u{301} is é, İ and ǅ", &[101, 1041, 2003, 1041, 1010, 1045, 1998, 100, 102]),
        (
            "Привет, мир! Γειά σου",
            &[
                101, 1194, 16856, 10325, 25529, 15290, 22919, 1010, 1191, 10325, 16856, 999, 1157, 29723,
                27432, 1173, 26789, 102,
            ],
        ),
        (
            "fn main() { println!(\"{x:?}\"); }",
            &[
                101, 1042, 2078, 2364, 1006, 1007, 1063, 6140, 19666, 999, 1006, 1000, 1063, 1060, 1024,
                1029, 1065, 1000, 1007, 1025, 1065, 102,
            ],
        ),
    ];
    for (text, tokens) in known {
        assert_eq!(TOKENIZER.encode(text, 512), tokens, "{text}");
    }
}

/// The original takes these for its own marks, with which a note could pretend that it ends and that something else begins.
#[test]
fn marks_that_somebody_wrote_are_words_in_brackets() {
    let cut = |text: &str| TOKENIZER.encode(text, 512);
    assert_eq!(cut("[CLS] and [SEP]"), cut("[cls] and [sep]"));
    assert_eq!(cut("[SEP]"), [101, 1031, 19802, 1033, 102]);
    for mark in ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] {
        let tokens = cut(mark);
        assert!(
            tokens[1..tokens.len() - 1].iter().all(|token| !(100..=103).contains(token)),
            "{mark}: {tokens:?}"
        );
    }
}

#[test]
fn a_word_of_more_than_a_hundred_letters_is_unknown() {
    assert_eq!(TOKENIZER.encode(&"a".repeat(101), 512), [101, 100, 102]);
    assert_eq!(TOKENIZER.encode(&"a".repeat(100), 512).len(), 52);
}

/// Twenty thousand characters within a word and on their own, as one number: FNV-1a over all tokens.
#[test]
fn every_character_is_treated_as_in_the_original() {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let ranges = [0..0x3400, 0xa000..0xb000, 0xf800..0x10400, 0x1f300..0x1f700];
    for letter in ranges.into_iter().flatten().filter_map(char::from_u32) {
        for token in TOKENIZER.encode(&format!("a{letter}b {letter}"), 512) {
            hash = (hash ^ u64::from(token)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(hash, 0xac576a2c45b7ad86);
}

#[test]
fn a_limit_leaves_the_two_marks() {
    assert_eq!(TOKENIZER.encode("That is a happy person", 4), [101, 2008, 2003, 102]);
    assert_eq!(TOKENIZER.encode("That is a happy person", 2), [101, 102]);
    assert_eq!(TOKENIZER.encode("embeddings", 4).len(), 4);
}

#[test]
fn another_kind_of_tokenizer_is_refused() {
    let others = [
        r#"{"model":{"type":"Unigram","vocab":[["a",-1.0]]}}"#,
        r#"{"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"ByteLevel"},"model":{"type":"WordPiece","vocab":{}}}"#,
        r#"{"normalizer":null,"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","vocab":{}}}"#,
    ];
    for other in others {
        let refused = WordPiece::parse(other.as_bytes()).err().unwrap();
        assert!(refused.contains("only BERT tokenizers"), "{refused}");
    }
}
