//! Lines of other notes that name what a note is about.

use wellread_core::insight::keyless::{KnownWords, Passage, collect_names, find_mentions};
use wellread_core::research::{Depth, NoteRecipe, NoteRequest};
use wellread_testkit::World;
use wellread_testkit::chat_world::block_on;

const MOOR: &str =
    "---\ncountry: DE\npermit: pending\n---\n# Rotmoor\n\nOur reference: 8 collars, 3 dipwells, no tower.\n";

fn mentions(path: &str, text: &str, others: &[(&str, &str)]) -> Vec<String> {
    let paths: Vec<String> = others.iter().map(|(path, _)| (*path).to_owned()).collect();
    let names = collect_names(path, text, &paths);
    let title = path.rsplit('/').next().unwrap().trim_end_matches(".md");
    let known = KnownWords::from_note(title, text);
    let passages: Vec<Passage<'_>> = others
        .iter()
        .map(|&(source, text)| Passage {
            source,
            text,
            start: 0,
            first_line: 1,
            headings: &[],
            is_prose: true,
        })
        .collect();
    let found = find_mentions(&names, text, &known, &passages);
    for quote in &found {
        assert_eq!(passages[quote.passage].text[quote.span.clone()], quote.text);
    }
    found.into_iter().map(|quote| quote.text).collect()
}

#[test]
fn a_line_about_a_field_comes_first_and_then_the_latest() {
    let others = [
        ("Lab/Water.md", "# Water\n\npH of Rotmoor 5.8, more than in all other places.\n"),
        (
            "Daily/2026-03-02.md",
            "# 2026-03-02\n\nTwo new students measured Rotmoor at night, 3 ticks. Cold.\n",
        ),
        (
            "Daily/2026-02-02.md",
            "# 2026-02-02\n\nPermit for Rotmoor came by post!! Valid until August 2028.\nCake.\n",
        ),
    ];
    assert_eq!(
        mentions("Sites/Rotmoor.md", MOOR, &others),
        [
            "Permit for Rotmoor came by post!! Valid until August 2028.",
            "Two new students measured Rotmoor at night, 3 ticks. Cold.",
            "pH of Rotmoor 5.8, more than in all other places.",
        ]
    );
}

#[test]
fn what_the_note_has_what_asks_and_what_points_is_left_out() {
    let others = [
        ("A.md", "Rotmoor is our reference with 8 collars, 3 dipwells and no tower.\n"),
        ("B.md", "How many students visit Rotmoor in 2026 by bus?\n"),
        ("C.md", "See [[Rotmoor]] and [[Highmoor]].\n"),
        ("D.md", "The red moor froze in January 2026 for nine whole days.\n"),
        ("E.md", "Rotmoor is a lovely place with a wonderful wide view.\n"),
    ];
    assert_eq!(mentions("Sites/Rotmoor.md", MOOR, &others), Vec::<String>::new());
}

#[test]
fn a_person_is_named_by_the_first_name_that_nobody_else_has() {
    let day = "# 2026-03-02\n\nMarie hands the moss samples to the herbarium, 84 packets.\nJon drove the van home, 40 km.\n";
    let others = [("People/Jon Vogt.md", "# Jon Vogt\n\nStudent.\n"), ("Daily/2026-03-02.md", day)];
    let marie = "# Marie Favre\n\nField assistant.\n";
    assert_eq!(
        mentions("People/Marie Favre.md", marie, &others),
        ["Marie hands the moss samples to the herbarium, 84 packets."]
    );
    assert_eq!(mentions("People/Jon Brandt.md", "# Jon Brandt\n\nStudent.\n", &others), Vec::<String>::new());
}

#[test]
fn a_common_word_as_a_title_is_named_by_links_alone() {
    let others = [
        ("Setup.md", "Options are read from 3 files, and the options of each are merged into one table.\n"),
        ("Diary.md", "Deadline changed to 13 January, and not the 15th as in [[Options]].\n"),
    ];
    assert_eq!(
        mentions("Options.md", "# Options\n\nAll of them.\n", &others),
        ["Deadline changed to 13 January, and not the 15th as in [[Options]]."]
    );
    assert_eq!(collect_names("Daily/2026-03-02.md", "# 2026-03-02\n\nCold.\n", &[]), Vec::<String>::new());
}

#[test]
fn a_note_that_others_name_gets_their_lines() {
    let world = World::new(
        "-- Sites/Rotmoor.md\n---\npermit: pending\n---\n# Rotmoor\n\nNear-natural.\n\
         -- Daily/2026-02-02.md\n# 2026-02-02\n\nPermit for Rotmoor came by post!! Valid until August 2028.\nCake with Tom.\n\
         -- Home.md\n# Home\n\n- [[Rotmoor]]\n",
    );
    world.index();
    let ctx = world.ctx();
    let request =
        NoteRequest { path: "Sites/Rotmoor".to_owned(), depth: Depth::Shallow, focus: None, dry_run: false };
    block_on(ctx.research.start(&NoteRecipe, ctx.recipe_context(), request)).unwrap();
    let note = world.read_text("Sites/Rotmoor.md");
    let added = "### Rotmoor\n\n- \"Permit for Rotmoor came by post!! Valid until August 2028.\" ([[2026-02-02]]:3)\n";
    assert!(note.contains(added), "{note}");
}
