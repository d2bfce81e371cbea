//! A process ends in the middle of its work on the index, at every point that counts and at any other.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use wellread_adapters::index::SqliteIndex;
use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::library::search::SearchMode;
use wellread_core::ports::IndexUpkeep as _;
use wellread_core::ports::PassageScope;
use wellread_core::ports::{
    Corpus, Embedder, EmbeddingModel, FileContent, FileEntry, FileIdentity, FileListing, Index, IndexChange,
    IndexCoverage, IndexState, KnownFile, KnownFileFilter, PassageFilter, PassageId, PassageScore,
    StoredPassage, TextHash, Vectors,
};
use wellread_testkit::WordCountEmbedder;
use wellread_text::ChunkKind;

use crate::children::child_process;
use crate::ground::is_long;
use crate::shelf::{Opened, Random, Shelf, save, vault_path};

const NOTES: usize = 56;

/// Counts, and ends the process at a number.
struct Ending {
    at: usize,
    count: AtomicUsize,
}

impl Ending {
    fn at(at: usize) -> Arc<Self> {
        Arc::new(Self { at, count: AtomicUsize::default() })
    }

    /// Does this; both before and after it is a point.
    fn around<T>(&self, act: impl FnOnce() -> T) -> T {
        self.point();
        let answer = act();
        self.point();
        answer
    }

    fn point(&self) {
        if self.count.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
            std::process::abort();
        }
    }
}

struct Reads {
    files: Arc<dyn Corpus>,
    ending: Arc<Ending>,
}

impl Corpus for Reads {
    fn list(&self) -> Result<FileListing> {
        self.files.list()
    }
    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.files.find(path)
    }
    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        self.ending.around(|| self.files.read(path))
    }
    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.files.identify(path)
    }
}

struct Changes {
    index: Arc<SqliteIndex>,
    ending: Arc<Ending>,
}

impl Index for Changes {
    fn known_files(&self, corpus: &CorpusName, which: KnownFileFilter<'_>) -> Result<Vec<KnownFile>> {
        self.index.known_files(corpus, which)
    }
    fn apply(&self, corpus: &CorpusName, changes: &[IndexChange]) -> Result<()> {
        self.ending.around(|| self.index.apply(corpus, changes))
    }
    fn tidy(&self, corpora: &[CorpusName], rules: u64) -> Result<()> {
        self.ending.around(|| self.index.tidy(corpora, rules))
    }
    fn read_state(&self) -> Result<IndexState> {
        self.index.read_state()
    }
    fn coverage(&self) -> Result<IndexCoverage> {
        self.index.coverage()
    }
    fn count_files(&self, most: usize) -> Result<Vec<(CorpusName, usize)>> {
        self.index.count_files(most)
    }
}

impl Vectors for Changes {
    fn pending_passages(
        &self,
        model: &EmbeddingModel,
        scope: PassageScope,
        limit: usize,
    ) -> Result<Vec<StoredPassage>> {
        self.index.pending_passages(model, scope, limit)
    }
    fn progress(&self, model: &EmbeddingModel, scope: PassageScope) -> Result<(usize, usize)> {
        self.index.progress(model, scope)
    }
    fn keep(&self, model: &EmbeddingModel, vectors: &[(TextHash, Vec<f32>)]) -> Result<()> {
        self.ending.around(|| self.index.keep(model, vectors))
    }
    fn nearest(
        &self,
        model: &EmbeddingModel,
        vector: &[f32],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<Vec<PassageScore>> {
        self.index.nearest(model, vector, filter, limit)
    }
    fn cosines(&self, model: &EmbeddingModel, vector: &[f32], ids: &[PassageId]) -> Result<Vec<Option<f32>>> {
        self.index.cosines(model, vector, ids)
    }
    fn for_each_vector(
        &self,
        model: &EmbeddingModel,
        corpus: &CorpusName,
        see: &mut dyn FnMut(&VaultPath, ChunkKind, &[f32]),
    ) -> Result<()> {
        self.index.for_each_vector(model, corpus, see)
    }
}

fn shelf() -> Shelf {
    let shelf = Shelf::new(&[
        ("hive.png", "png"),
        ("repo/jar.rs", "fn honey() {}\n"),
        ("repo/weigh.py", "def weigh():\n    pass\n"),
    ]);
    for n in 0..NOTES {
        shelf.save(&note(n), text(n, "at first"));
    }
    shelf
}

fn note(n: usize) -> String {
    format!("f{}/Note {n}.md", n % 5)
}

fn text(n: usize, when: &str) -> String {
    format!(
        "---\ntags: [t{}]\n---\n# Note {n}\n\nHoney {when}, [[Note {}]].\n\n## More\n\nOf {n}.\n",
        n % 3,
        n + 1
    )
}

/// What a process does with an index: all of it, some of it, and vectors in between.
fn work(opened: &Opened, root: &Path) {
    opened.library.update(false, &|_| {}).unwrap();
    opened.embed(&WordCountEmbedder).unwrap();
    for n in 0..3 {
        save(root, &note(n), text(n, "later"));
        opened.library.update_files(&CorpusName::Vault, &[vault_path(&note(n))]).unwrap();
    }
    fs::rename(crate::shelf::file(root, &note(3)), crate::shelf::file(root, "Moved.md")).unwrap();
    fs::remove_file(crate::shelf::file(root, &note(4))).unwrap();
    save(root, "repo/new.rs", "fn new_honey() {}\n");
    opened.library.update(false, &|_| {}).unwrap();
    opened.embed(&WordCountEmbedder).unwrap();
}

/// What the child process does.
pub fn child(order: &str) {
    let mut words = order.splitn(3, ' ');
    let (what, number, root) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let (number, root) = (number.parse::<usize>().unwrap(), Path::new(root));
    let opened = Opened::at(root);
    match what {
        "reads" => {
            let ending = Ending::at(number);
            let wrap = |files| Arc::new(Reads { files, ending: ending.clone() }) as Arc<dyn Corpus>;
            work(&opened.with_corpus(wrap), root);
        }
        "changes" => {
            let changes = Arc::new(Changes { index: opened.index.clone(), ending: Ending::at(number) });
            let opened = opened.changed(|library| {
                library.index = changes.clone();
                library.vectors = changes.clone();
            });
            work(&opened, root);
        }
        _ => work_for_ever(&opened, root, number),
    }
}

fn work_for_ever(opened: &Opened, root: &Path, seed: usize) {
    println!("\nat work");
    let mut random = Random::seeded(seed as u64);
    loop {
        for _ in 0..1 + random.below(8) {
            let n = random.below(NOTES);
            save(root, &note(n), text(n, &format!("in round {}", random.below(1000))));
        }
        let n = random.below(NOTES);
        match random.below(8) {
            0 => opened.index.begin_anew("it is time").unwrap(),
            1 | 2 => drop(opened.library.update_files(&CorpusName::Vault, &[vault_path(&note(n))]).unwrap()),
            3 => drop(fs::remove_file(crate::shelf::file(root, &note(n)))),
            _ => {}
        }
        opened.update().unwrap();
        opened.embed(&WordCountEmbedder).unwrap();
    }
}

/// Whether the child was ended, rather than done.
fn is_ended(what: &str, at: usize, root: &Path) -> bool {
    let output = command(what, at, root).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || output.status.code().is_none(), "{told}");
    !output.status.success()
}

fn command(what: &str, number: usize, root: &Path) -> Command {
    child_process("index_crash", &format!("{what} {number} {}", root.display()))
}

/// A process that comes after finds an index that answers, and makes it level without beginning anew.
fn check(root: &Path, when: &str) {
    let opened = Opened::at(root);
    opened.search("honey", SearchMode::Hybrid).unwrap_or_else(|error| panic!("{when}: {error}"));
    opened.update().unwrap_or_else(|error| panic!("{when}: {error}"));
    opened.check_digest(root, when);
    opened.embed(&WordCountEmbedder).unwrap_or_else(|error| panic!("{when}: {error}"));
    let (made, all) = opened.index.progress(&WordCountEmbedder.model().unwrap(), PassageScope::All).unwrap();
    assert_eq!(made, all, "{when}");
    for mode in [SearchMode::Keyword, SearchMode::Semantic] {
        for hit in opened.search("honey more", mode).unwrap().hits {
            crate::index_places::check(root, &hit);
        }
    }
    assert_eq!(opened.index.take_notice(), None, "{when}: no work was lost");
}

/// What is in the data folder.
fn left_over(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join("data")).unwrap();
    let mut left: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    left.sort();
    left
}

const CLOSED: [&str; 3] = ["index.db", "index.db.seal", "index.lock"];

fn crashes(what: &str, every: usize) -> usize {
    let mut points = 0;
    for at in (1..).step_by(every) {
        let shelf = shelf();
        let ended = is_ended(what, at, shelf.root());
        check(shelf.root(), &format!("ended at point {at} of the {what}"));
        assert_eq!(left_over(shelf.root()), CLOSED);
        if !ended {
            break;
        }
        points += 1;
    }
    points
}

#[test]
fn a_process_that_ends_around_any_change_leaves_an_index_that_goes_on() {
    let points = crashes("changes", 1);
    assert!(points > 30, "{points}");
}

#[test]
fn a_process_that_ends_around_any_read_leaves_an_index_that_goes_on() {
    let points = crashes("reads", if is_long() { 1 } else { 23 });
    assert!(points > 5, "{points}");
}

#[test]
fn a_process_that_is_killed_at_any_moment_leaves_an_index_that_goes_on() {
    let shelf = shelf();
    let mut random = Random::seeded(7);
    for kill in 0..if is_long() { 1000 } else { 20 } {
        let mut child = command("for_ever", kill, shelf.root()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "at work"), "it got to work");
        std::thread::sleep(Duration::from_micros(random.below(120_000) as u64));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), None, "it was killed, and did not end by itself");
        check(shelf.root(), &format!("killed for the {kill}th time"));
    }
    // Who was killed while it made a new one left that behind, for the next that is made.
    shelf.open().index.begin_anew("to clear up").unwrap();
    check(shelf.root(), "in the end");
    assert_eq!(left_over(shelf.root()), CLOSED);
}
