//! Phrases by hand-written cases.

use super::*;

fn best(text: &str, most: usize) -> Vec<String> {
    extract_phrases(text, &[], &|_| 1.0).into_iter().take(most).map(|phrase| phrase.text).collect()
}

#[test]
fn phrases_are_runs_of_words_that_carry_something() {
    let text = "# Varroa mite\n\nThe treatment threshold of the varroa mite is low. The treatment threshold was set by \
        Karl Frisch, and **oxalic acid** is very often used.\n";
    let found = best(text, 4);
    for wanted in ["Varroa mite", "treatment threshold", "Karl Frisch", "oxalic acid"] {
        assert!(found.iter().any(|phrase| phrase == wanted), "{wanted}: {found:?}");
    }
}

#[test]
fn a_phrase_says_where_it_stands() {
    let text = "Bees fly. The capped brood is warm. The capped brood is full.\n";
    let phrase = extract_phrases(text, &[], &|_| 1.0)
        .into_iter()
        .find(|phrase| phrase.text == "capped brood")
        .unwrap();
    assert_eq!((&text[phrase.context], phrase.count), ("The capped brood is warm.", 2));
    assert_eq!(phrase.stems, ["cap", "brood"]);
}

#[test]
fn names_of_code_stay_whole_and_markdown_is_not_read() {
    let found = best(
        "The tool `calibrate.py` reads [the scale](https://x.example/y) and [[Hive weight|a note]].\n",
        9,
    );
    assert!(found.contains(&"calibrate.py".to_owned()), "{found:?}");
    assert!(!found.iter().any(|phrase| phrase.contains("example") || phrase.contains('[')), "{found:?}");
    assert!(best("```\nlet hive = 3;\n```\n", 9).is_empty());
}

#[test]
fn each_language_has_its_own_words_that_say_nothing() {
    let german = best(
        "Die Gärung ist langsam, und die Hefe hat zu wenig Stickstoff. Der Honig wird nicht gekocht.\n",
        9,
    );
    assert_eq!(german, ["Gärung", "Hefe", "Stickstoff", "Honig"]);
    let french = best("La fermentation lente est une chose que les levures aiment, et elles ont faim.\n", 9);
    assert!(french.contains(&"fermentation lente".to_owned()), "{french:?}");
    assert!(
        !french.iter().any(|phrase| ["est", "que", "les", "une"].contains(&phrase.as_str())),
        "{french:?}"
    );
    assert!(
        best("The colonies die in winter and the queens die too.\n", 9)
            .iter()
            .any(|phrase| phrase.contains("die"))
    );
}

#[test]
fn what_is_passed_over_and_what_is_rare_counts() {
    let text = "Honey is sweet wax. Drone comb is brown wax.\n";
    let over = 0..20;
    let found = extract_phrases(text, &[over], &|_| 1.0);
    assert!(found.iter().all(|phrase| !phrase.text.contains("Honey")), "{found:?}");
    let rare = extract_phrases(text, &[], &|stem| if stem == "drone" { 9.0 } else { 1.0 });
    assert_eq!(rare[0].text, "Drone comb");
}

#[test]
fn telling_words_are_stems_without_those_that_say_nothing() {
    assert_eq!(significant_words("How many of the mites were counted?"), ["mite", "count"]);
    assert_eq!(significant_words("what is it"), Vec::<String>::new());
    assert_eq!(significant_words("parse_line in C++"), ["pars", "line"]);
}
