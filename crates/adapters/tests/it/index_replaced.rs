//! The index where other files are in the place of those that it knows, or other rules say which there are.

use std::fs;
use std::sync::Arc;

use wellread_adapters::files::VaultFiles;
use wellread_core::ErrorKind;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{Corpus as _, Index as _};

use crate::index_files::{counts, save_later};
use crate::shelf::{Shelf, vault_path};

#[test]
fn a_file_in_whose_place_an_older_one_came_is_indexed_again() {
    let shelf =
        Shelf::new(&[("Old/Bees.md", "Propolis.\n"), ("Old/Same.md", "Wax.\n"), ("Old/hive.png", "png")]);
    for (path, text) in [("New/Bees.md", "Nectar.\n"), ("New/Same.md", "Wax.\n"), ("New/hive.png", "png 2")] {
        shelf.save(path, text);
        save_later(&shelf, path, text);
    }
    let opened = shelf.open().long_after();
    opened.update().unwrap();
    let swap = || {
        for (from, to) in [("New", "Between"), ("Old", "New"), ("Between", "Old")] {
            fs::rename(shelf.file(from), shelf.file(to)).unwrap();
        }
    };
    swap();
    // By a look at everything, and by what was heard.
    opened.update().unwrap();
    assert_eq!(opened.places("propolis"), ["New/Bees.md:1"]);
    opened.check_digest(shelf.root(), "after a look");
    assert_eq!(counts(&opened.update().unwrap()), (0, 0, 0, 6), "and is known from then on");
    swap();
    let paths: Vec<VaultPath> = ["Bees.md", "Same.md", "hive.png"]
        .iter()
        .flat_map(|name| ["New", "Old"].map(|folder| vault_path(&format!("{folder}/{name}"))))
        .collect();
    opened.library.update_files(&CorpusName::Vault, &paths).unwrap();
    assert_eq!(opened.places("propolis"), ["Old/Bees.md:1"]);
    opened.check_digest(shelf.root(), "after what was heard");
    assert_eq!(counts(&opened.update().unwrap()), (0, 0, 0, 6));
}

#[test]
fn what_is_excluded_now_is_read_no_more_and_other_exclusions_lead_to_a_new_look() {
    let shelf = Shelf::new(&[("Bees.md", "Honey.\n"), ("Diary/Day.md", "Honey, too.\n")]);
    let opened = shelf.open();
    opened.update().unwrap();
    assert_eq!(opened.places("honey"), ["Bees.md:1", "Diary/Day.md:1"]);
    let excluded = vec!["Diary".to_owned()];
    let files = VaultFiles::open(&shelf.file(""), &shelf.data(), &excluded).unwrap();
    assert_eq!(files.find(&vault_path("Diary/Day.md")), Ok(None));
    assert_eq!(files.read(&vault_path("Diary/Day.md")).unwrap_err().kind(), ErrorKind::NotFound);
    let opened = opened.changed(|library| {
        library.corpora[0].1 = Arc::new(files);
        library.rules.layout.excluded = excluded;
    });
    assert_ne!(opened.index.read_state().unwrap().rules, opened.library.rules.fingerprint());
    // Before anybody has looked.
    assert_eq!(opened.places("honey"), ["Bees.md:1"]);
    opened.update().unwrap();
    assert_eq!(opened.index.read_state().unwrap().rules, opened.library.rules.fingerprint());
}
