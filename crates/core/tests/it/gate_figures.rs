//! Figures and dates in the gate: what they are of, where their unit stands, and what follows from them.

use wellread_core::domain::verdict::{JudgedSentence, Verdict, VerdictReason};

use crate::evidence_library::Library;

const BOATS: &str = "# Boats\n\n| Boat | Length (m) | Price (€) |\n| --- | ---: | ---: |\n| Heron | 5.2 | 2300 |\n| Teal | 4.1 | 1750 |\n";

/// The verdict on a sentence about these lines of a note.
fn judge(sentence: &str, text: &str, lines: (usize, usize)) -> JudgedSentence {
    let mut library = Library::new();
    let id = library.add("Notes/Boats.md", text, lines, true);
    library.judge(&format!("{sentence} [{id}]")).sentences.remove(0)
}

#[test]
fn an_amount_that_can_merely_be_calculated_is_not_supported() {
    let glaze = "The glaze takes 300 g soft feldspar, 200 g hard feldspar and 90 g chalk.\n";
    let vote = "- Dues rise to 96 € from 2026 (48 for, 9 against, 4 abstentions).\n";
    let parts = "- Crate: 6 clamps (cast), 2 springs, 1 set of rollers\n";
    for (sentence, source) in [
        ("The glaze takes 500 g of feldspar in total.", glaze),
        ("9 members voted against higher dues.", vote),
        ("The crate has 6 clamps and 2 springs.", parts),
    ] {
        let judged = judge(sentence, source, (1, 1));
        assert!(judged.verdict.is_borne_out(), "{judged:?}");
    }
    for (sentence, source) in [
        ("The glaze takes 500 g of hard feldspar.", glaze),
        ("The glaze takes 100 g of chalk.", glaze),
        ("The glaze takes 500 g of hard feldspar in total.", glaze),
        ("Two members voted against higher dues.", vote),
        ("5 members voted against higher dues.", vote),
        ("12 members voted against higher dues.", vote),
        ("48 members voted against higher dues.", vote),
        ("The crate has 6 clamps and 3 springs.", parts),
        ("The crate has 6 clamps and 4 springs.", parts),
        ("The crate has 6 springs.", parts),
    ] {
        let judged = judge(sentence, source, (1, 1));
        assert!(!judged.verdict.is_borne_out(), "{judged:?}");
    }
}

/// The head may stand above the lines that are cited.
#[test]
fn a_cell_has_the_unit_of_its_column() {
    for lines in [(5, 5), (3, 6), (1, 6)] {
        for right in [
            "The Heron costs 2,300 €.",
            "The price of the Heron is 2,300 euros.",
            "The Heron has a length of 5.2 m.",
        ] {
            let judged = judge(right, BOATS, lines);
            assert!(judged.verdict.is_borne_out(), "{lines:?} {judged:?}");
        }
        for wrong in [
            "The Heron costs 2,300 dollars.",
            "The price of the Heron is 2,300 pounds.",
            "The Heron has a length of 5.2 cm.",
        ] {
            let judged = judge(wrong, BOATS, lines);
            assert!(!judged.verdict.is_borne_out(), "{lines:?} {judged:?}");
        }
    }
}

#[test]
fn the_year_of_a_range_goes_for_both_of_its_ends() {
    let source = "Mira teaches in Turku from 1 March to 30 June 2027.\n";
    for (sentence, verdict) in [
        ("Mira teaches in Turku from March 2027.", Verdict::Supported),
        ("Mira teaches in Turku from 1 March 2027.", Verdict::Supported),
        ("Mira teaches in Turku until 30 June 2027.", Verdict::Supported),
        ("In May 2027 Mira teaches in Turku.", Verdict::Unknown),
        ("Mira teaches in Turku from March 2028.", Verdict::Contradicted),
    ] {
        let judged = judge(sentence, source, (1, 1));
        assert_eq!(judged.verdict, verdict, "{judged:?}");
    }
    let judged = judge("Mira teaches in Turku until 30 June 2028.", source, (1, 1));
    assert!(
        judged
            .why
            .iter()
            .any(|why| matches!(why, VerdictReason::DateDiffers { source, .. } if source == "2027-06-30")),
        "{judged:?}"
    );
}
