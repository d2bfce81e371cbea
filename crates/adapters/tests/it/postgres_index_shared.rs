//! One index in a database, for several processes and machines: killed at any moment, updating at once, from folders that differ
//! in all but their content, and with the database away.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use wellread_adapters::postgres::PostgresIndex;
use wellread_core::ErrorKind;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::Library;
use wellread_core::ports::{FileState, Index, IndexChange, KnownFileFilter, PassageFilter};
use wellread_text::query_terms;

use crate::children::child_process;
use crate::ground::is_long;
use crate::postgres_server::{OwnServer, TestDatabase, open_index_url};
use crate::shelf::{Opened, Random, Shelf, hivelog, vault_path};

const NOTES: usize = 60;

/// The library of the files at `root`, with the index in a database.
fn open(root: &Path, index: PostgresIndex) -> Library {
    let index = Arc::new(index);
    let opened = Opened::at(root).changed(|library| {
        library.index = index.clone();
        library.passages = index.clone();
        library.vectors = index.clone();
        library.symbols = index.clone();
    });
    (*opened.library).clone()
}

/// What the child process does: updates the index until it is killed, with all files read again each time.
pub fn child(order: &str) {
    let (root, url) = order.split_once(' ').unwrap();
    let root = Path::new(root);
    let library = open(root, open_index_url(url, "ours", &root.join("data")));
    println!("\nat work");
    loop {
        library.update(true, &|_| {}).unwrap();
    }
}

fn filled_shelf() -> Shelf {
    let shelf = Shelf::new(&[]);
    let mut random = Random::seeded(5);
    for number in 0..NOTES {
        write_note(&shelf, &mut random, number);
        shelf.save(
            &format!("repo/f{number}.py"),
            format!("def open_{number}():\n    return hive({number})\n"),
        );
    }
    shelf
}

fn write_note(shelf: &Shelf, random: &mut Random, number: usize) {
    let words = ["honey", "hive", "queen", "wax", "swarm", "eggs"];
    let text: Vec<&str> = (0..20 + random.below(200)).map(|_| random.one_of(&words)).collect();
    shelf.save(&format!("Note {number}.md"), format!("# Note {number}\n\n{}\n", text.join(" ")));
}

/// What a search for each word finds: places with their scores.
fn found(library: &Library) -> Vec<(String, String, u32)> {
    let mut all = Vec::new();
    for word in ["honey", "queen wax", "\"hive queen\"", "open"] {
        let found =
            library.passages.find_matching(&query_terms(word), &PassageFilter::default(), 10_000).unwrap();
        let ids: Vec<i64> = found.passages.iter().map(|scored| scored.id).collect();
        let stored = library.passages.load_passages(&ids).unwrap();
        assert_eq!(stored.len(), found.passages.len(), "every passage that is found is there");
        let scores = found.passages.iter().map(|scored| scored.score.to_bits());
        all.extend(stored.iter().zip(scores).map(|(passage, score)| {
            (word.to_owned(), format!("{}:{}:{}", passage.corpus, passage.path, passage.lines.0), score)
        }));
    }
    all.sort();
    all
}

/// What an index finds that was made of the same files from nothing.
fn expected(shelf: &Shelf) -> Vec<(String, String, u32)> {
    let data = TempDir::new().unwrap();
    let fresh = Opened::with(shelf.root(), data.path(), "shelf");
    fresh.library.update(false, &|_| {}).unwrap();
    found(&fresh.library)
}

#[test]
fn a_process_that_is_killed_while_it_indexes_leaves_an_index_that_can_be_used() {
    let Some(database) = TestDatabase::create_with_index() else { return };
    let shelf = filled_shelf();
    let url = database.url(&database.role());
    let library = open(shelf.root(), database.open_index("ours", &shelf.data()));
    library.update(false, &|_| {}).unwrap();
    let mut random = Random::seeded(9);
    for _ in 0..if is_long() { 40 } else { 6 } {
        let mut child = child_process("postgres_index_shared", &format!("{} {url}", shelf.root().display()));
        let mut child = child.stdout(Stdio::piped()).spawn().unwrap();
        thread::sleep(Duration::from_millis(100 + random.below(400) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        // It answers as it is: every file is there as a whole.
        assert_eq!(found(&library), expected(&shelf));
        write_note(&shelf, &mut random, 3);
        library.update(false, &|_| {}).unwrap();
        assert_eq!(found(&library), expected(&shelf));
    }
}

#[test]
fn processes_that_update_at_once_leave_the_index_of_the_files() {
    let Some(database) = TestDatabase::create_with_index() else { return };
    let shelf = filled_shelf();
    let elsewhere = TempDir::new().unwrap();
    let libraries = [shelf.data(), shelf.data(), elsewhere.path().to_owned()]
        .map(|data| open(shelf.root(), database.open_index("ours", &data)));
    thread::scope(|scope| {
        for library in &libraries {
            scope.spawn(|| {
                for round in 0..4 {
                    library.update(round == 2, &|_| {}).unwrap();
                    let path = vault_path(&format!("Note {round}.md"));
                    library.update_files(&CorpusName::Vault, &[path]).unwrap();
                }
            });
        }
        scope.spawn(|| {
            let mut random = Random::seeded(11);
            for number in 0..30 {
                write_note(&shelf, &mut random, number % 7);
                if number % 5 == 0 {
                    fs::remove_file(shelf.file(&format!("Note {}.md", 10 + number))).unwrap();
                }
                thread::sleep(Duration::from_millis(20));
            }
        });
    });
    for library in &libraries {
        library.update(false, &|_| {}).unwrap();
        assert_eq!(found(library), expected(&shelf));
    }
}

/// The same notes in another folder, written later.
fn copy(shelf: &Shelf) -> Shelf {
    let other = Shelf::new(&[]);
    for folder in ["vault", "repo"] {
        for entry in fs::read_dir(shelf.root().join(folder)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), other.root().join(folder).join(entry.file_name())).unwrap();
        }
    }
    other
}

#[test]
fn folders_with_the_same_notes_share_an_index_and_neither_writes_it_again() {
    let Some(database) = TestDatabase::create_with_index() else { return };
    let first = filled_shelf();
    let second = copy(&first);
    let [one, other] = [&first, &second].map(|shelf| {
        let clock = Opened::at(shelf.root()).long_after().library.clock.clone();
        Library { clock, ..open(shelf.root(), database.open_index("ours", &shelf.data())) }
    });
    let put_by_first = || {
        let sql = "SELECT string_agg(id::text, ' ' ORDER BY id) FROM wellread.index_files";
        database.run_sql(sql).unwrap()
    };
    assert_eq!(one.update(false, &|_| {}).unwrap().added, 2 * NOTES);
    let before = put_by_first();
    // Times and numbers of the files differ: each is read, and found to be the same.
    let updated = other.update(false, &|_| {}).unwrap();
    assert_eq!((updated.unchanged, updated.has_changes()), (2 * NOTES, false));
    assert_eq!(put_by_first(), before, "no file was put again");
    let version = other.index.read_state().unwrap().version;
    for library in [&one, &other, &one] {
        assert!(!library.update(false, &|_| {}).unwrap().has_changes());
    }
    assert_eq!(other.index.read_state().unwrap().version, version, "each knows its own times now");
    // A note that one changes is new to the other until it has it, too.
    second.save("Note 1.md", "honey everywhere\n");
    assert_eq!(other.update(false, &|_| {}).unwrap().changed, 1);
    first.save("Note 1.md", "honey everywhere\n");
    let updated = one.update(false, &|_| {}).unwrap();
    assert!(!updated.has_changes(), "{updated:?}");
    assert_eq!(found(&one), expected(&first));
}

#[test]
fn a_folder_without_a_repository_does_not_take_it_from_the_others() {
    let Some(database) = TestDatabase::create_with_index() else { return };
    let (first, second) = (filled_shelf(), TempDir::new().unwrap());
    let one = open(first.root(), database.open_index("ours", &first.data()));
    one.update(false, &|_| {}).unwrap();
    let mut other = open(first.root(), database.open_index("ours", second.path()));
    other.corpora.retain(|(name, _)| *name == CorpusName::Vault);
    other.update(false, &|_| {}).unwrap();
    assert_eq!(one.index.known_files(&hivelog(), KnownFileFilter::All).unwrap().len(), NOTES);
    assert_eq!(found(&one), expected(&first));
    // Where nobody has it any more, it goes; a place that was not heard of for a month does not count.
    database.run_sql("UPDATE wellread.index_places SET seen = now() - interval '31 days'");
    other.update(false, &|_| {}).unwrap();
    assert_eq!(other.index.known_files(&hivelog(), KnownFileFilter::All).unwrap(), []);
}

#[test]
fn another_place_removes_a_file_only_in_the_version_that_it_knew() {
    let Some(database) = TestDatabase::create_with_index() else { return };
    let (shelf, elsewhere) = (filled_shelf(), TempDir::new().unwrap());
    let one = open(shelf.root(), database.open_index("ours", &shelf.data()));
    one.update(false, &|_| {}).unwrap();
    let other = database.open_index("ours", elsewhere.path());
    let path = vault_path("Note 1.md");
    let known = |index: &dyn Index| {
        index.known_files(&CorpusName::Vault, KnownFileFilter::These(&[&path])).unwrap().pop()
    };
    let stale = known(&other).unwrap();
    assert!(!stale.stamp.settled, "it has to be read there");
    shelf.save("Note 1.md", "honey\n");
    one.update(false, &|_| {}).unwrap();
    let gone = |stamp| IndexChange::Gone { path: path.clone(), stamp };
    other.apply(&CorpusName::Vault, &[gone(stale.stamp)]).unwrap();
    let now = known(&other).unwrap();
    assert!(matches!(now.state, FileState::Indexed { .. }));
    other.apply(&CorpusName::Vault, &[gone(now.stamp)]).unwrap();
    assert!(known(&other).is_none());
}

#[test]
fn with_the_database_away_a_search_says_so_within_seconds_and_works_again_afterwards() {
    let Some(mut server) = OwnServer::start() else { return };
    let database = TestDatabase::create_with_index_on(&server.address);
    let shelf = filled_shelf();
    let library = open(shelf.root(), database.open_index("ours", &shelf.data()));
    library.update(false, &|_| {}).unwrap();
    let before = found(&library);
    server.order("stop");
    let begun = Instant::now();
    let find = || library.passages.find_matching(&query_terms("honey"), &PassageFilter::default(), 9);
    let error = find().unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.hint_text().unwrap().contains("the index is in the database"), "{error}");
    shelf.save("Note 1.md", "honey\n");
    assert_eq!(library.update(false, &|_| {}).unwrap_err().kind(), ErrorKind::Unavailable);
    server.order("start");
    assert_eq!(found(&library), before);
    library.update(false, &|_| {}).unwrap();
    assert_eq!(found(&library), expected(&shelf));
}
