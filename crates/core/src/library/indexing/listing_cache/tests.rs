//! A kept list is the list that a walk would give, and no walk is made for what was heard of.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp, Zoned};

use super::*;
use crate::Error;
use crate::library::indexing::IndexSyncState;
use crate::ports::{FileContent, FileIdentity, SkippedFile};

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Zoned {
        Timestamp::from_second(1_700_000_000).unwrap().to_zoned(jiff::tz::TimeZone::UTC)
    }
}

/// Files by their paths, each with its number, and how often they were walked.
#[derive(Default)]
struct CountedFiles {
    files: Mutex<BTreeMap<VaultPath, FileEntry>>,
    folders: Mutex<BTreeSet<String>>,
    /// Links, each with where it leads.
    links: Mutex<BTreeMap<VaultPath, VaultPath>>,
    walks: Mutex<usize>,
}

fn path(written: &str) -> VaultPath {
    VaultPath::from_index(written.to_owned())
}

impl CountedFiles {
    fn put(&self, written: &str, number: u64, linked: bool) {
        let changed = FixedClock.now().timestamp() - SignedDuration::from_hours(1);
        let entry = FileEntry {
            path: path(written),
            size: 1,
            modified: changed,
            created: None,
            changed,
            number,
            linked,
        };
        if !entry.path.folder().is_empty() {
            self.folders.lock().unwrap().insert(entry.path.folder().to_owned());
        }
        self.files.lock().unwrap().insert(entry.path.clone(), entry);
    }

    fn remove(&self, written: &str) {
        self.files.lock().unwrap().remove(&path(written));
    }

    fn link(&self, written: &str, target: &str) {
        self.links.lock().unwrap().insert(path(written), path(target));
    }

    /// The links that lead to a file, as files.
    fn linked(&self) -> Vec<FileEntry> {
        let links = self.links.lock().unwrap();
        let entry = |(link, target): (&VaultPath, &VaultPath)| {
            let found = self.files.lock().unwrap().get(target).cloned()?;
            Some(FileEntry { path: link.clone(), linked: true, ..found })
        };
        links.iter().filter_map(entry).collect()
    }

    fn list_files(&self) -> Vec<FileEntry> {
        let mut files: Vec<FileEntry> = self.files.lock().unwrap().values().cloned().collect();
        files.extend(self.linked());
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files
    }

    fn walks(&self) -> usize {
        *self.walks.lock().unwrap()
    }
}

impl Corpus for CountedFiles {
    fn list(&self) -> Result<FileListing> {
        *self.walks.lock().unwrap() += 1;
        let files = self.list_files();
        let skip = |path: &VaultPath| SkippedFile { path: path.to_string(), reason: "a link".to_owned() };
        let dangling = |path: &&VaultPath| files.iter().all(|entry| entry.path != **path);
        let skipped = self.links.lock().unwrap().keys().filter(dangling).map(skip).collect();
        Ok(FileListing { folders: self.folders.lock().unwrap().iter().cloned().collect(), files, skipped })
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        if self.folders.lock().unwrap().contains(path.as_str()) {
            return Err(Error::invalid("a folder"));
        }
        Ok(self.list_files().into_iter().find(|entry| entry.path == *path))
    }

    fn read(&self, _: &VaultPath) -> Result<FileContent> {
        Err(Error::failed("nothing is read for a list"))
    }

    fn identify(&self, _: &VaultPath) -> Result<FileIdentity> {
        Ok(FileIdentity::default())
    }
}

struct Kept {
    files: CountedFiles,
    sync: IndexSync,
    cache: ListingCache,
}

impl Kept {
    fn new() -> Self {
        let kept = Self {
            files: CountedFiles::default(),
            sync: IndexSync::default(),
            cache: ListingCache::default(),
        };
        kept.files.put("a/x.md", 1, false);
        kept.files.put("y.md", 2, false);
        kept.sync.set_state(IndexSyncState::UpToDate);
        kept.sync.set_catch_up(Some(Arc::new(|| true)));
        kept
    }

    fn list(&self) -> Arc<FileListing> {
        self.cache.list(&self.files, &self.sync, &FixedClock).unwrap()
    }

    /// The list is what a walk gives, after so many walks.
    #[track_caller]
    fn check(&self, walks: usize) {
        let listing = self.list();
        assert_eq!(self.files.walks(), walks);
        let files = self.files.list_files();
        let folders: Vec<String> = self.files.folders.lock().unwrap().iter().cloned().collect();
        assert_eq!((&listing.files, &listing.folders), (&files, &folders));
    }
}

#[test]
fn while_nothing_is_heard_the_list_is_the_very_same() {
    let kept = Kept::new();
    let first = kept.list();
    assert!(Arc::ptr_eq(&first, &kept.list()));
    kept.sync.note_changes(&[path("y.md"), path("nobody.md"), path("a")]);
    assert!(Arc::ptr_eq(&first, &kept.list()), "nothing had changed there");
    kept.check(1);
}

#[test]
fn what_is_heard_of_is_looked_at_without_a_walk() {
    let kept = Kept::new();
    kept.check(1);
    kept.files.put("y.md", 3, false);
    kept.files.put("a/new.md", 4, false);
    kept.files.remove("a/x.md");
    kept.sync.note_changes(&[path("y.md"), path("a/new.md"), path("a/x.md")]);
    kept.check(1);
}

#[test]
fn a_file_with_several_paths_is_looked_at_each_time() {
    let kept = Kept::new();
    kept.files.put("link.md", 2, true);
    kept.files.put("y.md", 2, true);
    kept.check(1);
    // Written by its other path.
    kept.files.put("link.md", 5, true);
    kept.files.put("y.md", 5, true);
    kept.check(1);
    // A file gets another name, which is heard of at that name alone.
    kept.files.put("b.md", 1, true);
    let mut named = kept.files.find(&path("a/x.md")).unwrap().unwrap();
    (named.linked, named.size) = (true, 9);
    kept.files.files.lock().unwrap().insert(named.path.clone(), named);
    kept.sync.note_changes(&[path("b.md")]);
    kept.check(1);
}

#[test]
fn a_folder_that_comes_or_goes_is_walked_for() {
    let kept = Kept::new();
    kept.check(1);
    kept.files.folders.lock().unwrap().insert("empty".to_owned());
    kept.sync.note_changes(&[path("empty")]);
    kept.check(2);
    kept.files.folders.lock().unwrap().remove("empty");
    kept.sync.note_changes(&[path("empty")]);
    kept.check(3);
    kept.files.put("new/z.md", 7, false);
    kept.sync.note_changes(&[path("new/z.md")]);
    kept.check(4);
}

#[test]
fn where_not_everything_is_heard_all_is_walked_each_time() {
    let kept = Kept::new();
    kept.check(1);
    kept.sync.note_any_change();
    kept.check(2);
    for state in [IndexSyncState::Updating, IndexSyncState::Off] {
        kept.sync.set_state(state);
        let walks = kept.files.walks();
        kept.files.put("y.md", walks as u64 + 10, false);
        kept.check(walks + 1);
        kept.check(walks + 2);
    }
    kept.sync.set_state(IndexSyncState::UpToDate);
    kept.sync.set_catch_up(Some(Arc::new(|| false)));
    kept.check(7);
    kept.check(8);
    kept.sync.set_catch_up(None);
    kept.check(9);
}

#[test]
fn more_than_can_be_listed_is_everything() {
    let kept = Kept::new();
    kept.check(1);
    let many: Vec<VaultPath> = (0..3000).map(|n| path(&format!("{n}.md"))).collect();
    kept.sync.note_changes(&many);
    assert!(kept.sync.is_far_behind());
    kept.check(2);
}

#[test]
fn a_link_that_leads_nowhere_is_looked_at_each_time() {
    let kept = Kept::new();
    kept.files.link("link.md", "later.md");
    kept.check(1);
    kept.check(1);
    // What is heard of is where it leads.
    kept.files.put("later.md", 7, false);
    kept.sync.note_changes(&[path("later.md")]);
    kept.check(2);
    kept.check(2);
    kept.files.remove("later.md");
    kept.sync.note_changes(&[path("later.md")]);
    kept.check(3);
    kept.files.put("later.md", 8, false);
    kept.sync.note_changes(&[path("later.md")]);
    kept.check(4);
}

#[test]
fn a_link_that_comes_and_leads_nowhere_is_looked_at_each_time() {
    let kept = Kept::new();
    kept.check(1);
    kept.files.link("link.md", "later.md");
    kept.sync.note_changes(&[path("link.md")]);
    kept.check(1);
    kept.files.put("later.md", 7, false);
    kept.sync.note_changes(&[path("later.md")]);
    kept.check(1);
    assert!(kept.list().files.iter().any(|entry| entry.path == path("link.md")));
}

#[test]
fn what_comes_and_goes_is_remembered_within_bounds() {
    let kept = Kept::new();
    kept.check(1);
    for n in 0..2 * MOST_CHECKED {
        kept.sync.note_changes(&[path(&format!("{n}.tmp"))]);
        kept.list();
    }
    assert_eq!(kept.files.walks(), 2);
}
