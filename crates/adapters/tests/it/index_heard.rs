//! What was heard of changes gets into the index: written by a call or by the background task, and never lost in between.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use wellread_adapters::files::VaultFiles;
use wellread_core::domain::corpus::{Action, ChangeSet, CorpusName, Operation, VaultPath};
use wellread_core::domain::id::OperationId;
use wellread_core::library::indexing::{
    IndexSync, IndexSyncState, IndexedLinks, ReindexingFiles, ScannedLinks,
};
use wellread_core::ports::{
    Corpus, FileContent, FileEntry, FileIdentity, FileListing, Files, Index, IndexChange, IndexCoverage,
    IndexState, KnownFile, KnownFileFilter, LinkIndex as _,
};
use wellread_core::{Error, Result};

use crate::faulty::{Fault, Faulty};
use crate::shelf::{Opened, Shelf, vault_path};

/// An index that can be made to fail, and to wait before it writes.
struct Hampered {
    index: Arc<dyn Index>,
    fails: AtomicBool,
    /// Whoever holds this keeps it from writing.
    gate: Mutex<()>,
    is_writing: AtomicBool,
}

impl Index for Hampered {
    fn known_files(&self, corpus: &CorpusName, which: KnownFileFilter<'_>) -> Result<Vec<KnownFile>> {
        // To look at each of many files takes longer than a call waits.
        if let KnownFileFilter::These(paths) = which
            && paths.len() > 500
        {
            std::thread::sleep(Duration::from_millis(400));
        }
        self.index.known_files(corpus, which)
    }

    fn apply(&self, corpus: &CorpusName, changes: &[IndexChange]) -> Result<()> {
        self.is_writing.store(true, Ordering::Relaxed);
        drop(self.gate.lock().unwrap());
        match self.fails.load(Ordering::Relaxed) {
            true => Err(Error::failed("no space")),
            false => self.index.apply(corpus, changes),
        }
    }

    fn tidy(&self, corpora: &[CorpusName], rules: u64) -> Result<()> {
        self.index.tidy(corpora, rules)
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

/// A vault that is followed by nobody but the test: nothing is heard that it does not say.
struct Followed {
    shelf: Shelf,
    opened: Opened,
    hampered: Arc<Hampered>,
    sync: Arc<IndexSync>,
    woken: Arc<AtomicUsize>,
    files: Arc<ReindexingFiles>,
    /// How many files were read for answers.
    reads: Arc<AtomicUsize>,
    links: IndexedLinks,
}

/// The vault's files, with a count of how many were read.
struct CountedFiles {
    files: VaultFiles,
    reads: Arc<AtomicUsize>,
}

impl Corpus for CountedFiles {
    fn list(&self) -> Result<FileListing> {
        self.files.list()
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.files.find(path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.files.read(path)
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.files.identify(path)
    }
}

impl Files for CountedFiles {
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        self.files.commit(change)
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.files.operations(at_most)
    }
}

impl Followed {
    fn new(files: &[(&str, &str)]) -> Self {
        let shelf = Shelf::new(files);
        let opened = shelf.open();
        let hampered = Arc::new(Hampered {
            index: opened.index.clone(),
            fails: AtomicBool::default(),
            gate: Mutex::default(),
            is_writing: AtomicBool::default(),
        });
        let index = hampered.clone();
        let opened = opened.changed(|library| library.index = index);
        opened.library.update(false, &|_| {}).unwrap();
        hampered.is_writing.store(false, Ordering::Relaxed);
        let sync = Arc::new(IndexSync::default());
        sync.set_state(IndexSyncState::UpToDate);
        sync.set_catch_up(Some(Arc::new(|| true)));
        let woken = Arc::new(AtomicUsize::default());
        let count = woken.clone();
        sync.set_wake(Some(Arc::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        })));
        let vault = VaultFiles::open(&shelf.file(""), &shelf.data(), &[]).unwrap();
        let reads = Arc::new(AtomicUsize::default());
        let vault = Arc::new(CountedFiles { files: vault, reads: reads.clone() });
        let files = Arc::new(ReindexingFiles::new(vault, opened.library.clone(), sync.clone()));
        let links = IndexedLinks::new(opened.library.clone(), ScannedLinks::new(files.clone()), sync.clone());
        Self { shelf, opened, hampered, sync, woken, files, reads, links }
    }

    fn hear(&self, path: &str) {
        self.sync.note_changes(&[vault_path(path)]);
    }

    fn catch_up(&self) -> Result<bool> {
        self.sync.catch_up(&self.opened.library, &[], 200)
    }

    fn take_woken(&self) -> bool {
        self.woken.swap(0, Ordering::Relaxed) > 0
    }

    /// The notes that link to Mead, as a move of it finds them: by the index alone, once that is level.
    fn mentions(&self) -> Vec<String> {
        self.links.sync().unwrap();
        let passages = &self.opened.library.passages;
        let notes = passages.find_linking_files(&CorpusName::Vault, &["mead".to_owned()]).unwrap();
        let mut paths: Vec<String> = notes.iter().map(ToString::to_string).collect();
        paths.sort();
        let answered = self.links.find_mentions(&["mead".to_owned()]).unwrap().notes;
        assert_eq!(answered.len(), paths.len(), "{answered:?}");
        paths
    }
}

#[test]
fn what_could_not_be_written_stays_heard_and_the_background_task_is_woken() {
    let followed = Followed::new(&[("Bees.md", "Honey.\n")]);
    assert_eq!(followed.catch_up(), Ok(true));
    assert!(!followed.take_woken(), "there is nothing to do");
    followed.shelf.save("Bees.md", "Wax and propolis.\n");
    followed.hear("Bees.md");
    followed.hampered.fails.store(true, Ordering::Relaxed);
    assert!(followed.catch_up().is_err());
    assert!(followed.take_woken() && followed.sync.misses_changes());
    assert!(followed.sync.write_heard_changes(&followed.opened.library).is_err());
    assert!(followed.sync.misses_changes());
    followed.hampered.fails.store(false, Ordering::Relaxed);
    assert_eq!(followed.sync.write_heard_changes(&followed.opened.library), Ok(true));
    assert_eq!(followed.opened.places("propolis"), ["Bees.md:1"]);
    assert!(!followed.sync.misses_changes());
    assert_eq!(followed.sync.take_written().changed, 1);
}

#[test]
fn what_a_call_wrote_is_reported_and_what_is_too_much_for_it_is_left_to_the_background_task() {
    let followed = Followed::new(&[("Bees.md", "Honey.\n")]);
    followed.shelf.save("Bees.md", "Propolis.\n");
    followed.hear("Bees.md");
    assert_eq!(followed.catch_up(), Ok(true));
    assert!(followed.take_woken(), "it reports what was written, and has vectors made");
    assert_eq!(followed.sync.take_written().changed, 1);
    let many = |count: usize| (0..count).map(|n| vault_path(&format!("{n}.md"))).collect::<Vec<VaultPath>>();
    followed.sync.note_changes(&many(300));
    assert_eq!(followed.catch_up(), Ok(false));
    assert!(followed.take_woken() && !followed.sync.is_far_behind());
    assert_eq!(followed.sync.write_heard_changes(&followed.opened.library), Ok(true));
    // More than is listed, while everything is looked at.
    let looked = followed.sync.look_at_everything(|| {
        assert_eq!(followed.catch_up(), Ok(true), "nothing has changed");
        followed.sync.note_changes(&many(3000));
        assert_eq!(followed.catch_up(), Ok(false));
        Ok(())
    });
    assert_eq!(looked, Ok(()));
    assert_eq!(followed.catch_up(), Ok(false));
    assert!(followed.take_woken() && followed.sync.is_far_behind() && followed.sync.misses_changes());
    assert_eq!(followed.sync.write_heard_changes(&followed.opened.library), Ok(false));
    assert!(followed.sync.is_far_behind());
}

#[test]
fn what_takes_long_to_write_is_not_waited_for_by_a_call_but_by_the_background_task() {
    let followed = Followed::new(&[("Bees.md", "Honey.\n"), ("Wasps.md", "None.\n")]);
    followed.shelf.save("Bees.md", "Propolis.\n");
    followed.hear("Bees.md");
    let gate = followed.hampered.gate.lock().unwrap();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| followed.catch_up());
        while !followed.hampered.is_writing.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        assert!(followed.sync.misses_changes(), "it is being written");
        followed.shelf.save("Wasps.md", "A nest.\n");
        followed.hear("Wasps.md");
        let (send, done) = mpsc::channel();
        let (sync, library) = (&followed.sync, &followed.opened.library);
        let task = scope.spawn(move || send.send(sync.write_heard_changes(library)));
        // Longer than a call waits.
        assert!(done.recv_timeout(Duration::from_millis(400)).is_err());
        let begun = Instant::now();
        while !call.is_finished() {
            assert!(begun.elapsed() < Duration::from_secs(60), "the call waits for the gate");
            std::thread::yield_now();
        }
        drop(gate);
        assert_eq!(done.recv().unwrap(), Ok(true));
        task.join().unwrap().unwrap();
        assert_eq!(call.join().unwrap(), Ok(false), "it went on before the gate was opened");
    });
    assert_eq!(followed.opened.places("propolis"), ["Bees.md:1"]);
    assert_eq!(followed.opened.places("nest"), ["Wasps.md:1"]);
}

#[test]
fn a_note_with_two_names_is_level_under_both_whichever_was_written() {
    let followed = Followed::new(&[("Bees.md", "Honey.\n"), ("Mead.md", "Honey wine.\n")]);
    let outside = followed.shelf.root().join("outside.md");
    fs::hard_link(followed.shelf.file("Bees.md"), &outside).unwrap();
    followed.hear("Bees.md");
    assert_eq!(followed.mentions(), [""; 0]);
    // Nothing is heard of it.
    fs::write(&outside, "Honey for [[Mead]].\n").unwrap();
    assert_eq!(followed.mentions(), ["Bees.md"]);
    fs::write(&outside, "Honey.\n").unwrap();
    assert_eq!(followed.mentions(), [""; 0]);
}

#[test]
fn many_notes_with_two_names_are_level_as_well() {
    let mut files = vec![("Mead.md".to_owned(), "Honey wine.\n".to_owned())];
    files.extend((0..600).map(|n| (format!("{n}.md"), "Honey.\n".to_owned())));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let followed = Followed::new(&files);
    let outside = followed.shelf.root().join("outside");
    fs::create_dir(&outside).unwrap();
    for n in 0..600 {
        fs::hard_link(followed.shelf.file(&format!("{n}.md")), outside.join(n.to_string())).unwrap();
    }
    followed.sync.note_any_listing_change();
    fs::write(outside.join("7"), "Honey for [[Mead]].\n").unwrap();
    assert_eq!(followed.mentions(), ["7.md"]);
    fs::write(outside.join("8"), "Honey for [[Mead]].\n").unwrap();
    assert_eq!(followed.mentions(), ["7.md", "8.md"]);
    assert_eq!(followed.reads.load(Ordering::Relaxed), 0, "the index answers");
}

#[test]
fn a_link_that_begins_or_ceases_to_lead_somewhere_is_in_the_index_at_once() {
    let followed = Followed::new(&[("Mead.md", "Honey wine.\n")]);
    symlink("Later.md", followed.shelf.file("Link.md")).unwrap();
    assert_eq!(followed.mentions(), [""; 0]);
    for _ in 0..3 {
        followed.shelf.save("Later.md", "[[Mead]]\n");
        followed.hear("Later.md");
        assert_eq!(followed.mentions(), ["Later.md", "Link.md"]);
        let listed = followed.files.share_list().unwrap();
        assert_eq!(listed.files.len(), 3, "{listed:?}");
        fs::remove_file(followed.shelf.file("Later.md")).unwrap();
        followed.hear("Later.md");
        assert_eq!(followed.mentions(), [""; 0]);
        assert_eq!(followed.files.share_list().unwrap().files.len(), 1);
    }
}

#[test]
fn an_index_that_was_written_by_other_rules_is_not_asked_for_links() {
    let followed = Followed::new(&[("Hive/Bees.md", "For [[Mead]].\n"), ("Mead.md", "Honey wine.\n")]);
    assert_eq!(followed.mentions(), ["Hive/Bees.md"]);
    // Another process leaves the note out.
    let excluded = vec!["Hive".to_owned()];
    let files = VaultFiles::open(&followed.shelf.file(""), &followed.shelf.data(), &excluded).unwrap();
    let other = followed.shelf.open().changed(|library| {
        library.corpora[0].1 = Arc::new(files);
        library.rules.layout.excluded = excluded;
    });
    assert_eq!(other.library.update(false, &|_| {}).unwrap().removed, 1);
    assert_eq!(
        followed.links.find_mentions(&["mead".to_owned()]).unwrap().notes,
        [vault_path("Hive/Bees.md")],
        "the notes are read"
    );
}

#[test]
fn a_change_that_could_not_be_indexed_is_noted() {
    let followed = Followed::new(&[("Mead.md", "Honey wine.\n")]);
    followed.hampered.fails.store(true, Ordering::Relaxed);
    let create = Action::Create { path: vault_path("New.md"), text: "Propolis.\n".to_owned() };
    followed.files.commit(&ChangeSet::new("create_file", vec![create])).unwrap();
    assert!(followed.sync.misses_changes());
    followed.hampered.fails.store(false, Ordering::Relaxed);
    assert_eq!(followed.catch_up(), Ok(true));
    assert_eq!(followed.opened.places("propolis"), ["New.md:1"]);
}

/// What a failing disk can't do with a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trouble {
    Finding,
    Reading,
    None,
}

/// Files on a disk that may fail, and with something that happens after they are listed.
struct Troubled {
    files: Arc<dyn Corpus>,
    trouble: Arc<Mutex<Trouble>>,
    after_listing: Box<dyn Fn() + Send + Sync>,
}

impl Troubled {
    fn check(&self, trouble: Trouble) -> Result<()> {
        match *self.trouble.lock().unwrap() == trouble {
            true => Err(Error::failed("input/output error")),
            false => Ok(()),
        }
    }
}

impl Corpus for Troubled {
    fn list(&self) -> Result<FileListing> {
        let listing = self.files.list();
        (self.after_listing)();
        listing
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.check(Trouble::Finding)?;
        self.files.find(path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        self.check(Trouble::Reading)?;
        self.files.read(path)
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.files.identify(path)
    }
}

fn with_trouble(
    opened: Opened,
    trouble: &Arc<Mutex<Trouble>>,
    after_listing: impl Fn() + Send + Sync + 'static,
) -> Opened {
    opened.changed(|library| {
        let files = library.corpora[0].1.clone();
        let after_listing = Box::new(after_listing);
        library.corpora[0].1 = Arc::new(Troubled { files, trouble: trouble.clone(), after_listing });
    })
}

fn trouble(trouble: Trouble) -> Arc<Mutex<Trouble>> {
    Arc::new(Mutex::new(trouble))
}

#[test]
fn a_note_that_comes_and_is_indexed_while_everything_is_looked_at_stays() {
    let shelf = Shelf::new(&[("Bees.md", "Honey.\n")]);
    shelf.open().update().unwrap();
    let (library, new) = (shelf.open().library, shelf.file("New.md"));
    let opened = with_trouble(shelf.open(), &trouble(Trouble::None), move || {
        fs::write(&new, "Propolis.\n").unwrap();
        library.update_files(&CorpusName::Vault, &[vault_path("New.md")]).unwrap();
    });
    assert_eq!(opened.update().unwrap().removed, 0);
    assert_eq!(opened.places("propolis"), ["New.md:1"]);
}

#[test]
fn a_note_that_a_failing_disk_does_not_find_stays() {
    let shelf = Shelf::new(&[("Bees.md", "Honey.\n")]);
    let failing = trouble(Trouble::Finding);
    let opened = with_trouble(shelf.open(), &failing, || {});
    opened.update().unwrap();
    let paths = [vault_path("Bees.md")];
    let updated = opened.library.update_files(&CorpusName::Vault, &paths).unwrap();
    assert_eq!((updated.removed, updated.failed.len()), (0, 1));
    assert_eq!(opened.places("honey"), ["Bees.md:1"]);
    // Nor where its folder can't be listed just now.
    fs::rename(shelf.file("Bees.md"), shelf.root().join("Bees.md")).unwrap();
    let updated = opened.update().unwrap();
    assert_eq!((updated.removed, updated.failed), (0, vec![(CorpusName::Vault, paths[0].clone())]));
    *failing.lock().unwrap() = Trouble::None;
    let updated = opened.update().unwrap();
    assert_eq!((updated.removed, updated.failed.len()), (1, 0));
}

#[test]
fn what_a_failing_disk_could_not_show_stays_heard_until_it_is_in_the_index() {
    for what in [Trouble::Finding, Trouble::Reading] {
        let failing = trouble(Trouble::None);
        let followed = Followed::new(&[("Bees.md", "Honey.\n"), ("Wasps.md", "None.\n")]);
        let opened = with_trouble(followed.shelf.open(), &failing, || {});
        let library = opened.library.clone();
        for (name, text) in [("Bees.md", "Propolis.\n"), ("New.md", "Propolis.\n")] {
            followed.shelf.save(name, text);
            followed.hear(name);
        }
        *failing.lock().unwrap() = what;
        assert!(followed.sync.catch_up(&library, &[], 200).is_err());
        assert!(followed.take_woken() && followed.sync.misses_changes());
        assert_eq!(followed.sync.write_heard_changes(&library), Ok(false));
        assert!(followed.sync.misses_changes());
        assert!(!followed.sync.take_written().failed.is_empty(), "the background task tries again");
        // A change of our own as well.
        let vault = VaultFiles::open(&followed.shelf.file(""), &followed.shelf.data(), &[]).unwrap();
        let files = ReindexingFiles::new(Arc::new(vault), library.clone(), followed.sync.clone());
        let create = Action::Create { path: vault_path("Own.md"), text: "Propolis.\n".to_owned() };
        files.commit(&ChangeSet::new("create_file", vec![create])).unwrap();
        *failing.lock().unwrap() = Trouble::None;
        assert_eq!(followed.sync.catch_up(&library, &[], 200), Ok(true));
        assert_eq!(opened.places("propolis"), ["Bees.md:1", "New.md:1", "Own.md:1"]);
        assert!(!followed.sync.misses_changes());
    }
}

#[test]
fn what_may_not_be_looked_at_is_an_answer() {
    const EACCES: i32 = 13;
    let followed = Followed::new(&[("Shut/Bees.md", "Honey.\n")]);
    // Opening the vault is its first call.
    let disk = Arc::new(Faulty::new(Fault::Dead { from: 2, errno: EACCES }));
    let journal = followed.shelf.root().join("journal");
    let files = VaultFiles::open_with_disk(disk, &followed.shelf.file(""), &journal, &[]).unwrap();
    let opened = followed.shelf.open().changed(|library| library.corpora[0].1 = Arc::new(files));
    followed.hear("Shut/Bees.md");
    assert_eq!(followed.sync.catch_up(&opened.library, &[], 200), Ok(true));
    assert!(!followed.sync.misses_changes());
    assert_eq!(opened.places("honey"), [""; 0], "as where its folder can't be listed");
}
