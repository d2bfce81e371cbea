//! A damaged index is noticed, made anew from the files, and keeps the vectors that are whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use rusqlite::Connection;
use wellread_core::library::search::SearchMode;
use wellread_core::ports::IndexUpkeep as _;
use wellread_core::ports::PassageScope;
use wellread_core::ports::{Embedder, Index, Vectors};
use wellread_testkit::WordCountEmbedder;

use crate::ground::is_long;
use crate::shelf::{Counting, Opened, Random, Shelf, version};

type Files = BTreeMap<String, Vec<u8>>;

/// A shelf, its index as it was when it was closed, and how many texts have vectors.
struct Sample {
    shelf: Shelf,
    closed: Files,
    digest: String,
    texts: usize,
}

static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let shelf = Shelf::new(&[
        ("hive.png", "png"),
        ("repo/jar.rs", "/// Weighs.\nfn honey() {}\n\nstruct Jar {\n    wax: u8,\n}\n"),
        ("repo/weigh.py", "def weigh():\n    return honey\n"),
    ]);
    for n in 0..30 {
        let text = format!(
            "---\ntags: [t{n}, all/x]\nyear: {n}\n---\n# Note {n}\n\nHoney, [[Note {}]].\n\n## More\n\n{}\n",
            n + 1,
            format!("Of {n} hives there is much to say. ").repeat(20)
        );
        shelf.save(&format!("f{}/Note {n}.md", n % 4), text);
    }
    let opened = shelf.open();
    opened.update().unwrap();
    let texts = opened.embed(&WordCountEmbedder).unwrap().made;
    let digest = opened.index.digest().unwrap();
    drop(opened);
    let closed = files(&shelf.data());
    Sample { shelf, closed, digest, texts }
});

fn files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect()
}

/// The sample's index in a folder of its own, damaged.
struct Damaged {
    data: tempfile::TempDir,
}

impl Damaged {
    fn of(files: &Files) -> Self {
        let data = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::TempDir::new()).unwrap();
        for (name, bytes) in files {
            fs::write(data.path().join(name), bytes).unwrap();
        }
        Self { data }
    }

    fn sample() -> Self {
        Self::of(&SAMPLE.closed)
    }

    fn unsealed() -> Self {
        let mut files = SAMPLE.closed.clone();
        files.remove("index.db.seal").unwrap();
        Self::of(&files)
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.data.path().join(name);
        let mut bytes = fs::read(&path).unwrap_or_default();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
    }

    fn sql(&self, sql: &str) {
        Connection::open(self.data.path().join("index.db")).unwrap().execute_batch(sql).unwrap();
    }

    fn open(&self) -> Opened {
        Opened::with(SAMPLE.shelf.root(), self.data.path(), "shelf")
    }

    /// Brought level as a command does it; why it was begun anew, and how many texts had to be embedded again.
    fn healed(&self, what: &str) -> (Option<String>, usize) {
        let opened = self.open();
        opened.update().unwrap_or_else(|error| panic!("{what}: {error}"));
        let reason = opened.index.take_notice();
        assert_eq!(opened.index.digest().unwrap(), SAMPLE.digest, "{what}: {reason:?}");
        let counting = Counting::default();
        opened.embed(&counting).unwrap_or_else(|error| panic!("{what}: {error}"));
        let again = counting.taken().len();
        let model = WordCountEmbedder.model().unwrap();
        assert_eq!(
            opened.index.progress(&model, PassageScope::All).unwrap(),
            (SAMPLE.texts, SAMPLE.texts),
            "{what}"
        );
        assert!(!opened.search("honey", SearchMode::Hybrid).unwrap().hits.is_empty(), "{what}");
        drop(opened);
        let opened = self.open();
        opened.update().unwrap();
        assert_eq!(opened.index.take_notice(), None, "{what}: told once, and sound from then on");
        (reason, again)
    }

    fn is_begun_anew(&self, what: &str) -> usize {
        let (reason, again) = self.healed(what);
        let reason = reason.unwrap_or_else(|| panic!("{what}: nobody was told"));
        assert!(reason.starts_with("the index was rebuilt: "), "{what}: {reason}");
        again
    }
}

#[test]
fn an_index_that_is_whole_is_left_alone() {
    assert_eq!(Damaged::sample().healed("nothing was done to it"), (None, 0));
    assert_eq!(Damaged::unsealed().healed("it was not closed"), (None, 0));
}

/// Whoever wrote may leave before whoever only read.
#[test]
fn an_index_that_a_reader_leaves_last_is_whole() {
    let shelf = Shelf::new(&[("Bees.md", "# Bees\nHoney.\n")]);
    shelf.open().update().unwrap();
    assert!(shelf.data().join("index.db.seal").exists());
    let reader = shelf.open();
    assert_eq!(reader.places("honey").len(), 1);
    shelf.save("More.md", "# More\nHoney as well.\n");
    let writer = shelf.open();
    writer.update().unwrap();
    assert!(!shelf.data().join("index.db.seal").exists(), "broken by the first change");
    drop(writer);
    drop(reader);
    assert!(shelf.data().join("index.db.seal").exists(), "the last one to leave seals it");
    let opened = shelf.open();
    opened.update().unwrap();
    assert_eq!((opened.index.take_notice(), opened.places("honey").len()), (None, 2));
}

#[test]
fn a_flipped_bit_anywhere_is_noticed_and_mended() {
    let mut random = Random::seeded(11);
    let (cases, mut untouched) = (if is_long() { 2000 } else { 40 }, 0);
    for _ in 0..cases {
        let damaged = Damaged::sample();
        let (at, bit) = (random.below(SAMPLE.closed["index.db"].len()), random.below(8));
        damaged.change("index.db", |bytes| bytes[at] ^= 1 << bit);
        untouched += usize::from(damaged.is_begun_anew(&format!("bit {bit} of byte {at}")) == 0);
    }
    assert!(untouched * 2 > cases, "only in {untouched} of {cases} cases were all vectors kept");
}

#[test]
fn an_index_without_its_end_is_made_anew() {
    let length = SAMPLE.closed["index.db"].len();
    for length in [0, 1, 99, 100, 512, 4095, 4096, 4097, length / 3, length / 2, length - 4096, length - 1] {
        let damaged = Damaged::sample();
        damaged.change("index.db", |bytes| bytes.truncate(length));
        let again = damaged.is_begun_anew(&format!("cut to {length}"));
        assert!(again <= SAMPLE.texts);
    }
}

#[test]
fn what_is_no_index_is_replaced_by_one() {
    let text = Damaged::sample();
    text.change("index.db", |bytes| *bytes = b"# A note\n\nthat lost its way.\n".repeat(400));
    assert_eq!(text.is_begun_anew("a text in its place"), SAMPLE.texts);
    let zeros = Damaged::sample();
    zeros.change("index.db", |bytes| bytes.fill(0));
    assert_eq!(zeros.is_begun_anew("zeros in its place"), SAMPLE.texts);
    let other = Damaged::of(&BTreeMap::new());
    other.sql("CREATE TABLE notes (text); INSERT INTO notes VALUES ('honey');");
    assert_eq!(other.is_begun_anew("another program's database"), SAMPLE.texts);
}

#[test]
fn another_vaults_index_is_replaced_and_the_vectors_of_the_same_texts_are_kept() {
    let damaged = Damaged::sample();
    damaged.sql("UPDATE meta SET value = 'elsewhere' WHERE name = 'vault'");
    fs::remove_file(damaged.data.path().join("index.db.seal")).unwrap();
    assert_eq!(damaged.is_begun_anew("belongs to another vault"), 0);
}

#[test]
fn an_index_of_another_version_is_made_anew_with_all_its_vectors() {
    for version in [0, 1, 999, -1] {
        let damaged = Damaged::sample();
        damaged.sql(&format!("PRAGMA user_version = {version}"));
        assert_eq!(damaged.is_begun_anew(&format!("version {version}")), 0, "nothing is embedded again");
    }
}

#[test]
fn an_index_that_another_version_has_put_in_place_is_left_to_it() {
    let damaged = Damaged::sample();
    let opened = damaged.open();
    opened.update().unwrap();
    damaged.sql("PRAGMA user_version = 999; DROP TABLE words_1;");
    let read = opened.search("honey", SearchMode::Keyword).unwrap_err();
    let written = opened.index.tidy(&[], 1).unwrap_err();
    for error in [read, written] {
        assert!(error.message().contains("another version of Wellread"), "{error}");
        assert_eq!(error.hint_text(), Some("restart every Wellread process"));
    }
    assert!(!opened.index.is_damaged());
    let file = Connection::open(damaged.data.path().join("index.db")).unwrap();
    let version: i32 = file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 999, "it was not made anew");
    drop((opened, file));
    assert_eq!(damaged.is_begun_anew("after a restart"), 0);
}

const TABLES: [&str; 9] =
    ["meta", "corpora", "files", "passages", "words_1", "marks", "symbols", "models", "vectors"];

fn holds_vectors(table: &str) -> bool {
    matches!(table, "models" | "vectors")
}

#[test]
fn an_index_without_one_of_its_tables_is_made_anew() {
    for table in TABLES {
        let damaged = Damaged::sample();
        damaged.sql(&format!("DROP TABLE {table}"));
        let again = damaged.is_begun_anew(&format!("without {table}"));
        assert_eq!(again, if holds_vectors(table) { SAMPLE.texts } else { 0 }, "{table}");
    }
}

#[test]
fn a_table_that_nobody_knew_to_be_missing_is_missed_when_it_is_needed() {
    for table in TABLES {
        let damaged = Damaged::unsealed();
        damaged.sql(&format!("DROP TABLE {table}"));
        let opened = damaged.open();
        opened.update().unwrap();
        let answer = opened.mended(|| opened.search("honey", SearchMode::Hybrid)).unwrap();
        assert!(!answer.hits.is_empty(), "{table}");
        assert_eq!(opened.mended(|| opened.index.digest()).unwrap(), SAMPLE.digest, "{table}");
        assert!(opened.index.take_notice().is_some(), "{table}");
        let again = opened.embed(&WordCountEmbedder).unwrap().made;
        assert_eq!(again, if holds_vectors(table) { SAMPLE.texts } else { 0 }, "{table}");
    }
}

#[test]
fn garbage_beside_a_closed_index_is_of_no_account() {
    let mut random = Random::seeded(3);
    for length in [1, 32, 5000, 100_000] {
        for name in ["index.db-wal", "index.db-shm", "index.db.seal", "index.db.new-1", "index.lock"] {
            let damaged = Damaged::sample();
            let garbage: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
            damaged.change(name, |bytes| *bytes = garbage);
            let (_, again) = damaged.healed(&format!("{length} bytes of garbage in {name}"));
            assert_eq!(again, 0);
        }
    }
}

/// The files of an index that somebody has open and has just changed.
fn in_use() -> Files {
    let damaged = Damaged::of(&BTreeMap::new());
    let opened = damaged.open();
    opened.update().unwrap();
    opened.embed(&WordCountEmbedder).unwrap();
    let files = files(damaged.data.path());
    assert!(files["index.db-wal"].len() > 10_000);
    files
}

#[test]
fn what_was_not_yet_written_into_the_index_may_be_lost_or_damaged() {
    let in_use = in_use();
    let length = in_use["index.db-wal"].len();
    let mut random = Random::seeded(5);
    let mut cases: Vec<(String, Files)> = Vec::new();
    for cut in [0, 1, 31, 32, 5000, length / 4, length / 2, length - 1] {
        let mut files = in_use.clone();
        files.get_mut("index.db-wal").unwrap().truncate(cut);
        cases.push((format!("cut to {cut}"), files));
    }
    for _ in 0..if is_long() { 500 } else { 12 } {
        let mut files = in_use.clone();
        let at = random.below(length);
        files.get_mut("index.db-wal").unwrap()[at] ^= 1 << random.below(8);
        cases.push((format!("byte {at} flipped"), files));
    }
    let mut garbage = in_use.clone();
    garbage.get_mut("index.db-wal").unwrap().iter_mut().for_each(|byte| *byte = random.below(256) as u8);
    cases.push(("garbage".to_owned(), garbage));
    let mut without = in_use.clone();
    without.remove("index.db-wal");
    cases.push(("gone".to_owned(), without));
    cases.push(("whole".to_owned(), in_use));
    for (what, mut files) in cases {
        files.remove("index.db-shm");
        Damaged::of(&files).healed(&format!("the log: {what}"));
    }
}

/// Nothing says any more what was written: what no look at the structure shows stays unseen, but nothing fails for good.
#[test]
fn a_flipped_bit_in_an_index_that_was_never_closed_stops_nobody() {
    let mut random = Random::seeded(13);
    for _ in 0..if is_long() { 3000 } else { 60 } {
        let damaged = Damaged::unsealed();
        let (at, bit) = (random.below(SAMPLE.closed["index.db"].len()), random.below(8));
        damaged.change("index.db", |bytes| bytes[at] ^= 1 << bit);
        let what = format!("bit {bit} of byte {at}");
        let opened = damaged.open();
        opened.update().unwrap_or_else(|error| panic!("{what}: {error}"));
        for mode in [SearchMode::Keyword, SearchMode::Hybrid] {
            for query in ["honey", "hives say much", "weigh jar"] {
                let answer = opened.mended(|| opened.search(query, mode));
                for hit in answer.unwrap_or_else(|error| panic!("{what}: {error}")).hits {
                    crate::index_places::check(SAMPLE.shelf.root(), &hit);
                }
            }
        }
        opened.mended(|| opened.embed(&WordCountEmbedder)).unwrap_or_else(|error| panic!("{what}: {error}"));
        opened
            .mended(|| opened.library.update(true, &|_| {}))
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let begun = opened.index.take_notice();
        if begun.is_some() {
            assert_eq!(opened.index.digest().unwrap(), SAMPLE.digest, "{what}: {begun:?}");
        }
    }
}

#[test]
fn an_index_that_is_begun_anew_is_another_version_for_everybody_who_has_it_open() {
    let damaged = Damaged::sample();
    let (one, other) = (damaged.open(), damaged.open());
    let model = WordCountEmbedder.model().unwrap();
    let mut seen = Vec::new();
    for _ in 0..3 {
        for opened in [&one, &other] {
            opened.update().unwrap();
            assert_eq!(
                opened.index.progress(&model, PassageScope::All).unwrap(),
                (SAMPLE.texts, SAMPLE.texts)
            );
            assert!(!opened.search("honey", SearchMode::Semantic).unwrap().hits.is_empty());
        }
        assert_eq!(version(&one), version(&other));
        seen.push(version(&one));
        one.index.begin_anew("a test wants it").unwrap();
        assert!(!other.index.read_state().unwrap().complete, "the other has the new one at once");
        assert_eq!(other.index.progress(&model, PassageScope::All).unwrap(), (0, 0));
        seen.push(version(&one));
    }
    assert!(seen.windows(2).all(|two| two[0] < two[1]), "{seen:?}");
}
