//! Which passages a query finds, in which order, and how they are loaded.

use wellread_core::ports::{Index, IndexedFile, PassageFilter, Passages};
use wellread_text::{QueryTerm, TermForm, name_key, query_terms};

use super::fixtures::{file, no_filter, places, put, ranked_places, repository, search_places, vault};

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

pub fn a_match_says_which_words_are_complete_named_and_unknown<I: Index + Passages>(index: &I) {
    let mut queen = file("Queen.md", 1, &["the queen lays eggs", "eggs"]);
    queen.names = vec![name_key(&query_terms("The queen")), name_key(&query_terms("Laying queens"))];
    put(index, &vault(), &[queen, file("Other.md", 1, &["eggs of a queen"])]);
    let found = |query: &str| {
        let found = index.find_matching(&query_terms(query), &no_filter(), 9).unwrap();
        let sorted = |ids: &std::collections::HashSet<i64>| {
            let mut all = places(index, &ids.iter().copied().collect::<Vec<_>>());
            all.sort();
            all
        };
        assert!(found.passages.iter().all(|scored| scored.score <= 1.0), "{found:?}");
        (sorted(&found.complete), sorted(&found.named), found.unknown)
    };
    let both = || vec!["Queen.md:1".to_owned(), "Queen.md:3".to_owned()];
    assert_eq!(found("queen").1, both());
    assert_eq!(found("queens laying").1, both());
    assert_eq!(found("queen eggs").1, [""; 0]);
    assert_eq!(found("zebra queen bee").2, [0, 2]);
    assert_eq!(found("lays eggs").0, ["Queen.md:1"]);
    assert_eq!(found("eggs zebra").0, [""; 0]);
}

pub fn names_are_listed_by_their_first_letter<I: Index + Passages>(index: &I) {
    let mut quarry = file("Quetzal.md", 1, &["a quick bird"]);
    quarry.passages[0].heading = "quill feather".to_owned();
    put(index, &vault(), &[quarry]);
    put(index, &repository(), &[file("queue.py", 1, &["code"])]);
    assert_eq!(index.list_names('q', &no_filter()).unwrap(), ["quetzal", "queue", "quill"]);
    let notes = PassageFilter { corpora: Some(vec![vault()]), ..PassageFilter::default() };
    assert_eq!(index.list_names('q', &notes).unwrap(), ["quetzal", "quill"]);
    assert_eq!(index.list_names('x', &no_filter()).unwrap(), [""; 0]);
}

pub fn another_corpus_does_not_change_a_score<I: Index + Passages>(index: &I) {
    let notes: Vec<IndexedFile> =
        (0..6).map(|n| file(&format!("n{n}.md"), 1, &[["honey and mead", "honey", "wax"][n % 3]])).collect();
    put(index, &vault(), &notes);
    let only_notes = PassageFilter { corpora: Some(vec![vault()]), ..PassageFilter::default() };
    let found = |filter: &PassageFilter| {
        index.find_matching(&query_terms("honey mead"), filter, 99).unwrap().passages
    };
    let before = found(&no_filter());
    let code: Vec<IndexedFile> =
        (0..30).map(|n| file(&format!("f{n}.py"), 1, &["honey honey of the code"])).collect();
    put(index, &repository(), &code);
    assert_eq!(found(&only_notes), before);
    let mut among_others = found(&no_filter());
    among_others.retain(|scored| before.iter().any(|known| known.id == scored.id));
    assert_eq!(among_others, before);
}

pub fn a_phrase_is_as_rare_as_it_is_itself<I: Index + Passages>(index: &I) {
    // Both words are everywhere, and stand together in two notes only.
    let mut files: Vec<IndexedFile> =
        (0..10).map(|n| file(&format!("n{n}.md"), 1, &["a bee that is not the queen of the hive"])).collect();
    files.push(file("Queen bee.md", 1, &["the queen bee lays"]));
    files.push(file("Other.md", 1, &["once there was a queen bee among a good many other words here"]));
    put(index, &vault(), &files);
    let terms = query_terms("\"queen bee\"");
    assert_eq!(ranked_places(index, &terms, &no_filter(), 9), ["Queen bee.md:1", "Other.md:1"]);
    let found = index.find_matching(&terms, &no_filter(), 9).unwrap();
    let scores: Vec<f32> = found.passages.iter().map(|scored| scored.score).collect();
    assert!(scores[0] > scores[1] && scores[0] < 1.0, "{scores:?}");
    assert!(found.unknown.is_empty(), "{found:?}");
    // Words that are everywhere, but never together.
    let apart = index.find_matching(&query_terms("\"hive queen\""), &no_filter(), 9).unwrap();
    assert_eq!((apart.passages.len(), apart.unknown), (0, vec![0]));
}

pub fn passages_are_given_in_the_order_of_the_question<I: Index + Passages>(index: &I) {
    put(index, &vault(), &[file("n.md", 1, &["honey one", "honey two", "honey three"])]);
    let scored = index.find_matching(&query_terms("honey"), &no_filter(), 9).unwrap().passages;
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
