//! Tests of the comparison.

use super::*;
use crate::split_sentences;

fn compare(sentence: &str, source: &str) -> Vec<Mismatch> {
    let sentences = split_sentences(sentence);
    let passage = Passage::new(source, "Notes.md", true);
    Statement::new(&sentences[0]).compare(&[&passage]).mismatches
}

#[test]
fn a_cell_belongs_to_its_row_and_its_column() {
    let table = "| Plan | Parcels | Storage |\n| --- | --- | --- |\n| Sloop | 300 | 2 GB |\n| Brig | 1200 | 10 GB |\n";
    assert_eq!(compare("The Sloop plan has 2 GB of storage.", table), []);
    assert!(matches!(
        compare("The Sloop plan has 10 GB of storage.", table)[..],
        [Mismatch::OtherSubject { .. }]
    ));
}

#[test]
fn amounts_that_share_a_subject_keep_it() {
    let source = "Median time to fall asleep was 19 minutes with bright light and 27 minutes with dim light.";
    assert_eq!(compare("With dim light the median time to fall asleep was 27 minutes.", source), []);
    assert!(!compare("With dim light the median time to fall asleep was 19 minutes.", source).is_empty());
}

#[test]
fn what_was_is_not_what_is() {
    let source = "The door handle was brass until spring 2025; it is steel now.";
    assert_eq!(compare("The door handle was made of brass until 2025.", source), []);
    assert!(compare("The door handle is brass.", source).contains(&Mismatch::Outdated));
}

#[test]
fn hostile_and_odd_texts_are_read_without_a_panic() {
    for text in [
        "",
        "half",
        "thírd thïrd ｈａｌｆ",
        "| | |\n|-|-|\n|",
        "---\n---",
        "n't 't t",
        "1 1 1 1 1 1 1 1 1 1 1",
        "10:99 pm",
        "_ _cm = 5",
        "\u{feff}\u{301}5°",
    ] {
        for sentence in ["Half of it is 50 %.", "The thírd isn't 5 cm."] {
            compare(sentence, text);
        }
        if !split_sentences(text).is_empty() {
            compare(text, text);
        }
    }
    let long = "a ".repeat(20_000) + &"5 kg ".repeat(2_000);
    compare("It weighs 7 kg in total and 9 kg together.", &long);
}
