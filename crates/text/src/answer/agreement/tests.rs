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

fn follows(sentence: &str, digits: &str, source: &str) -> bool {
    let sentences = split_sentences(sentence);
    let passage = Passage::new(source, "Notes.md", true);
    Statement::new(&sentences[0]).follows_from(digits, &[&passage])
}

#[test]
fn an_amount_follows_from_others_only_where_the_sentence_says_how() {
    let glaze = "The glaze takes 300 g soft feldspar, 200 g hard feldspar and 90 g chalk.";
    let vote = "Dues rise to 96 € from 2026 (48 for, 9 against, 4 abstentions).";
    let crate_ = "Crate: 6 clamps (cast), 2 springs, 1 set of rollers";
    for (sentence, digits, source) in [
        ("The glaze takes 500 g of feldspar in total.", "500", glaze),
        ("The glaze takes 100 g more of soft feldspar than of hard feldspar.", "100", glaze),
        ("Together the glaze has 590 g of solids.", "590", glaze),
        ("In all 61 votes were given.", "61", vote),
        ("The dues had 39 more votes for them than against.", "39", vote),
        ("The crate holds three kinds of parts.", "3", "Parts: clamps, springs, rollers"),
        ("The four nights come to 384 €.", "384", "The inn costs 96 € a night."),
        ("The loft costs 100 € per month.", "100", "The loft costs 1,200 € a year."),
        ("Six feeds in 24 hours are given.", "6", "Feed every 4 hours."),
        ("The walk lasted two weeks.", "2", "The walk went from 3 May 2025 to 17 May 2025."),
        ("The pair of oars weighs 3.8 kg.", "3.8", "Oars: 2 x 1.9 kg"),
        ("The room is 640 € warm.", "640", "Room: 540 cold + 100 heating"),
        ("The new sail is 90 g lighter.", "90", "- sail: 410 (the old one was 500)"),
        ("A quarter, 25 %, of the fleet is afloat.", "25", "Fleet: 48 boats, 12 boats afloat"),
        ("The lease runs for three decades.", "3", "The lease runs for thirty years."),
        ("The harbour dues are 2,300 € a year.", "2300", "Die Hafengebühr beträgt 2.300 Euro im Jahr."),
    ] {
        assert!(follows(sentence, digits, source), "{sentence}");
    }
    for (sentence, digits, source) in [
        ("The glaze takes 500 g of feldspar.", "500", glaze),
        ("The glaze takes 500 g of hard feldspar in total.", "500", glaze),
        ("The glaze takes 100 g of chalk.", "100", glaze),
        ("Two members voted against higher dues.", "2", vote),
        ("Five members voted against higher dues.", "5", vote),
        ("Seven members voted against higher dues.", "7", vote),
        ("61 members voted against higher dues.", "61", vote),
        ("The crate has 6 clamps and 3 springs.", "3", crate_),
        ("The crate has 6 clamps and 4 springs.", "4", crate_),
        ("The crate has 6 springs.", "6", crate_),
        ("The pair of oars weighs 3.9 kg.", "3.9", "Oars: 2 x 1.9 kg"),
        ("The room is 630 € warm.", "630", "Room: 540 cold + 100 heating"),
        ("The new sail is 80 g lighter.", "80", "- sail: 410 (the old one was 500)"),
        ("The new sail weighs 90 g.", "90", "- sail: 410 (the old one was 500)"),
        ("30 % of the fleet is afloat.", "30", "Fleet: 48 boats, 12 boats afloat"),
        ("The harbour dues are 2,300 € a year.", "2300", "Die Hafengebühr beträgt 23 Euro im Jahr."),
        ("The limit is 9 mites a day.", "9", "The limit is 3 mites a day."),
        ("The limit is 21 mites per day.", "21", "The limit is 3 mites per day."),
        ("The walk rose to 14 m.", "14", "The first part is 20 m up, the second 6 m."),
    ] {
        assert!(!follows(sentence, digits, source), "{sentence}");
    }
}

#[test]
fn the_head_of_a_table_gives_its_unit_to_the_cells() {
    let head = "| Boat | Price (€) |\n| --- | ---: |\n";
    let row = "| Heron | 2300 |\n";
    let of = |sentence: &str, passage: &Passage| {
        Statement::new(&split_sentences(sentence)[0]).follows_from("2300", &[passage])
    };
    for passage in [Passage::new(&format!("{head}{row}"), "", true), Passage::below_head(head, row, "")] {
        assert!(of("The Heron costs 2,300 euros.", &passage));
        assert!(of("The Heron's price is 2,300.", &passage));
        assert!(!of("The Heron costs 2,300 dollars.", &passage));
        assert!(!of("The Heron costs 2,300 kg.", &passage));
    }
}

#[test]
fn a_former_use_of_a_place_is_not_the_past_of_what_stands_in_it() {
    let source = "The tower is in the former mill: 13 m high, 42 steps.";
    assert!(!compare("The tower is 13 m high.", source).contains(&Mismatch::Outdated));
    assert!(compare("The mill is 13 m high.", source).contains(&Mismatch::Outdated));
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
fn what_is_quoted_is_not_missing_beside_the_quotation() {
    let source = "Version 2 may underestimate memory for hash joins. Messages are delivered in order, not across producers.";
    for right in [
        "The notes admit that it \"may underestimate memory for hash joins\".",
        "Messages \"are delivered in order, not across producers\", says the page.",
    ] {
        assert_eq!(compare(right, source), [], "{right}");
    }
    assert!(!compare("Version 2 underestimates memory for hash joins.", source).is_empty());
}

#[test]
fn two_denials_and_a_limit_are_not_the_opposite() {
    let certain = |mismatch: &Mismatch| {
        matches!(
            mismatch,
            Mismatch::Negation { is_certain: true } | Mismatch::Direction { is_certain: true, .. }
        )
    };
    let veil = "The Veil was visible only with the filter.";
    assert!(!compare("The Veil could not be seen without the filter.", veil).iter().any(certain));
    let bay = "The inner bay stayed above 25 degrees; the outer bay did not exceed 23 degrees.";
    assert!(!compare("The outer bay stayed at 23 degrees or less.", bay).iter().any(certain));
}

#[test]
fn a_negation_behind_a_label_and_beside_other_limits_is_seen() {
    for (wrong, source) in [
        ("The tide clock was not approved.", "Tide clock: approved."),
        ("The tide clock was not approved.", "Tide clock: approved 5:1, Ross against."),
        ("The tide clock was approved.", "Tide clock: not approved, 3:2."),
        ("Entry is not for members.", "Entry is only for members."),
        ("Government Indemnity is not for UK borrowers.", "Government Indemnity only for UK borrowers."),
        ("The plan is not to freeze textiles.", "The plan is to freeze textiles without paint."),
    ] {
        let found = compare(wrong, source);
        assert!(found.iter().any(|one| matches!(one, Mismatch::Negation { .. })), "{wrong} {found:?}");
    }
    for (right, source) in [
        ("The museum is not open on Tuesdays.", "The museum is open only on Mondays."),
        ("The tide clock was approved.", "Tide clock: approved."),
        ("The tide clock was approved.", "Tide clock: approved 5:1, Ross against."),
        ("The tide clock was not approved.", "Tide clock: not approved, 3:2."),
        ("The frame has no paint.", "The frame is sold without paint."),
    ] {
        let found = compare(right, source);
        assert!(!found.iter().any(|one| matches!(one, Mismatch::Negation { .. })), "{right} {found:?}");
    }
}

#[test]
fn what_is_struck_out_bears_nothing_out() {
    let source = "~~The key is under the mat.~~ The key is with Kirsty.";
    assert_eq!(compare("The key is with Kirsty.", source), []);
    assert!(!compare("The key lies under the mat.", source).is_empty());
    let index = crate::SourceIndex::new(source, true);
    assert!(index.find_quotation("The key is under the mat").is_none());
    assert!(index.find_quotation("The key is with Kirsty").is_some());
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

#[test]
fn a_part_of_one_statement_keeps_its_words_in_order() {
    let keeps = |sentence: &str, source: &str| {
        let sentences = split_sentences(sentence);
        let passage = Passage::new(source, "Press.md", true);
        Statement::new(&sentences[0]).keeps_order(&[&passage])
    };
    let press = "A platen from Heidelberg, built in 1957, bought in 2019 from a school in Offenburg. It is not for rent.";
    assert!(keeps("The press was built in 1957.", press));
    assert!(keeps("It was built in 1957 and bought in 2019.", press));
    assert!(!keeps("It was bought in 1957.", press));
    assert!(!keeps("A school in Offenburg built it.", press));
    assert!(!keeps("The press is for rent.", press));
    assert!(!keeps("The press was built in 1958.", press));
    let led = "Led by Ina Petrie (took over from Betty Cowie in Jan 2025, when Betty's hands got too bad).";
    assert!(keeps("Ina Petrie took over from Betty Cowie in Jan 2025.", led));
    assert!(!keeps("The tide clock was not approved.", "Tide clock: approved by the trustees."));
    assert!(!keeps("The hall is free.", "The hall is free, unless it is booked."));
}

#[test]
fn a_plan_is_not_done() {
    let told_as_done = |sentence: &str, source: &str| {
        compare(sentence, source).iter().any(|mismatch| matches!(mismatch, Mismatch::Overstated(_)))
    };
    let task = "- [ ] Ines: paint the hull before Easter";
    assert!(told_as_done("Ines has painted the hull before Easter.", task));
    assert!(!told_as_done("Ines is to paint the hull before Easter.", task));
    assert!(!told_as_done("Ines has not painted the hull yet.", task));
    assert!(!told_as_done(
        "Ines has painted the hull before Easter.",
        "- [x] Ines: paint the hull before Easter"
    ));
    let planned = "The slipway will be closed for repairs in June.";
    assert!(told_as_done("The slipway was closed for repairs in June.", planned));
    assert!(!told_as_done("The slipway is to be closed for repairs in June.", planned));
    assert!(!told_as_done("The slipway has a gate that will be closed in June.", planned));
    let both = "The slipway was closed in May and will be closed in June.";
    assert!(!told_as_done("The slipway was closed in May.", both));
}

#[test]
fn a_change_goes_the_way_that_its_amounts_go() {
    let turns = |sentence: &str, source: &str| {
        compare(sentence, source).iter().any(|mismatch| matches!(mismatch, Mismatch::Direction { .. }))
    };
    let source = "Members: 41 (2023: 48)";
    assert!(turns("Membership rose from 48 to 41.", source));
    assert!(!turns("Membership fell from 48 to 41.", source));
    assert!(turns("Membership fell from 41 to 48.", source));
    // What contrasts may stand in the clause that has the name.
    let prices = "Berths cost between 300 and 900 EUR, Kinloch the dearest.";
    assert!(turns("Kinloch was the cheapest of the berths.", prices));
    assert!(!turns("Kinloch was the most expensive of the berths.", prices));
    assert!(!turns(
        "The hull should be left until the following day.",
        "Leave the hull before the next day."
    ));
}

#[test]
fn a_number_of_its_own_says_nothing_about_another_ones_place() {
    let plan = "| What | Every | Kept |\n| --- | --- | --- |\n| Main ledger | 24 h | 35 days |\n";
    assert_eq!(compare("The main ledger is saved every 24 hours and kept for 35 days.", plan), []);
    let hives = "- Linden: 4 mites a day\n- Quarry: 1 mite a day\n";
    assert!(!compare("Quarry had 4 mites a day.", hives).is_empty());
    assert!(!compare("Linden had 1 mite a day and Quarry 4 mites a day.", hives).is_empty());
}

#[test]
fn numbers_change_places_only_where_one_is_put_before_the_other() {
    let swapped = |sentence: &str, source: &str| {
        compare(sentence, source).iter().any(|mismatch| matches!(mismatch, Mismatch::RolesSwapped(..)))
    };
    assert!(!swapped("It lost 1.3 kg between 20 and 27 May.", "Weight 20 May: 6.4 kg, 27 May: 5.1 kg."));
    assert!(swapped("The level went from 14 to 9.", "The level went from 9 to 14."));
    let hired = "The Harbour Board employed forty pilots against wreckers.";
    assert!(!swapped("Forty pilots were employed by the Harbour Board to fight wreckers.", hired));
}
