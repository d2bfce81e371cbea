//! Tests of index terms and query terms.

use super::*;

fn columns(text: &str) -> (String, String) {
    let terms = Terms::from_text(text);
    (terms.words, terms.parts)
}

#[test]
fn words_lose_case_accents_and_endings() {
    for (text, words) in [
        ("The Bees' hives, swarming!", "the bee hive swarm"),
        ("connect connected connection", "connect connect connect"),
        ("Plantes mellifères — l'été", "plant mellifer l et"),
        ("Cafe\u{301} CAFÉ Straße Œuvre Łódź", "cafe cafe strass oeuvr lodz"),
        ("bee's don't they'll rock'n'roll", "bee don thei rock roll"),
        ("Σίσυφος ΣΊΣΥΦΟΣ", "σισυφοσ σισυφοσ"),
        ("a\u{200b}b x²", "a b x2"),
    ] {
        assert_eq!(columns(text).0, words, "{text}");
    }
}

#[test]
fn joined_words_are_found_whole_and_by_their_parts() {
    for (text, words, parts) in [
        ("well-known", "well known", "well-known"),
        ("v 1.0.21.", "v 1.0.21", "1.0.21 1 0 21"),
        ("2024-12-21", "2024-12-21", "2024-12-21 2024 12 21"),
        ("parseHttpRequest", "parsehttprequest", "pars http request"),
        ("HTTPServer", "httpserver", "http server"),
        ("detect_swarms()", "detect swarm", "detect_swarms"),
        ("swarm.rs::DropKg", "swarm rs dropkg", "swarm.rs drop kg"),
        ("utf8 ABC e.g. --flag", "utf8 abc e g flag", "e.g"),
    ] {
        assert_eq!(columns(text), (words.to_owned(), parts.to_owned()), "{text}");
    }
}

#[test]
fn scripts_without_spaces_are_cut_into_pairs() {
    for (text, words) in [
        ("ニホンミツバチ", "ニホ ホン ンミ ミツ ツバ バチ"),
        ("蜂は蜜", "蜂は は蜜"),
        ("蜜", "蜜"),
        ("น้ำผึ้ง", Terms::from_text("น้ำผึ้ง").words.as_str()),
        ("mead 蜂蜜酒 1.0", "mead 蜂蜜 蜜酒 1.0"),
        ("ﾐﾂﾊﾞﾁ", "ミツ ツバ バチ"),
    ] {
        assert_eq!(columns(text).0, words, "{text}");
    }
    assert!(Terms::from_text("น้ำผึ้ง").words.contains(' '));
}

#[test]
fn data_is_no_word() {
    assert_eq!(columns(&"x".repeat(65)).0, "");
    assert_eq!(columns(&"x".repeat(64)).0, "x".repeat(64));
}

fn forms(query: &str) -> Vec<Vec<String>> {
    let shown = |form: &TermForm| match form {
        TermForm::Word(word) => word.clone(),
        TermForm::Phrase(words) => format!("\"{}\"", words.join(" ")),
        TermForm::Prefix(start) => format!("{start}*"),
    };
    query_terms(query).iter().map(|term| term.forms.iter().map(shown).collect()).collect()
}

#[test]
fn a_query_is_looked_for_in_every_form_that_the_index_may_hold() {
    assert_eq!(forms("What is the swarming threshold?"), [["swarm"], ["threshold"]]);
    assert_eq!(forms("to be"), [["to"], ["be"]]);
    assert_eq!(forms("1.0.21"), [["1.0.21"]]);
    assert_eq!(forms("well-known"), [["well-known", "\"well known\"", "well", "known"]]);
    assert_eq!(forms("parseRequest"), [["parserequest", "\"pars request\"", "pars", "request"]]);
    assert_eq!(forms("\"the old queen\" leaves"), [vec!["\"the old queen\""], vec!["leav"]]);
    assert_eq!(forms("蜂"), [["蜂*"]]);
    assert_eq!(forms("蜂蜜酒"), [["\"蜂蜜 蜜酒\"", "蜂蜜", "蜜酒"]]);
    assert_eq!(forms("bees bee BEES"), [["bee"]]);
    assert_eq!(forms("say \"cheese"), [["sai"], ["chees"]]);
    assert!(forms("!!! \"\" --").is_empty());
}

#[test]
fn every_word_of_a_text_finds_it() {
    let text = "The swarm.rs file's detect_swarms() uses minutesSince and ニホンミツバチ; see 1.0.21 – naïve, well-known.";
    let terms = Terms::from_text(text);
    let held: std::collections::HashSet<&str> =
        terms.words.split(' ').chain(terms.parts.split(' ')).collect();
    for term in query_terms(text) {
        let found = term.forms.iter().all(|form| match form {
            TermForm::Word(word) => held.contains(word.as_str()),
            TermForm::Phrase(words) => words.iter().all(|word| held.contains(word.as_str())),
            TermForm::Prefix(start) => held.iter().any(|word| word.starts_with(start.as_str())),
        });
        assert!(found, "{term:?} in {terms:?}");
    }
}
