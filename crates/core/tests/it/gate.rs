//! The gate by hand-written cases, the hostile ones above all.

use proptest::prelude::*;
use wellread_core::domain::verdict::{GateReport, Verdict, VerdictReason};
use wellread_core::trust::gate::{
    NOT_SUPPORTED, PlaceReading, PlaceState, judge_against, move_unsupported, render_objections,
};
use wellread_testkit::Random;
use wellread_text::split_sentences;

use crate::answers::answer;
use crate::evidence_library::Library;

const HIVE: &str = "# Hive\n\nThe old hive stood beneath the lime tree. Karl Frisch counted 40 frames and 12 queens there on 5 March 2024.\nIt weighed 31.5 kg, or so he said: \"no more than that\".\n";

fn library() -> (Library, String) {
    let mut library = Library::new();
    let id = library.add("Hive.md", HIVE, (3, 4), true).to_string();
    (library, id)
}

/// The verdicts on a text in which `ID` stands for the evidence.
fn verdicts(text: &str) -> Vec<Verdict> {
    let (library, id) = library();
    library.judge(&text.replace("ID", &id)).sentences.into_iter().map(|judged| judged.verdict).collect()
}

fn check(text: &str, verdict: Verdict) {
    assert_eq!(verdicts(text), [verdict], "{text}");
}

use Verdict::{Contradicted, Quoted, Supported, Uncited, Unknown};

#[test]
fn what_is_the_same_is_supported() {
    for text in [
        "He \"stood\" by \"The old hive stood beneath\" [ID].",
        "“The old hive  stood\u{a0}beneath the lime tree”. [ID]",
        "\"The **old** hive `stood` beneath\" it. [ID]",
        "\"The o\u{200b}ld hive stood\" it. [ID]",
        "‘The old hive stood beneath the lime tree,’ he said [ID].",
        "> The old hive stood\r\n> beneath the *lime* tree. [ID]\r\n",
        "He said: “or so he said: ‘no more than that’” [ID].",
        "KARL counted forty frames and twelve queens [ID].",
        "It weighed 31.5kg (31,5 kilograms) on March 5th, 2024 [ID].",
        "It was in March, in 2024, see Hive.md:3-4 [ID].",
        "| Frisch | 40 | ID |",
        "Frames: 40 [ID]",
    ] {
        let text = if text.starts_with('|') {
            format!("| who | n | |\n|---|---|---|\n{text}")
        } else {
            text.to_owned()
        };
        let found = verdicts(&text);
        assert!(found.len() == 1 && found[0].is_borne_out(), "{text} {found:?}");
    }
}

#[test]
fn what_stands_there_word_for_word_is_quoted_and_what_says_the_same_is_supported() {
    check("The old hive stood beneath the lime tree. [ID]", Quoted);
    check("> The old hive stood\n> beneath the lime tree. [ID]\n", Quoted);
    check("Beneath the lime tree stood the old hive. [ID]", Supported);
}

/// Evidence of a line, and a short sentence about it that is false.
#[test]
fn a_short_sentence_that_the_evidence_denies_is_not_supported() {
    for (source, right, wrong) in [
        ("Canvas is a core plugin.", "Canvas is one of the core plugins.", "Canvas is not a core plugin."),
        (
            "The gate is not locked at night.",
            "At night the gate is not locked.",
            "The gate is locked at night.",
        ),
        (
            "Rowan weighed 41 kg and Sorrel weighed 33 kg.",
            "Rowan's weight was 41 kg.",
            "Rowan's weight was 33 kg.",
        ),
        (
            "The jar holds 500 g of honey.",
            "There is half a kilogram of honey in the jar: 500 g.",
            "The jar holds 500 kg of honey.",
        ),
        ("Ruth taught Anna.", "Anna was taught by Ruth.", "Anna taught Ruth."),
        ("The trial lasts 14 days.", "The trial lasts two weeks.", "The trial lasts two months."),
        (
            "Some loans are renewed by letter.",
            "Some of the loans are renewed by letter.",
            "All loans are renewed by letter.",
        ),
    ] {
        let mut library = Library::new();
        let id = library.add("Facts.md", &format!("{source}\n"), (1, 1), true);
        let judge = |text: &str| library.judge(&format!("{text} [{id}]")).sentences[0].clone();
        let (right, wrong) = (judge(right), judge(wrong));
        assert!(right.verdict.is_borne_out(), "{right:?}");
        assert!(!wrong.verdict.is_borne_out(), "{wrong:?}");
    }
}

#[test]
fn what_the_source_says_otherwise_is_contradicted() {
    for text in [
        "Karl Frisch counted 41 frames there. [ID]",
        "Karl Frisch counted 12 frames there. [ID]",
        "Karl Frisch counted frames there on 6 March 2024. [ID]",
        "It weighed 31.5 mg. [ID]",
        "Karl Frisch counted 40 thousand frames there. [ID]",
        "Karl Frisch counted 40 million frames there. [ID]",
        "He wrote \"The old hive stood benaeth the lime tree\". [ID]",
        "He wrote \"The old h\u{456}ve stood beneath the lime tree\". [ID]",
    ] {
        check(text, Contradicted);
    }
}

/// Of several figures on a line the one in the sentence about the same thing.
#[test]
fn a_wrong_figure_is_held_against_the_one_of_the_same_year() {
    let mut library = Library::new();
    let text = "# Yield\n\nThe honey yield of 2022 was 14 kg. The honey yield of 2023 was 22 kg. The honey yield of 2024 was 31 kg.\n";
    let id = library.add("Yield.md", text, (3, 3), true).to_string();
    for (year, figure) in [("2022", "14"), ("2023", "22"), ("2024", "31")] {
        let report = library.judge(&format!("The honey yield of {year} was 27 kg. [{id}]"));
        let [judged] = report.sentences.as_slice() else { panic!("{report:?}") };
        assert_eq!(judged.verdict, Contradicted, "{judged:?}");
        assert!(
            judged.why.iter().any(
                |reason| matches!(reason, VerdictReason::NumberDiffers { source, .. } if source == figure)
            ),
            "{judged:?}"
        );
    }
}

#[test]
fn what_the_source_does_not_say_is_unknown() {
    for text in [
        "\"The old hive … the lime tree\" is what he wrote. [ID]",
        "\"The old hive ... lime tree. Karl Frisch\" is what he wrote. [ID]",
        "It sold for 77 euros. [ID]",
        "Anna Janscha was there. [ID]",
        "The name Fr\u{456}sch was there. [ID]",
        "The call `count_frames` was there. [ID]",
        "The hive stood at Hive.md:9-12. [ID]",
        "See [the hive](https://example.org/hive) there. [ID]",
        "Jazz music makes everybody happier than rain. [ID]",
        "Three frames and a \"bad word\" were there. [ID]",
        "He was there on 5 March 2024 or in April 2024. [ID]",
        "The hive is old. [ev-nonsense]",
        "The hive is old [ID, ev-00000000000000-001].",
        "```\nlet hive = 40;\n```\n\n[ID]",
    ] {
        let found = verdicts(text);
        assert!(found.len() == 1 && matches!(found[0], Unknown | Contradicted), "{text} {found:?}");
    }
}

#[test]
fn a_quotation_that_is_split_across_two_pieces_of_evidence_stands_in_neither() {
    let mut library = Library::new();
    let one = library.add("A.md", "The old hive stood\n", (1, 1), true);
    let two = library.add("B.md", "beneath the lime tree\n", (1, 1), true);
    let text = format!("He wrote \"The old hive stood beneath the lime tree\" [{one}, {two}].");
    assert_eq!(library.judge(&text).sentences[0].verdict, Unknown);
    let text = format!("\"The old hive stood\" and \"beneath the lime tree\" [{one}, {two}].");
    assert_eq!(library.judge(&text).sentences[0].verdict, Quoted);
    let text = format!("\"The old hive stood\" is not \"beneath the lime tree\" [{one}, {two}].");
    assert_ne!(library.judge(&text).sentences[0].verdict, Quoted);
}

#[test]
fn code_is_quoted_as_it_is_written() {
    let mut library = Library::new();
    let code = "fn main() {\n    let s = \"a quoted string here\";\n    *p += 1;\n}\n";
    let id = library.add("src/main.rs", code, (1, 4), true);
    let judge =
        |text: String| library.judge(&text).sentences.iter().map(|judged| judged.verdict).collect::<Vec<_>>();
    assert_eq!(
        judge(format!("```rust\nlet s = \"a quoted string here\";\n*p += 1; // [{id}]\n```")),
        [Quoted]
    );
    assert_eq!(
        judge(format!("It sets \"a quoted string here\" in `main` (src/main.rs:2) [{id}].")),
        [Supported]
    );
    assert_eq!(judge(format!("It runs `*p += 1` [{id}].")), [Supported]);
    for wrong in ["*p += 2", "p += 1;\n}\n}", "let s = \"a quoted string hare\";", "*p -= 1;"] {
        assert!(!judge(format!("```rust\n{wrong}\n```\n\n[{id}]"))[0].is_borne_out(), "{wrong}");
    }
    assert_ne!(judge(format!("It runs `*p -= 1` [{id}].")), [Supported]);
}

#[test]
fn names_may_stand_in_what_names_the_page() {
    let mut library = Library::new();
    let id = library.add_page(
        "https://example.org/waggle",
        "The Waggle Dance, by Karl Frisch",
        "Bees dance in the dark.\nThey turn 13 times.\n",
    );
    let report =
        library.judge(&format!("Karl Frisch saw bees turn 13 times, see https://example.org/waggle [{id}]."));
    assert_eq!(report.sentences[0].verdict, Supported, "{report:?}");
    assert_eq!(
        (report.sentences[0].evidence[0].path.as_str(), report.sentences[0].evidence[0].start_line),
        ("https://example.org/waggle", 2)
    );
    library.kept.0.clear();
    let report = library.judge(&format!("Bees dance [{id}]."));
    assert_eq!(report.sentences[0].why, [VerdictReason::PlaceGone { id: id.to_string() }]);
}

#[test]
fn texts_with_nothing_in_them_have_no_sentences() {
    for text in ["", "\n\n", "# Heading\n", "[ID]", "[ID]\n\n- [ID] Hive.md:3-4\n", "---\n"] {
        assert_eq!(verdicts(text), [], "{text:?}");
    }
}

#[test]
fn what_leads_on_stays_and_is_counted_as_uncited() {
    let (library, id) = library();
    let report = library.judge(&format!(
        "Here is what I found:\n\n- The old hive stood. [{id}]\n- Nobody ever saw a bee sleep.\n"
    ));
    let found: Vec<_> = report.sentences.iter().map(|judged| (judged.verdict, judged.connective)).collect();
    assert_eq!(found, [(Uncited, true), (Quoted, false), (Uncited, false)]);
    assert_eq!((report.coverage.sentences, report.coverage.quoted, report.coverage.uncited), (3, 1, 2));
    assert!(library.judge("I found nothing that answers this.").passes());
}

#[test]
fn a_place_is_read_again_byte_for_byte() {
    let (library, id) = library();
    let text = format!("The old hive stood there. [{id}]");
    let path = Library::path("Hive.md");
    let entry = library.ledger.entries()[0].clone();
    let standing = || library.places().place_state(&entry);
    assert_eq!(standing(), PlaceState::Holds { start_line: 3 });
    // Elsewhere in the file, as long as the place stays.
    library.files.save(&path, format!("{HIVE}More.\n").as_bytes());
    assert!(library.judge(&text).passes());
    assert!(matches!(
        library.places().read_again(&entry.source),
        PlaceReading::Text { same_file: false, .. }
    ));
    library.files.save(&path, format!("Above.\n{HIVE}").as_bytes());
    assert_eq!(standing(), PlaceState::Moved { start_line: 4, end_line: 5 });
    assert_eq!(library.judge(&text).sentences[0].why, [VerdictReason::PlaceChanged { id: id.clone() }]);
    // Fields of the Open Knowledge Format are written above it, and move it as a whole.
    let fields = "---\ntype: Note\ngenerated: {by: wellread/1, at: 2026-01-01T00:00:00Z}\n---\n";
    library.files.save(&path, format!("{fields}{HIVE}\n{}", entry.text.expose()).as_bytes());
    assert_eq!(standing(), PlaceState::Holds { start_line: 7 });
    assert!(library.judge(&text).passes());
    // The same words above it do not make it another place.
    let words = entry.text.expose().trim_end();
    let mut twice = Library::new();
    let second = format!("{words}\n\n{words}\n");
    let last = second.lines().count();
    twice.add("Hive.md", &second, (last - 1, last), true);
    twice.files.save(&path, format!("{fields}{second}").as_bytes());
    let cited = twice.ledger.entries()[0].clone();
    let start_line = last - 1 + fields.lines().count();
    assert_eq!(twice.places().place_state(&cited), PlaceState::Holds { start_line });
    library.files.save(&path, format!("---\ntype: Note\n---\n{HIVE}").as_bytes());
    assert!(matches!(standing(), PlaceState::Moved { .. }), "any other fields are the user's");
    library.files.save(&path, format!("{fields}Above it.\n{HIVE}").as_bytes());
    assert!(matches!(standing(), PlaceState::Moved { .. }), "the text above it changed, too");
    library.files.save(&path, b"short");
    assert_eq!(
        (standing(), library.places().read_again(&entry.source)),
        (PlaceState::Changed { now: None }, PlaceReading::Changed)
    );
    library.files.make_unreadable(&path);
    assert!(matches!(standing(), PlaceState::Unreachable(_)));
    assert_eq!(library.judge(&text).sentences[0].verdict, Unknown);
}

#[test]
fn a_verdict_can_be_lowered_and_never_raised() {
    let (library, id) = library();
    let mut report = library.judge(&format!("The old hive stood. [{id}] It fell."));
    let why = || VerdictReason::Lowered { because: "it does not follow".into(), source: String::new() };
    assert!(
        !report.lower_verdict(1, Supported, why())
            && !report.lower_verdict(0, Quoted, why())
            && !report.lower_verdict(9, Unknown, why())
    );
    assert!(report.lower_verdict(0, Unknown, why()) && !report.lower_verdict(0, Supported, why()));
    assert_eq!((report.coverage.supported, report.coverage.unknown), (0, 1));
    let kept: GateReport = serde_json::from_value(serde_json::to_value(&report).unwrap()).unwrap();
    assert_eq!(kept, report);
}

#[test]
fn what_is_not_supported_goes_under_its_own_heading() {
    let (library, id) = library();
    let text = format!(
        "# Hives\n\nThe old hive stood. [{id}] It had 77 frames. [{id}] # It weighed 31.5 kg. [{id}]\n\n- Lead without support\n  - Frisch counted 40 frames [{id}]\n- It fell in 1999 [{id}]\n\n> Made up words of nobody at all.\n\n| a | b |\n|---|---|\n| Frisch | 40 [{id}] |\n| Janscha | 41 [{id}] |\n\n```\nlet x = 1;\n```\n\nSource: https://example.org\n"
    );
    let report = library.judge(&text);
    let settled = move_unsupported(&text, &report);
    assert_eq!((settled.supported, settled.connective, settled.moved), (4, 0, 6), "{report:#?}");
    let (body, below) = settled.text.split_once(&format!("## {NOT_SUPPORTED}")).unwrap();
    assert_eq!(
        body,
        format!(
            "# Hives\n\nThe old hive stood. [{id}] \\# It weighed 31.5 kg. [{id}]\n\n- …\n  - Frisch counted 40 frames [{id}]\n\n| a | b |\n|---|---|\n| Frisch | 40 [{id}] |\n\nSource: https://example.org\n\n"
        )
    );
    for moved in [
        "It had 77 frames.",
        "Lead without support",
        "It fell in 1999",
        "Made up words of nobody at all.",
        "| Janscha | 41",
        "let x = 1;",
    ] {
        assert!(below.contains(moved), "{moved}: {below}");
    }
    // Once more changes nothing.
    let again = library.judge(&settled.text);
    assert_eq!(move_unsupported(&settled.text, &again).text, settled.text);
}

#[test]
fn a_report_on_another_text_supports_nothing() {
    let (library, id) = library();
    let report = library.judge(&format!("The old hive stood. [{id}]"));
    let settled = move_unsupported("Something else is said here.", &report);
    assert_eq!((settled.supported, settled.moved), (0, 1));
    assert!(settled.text.starts_with("### Not supported"));
}

#[test]
fn settling_neither_drops_nor_invents_a_sentence() {
    for seed in 0..400 {
        let answer = answer(seed);
        let mut report = answer.library.judge(&answer.text);
        let mut random = Random::seeded(seed + 1);
        for index in 0..report.sentences.len() {
            if random.below(2) == 0 {
                report.lower_verdict(index, Unknown, VerdictReason::NothingInCommon);
            }
        }
        let settled = move_unsupported(&answer.text, &report);
        let left = split_sentences(&settled.text);
        let heading = settled.text.find(NOT_SUPPORTED).unwrap_or(settled.text.len());
        let kept = left.iter().filter(|sentence| sentence.span.start < heading).count();
        assert_eq!(kept, settled.supported, "{seed}\n{}\n{}", answer.text, settled.text);
        assert_eq!(settled.supported + settled.moved, report.sentences.len());
        for judged in report.sentences.iter().filter(|judged| !judged.verdict.is_borne_out()) {
            let first = judged.text.lines().next().unwrap();
            assert!(settled.text[heading..].contains(first), "{seed}: {first}\n{}", settled.text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn settling_any_markdown_loses_nothing(text in wellread_testkit::notes::note(), seed in 0..1000_u64) {
        let (library, _) = library();
        let mut report = library.judge(&text);
        let mut random = Random::seeded(seed);
        // As if some had been supported.
        for judged in report.sentences.iter_mut().filter(|_| random.below(2) == 0) {
            judged.verdict = Supported;
        }
        let settled = move_unsupported(&text, &report);
        let left = split_sentences(&settled.text);
        let heading = settled.text.find(NOT_SUPPORTED).unwrap_or(settled.text.len());
        let kept = left.iter().filter(|sentence| sentence.span.start < heading).count();
        prop_assert_eq!(kept, settled.supported + settled.connective, "{:?}\n{:?}", text, settled.text);
        prop_assert_eq!(settled.supported + settled.connective + settled.moved, report.sentences.len());
        let letters = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
        let below = letters(&settled.text[heading..]);
        for judged in report.sentences.iter().filter(|judged| !judged.passes()) {
            prop_assert!(below.contains(&letters(&judged.text)), "{:?} of {:?}\n{:?}", judged.text, text, settled.text);
        }
    }
}

#[test]
fn objections_repeat_nothing_that_others_wrote() {
    let (library, id) = library();
    let text = format!(
        "The secret Word of 41 frames \"is not in there at all\" [{id}]. And `evil_name` is uncited."
    );
    let told = render_objections(&library.judge(&text));
    assert!(
        told.contains("Sentence 1 is") && told.contains("Sentence 2 is uncited") && told.contains("41"),
        "{told}"
    );
    for foreign in ["secret", "Word", "not in there", "evil_name"] {
        assert!(!told.contains(foreign), "{told}");
    }
    assert_eq!(render_objections(&library.judge(&format!("The old hive stood. [{id}]"))), "");
}

#[test]
fn any_text_can_be_judged_against_given_sources() {
    let sources = [
        ("Hive.md".to_owned(), HIVE.to_owned()),
        (
            "src/wax.rs".to_owned(),
            "/// Melts the wax.\nfn melt_wax(degrees: u32) -> u32 {\n    degrees * 64\n}\n".to_owned(),
        ),
    ];
    let text = "The old hive stood beneath the lime tree. Frisch counted 41 frames there. Bees were first kept in Egypt. The function `melt_wax` multiplies the degrees by 64. He wrote \"the young hive stood beneath\".";
    let report = judge_against(text, &sources, None);
    let found: Vec<_> = report.sentences.iter().map(|judged| judged.verdict).collect();
    assert_eq!(found[..4], [Quoted, Contradicted, Unknown, Supported], "{report:#?}");
    assert!(!found[4].is_borne_out());
    let evidence = &report.sentences[3].evidence[0];
    assert_eq!((evidence.path.as_str(), evidence.id.is_none()), ("src/wax.rs", true));
    let evidence = &report.sentences[0].evidence[0];
    assert_eq!((evidence.start_line, evidence.end_line), (3, 3));
    assert!(evidence.quote.starts_with("The old hive stood"));
    assert_eq!(judge_against("Nothing.", &[], None).sentences[0].verdict, Unknown);
}

#[test]
fn long_texts_are_judged_to_their_end() {
    let (library, id) = library();
    let sentence = format!("The old hive stood and had 40 frames. [{id}] ");
    let text = sentence.repeat(10_000);
    assert_eq!(library.judge(&text).coverage.supported, 10_000);
    // A hundred thousand short ones, a megabyte without an end, and a quotation that is never found.
    assert_eq!(library.judge(&"It is. ".repeat(100_000)).coverage.uncited, 100_000);
    assert_eq!(library.judge(&format!("{} [{id}]", "Hive 40 ".repeat(20_000))).coverage.sentences, 1);
    let quoted = format!("\"the old hive stood beneath a lime\" [{id}]. ").repeat(1_000);
    assert_eq!(library.judge(&quoted).coverage.supported, 0);
}
