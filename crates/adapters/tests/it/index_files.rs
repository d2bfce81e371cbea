//! The index over real folders: what an update notices, what it passes over, and what it does no work for.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::library::indexing::UpdateSummary;
use wellread_core::library::search::SearchMode;
use wellread_core::ports::IndexUpkeep as _;
use wellread_core::ports::PassageScope;
use wellread_core::ports::{
    Corpus, FileContent, FileEntry, FileListing, Index, KnownFileFilter, Passages, Vectors,
};
use wellread_core::{Error, Result};
use wellread_testkit::WordCountEmbedder;
use wellread_testkit::skip;

use crate::shelf::{Counting, Opened, Shelf, vault_path};

const BEES: &str = "# Bees\n\nHoney in the hive. See [[Mead]].\n\n## Mites\n\nMany mites.\n";
const MEAD: &str = "# Mead\n\nYeast and honey.\n";
const CODE: &str = "/// Weighs honey.\nfn weigh(jar: u32) -> u32 {\n    jar\n}\n";

fn shelf() -> Shelf {
    Shelf::new(&[("Bees.md", BEES), ("Drinks/Mead.md", MEAD), ("hive.png", "png"), ("repo/src/jar.rs", CODE)])
}

/// Added, changed, removed, unchanged.
pub fn counts(updated: &UpdateSummary) -> (usize, usize, usize, usize) {
    (updated.added, updated.changed, updated.removed, updated.unchanged)
}

fn reasons(updated: &UpdateSummary) -> Vec<(&str, &str)> {
    updated.skipped.iter().map(|skipped| (skipped.path.as_str(), skipped.reason.as_str())).collect()
}

/// Writes until the system's own date of the file is another one: its clock ticks a few hundred times a second.
pub fn save_later(shelf: &Shelf, path: &str, text: &str) {
    let changed = |data: fs::Metadata| (data.ctime(), data.ctime_nsec());
    let before = changed(shelf.file(path).metadata().unwrap());
    while changed(shelf.file(path).metadata().unwrap()) == before {
        shelf.save(path, text);
    }
}

#[test]
fn an_update_counts_what_it_did_and_the_next_one_does_nothing() {
    let shelf = shelf();
    let opened = shelf.open().long_after();
    assert_eq!(counts(&opened.update().unwrap()), (4, 0, 0, 0));
    assert_eq!(opened.places("honey"), ["Bees.md:1", "Drinks/Mead.md:1", "repo/src/jar.rs:1"]);
    let version = opened.index.read_state().unwrap().version;
    assert_eq!(counts(&opened.update().unwrap()), (0, 0, 0, 4));
    assert_eq!(opened.index.read_state().unwrap().version, version, "nothing was written");
    opened.check_digest(shelf.root(), "at first");
}

#[test]
fn the_same_content_under_another_date_is_unchanged() {
    let shelf = shelf();
    let opened = shelf.open().long_after();
    opened.update().unwrap();
    save_later(&shelf, "Bees.md", BEES);
    assert_eq!(counts(&opened.update().unwrap()), (0, 0, 0, 4));
    let known = opened
        .index
        .known_files(&CorpusName::Vault, KnownFileFilter::These(&[&vault_path("Bees.md")]))
        .unwrap();
    let entry = opened.library.corpora[0].1.find(&vault_path("Bees.md")).unwrap().unwrap();
    assert!(known[0].stamp.matches(&entry), "its new date is known");
}

#[test]
fn a_content_that_changed_under_its_old_date_and_size_is_noticed() {
    let shelf = shelf();
    let opened = shelf.open().long_after();
    opened.update().unwrap();
    let before = shelf.file("Bees.md").metadata().unwrap();
    save_later(&shelf, "Bees.md", &BEES.replace("Honey", "Wasps"));
    let times = FileTimes::new().set_modified(before.modified().unwrap());
    File::options().write(true).open(shelf.file("Bees.md")).unwrap().set_times(times).unwrap();
    let after = shelf.file("Bees.md").metadata().unwrap();
    assert_eq!((after.len(), after.modified().unwrap()), (before.len(), before.modified().unwrap()));
    assert_eq!(counts(&opened.update().unwrap()), (0, 1, 0, 3));
    assert_eq!(opened.places("wasps"), ["Bees.md:1"]);
    opened.check_digest(shelf.root(), "after the change");
}

#[test]
fn a_file_that_was_just_saved_is_looked_at_again() {
    let shelf = shelf();
    let opened = shelf.open();
    opened.update().unwrap();
    let known = opened.index.known_files(&CorpusName::Vault, KnownFileFilter::All).unwrap();
    assert!(known.iter().all(|file| !file.stamp.settled), "its clock is too coarse to be believed yet");
    assert_eq!(counts(&opened.update().unwrap()), (0, 0, 0, 4), "read again, and found to be the same");
}

#[test]
fn a_full_update_reads_everything_and_changes_nothing() {
    let shelf = shelf();
    let opened = shelf.open().long_after();
    opened.update().unwrap();
    let updated = opened.library.update(true, &|_| {}).unwrap();
    assert_eq!((updated.added, updated.removed), (0, 0));
    opened.check_digest(shelf.root(), "after a full update");
}

#[test]
fn a_renamed_note_keeps_its_vectors() {
    let shelf = shelf();
    let opened = shelf.open();
    let counting = Counting::default();
    opened.update().unwrap();
    opened.embed(&counting).unwrap();
    let mut first = counting.taken();
    let all = first.len();
    first.sort();
    first.dedup();
    assert!(all >= 4 && first.len() == all, "each text once: {first:?}");
    fs::rename(shelf.file("Bees.md"), shelf.file("Drinks/Honeybees.md")).unwrap();
    fs::rename(shelf.file("repo/src/jar.rs"), shelf.file("repo/jar.rs")).unwrap();
    let updated = opened.update().unwrap();
    assert_eq!((updated.added, updated.changed, updated.removed), (2, 0, 2));
    opened.embed(&counting).unwrap();
    assert_eq!(counting.taken(), [""; 0], "nothing is embedded twice");
    let hits = opened.search("many mites", SearchMode::Semantic).unwrap().hits;
    assert_eq!(hits[0].place.path.as_str(), "Drinks/Honeybees.md");
    opened.check_digest(shelf.root(), "after the rename");
}

#[test]
fn a_text_that_stands_in_two_files_is_embedded_once_and_an_edit_only_where_it_is() {
    let shelf = shelf();
    shelf.save("Copy.md", BEES);
    let opened = shelf.open();
    let counting = Counting::default();
    opened.update().unwrap();
    opened.embed(&counting).unwrap();
    let first = counting.taken();
    assert_eq!(first.iter().filter(|text| text.contains("Many mites")).count(), 1, "{first:?}");
    shelf.save("Copy.md", BEES.replace("Many mites", "Few mites"));
    opened.update().unwrap();
    opened.embed(&counting).unwrap();
    let second = counting.taken();
    assert!(second.len() == 1 && second[0].contains("Few mites"), "{second:?}");
}

#[test]
fn a_deleted_file_leaves_and_comes_back() {
    let shelf = shelf();
    let opened = shelf.open();
    opened.update().unwrap();
    fs::remove_file(shelf.file("Bees.md")).unwrap();
    fs::remove_dir_all(shelf.file("repo/src")).unwrap();
    assert_eq!(opened.update().unwrap().removed, 2);
    assert_eq!(opened.places("honey"), ["Drinks/Mead.md:1"]);
    assert!(opened.index.find_linking_files(&CorpusName::Vault, &["mead".to_owned()]).unwrap().is_empty());
    opened.check_digest(shelf.root(), "after the deletion");
    shelf.save("Bees.md", BEES);
    assert_eq!(opened.update().unwrap().added, 1);
    assert_eq!(opened.places("honey").len(), 2);
}

/// A corpus in which something happens before a file is read.
struct Hooked<F> {
    files: Arc<dyn Corpus>,
    before: F,
}

impl<F: Fn(&VaultPath) -> Result<()> + Send + Sync> Corpus for Hooked<F> {
    fn list(&self) -> Result<FileListing> {
        self.files.list()
    }
    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.files.find(path)
    }
    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        (self.before)(path)?;
        self.files.read(path)
    }
    fn identify(&self, path: &VaultPath) -> Result<wellread_core::ports::FileIdentity> {
        self.files.identify(path)
    }
}

fn hooked(
    opened: Opened,
    before: impl Fn(&VaultPath) -> Result<()> + Clone + Send + Sync + 'static,
) -> Opened {
    opened.with_corpus(|files| Arc::new(Hooked { files, before: before.clone() }))
}

#[test]
fn a_note_that_vanishes_during_an_update_is_not_there() {
    let shelf = shelf();
    let bees = shelf.file("Bees.md");
    let opened = hooked(shelf.open(), move |path| {
        if path.as_str() == "Bees.md" {
            let _ = fs::remove_file(&bees);
        }
        Ok(())
    });
    let updated = opened.update().unwrap();
    assert_eq!(counts(&updated), (3, 0, 0, 0), "what was never known was not removed either");
    assert_eq!(reasons(&updated), []);
    opened.check_digest(shelf.root(), "it vanished before it was known");
    shelf.save("Bees.md", BEES);
    shelf.open().update().unwrap();
    assert_eq!(opened.update().unwrap().removed, 1);
    opened.check_digest(shelf.root(), "it vanished when it was known");
}

#[test]
fn a_note_that_changes_while_it_is_read_ends_as_it_is() {
    let shelf = shelf();
    let bees = shelf.file("Bees.md");
    let opened = hooked(shelf.open(), move |path| {
        if path.as_str() == "Bees.md" {
            fs::write(&bees, "Pollen.\n").unwrap();
        }
        Ok(())
    });
    opened.update().unwrap();
    assert_eq!(opened.places("pollen"), ["Bees.md:1"]);
    opened.check_digest(shelf.root(), "after the change");
}

#[test]
fn a_disk_that_fails_once_costs_a_note_its_place_only_until_the_next_update() {
    let shelf = shelf();
    let failing = Arc::new(AtomicBool::new(true));
    let fails = failing.clone();
    let opened = hooked(shelf.open().long_after(), move |path| {
        if path.as_str() == "Bees.md" && fails.load(Ordering::Relaxed) {
            return Err(Error::failed("could not read `Bees.md`: input/output error"));
        }
        Ok(())
    });
    let updated = opened.update().unwrap();
    assert_eq!(reasons(&updated), [("Bees.md", "could not read `Bees.md`: input/output error")]);
    assert_eq!(reasons(&opened.update().unwrap()).len(), 1, "it is told again while it lasts");
    failing.store(false, Ordering::Relaxed);
    assert_eq!(reasons(&opened.update().unwrap()), []);
    opened.check_digest(shelf.root(), "when the disk is well again");
}

#[test]
fn a_note_that_may_not_be_read_is_named_with_the_reason_and_comes_back() {
    let shelf = shelf();
    fs::set_permissions(shelf.file("Bees.md"), fs::Permissions::from_mode(0o000)).unwrap();
    // Whoever may do everything may read this, too.
    if File::open(shelf.file("Bees.md")).is_ok() {
        skip("an administrator may read every file");
        return;
    }
    let opened = shelf.open();
    let updated = opened.update().unwrap();
    assert_eq!(updated.skipped.len(), 1, "{updated:?}");
    assert_eq!(updated.skipped[0].path, "Bees.md");
    assert_eq!(opened.places("yeast"), ["Drinks/Mead.md:1"]);
    fs::set_permissions(shelf.file("Bees.md"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(reasons(&opened.update().unwrap()), []);
    opened.check_digest(shelf.root(), "when it may be read again");
}

#[test]
fn what_is_no_text_is_skipped_with_its_reason_and_the_rest_is_found() {
    let shelf = shelf();
    shelf.save("Zero.md", b"honey\0honey");
    shelf.save("Latin.md", b"honey gr\xfc\xdfe [[Mead]] and [x](Bees.md)\n");
    shelf.save("Huge.md", format!("honey {}", "x".repeat(8 * 1024 * 1024)));
    shelf.save("repo/Huge.rs", format!("// honey\n{}", "fn x() {}\n".repeat(110_000)));
    shelf.save("repo/min.js", format!("honey();{}", "a=1;".repeat(500)));
    shelf.save("repo/data.txt", b"honey\0");
    shelf.save("repo/latin.py", b"# honey \xff\n");
    let opened = shelf.open().long_after();
    let expected = [
        ("Huge.md", "larger than 8 MiB"),
        ("Latin.md", "not UTF-8"),
        ("Zero.md", "binary, not text: it contains NUL bytes"),
        ("hivelog:Huge.rs", "larger than 1 MiB"),
        ("hivelog:data.txt", "binary, not text: it contains NUL bytes"),
        ("hivelog:latin.py", "not UTF-8"),
        ("hivelog:min.js", "looks generated: 2008 characters a line"),
    ];
    let mut updated = opened.update().unwrap();
    updated.skipped.sort_by(|one, other| one.path.cmp(&other.path));
    assert_eq!(reasons(&updated), expected);
    let mut again = opened.update().unwrap();
    again.skipped.sort_by(|one, other| one.path.cmp(&other.path));
    assert_eq!(reasons(&again), expected, "told again though they did not change");
    assert_eq!(opened.places("honey"), ["Bees.md:1", "Drinks/Mead.md:1", "repo/src/jar.rs:1"]);
    let linking = opened.index.find_linking_files(&CorpusName::Vault, &["mead".to_owned()]).unwrap();
    let linking: Vec<&str> = linking.iter().map(VaultPath::as_str).collect();
    assert_eq!(linking, ["Bees.md", "Latin.md"], "where it links to is known all the same");
    opened.check_digest(shelf.root(), "with files that are no text");
    shelf.save("Latin.md", "honey again, and in UTF-8\n");
    opened.update().unwrap();
    assert_eq!(opened.places("utf"), ["Latin.md:1"]);
}

#[test]
fn notes_that_nobody_should_write_are_indexed_all_the_same() {
    let line = "wax and mites, ".repeat(400_000);
    let deep = format!("{}honey\n", "> ".repeat(2000));
    let nested: String = (0..100).map(|depth| format!("{}- honey\n", "  ".repeat(depth))).collect();
    let brackets = format!("{}honey{}\n", "[".repeat(20_000), "]".repeat(20_000));
    let bomb = "---\na: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n\
                c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n\
                e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e, *e, *e, *e, *e, *e, *e]\n---\nhoney\n";
    let flow = format!("---\na: {}{}\n---\nhoney\n", "[".repeat(5000), "]".repeat(5000));
    let tags = "---\ntags: [!!binary x, {a: b}, ~, 1, yes, [y]]\n? complex\n: key\ntags: twice\n---\nhoney\n";
    let unclosed = format!("---\n{}", "honey: honey\n".repeat(2000));
    let shelf = Shelf::new(&[
        ("line.md", &line),
        ("deep.md", &deep),
        ("nested.md", &nested),
        ("brackets.md", &brackets),
        ("bomb.md", bomb),
        ("flow.md", &flow),
        ("tags.md", tags),
        ("unclosed.md", &unclosed),
        ("empty.md", ""),
        ("bom.md", "\u{feff}"),
        ("repo/line.rs", "fn honey() {}\n"),
        ("repo/deep.rs", &format!("fn honey() {{{}{}}}\n", "{\n".repeat(3000), "}\n".repeat(3000))),
    ]);
    let opened = shelf.open();
    let updated = opened.update().unwrap();
    assert_eq!(reasons(&updated), []);
    let mut found: Vec<String> = opened.places("honey");
    found.iter_mut().for_each(|place| place.truncate(place.find(':').unwrap()));
    found.dedup();
    let expected = [
        "bomb.md",
        "brackets.md",
        "deep.md",
        "flow.md",
        "nested.md",
        "repo/deep.rs",
        "repo/line.rs",
        "tags.md",
        "unclosed.md",
    ];
    assert_eq!(found, expected);
    assert_eq!(opened.places("empty"), ["empty.md:1"], "a file that says nothing is found by its name");
    for hit in opened.hits("honey wax") {
        crate::index_places::check(shelf.root(), &hit);
    }
    let model = wellread_core::ports::Embedder::model(&WordCountEmbedder).unwrap();
    assert!(opened.index.pending_passages(&model, PassageScope::All, 100_000).unwrap().len() > 10);
}

#[test]
fn an_index_that_was_closed_is_level_when_it_is_opened_again() {
    let shelf = shelf();
    let (digest, counting) = (shelf.fresh_digest(), Counting::default());
    {
        let opened = shelf.open();
        opened.update().unwrap();
        opened.embed(&counting).unwrap();
    }
    counting.taken();
    let opened = shelf.open().long_after();
    assert_eq!(opened.index.digest().unwrap(), digest);
    opened.update().unwrap();
    opened.embed(&counting).unwrap();
    assert_eq!((opened.index.take_notice(), counting.taken()), (None, Vec::new()));
}
