//! Figures by hand-written cases.

use super::*;
use crate::split_sentences;

fn of(text: &str) -> Vec<Figure> {
    split_sentences(text).iter().flat_map(extract_figures).collect()
}

fn stems(told: &[FigureWord]) -> Vec<&str> {
    told.iter().map(|told| told.stem.as_str()).collect()
}

#[test]
fn a_figure_has_the_words_of_its_clause_around_it() {
    let found = of("In a dry year, the treatment threshold is 3 % of all mites, which is little.");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].written, "3 %");
    assert_eq!(
        (stems(&found[0].before), stems(&found[0].after)),
        (vec!["treatment", "threshold"], vec!["mite"])
    );
    assert_eq!(found[0].qualifiers.iter().collect::<Vec<_>>(), ["all", "dry"]);
}

#[test]
fn ranges_estimates_days_and_years_are_told_apart() {
    let amount = |text: &str| of(text).into_iter().map(|figure| figure.amount).collect::<Vec<_>>();
    assert!(matches!(
        amount("Brood is capped for 14 to 15 days.")[..],
        [Amount::Number { from: 14.0, to: 15.0, .. }]
    ));
    assert!(of("The yield was about 30 kg.")[0].is_loose && !of("The yield was 30 kg.")[0].is_loose);
    assert!(matches!(amount("The hive swarmed on 2025-05-18.")[..], [Amount::Day(_)]));
    assert_eq!(amount("The club was founded in 1998."), [Amount::Year(1998)]);
    assert_eq!(amount("It rained a lot in 1998, and bees drowned."), []);
}

#[test]
fn what_is_no_amount_of_a_known_thing_is_left_out() {
    for text in [
        "It weighed 38 kg.",
        "Is the threshold 3 %?",
        "If the hive weighs 30 kg, feed it.",
        "Batch 7 was fine.",
        "See Figure 3 for more.",
        "The colony needs at least 15 kg.",
        "No numbers stand here.",
        "The date 03/05/2024 can be read in two ways.",
    ] {
        assert_eq!(of(text), [], "{text}");
    }
}

#[test]
fn other_numbers_and_names_qualify_a_figure() {
    let found = of("The fermentation temperature of batch 7 was 18 °C.");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].written, "18 °C");
    assert_eq!(of("The rent of the cabin is $ 40 today.")[0].written, "$ 40");
    assert!(found[0].qualifiers.contains("7"), "{:?}", found[0]);
    let found = of("The Linden hive weighed 38.5 kg on 1 November 2024.");
    assert!(found[0].before.iter().any(|told| told.stem == "linden" && told.is_name));
}
