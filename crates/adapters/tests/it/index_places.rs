//! What is found stands where it is said to stand, byte for byte.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use wellread_core::domain::corpus::{CorpusName, Hash};
use wellread_core::library::search::{Hit, SearchMode};
use wellread_testkit::{WordCountEmbedder, notes};

use crate::ground::copy_tree;
use crate::shelf::Shelf;

/// Reads a hit's place again, by its bytes and by its lines.
pub fn check(root: &Path, hit: &Hit) {
    let place = &hit.place;
    let folder = if place.corpus == CorpusName::Vault { "vault" } else { "repo" };
    let bytes = fs::read(root.join(folder).join(place.path.as_str())).unwrap();
    assert_eq!(place.hash, Hash::compute(&bytes), "{}", place.path);
    assert_eq!(std::str::from_utf8(&bytes[place.span.clone()]).unwrap(), hit.text, "{}", place.path);
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (first, last) = place.lines;
    assert!(1 <= first && first <= last, "{place:?}");
    let whole = lines.get(first - 1..last.min(lines.len())).unwrap_or_default().concat();
    if whole.len() <= 4000 {
        let shown = whole.trim_end_matches(['\r', '\n']);
        // A byte-order mark is no text; further down it is a letter like any other.
        let mark = if first == 1 && shown.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        assert_eq!(&shown[mark..], hit.text, "{}", place.path);
    } else {
        assert!(whole.contains(&hit.text), "{place:?}");
    }
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

#[test]
fn every_hit_of_the_example_vault_reads_again_as_it_was_shown() {
    let shelf = Shelf::new(&[]);
    copy_tree(&examples().join("vault"), &shelf.root().join("vault"));
    copy_tree(&examples().join("code/hivelog"), &shelf.root().join("repo"));
    let opened = shelf.open();
    opened.update().unwrap();
    opened.embed(&WordCountEmbedder).unwrap();
    let mut words: BTreeSet<String> = BTreeSet::new();
    for (name, corpus) in &opened.library.corpora {
        for entry in corpus.list().unwrap().files {
            let Ok(text) = String::from_utf8(opened.library.read(name, &entry.path).unwrap().bytes) else {
                continue;
            };
            let found = text.split(|letter: char| !letter.is_alphanumeric());
            words.extend(found.filter(|word| word.len() > 3).step_by(7).map(str::to_owned));
        }
    }
    assert!(words.len() > 500, "{}", words.len());
    let every = words.len() / 120;
    let mut checked = 0;
    for (at, word) in words.iter().step_by(every).enumerate() {
        let mode =
            [SearchMode::Keyword, SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid][at % 4];
        let hits = opened.search(word, mode).unwrap().hits;
        assert!(!hits.is_empty(), "{word} stands in a file and is not found");
        checked += hits.len();
        hits.iter().for_each(|hit| check(shelf.root(), hit));
    }
    assert!(checked > 500, "{checked}");
}

fn cases() -> ProptestConfig {
    let cases = if crate::ground::is_long() { 2000 } else { 40 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn every_hit_of_a_random_note_reads_again_as_it_was_shown(
        first in notes::note(), second in notes::note(), third in notes::note_without_headings()
    ) {
        let shelf = Shelf::new(&[("a.md", &first), ("b/b.md", &second), ("repo/c.md", &third)]);
        let opened = shelf.open();
        opened.update().unwrap();
        for query in ["honey", "mite code tail", "alpha beta gamma", "research", "title list", "日本語 a b c"] {
            for hit in opened.hits(query) {
                check(shelf.root(), &hit);
            }
        }
        // And what somebody adds at the beginning moves every line.
        shelf.save("a.md", format!("honey\n\nmite\n\n{first}"));
        shelf.save("repo/c.md", format!("honey\r\n{third}"));
        for query in ["honey", "mite code tail", "research"] {
            for hit in opened.hits(query) {
                check(shelf.root(), &hit);
            }
        }
    }
}

#[test]
fn a_file_that_changed_after_it_was_indexed_is_found_with_its_new_text_only() {
    let shelf = Shelf::new(&[
        ("Bees.md", "# Bees\n\nHoney in May.\n"),
        ("Mead.md", "# Mead\n\nHoney wine.\n"),
        ("repo/jar.rs", "fn honey() {}\n"),
    ]);
    let opened = shelf.open();
    opened.update().unwrap();
    opened.embed(&WordCountEmbedder).unwrap();
    let long = format!("# Bees\n\n{}\n\n## Later\n\nHoney in June.\n", "Nothing much. ".repeat(120));
    shelf.save("Bees.md", &long);
    fs::remove_file(shelf.file("Mead.md")).unwrap();
    shelf.save("repo/jar.rs", "\n\nfn honey() { june() }\n");
    for mode in [SearchMode::Keyword, SearchMode::Hybrid, SearchMode::Semantic] {
        let hits = opened.search("honey", mode).unwrap().hits;
        assert!(!hits.is_empty() || mode == SearchMode::Semantic, "a new text has no vector yet");
        for hit in &hits {
            check(shelf.root(), hit);
            assert!(!hit.text.contains("May") && hit.place.path.as_str() != "Mead.md", "{hit:?}");
        }
    }
    assert_eq!(opened.places("honey"), ["Bees.md:5", "repo/jar.rs:3"]);
    assert_eq!(opened.places("may"), [""; 0], "what is no more is not found");
    assert_eq!(opened.places("june"), ["Bees.md:5", "repo/jar.rs:3"], "the search has brought them level");
}
