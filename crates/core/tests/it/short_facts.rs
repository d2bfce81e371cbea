//! Short lines and fields that state just what a question asks for, and what a later note says against them.

use wellread_core::insight::keyless::{AnswerModels, FoundAnswer, Passage, ReadableSection, find_answers};

const MOOR: &str = "# High Moor\n\nRaised bog in the south.\n\n## Instruments\n\n- 12 collars (H1–H12), see [[Collars]]\n\
- 4 dipwells\n- eddy tower, 2.8 m\n\n## Visits\n\nOn Monday 3 collars were broken.\n\n## Gauges\n\n6\n";
const MOOR_FIELDS: &str = "---\ncountry: DE\npermit: pending\nowner: private\n---";
const ANNA: &str = "# Anna Beck\n\nProfessor. Prefers the telephone to mail.\n";
const ANNA_FIELDS: &str = "---\nrole: supervisor\noffice: G 214\n---";
const GRANT: &str =
    "# Miller Foundation\n\nPays for the field work until 2026. Total 114 000 CHF.\nReport by 15 February.\n";
const GRANT_FIELDS: &str = "---\ngrant: KF-2241\n---";
const COLLARS: &str = "# Collars\n\nPipes are inserted 15 cm deep into the moor, and stay over winter.\n";
const EARLY: &str = "# 2026-05-08\n\nPermit for High Moor: the office wants a statement first.\n";
const LATE: &str =
    "# 2026-09-02\n\nThe permit for High Moor came by post, valid until August.\nCake with Tom.\n";

fn passage<'a>(source: &'a str, text: &'a str) -> Passage<'a> {
    let is_prose = !text.starts_with("---");
    Passage { source, text, start: 0, first_line: 1, headings: &[], is_prose }
}

/// Asks with a reader that does not see the answer anywhere.
fn ask(question: &str) -> Vec<FoundAnswer> {
    let passages = [
        passage("Methods/Collars.md", COLLARS),
        passage("Sites/High Moor.md", MOOR),
        passage("Sites/High Moor.md", MOOR_FIELDS),
        passage("People/Anna Beck.md", ANNA),
        passage("People/Anna Beck.md", ANNA_FIELDS),
        passage("Miller Foundation.md", GRANT),
        passage("Miller Foundation.md", GRANT_FIELDS),
        passage("Daily/2026-05-08.md", EARLY),
        passage("Daily/2026-09-02.md", LATE),
    ];
    let unsure = |section: &ReadableSection| vec![-3.0; section.pieces.len()];
    let reading = |sections: &[ReadableSection]| Some(sections.iter().map(unsure).collect());
    let nearness = |texts: &[String]| Some(vec![0.3; texts.len()]);
    find_answers(question, &passages, AnswerModels { nearness: &nearness, reading: &reading }).answers
}

fn first(question: &str) -> Option<(String, bool)> {
    ask(question).first().map(|answer| (answer.quotes[0].text.clone(), answer.is_certain))
}

#[test]
fn a_line_that_counts_what_is_asked_for_answers() {
    for (question, line) in [
        ("How many collars are at High Moor?", "12 collars (H1–H12), see [[Collars]]"),
        ("How many dipwells does High Moor have?", "4 dipwells"),
        ("How many gauges are there at High Moor?", "6"),
    ] {
        assert_eq!(first(question), Some((line.to_owned(), true)), "{question}");
    }
    // Of another place, of a part of them, or of another thing, nothing is certain.
    for question in [
        "How many collars are at Low Moor?",
        "How many broken collars are at High Moor?",
        "How many towers are at High Moor?",
        "How many collars did Tom buy for High Moor?",
    ] {
        assert!(
            first(question).is_none_or(|(_, is_certain)| !is_certain),
            "{question}: {:?}",
            first(question)
        );
    }
}

#[test]
fn a_field_answers_a_question_that_names_the_kind_of_its_value() {
    for question in ["In which room is Anna's office?", "What room is Anna Beck's office?"] {
        assert_eq!(first(question), Some(("office: G 214".to_owned(), true)), "{question}");
    }
    for question in ["In which room is Tom's office?", "In which year did Anna get her office?"] {
        assert!(
            first(question).is_none_or(|(_, is_certain)| !is_certain),
            "{question}: {:?}",
            first(question)
        );
    }
}

#[test]
fn a_name_right_before_a_figure_is_a_property() {
    let line = "Pays for the field work until 2026. Total 114 000 CHF.";
    assert_eq!(first("What's the total grant of the Miller Foundation?"), Some((line.to_owned(), true)));
    for question in [
        "What's the total grant of the Moor Foundation?",
        "Why is the total grant of the Miller Foundation low?",
    ] {
        assert!(
            first(question).is_none_or(|(_, is_certain)| !is_certain),
            "{question}: {:?}",
            first(question)
        );
    }
}

#[test]
fn beside_a_state_in_a_field_stands_what_a_later_day_says_of_it() {
    let answers = ask("Did we get a permit for High Moor?");
    let said: Vec<&str> = answers.iter().map(|answer| answer.quotes[0].text.as_str()).collect();
    assert_eq!(said, ["The permit for High Moor came by post, valid until August.", "permit: pending"]);
    assert!(answers.iter().all(|answer| !answer.is_certain), "{answers:?}");
    // No day says anything of that one.
    assert_eq!(first("Who is the owner of High Moor?"), Some(("owner: private".to_owned(), true)));
}

#[test]
fn a_line_that_takes_back_what_it_says_is_not_certain() {
    let pond = "# Pond\n\nThe pond is 3 m deep. The pond depth of 3 m was wrong, the correct value is 4 m.\n";
    let sure = |section: &ReadableSection| {
        section.pieces.iter().map(|piece| if piece.contains("is 3 m deep") { 6.0 } else { 2.0 }).collect()
    };
    let reading = |sections: &[ReadableSection]| Some(sections.iter().map(sure).collect());
    let nearness = |texts: &[String]| Some(vec![0.6; texts.len()]);
    let models = AnswerModels { nearness: &nearness, reading: &reading };
    let found = find_answers("How deep is the pond?", &[passage("Pond.md", pond)], models).answers;
    let line = "The pond is 3 m deep. The pond depth of 3 m was wrong, the correct value is 4 m.";
    assert_eq!(found[0].quotes.iter().map(|quote| quote.text.as_str()).collect::<Vec<_>>(), [line]);
    assert!(found.len() == 1 && !found[0].is_certain, "{found:?}");
}
