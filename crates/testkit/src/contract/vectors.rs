//! The contract of [`Vectors`].

use wellread_core::domain::corpus::VaultPath;
use wellread_core::ports::PassageScope;
use wellread_core::ports::{
    EmbeddingModel, Index, PassageFilter, Passages, StoredPassage, TextHash, Vectors,
};
use wellread_text::{ChunkKind, query_terms};

use super::index::{file, filters, places, put, query_filters, repository, vault};

/// What the contract is asked of, and how an empty one is made.
pub fn check_vectors<I: Index + Passages + Vectors>(make: &dyn Fn() -> I) {
    what_has_no_vector_is_pending_each_text_once(&make());
    notes_are_pending_before_code(&make());
    the_nearest_come_first(&make());
    the_same_text_in_two_files_has_one_vector_and_both_are_found(&make());
    filters_hold_for_meaning_too(&make());
    cosines_are_given_in_the_order_of_the_question(&make());
    vectors_of_two_models_are_never_mixed(&make());
    a_vector_of_another_length_is_refused(&make());
    vectors_outlive_their_files(&make());
    progress_is_level_with_every_change(&make());
    every_passage_with_a_vector_is_shown_file_after_file(&make());
}

fn model() -> EmbeddingModel {
    EmbeddingModel { name: "m".to_owned(), hash: "1".to_owned(), dimension: 3 }
}

fn keep_vectors<I: Vectors>(index: &I, made: &[(&str, [f32; 3])]) {
    let made: Vec<_> = made.iter().map(|(text, vector)| (TextHash::compute(text), vector.to_vec())).collect();
    index.keep(&model(), &made).expect("kept");
}

fn nearest_places<I: Passages + Vectors>(
    index: &I,
    vector: [f32; 3],
    filter: &PassageFilter,
    limit: usize,
) -> Vec<String> {
    let scored = index.nearest(&model(), &vector, filter, limit).expect("an answer");
    assert!(scored.windows(2).all(|two| two[0].score >= two[1].score), "{scored:?}");
    places(index, &scored.iter().map(|found| found.id).collect::<Vec<_>>())
}

fn pending_passages<I: Vectors>(index: &I, limit: usize) -> Vec<StoredPassage> {
    index.pending_passages(&model(), PassageScope::All, limit).expect("an answer")
}

fn what_has_no_vector_is_pending_each_text_once<I: Index + Passages + Vectors>(index: &I) {
    assert_eq!(
        (pending_passages(index, 9), index.progress(&model(), PassageScope::All).unwrap()),
        (Vec::new(), (0, 0))
    );
    put(index, &vault(), &[file("a.md", 1, &["one", "two", "one"]), file("b.md", 1, &["two", "three"])]);
    let texts = |found: &[StoredPassage]| {
        let mut texts: Vec<TextHash> = found.iter().map(|passage| passage.text).collect();
        texts.sort();
        texts
    };
    let mut all = ["one", "two", "three"].map(TextHash::compute);
    all.sort();
    assert_eq!(texts(&pending_passages(index, 9)), all);
    assert_eq!(pending_passages(index, 2).len(), 2);
    assert_eq!(index.progress(&model(), PassageScope::All).unwrap(), (0, 3));
    keep_vectors(index, &[("two", [1.0, 0.0, 0.0])]);
    let mut rest = ["one", "three"].map(TextHash::compute);
    rest.sort();
    assert_eq!(
        (texts(&pending_passages(index, 9)), index.progress(&model(), PassageScope::All).unwrap()),
        (rest.to_vec(), (1, 3))
    );
    let place = pending_passages(index, 9)
        .into_iter()
        .find(|passage| passage.text == TextHash::compute("three"))
        .unwrap();
    assert_eq!((place.path.as_str(), place.span, place.lines), ("b.md", 5..10, (3, 3)));
    keep_vectors(
        index,
        &[("one", [1.0, 0.0, 0.0]), ("three", [0.0, 1.0, 0.0]), ("nowhere", [0.0, 0.0, 1.0])],
    );
    assert_eq!(
        (pending_passages(index, 9), index.progress(&model(), PassageScope::All).unwrap()),
        (Vec::new(), (3, 3))
    );
}

fn notes_are_pending_before_code<I: Index + Vectors>(index: &I) {
    put(index, &repository(), &[file("a.rs", 1, &["code one", "code two"])]);
    put(index, &vault(), &[file("z.md", 1, &["note one", "note two"])]);
    let paths: Vec<String> =
        pending_passages(index, 3).iter().map(|passage| passage.path.to_string()).collect();
    assert_eq!(paths, ["z.md", "z.md", "a.rs"]);
}

fn the_nearest_come_first<I: Index + Passages + Vectors>(index: &I) {
    put(index, &vault(), &[file("n.md", 1, &["east", "north", "between", "unknown"])]);
    keep_vectors(
        index,
        &[("east", [1.0, 0.0, 0.0]), ("north", [0.0, 1.0, 0.0]), ("between", [0.8, 0.6, 0.0])],
    );
    let all = PassageFilter::default();
    assert_eq!(nearest_places(index, [1.0, 0.0, 0.0], &all, 9), ["n.md:1", "n.md:5", "n.md:3"]);
    assert_eq!(nearest_places(index, [0.0, 1.0, 0.0], &all, 2), ["n.md:3", "n.md:5"]);
    assert_eq!(nearest_places(index, [0.0, 1.0, 0.0], &all, 0), [""; 0]);
    let scored = index.nearest(&model(), &[1.0, 0.0, 0.0], &all, 9).unwrap();
    for (found, cosine) in scored.iter().zip([1.0, 0.8, 0.0]) {
        assert!((found.score - cosine).abs() < 0.01, "{scored:?}");
    }
}

fn the_same_text_in_two_files_has_one_vector_and_both_are_found<I: Index + Passages + Vectors>(index: &I) {
    put(index, &vault(), &[file("a.md", 1, &["same"]), file("b.md", 1, &["other", "same"])]);
    assert_eq!(pending_passages(index, 9).len(), 2);
    keep_vectors(index, &[("same", [1.0, 0.0, 0.0])]);
    assert_eq!(index.progress(&model(), PassageScope::All).unwrap(), (1, 2));
    let mut both = nearest_places(index, [1.0, 0.0, 0.0], &PassageFilter::default(), 9);
    both.sort();
    assert_eq!(both, ["a.md:1", "b.md:3"]);
}

fn filters_hold_for_meaning_too<I: Index + Passages + Vectors>(index: &I) {
    super::index::put_four_files(index);
    keep_vectors(index, &[("honey", [1.0, 0.0, 0.0])]);
    for (filter, expected) in filters().into_iter().chain(query_filters()) {
        let mut found = nearest_places(index, [1.0, 0.0, 0.0], &filter, 9);
        found.sort();
        assert_eq!(found, expected, "{filter:?}");
    }
}

fn cosines_are_given_in_the_order_of_the_question<I: Index + Passages + Vectors>(index: &I) {
    put(index, &vault(), &[file("n.md", 1, &["honey east", "honey north", "honey unknown"])]);
    keep_vectors(index, &[("honey east", [1.0, 0.0, 0.0]), ("honey north", [0.6, 0.8, 0.0])]);
    let mut ids: Vec<i64> = index
        .find_matching(&query_terms("honey"), &PassageFilter::default(), 9)
        .unwrap()
        .passages
        .iter()
        .map(|found| found.id)
        .collect();
    ids.sort_unstable();
    let asked = [ids[1], 987_654_321, ids[2], ids[0], ids[1]];
    let cosines = index.cosines(&model(), &[1.0, 0.0, 0.0], &asked).unwrap();
    let rounded: Vec<Option<i32>> =
        cosines.iter().map(|cosine| cosine.map(|cosine| (cosine * 10.0).round() as i32)).collect();
    assert_eq!(rounded, [Some(6), None, None, Some(10), Some(6)]);
}

fn vectors_of_two_models_are_never_mixed<I: Index + Passages + Vectors>(index: &I) {
    put(index, &vault(), &[file("n.md", 1, &["east", "north"])]);
    keep_vectors(index, &[("east", [1.0, 0.0, 0.0])]);
    let others = [
        EmbeddingModel { hash: "2".to_owned(), ..model() },
        EmbeddingModel { name: "other".to_owned(), ..model() },
        EmbeddingModel { dimension: 2, ..model() },
    ];
    for other in &others {
        let query = vec![1.0; other.dimension];
        assert_eq!(index.nearest(other, &query, &PassageFilter::default(), 9).unwrap(), [], "{other:?}");
        assert_eq!(index.progress(other, PassageScope::All).unwrap(), (0, 2), "{other:?}");
        assert_eq!(index.pending_passages(other, PassageScope::All, 9).unwrap().len(), 2, "{other:?}");
    }
    // Another model gives a text another vector.
    index.keep(&others[0], &[(TextHash::compute("east"), vec![0.0, 1.0, 0.0])]).unwrap();
    for (model, cosine) in [(&model(), 1.0), (&others[0], 0.0), (&model(), 1.0)] {
        let scored = index.nearest(model, &[1.0, 0.0, 0.0], &PassageFilter::default(), 9).unwrap();
        assert_eq!(scored.len(), 1);
        assert!((scored[0].score - cosine).abs() < 0.01, "{scored:?}");
        let cosines = index.cosines(model, &[1.0, 0.0, 0.0], &[scored[0].id]).unwrap();
        assert!((cosines[0].unwrap() - cosine).abs() < 0.01, "{cosines:?}");
        assert_eq!(index.progress(model, PassageScope::All).unwrap(), (1, 2));
    }
}

fn a_vector_of_another_length_is_refused<I: Index + Passages + Vectors>(index: &I) {
    put(index, &vault(), &[file("n.md", 1, &["east", "north"])]);
    let made =
        [(TextHash::compute("east"), vec![1.0, 0.0, 0.0]), (TextHash::compute("north"), vec![1.0, 0.0])];
    index.keep(&model(), &made).unwrap_err();
    assert_eq!(
        index.progress(&model(), PassageScope::All).unwrap(),
        (0, 2),
        "and with it all that came along"
    );
    keep_vectors(index, &[("east", [1.0, 0.0, 0.0])]);
    assert_eq!(
        index.nearest(&model(), &[1.0], &PassageFilter::default(), 9).unwrap(),
        [],
        "nor is it compared"
    );
}

fn vectors_outlive_their_files<I: Index + Passages + Vectors>(index: &I) {
    put(index, &vault(), &[file("old.md", 1, &["east"])]);
    keep_vectors(index, &[("east", [1.0, 0.0, 0.0])]);
    let gone = file("old.md", 1, &["east"]);
    let gone = wellread_core::ports::IndexChange::Gone { path: gone.path, stamp: gone.stamp };
    index.apply(&vault(), &[gone]).unwrap();
    assert_eq!(nearest_places(index, [1.0, 0.0, 0.0], &PassageFilter::default(), 9), [""; 0]);
    put(index, &vault(), &[file("new.md", 2, &["east"])]);
    index.tidy(&[vault()], 0).unwrap();
    assert_eq!(nearest_places(index, [1.0, 0.0, 0.0], &PassageFilter::default(), 9), ["new.md:1"]);
    assert_eq!(pending_passages(index, 9), []);
}

fn progress_is_level_with_every_change<I: Index + Passages + Vectors>(index: &I) {
    for n in 1..=3 {
        let texts: Vec<String> = (0..n).map(|at| format!("text {at}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        put(index, &vault(), &[file("n.md", n, &texts)]);
        assert_eq!(index.progress(&model(), PassageScope::All).unwrap(), (texts.len() - 1, texts.len()));
        let before = index.read_state().unwrap().version;
        keep_vectors(index, &[(texts[texts.len() - 1], [1.0, 0.0, 0.0])]);
        assert_eq!(index.progress(&model(), PassageScope::All).unwrap(), (texts.len(), texts.len()));
        assert!(index.read_state().unwrap().version > before, "vectors are a change, too");
    }
}

fn every_passage_with_a_vector_is_shown_file_after_file<I: Index + Vectors>(index: &I) {
    let (east, north) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    put(index, &vault(), &[file("z.md", 1, &["north", "east"]), file("b.md", 1, &["east", "unknown"])]);
    put(index, &repository(), &[file("a.rs", 1, &["east"])]);
    let shown = |model: &EmbeddingModel| {
        let mut shown = Vec::new();
        let mut see = |path: &VaultPath, kind: ChunkKind, vector: &[f32]| {
            let rounded: Vec<i32> = vector.iter().map(|value| (value * 100.0).round() as i32).collect();
            shown.push((path.to_string(), kind, rounded));
        };
        index.for_each_vector(model, &vault(), &mut see).unwrap();
        shown
    };
    assert_eq!(shown(&model()), []);
    keep_vectors(index, &[("east", east), ("north", north)]);
    let row = |path: &str, vector: [i32; 3]| (path.to_owned(), ChunkKind::Text, vector.to_vec());
    let expected = [row("b.md", [100, 0, 0]), row("z.md", [0, 100, 0]), row("z.md", [100, 0, 0])];
    assert_eq!(shown(&model()), expected);
    assert_eq!(shown(&EmbeddingModel { hash: "2".to_owned(), ..model() }), []);
}
