//! That laying statements together loses none of the differences.

use super::*;

/// What comparing every statement with every other finds.
fn by_all_pairs(all: &[Statement<'_>]) -> Vec<(usize, usize)> {
    let pairs = (0..all.len()).flat_map(|one| (one + 1..all.len()).map(move |other| (one, other)));
    pairs
        .filter(|&(one, other)| all[one].of.source != all[other].of.source && all[one].differs(&all[other]))
        .collect()
}

/// Three hundred notes that say much the same of a few things, with other values, units, years and names.
fn notes() -> Vec<(String, String)> {
    let things =
        ["Linden hive", "treatment threshold", "honey yield", "server timeout", "sensor node battery"];
    let said = ["weighs", "is", "was", "stays at", "of 2024 was"];
    let units = ["kg", "%", "days", "s", "mAh", "frames"];
    let extra = [
        "",
        " in the kitchen",
        " of adult bees",
        " on 1 November 2024",
        " because of the rain",
        " for Marek",
    ];
    let mut state = 7_u64;
    let mut drawn = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut sentence = || {
        let (thing, said, unit) = (things[drawn(5)], said[drawn(5)], units[drawn(6)]);
        format!("The {thing} {said} {} {unit}{}.", 2 + drawn(9), extra[drawn(6)])
    };
    // Numbers in a title would tell the notes apart; titles that differ in one word are of a kind.
    let note = |at: usize| {
        let word: String =
            [at / 26 / 26, at / 26, at].map(|part| char::from(b'a' + (part % 26) as u8)).iter().collect();
        let title = if at.is_multiple_of(3) { format!("Batch {word}") } else { word };
        (format!("Notes/{title}.md"), format!("{}\n\n- {}\n", sentence(), sentence()))
    };
    (0..300).map(note).collect()
}

#[test]
fn what_lies_together_holds_all_that_comparing_every_pair_finds() {
    let notes = notes();
    let passages: Vec<Passage<'_>> = notes
        .iter()
        .map(|(source, text)| Passage {
            source,
            text,
            start: 0,
            first_line: 1,
            headings: &[],
            is_prose: true,
        })
        .collect();
    let all = statements(&passages);
    let pairs = Pairs::of(&all);
    let piled = (0..all.len()).flat_map(|one| pairs.with(one).map(move |other| (one, other)));
    let found: Vec<(usize, usize)> = piled
        .filter(|&(one, other)| all[one].of.source != all[other].of.source && all[one].differs(&all[other]))
        .collect();
    let expected = by_all_pairs(&all);
    assert!(expected.len() > 100, "{}", expected.len());
    assert_eq!(found, expected);
}
