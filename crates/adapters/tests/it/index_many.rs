//! Several threads and processes on one index at once.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::search::SearchMode;
use wellread_core::ports::IndexUpkeep as _;
use wellread_core::ports::PassageScope;
use wellread_core::ports::{Embedder, Index, PassageFilter, Passages, Vectors};
use wellread_testkit::WordCountEmbedder;
use wellread_text::query_terms;

use crate::children::child_process;
use crate::ground::is_long;
use crate::shelf::{Opened, Shelf, hivelog, save, vault_path};

const LETTERS: &[u8; 16] = b"bcdfghjkmnpqrtvw";
const THREADS: usize = 4;
const PROCESSES: usize = 2;

/// A word that stands in one file alone, and that no stem is taken of.
fn word(worker: usize, round: usize) -> String {
    let letter = |n: usize| char::from(LETTERS[n % 16]);
    format!("q{}x{}{}z", letter(worker), letter(round / 16), letter(round))
}

fn note(worker: usize, round: usize) -> String {
    format!("w{worker}/Note {}.md", round % 7)
}

fn rounds() -> usize {
    if is_long() { 200 } else { 14 }
}

/// Saves, indexes and looks, as often as there are rounds. Any error ends it.
fn work(opened: &Opened, root: &Path, worker: usize) {
    for round in 0..rounds() {
        let path = note(worker, round);
        save(root, &path, format!("# Note\n\nHoney {}.\n\n## More\n\nThe same.\n", word(worker, round)));
        match (worker + round) % 3 {
            0 => drop(opened.update().unwrap()),
            1 => drop(opened.library.update_files(&CorpusName::Vault, &[vault_path(&path)]).unwrap()),
            _ => drop(opened.library.update_corpus(&CorpusName::Vault).unwrap()),
        }
        if round % 4 == worker % 4 {
            opened.embed(&WordCountEmbedder).unwrap();
        }
        if round % 5 == 4 {
            fs::remove_file(crate::shelf::file(root, &note(worker, round - 1))).unwrap();
        }
        for (query, mode) in
            [(word(worker, round), SearchMode::Keyword), ("honey".to_owned(), SearchMode::Hybrid)]
        {
            let hits = opened.search(&query, mode).unwrap().hits;
            let mut places: Vec<_> = hits.iter().map(|hit| (&hit.place.path, hit.place.lines)).collect();
            places.sort();
            let all = places.len();
            places.dedup();
            assert_eq!(places.len(), all, "the same passage twice");
        }
    }
}

/// The same, and now and then the index is made anew under everybody's hands.
fn work_and_begin_anew(opened: &Opened, root: &Path, worker: usize) {
    for round in 0..rounds() {
        let path = note(worker, round);
        save(root, &path, format!("# Note\n\nHoney {}.\n", word(worker, round)));
        if round % 6 == worker {
            opened.index.begin_anew("to see what becomes of the others").unwrap();
        }
        opened.update().unwrap();
        opened.mended(|| opened.embed(&WordCountEmbedder)).unwrap();
        for mode in [SearchMode::Keyword, SearchMode::Hybrid] {
            opened.mended(|| opened.search("honey", mode)).unwrap();
        }
    }
}

/// What the child process does.
pub fn child(order: &str) {
    let mut words = order.splitn(3, ' ');
    let (what, worker, root) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let (opened, root, worker) = (Opened::at(Path::new(root)), Path::new(root), worker.parse().unwrap());
    match what {
        "work" => work(&opened, root, worker),
        _ => work_and_begin_anew(&opened, root, worker),
    }
}

fn started(what: &str, worker: usize, root: &Path) -> Child {
    let mut child = child_process("index_many", &format!("{what} {worker} {}", root.display()));
    child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// All of them at once: processes, and threads that share what they have open.
fn all_at_work(shelf: &Shelf, opened: &Opened, what: &str, act: fn(&Opened, &Path, usize)) {
    let children: Vec<Child> = (0..PROCESSES).map(|worker| started(what, worker, shelf.root())).collect();
    std::thread::scope(|scope| {
        for worker in PROCESSES..PROCESSES + THREADS {
            scope.spawn(move || act(opened, shelf.root(), worker));
        }
    });
    for child in children {
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
    }
}

#[test]
fn threads_and_processes_on_one_index_never_fail_and_lose_nothing() {
    let shelf = Shelf::new(&[("Bees.md", "# Bees\n\nHoney.\n"), ("repo/jar.rs", "fn honey() {}\n")]);
    let opened = shelf.open();
    all_at_work(&shelf, &opened, "work", work);
    opened.update().unwrap();
    opened.embed(&WordCountEmbedder).unwrap();
    opened.check_digest(shelf.root(), "in the end");
    assert_eq!(opened.index.take_notice(), None);
    let (made, all) = opened.index.progress(&WordCountEmbedder.model().unwrap(), PassageScope::All).unwrap();
    assert_eq!(made, all);
    let mut found = 0;
    for worker in 0..PROCESSES + THREADS {
        for round in 0..rounds() {
            let word = word(worker, round);
            let path = crate::shelf::file(shelf.root(), &note(worker, round));
            let there = fs::read_to_string(path).is_ok_and(|text| text.contains(&word));
            let hits = opened.hits(&word);
            assert_eq!(hits.len(), usize::from(there), "{word}: {hits:?}");
            found += hits.len();
        }
    }
    assert!(found >= 4 * (PROCESSES + THREADS), "{found}");
}

#[test]
fn an_index_that_is_made_anew_under_everybodys_hands_stops_nobody() {
    let shelf = Shelf::new(&[("Bees.md", "# Bees\n\nHoney.\n"), ("repo/jar.rs", "fn honey() {}\n")]);
    let opened = shelf.open();
    all_at_work(&shelf, &opened, "begin", work_and_begin_anew);
    opened.update().unwrap();
    opened.check_digest(shelf.root(), "in the end");
    opened.embed(&WordCountEmbedder).unwrap();
    let (made, all) = opened.index.progress(&WordCountEmbedder.model().unwrap(), PassageScope::All).unwrap();
    assert_eq!(made, all);
    let first = rounds() - 7;
    for worker in 0..PROCESSES + THREADS {
        for round in first..rounds() {
            assert_eq!(opened.hits(&word(worker, round)).len(), 1, "{worker} {round}");
        }
    }
}

/// A corpus that goes takes its table of words along. Whoever searches meanwhile sees it as it was before or after.
#[test]
fn a_corpus_that_comes_and_goes_during_a_search_is_no_damage() {
    let shelf = Shelf::new(&[("Bees.md", "# Bees\n\nHoney.\n"), ("repo/jar.rs", "fn honey() {}\n")]);
    let (opened, other) = (shelf.open(), shelf.open());
    opened.update().unwrap();
    let (terms, filter) = (query_terms("\"of honey\" honey jar"), PassageFilter::default());
    let rules = opened.library.rules.fingerprint();
    std::thread::scope(|scope| {
        let search = scope.spawn(|| {
            for _ in 0..20 * rounds() {
                let found = other.index.find_matching(&terms, &filter, 9).unwrap();
                assert!(!found.passages.is_empty(), "the note is always there");
                other.index.list_names('b', &filter).unwrap();
                other.index.digest().unwrap();
            }
        });
        while !search.is_finished() {
            opened.index.tidy(&[CorpusName::Vault], rules).unwrap();
            opened.library.update_corpus(&hivelog()).unwrap();
        }
    });
    assert!(!other.index.is_damaged());
    assert_eq!((opened.index.take_notice(), other.index.take_notice()), (None, None));
}
