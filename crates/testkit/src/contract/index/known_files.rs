//! What an index knows of files: which there are, what links to them, and how many it has read.

use serde_json::{Value, json};
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{
    FieldFilter, FileState, Index, IndexChange, IndexedFile, KnownFileFilter, Passages,
};

use super::fixtures::{file, put, repository, stamp, vault};
use crate::contract::path;

pub fn known_files_are_asked_for_in_three_ways<I: Index>(index: &I) {
    let mut unclear = file("Unclear.md", 1, &[]);
    unclear.trouble = Some("not UTF-8".to_owned());
    put(index, &vault(), &[file("Bees.md", 1, &["honey"]), file("Mead.md", 1, &["yeast"]), unclear]);
    put(index, &repository(), &[file("Bees.md", 1, &["fn honey"])]);
    let broken = FileState::Skipped("binary".to_owned());
    let note = IndexChange::Note { path: path("Data.md"), stamp: stamp(1), state: broken };
    index.apply(&vault(), &[note]).unwrap();
    let asked = |corpus: &CorpusName, which: KnownFileFilter<'_>| {
        let known = index.known_files(corpus, which).unwrap();
        let mut paths: Vec<String> = known.iter().map(|file| file.path.to_string()).collect();
        paths.sort();
        paths
    };
    assert_eq!(asked(&vault(), KnownFileFilter::All), ["Bees.md", "Data.md", "Mead.md", "Unclear.md"]);
    assert_eq!(asked(&vault(), KnownFileFilter::Skipped), ["Data.md", "Unclear.md"]);
    let (bees, nobody) = (path("Bees.md"), path("Nobody.md"));
    assert_eq!(asked(&vault(), KnownFileFilter::These(&[&nobody, &bees])), ["Bees.md"]);
    assert_eq!(asked(&vault(), KnownFileFilter::These(&[])), [""; 0]);
    assert_eq!(asked(&repository(), KnownFileFilter::All), ["Bees.md"]);
    assert_eq!(asked(&CorpusName::Repository("none".to_owned()), KnownFileFilter::All), [""; 0]);
}

pub fn a_known_file_is_private_as_it_was_judged_last<I: Index>(index: &I) {
    let is_private = || index.known_files(&vault(), KnownFileFilter::All).unwrap()[0].private;
    for private in [true, false, true] {
        put(index, &vault(), &[IndexedFile { private, ..file("Bees.md", 1, &["honey"]) }]);
        assert_eq!(is_private(), private);
    }
    let seen = IndexChange::Seen { path: path("Bees.md"), stamp: stamp(2) };
    index.apply(&vault(), &[seen]).unwrap();
    assert!(is_private());
    let named = IndexChange::Note { path: path("Bees.md"), stamp: stamp(3), state: FileState::Named };
    index.apply(&vault(), &[named]).unwrap();
    assert!(!is_private(), "nothing of it is left");
}

pub fn notes_are_found_by_the_exact_value_of_a_field<I: Index>(index: &I) {
    let note = |name: &str, values: &[(&str, Option<Value>)]| {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        IndexedFile { values, ..file(name, 1, &["text"]) }
    };
    let long = ("status", None);
    put(
        index,
        &vault(),
        &[
            note("b.md", &[("status", Some(json!("Open"))), ("rank", Some(json!(1.5)))]),
            note("a.md", &[("status", Some(json!(["open", { "by": "me" }])))]),
            note("c.md", &[("Status", Some(json!("Open")))]),
            note("d.md", &[long]),
        ],
    );
    put(index, &repository(), &[note("e.md", &[("status", Some(json!("Open")))])]);
    let asked = |name: &str, accepts: &dyn Fn(Option<&Value>) -> bool| {
        let which = KnownFileFilter::WithField(FieldFilter { name, accepts });
        let known = index.known_files(&vault(), which).unwrap();
        known.iter().map(|file| file.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(asked("status", &|_| true), ["a.md", "b.md", "d.md"]);
    assert_eq!(asked("status", &|value| value == Some(&json!("Open"))), ["b.md"]);
    assert_eq!(asked("status", &|value| value == Some(&json!(["open", { "by": "me" }]))), ["a.md"]);
    assert_eq!(asked("status", &|value| value.is_none()), ["d.md"]);
    assert_eq!(asked("rank", &|value| value == Some(&json!(1.5))), ["b.md"]);
    assert_eq!(asked("nothing", &|_| true), [""; 0]);
    // Its older values leave with an older version.
    let mut newer = note("b.md", &[("status", Some(json!("done")))]);
    newer.stamp = stamp(2);
    put(index, &vault(), &[newer]);
    assert_eq!(asked("status", &|value| value == Some(&json!("Open"))), [""; 0]);
    assert_eq!(asked("rank", &|_| true), [""; 0]);
}

pub fn files_are_found_by_what_they_link_to<I: Index + Passages>(index: &I) {
    let linking = |written: &str, keys: &[&str]| {
        let links = keys.iter().map(|&key| key.to_owned()).collect();
        IndexedFile { links, ..file(written, 1, &["text"]) }
    };
    let mut unclear = linking("c.md", &["mead"]);
    (unclear.trouble, unclear.passages) = (Some("not UTF-8".to_owned()), Vec::new());
    put(index, &vault(), &[linking("b.md", &["bees", "mead"]), linking("a.md", &["bees"]), unclear]);
    put(index, &repository(), &[linking("d.md", &["bees"])]);
    let asked = |corpus: &CorpusName, keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        let paths = index.find_linking_files(corpus, &keys).unwrap();
        paths.iter().map(VaultPath::to_string).collect::<Vec<_>>()
    };
    assert_eq!(asked(&vault(), &["bees"]), ["a.md", "b.md"]);
    assert_eq!(asked(&vault(), &["mead", "bees"]), ["a.md", "b.md", "c.md"], "each once, sorted");
    assert_eq!(asked(&vault(), &["mead"]), ["b.md", "c.md"], "one that is no text links all the same");
    assert_eq!(asked(&vault(), &["bee", "Bees", ""]), [""; 0]);
    assert_eq!(asked(&vault(), &[]), [""; 0]);
    assert_eq!(asked(&repository(), &["bees"]), ["d.md"]);
}

pub fn files_are_found_by_what_a_link_to_them_has<I: Index + Passages>(index: &I) {
    put(index, &vault(), &[file("Hives/Bees.md", 1, &["text"]), file("bees.md", 1, &["text"])]);
    let note =
        |written: &str, state: FileState| IndexChange::Note { path: path(written), stamp: stamp(1), state };
    let named =
        [note("Bees.png", FileState::Named), note("Old/BEES", FileState::Skipped("broken".to_owned()))];
    index.apply(&vault(), &named).unwrap();
    put(index, &repository(), &[file("src/bees.md", 1, &["text"])]);
    let asked = |corpus: &CorpusName, keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        let mut paths = index.find_named_files(corpus, &keys).unwrap();
        paths.sort();
        paths.iter().map(VaultPath::to_string).collect::<Vec<_>>()
    };
    let all = ["Hives/Bees.md", "Old/BEES", "bees.md"];
    assert_eq!(asked(&vault(), &["bees"]), all, "whatever can be read of it");
    assert_eq!(asked(&vault(), &["bees.png", "none"]), ["Bees.png"]);
    assert_eq!(asked(&vault(), &["bee", "Bees", ""]), [""; 0]);
    assert_eq!(asked(&vault(), &[]), [""; 0]);
    assert_eq!(asked(&repository(), &["bees"]), ["src/bees.md"]);
    put(index, &vault(), &[file("bees.md", 2, &["other"])]);
    index.apply(&vault(), &[IndexChange::Gone { path: path("Hives/Bees.md"), stamp: stamp(1) }]).unwrap();
    assert_eq!(asked(&vault(), &["bees"]), ["Old/BEES", "bees.md"], "and no longer than it is there");
}

pub fn coverage_counts_what_there_is<I: Index>(index: &I) {
    put(index, &vault(), &[file("a.md", 1, &["one", "two"]), file("b.md", 1, &["three"])]);
    put(index, &repository(), &[file("c.rs", 1, &["four"])]);
    let note = |written: &str, state| IndexChange::Note { path: path(written), stamp: stamp(1), state };
    let broken = FileState::Skipped("binary".to_owned());
    index.apply(&vault(), &[note("d.png", FileState::Named), note("e.md", broken)]).unwrap();
    let coverage = index.coverage().unwrap();
    let counts: Vec<_> = coverage
        .corpora
        .iter()
        .map(|corpus| (corpus.corpus.clone(), corpus.files, corpus.indexed, corpus.skipped))
        .collect();
    assert_eq!(counts, [(vault(), 4, 2, 1), (repository(), 1, 1, 0)]);
    assert_eq!(coverage.passages, 4);
    assert_eq!(index.count_files(10).unwrap(), [(vault(), 4), (repository(), 1)]);
    assert_eq!(index.count_files(2).unwrap(), [(vault(), 2), (repository(), 1)], "and no further");
}
