//! What the verifier reads, and what follows from it.

use wellread_core::domain::verdict::Verdict;
use wellread_testkit::ScriptedVerifier;

use crate::evidence_library::Library;

const HEAVY: &str = "In July the colony is at its heaviest.";

/// A note of many lines, with one that says it.
fn library(lines: usize, at: usize) -> (Library, String) {
    let line = |number: usize| match number {
        number if number == at => "The colony weighs most in July, at its heaviest.".to_owned(),
        number => format!("Nothing of note on day {number}."),
    };
    let text = (1..=lines).map(line).collect::<Vec<_>>().join("\n");
    let mut library = Library::new();
    let id = library.add("Hives/Rowan.md", &text, (1, lines), true);
    (library, id.to_string())
}

#[test]
fn of_a_long_text_the_lines_with_the_words_are_read() {
    for at in [1, 250, 500] {
        let (library, id) = library(500, at);
        let verifier = ScriptedVerifier::new([(HEAVY, 0.9)]);
        let report = library.judge_with(&format!("{HEAVY} [{id}]"), Some(&verifier));
        assert_eq!(report.sentences[0].verdict, Verdict::Supported, "{report:?}");
        let (_, text) = verifier.questions().remove(0);
        assert!(text.starts_with("Rowan\n") && text.contains("weighs most in July"), "{at}: {text}");
        assert!(text.len() < 3_000, "{}", text.len());
    }
}

#[test]
fn a_reading_moves_a_verdict_within_its_bounds() {
    let same = "In July the colony weighs most.";
    let figure = "The colony weighs 41 kg in July.";
    let (library, id) = library(3, 2);
    for (sentence, share, verdict) in [
        (same, 0.9, Verdict::Supported),
        (same, 0.4, Verdict::Supported),
        (same, 0.1, Verdict::Unknown),
        (figure, 0.9, Verdict::Unknown),
    ] {
        let verifier = ScriptedVerifier::new([(sentence, share)]);
        let report = library.judge_with(&format!("{sentence} [{id}]"), Some(&verifier));
        assert_eq!(report.sentences[0].verdict, verdict, "{sentence} {share}: {report:?}");
    }
}

#[test]
fn what_is_quoted_is_not_read() {
    let (library, id) = library(3, 2);
    let verifier = ScriptedVerifier::new([]);
    let report = library
        .judge_with(&format!("The colony weighs most in July, at its heaviest. [{id}]"), Some(&verifier));
    assert_eq!(report.sentences[0].verdict, Verdict::Quoted);
    assert!(verifier.questions().is_empty());
}

/// What is doubted is what a sentence says in words of its own, and here it says nothing.
#[test]
fn quotations_side_by_side_are_not_read() {
    let mut library = Library::new();
    let one =
        library.add("Mites.md", "The threshold for varroa in August is 3 % of adult bees.", (1, 1), true);
    let other =
        library.add("Clip.md", "The threshold for varroa in August is 2 % of adult bees.", (1, 1), true);
    let sentence = format!(
        "\"The threshold for varroa in August is 3 % of adult bees.\" [{one}], but \"The threshold for varroa in August is 2 % of adult bees.\" [{other}]"
    );
    let verifier = ScriptedVerifier::new([]);
    let report = library.judge_with(&sentence, Some(&verifier));
    assert!(report.sentences.iter().all(|judged| judged.verdict == Verdict::Quoted), "{report:?}");
    assert!(verifier.questions().is_empty());
}

#[test]
fn what_keeps_to_the_words_of_the_source_is_not_doubted() {
    let mut library = Library::new();
    let text = "A platen from Heidelberg, built in 1957, bought in 2019 from a school in Offenburg.";
    let id = library.add("Workshop/Press.md", text, (1, 1), true);
    for (sentence, verdict) in [
        ("The press was built in 1957.", Verdict::Supported),
        ("A school in Offenburg built the press in 1957.", Verdict::Unknown),
    ] {
        let verifier = ScriptedVerifier::new([(sentence, 0.02)]);
        let report = library.judge_with(&format!("{sentence} [{id}]"), Some(&verifier));
        assert_eq!(report.sentences[0].verdict, verdict, "{sentence}: {report:?}");
    }
}

#[test]
fn the_headings_above_a_line_are_read_with_it() {
    let text = "# Huts\n\n## Kinloch\n\n- last ferry 16:40\n\n## Ardvar\n\n- last ferry 18:10\n";
    let mut library = Library::new();
    let id = library.add("Trip/Places.md", text, (5, 5), true);
    let sentence = "The last ferry from Kinloch leaves at 16:40.";
    let verifier = ScriptedVerifier::new([(sentence, 0.4)]);
    let report = library.judge_with(&format!("{sentence} [{id}]"), Some(&verifier));
    assert_eq!(report.sentences[0].verdict, Verdict::Supported, "{report:?}");
    let (_, text) = verifier.questions().remove(0);
    assert_eq!(text.trim_end(), "Places\nHuts\nKinloch\n- last ferry 16:40");
    let other = library.judge_with(&format!("The last ferry from Ardvar leaves at 16:40. [{id}]"), None);
    assert_ne!(other.sentences[0].verdict, Verdict::Supported, "{other:?}");
}

#[test]
fn a_word_that_turns_the_source_takes_more_support_to_be_ignored() {
    let mut library = Library::new();
    let id = library.add("Trip/Huts.md", "Kinloch was the dearest of the huts.", (1, 1), true).to_string();
    let sentence = "Kinloch was the cheapest of the huts.";
    for (share, verdict) in [(0.6, Verdict::Unknown), (0.9, Verdict::Supported)] {
        let verifier = ScriptedVerifier::new([(sentence, share)]);
        let report = library.judge_with(&format!("{sentence} [{id}]"), Some(&verifier));
        assert_eq!(report.sentences[0].verdict, verdict, "{share}: {report:?}");
    }
}
