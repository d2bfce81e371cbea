//! Which passages a query finds, in which order, and how they are loaded.

use wellread_core::ports::{Index, IndexedFile, Passages};
use wellread_text::{QueryTerm, TermForm, query_terms};

use super::fixtures::{file, no_filter, places, put, ranked_places, search_places, vault};

pub fn words_phrases_and_beginnings_are_found<I: Index + Passages>(index: &I) {
    let texts = [
        "the queen lays eggs",
        "eggs that the queen lays",
        "parseRequest reads well-known headers",
        "version 1.0.21 of Grüße",
        "日本語の本",
        "laying down",
    ];
    put(index, &vault(), &[file("n.md", 1, &texts)]);
    let is_found = |query: &str, lines: &[usize]| {
        let expected: Vec<String> = lines.iter().map(|line| format!("n.md:{line}")).collect();
        assert_eq!(search_places(index, query, &no_filter()), expected, "{query}");
    };
    is_found("queen", &[1, 3]);
    is_found("QUEENS", &[1, 3]);
    is_found("laid lays", &[1, 11, 3]);
    is_found("\"queen lays eggs\"", &[1]);
    is_found("\"eggs queen\"", &[]);
    is_found("\"lays eggs that\"", &[]);
    is_found("request", &[5]);
    is_found("parseRequest", &[5]);
    is_found("well-known", &[5]);
    is_found("1.0.21", &[7]);
    is_found("1.0.22", &[]);
    is_found("grusse", &[7]);
    is_found("grus", &[]);
    is_found("gruße", &[7]);
    is_found("日本", &[9]);
    is_found("本", &[9]);
    is_found("日語", &[]);
    is_found("\"", &[]);
    is_found("NEAR(queen, 2) AND body:eggs* OR ^lays", &[1, 11, 3]);
    let beginning = |start: &str| {
        let term = QueryTerm::from_form(TermForm::Prefix(start.to_owned()));
        let mut places = ranked_places(index, &[term], &no_filter(), 9);
        places.sort();
        places
    };
    assert_eq!(beginning("que"), ["n.md:1", "n.md:3"]);
    assert_eq!(beginning("ueen"), [""; 0]);
    assert_eq!(ranked_places(index, &[], &no_filter(), 9), [""; 0], "nothing asked, nothing found");
}

pub fn the_best_comes_first_and_no_more_than_asked<I: Index + Passages>(index: &I) {
    let mut files: Vec<IndexedFile> = (0..8)
        .map(|n| file(&format!("n{n}.md"), 1, &["a word of honey among a good many other words here"]))
        .collect();
    files.push(file("Honey.md", 1, &["honey, honey and honey"]));
    files.push(file("Other.md", 1, &["nothing of the kind"]));
    put(index, &vault(), &files);
    let terms = query_terms("honey");
    assert_eq!(ranked_places(index, &terms, &no_filter(), 1), ["Honey.md:1"]);
    assert_eq!(ranked_places(index, &terms, &no_filter(), 3).len(), 3);
    assert_eq!(ranked_places(index, &terms, &no_filter(), 100).len(), 9);
    assert_eq!(ranked_places(index, &terms, &no_filter(), 0), [""; 0]);
    let twice = [terms.clone(), terms].concat();
    assert_eq!(ranked_places(index, &twice, &no_filter(), 100).len(), 9, "a passage is found once");
}

pub fn passages_are_given_in_the_order_of_the_question<I: Index + Passages>(index: &I) {
    put(index, &vault(), &[file("n.md", 1, &["honey one", "honey two", "honey three"])]);
    let scored = index.find_matching(&query_terms("honey"), &no_filter(), 9).unwrap();
    let mut ids: Vec<i64> = scored.iter().map(|found| found.id).collect();
    ids.sort_unstable();
    assert_eq!(places(index, &ids), ["n.md:1", "n.md:3", "n.md:5"]);
    ids.reverse();
    assert_eq!(places(index, &ids), ["n.md:5", "n.md:3", "n.md:1"]);
    assert_eq!(places(index, &[ids[2], 987_654_321, ids[0]]), ["n.md:1", "n.md:5"]);
    assert_eq!(places(index, &[]), [""; 0]);
    put(index, &vault(), &[file("n.md", 2, &["mead"])]);
    assert_eq!(places(index, &ids), [""; 0], "what was replaced is gone");
}
