//! Private notes in the index: found on this machine, and without any influence on what is found without them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::Library;
use wellread_core::library::judge::{JudgeRules, VaultLayout};
use wellread_core::ports::{EmbeddingModel, NoOutsideText, PassageFilter, PassageScope};
use wellread_testkit::FixedClock;
use wellread_text::query_terms;

use crate::shelf::vault_path;

fn library(root: &Path, private_folders: &[&str]) -> Library {
    let index = Arc::new(SqliteIndex::new(&root.join("data"), "vault"));
    let files = VaultFiles::open(&root.join("vault"), &root.join("journal"), &[]).unwrap();
    let private_folders = private_folders.iter().map(|folder| (*folder).to_owned()).collect();
    let layout = VaultLayout { private_folders, ..VaultLayout::default() };
    Library {
        corpora: vec![(CorpusName::Vault, Arc::new(files))],
        away: Vec::new(),
        index: index.clone(),
        passages: index.clone(),
        vectors: index.clone(),
        symbols: index,
        clock: Arc::new(SystemClock),
        rules: JudgeRules { layout, outside: Arc::new(NoOutsideText) },
        whole: None,
        memory: Default::default(),
    }
}

fn write_vault(root: &Path, with_private: bool) {
    let vault = root.join("vault");
    fs::create_dir_all(vault.join("Private")).unwrap();
    for number in 0..30 {
        let text = format!("# Note {number}\n\nThe hive {} honey in {number}.\n", "eats ".repeat(number % 4));
        fs::write(vault.join(format!("Note {number}.md")), text).unwrap();
    }
    if with_private {
        for number in 0..9 {
            let text = format!("# Diary {number}\n\nhoney hive eats zanzibar {number}\n");
            fs::write(vault.join(format!("Private/Diary {number}.md")), text).unwrap();
        }
        fs::write(vault.join("Key.md"), "---\nprivate: yes\n---\nhoney zanzibar\n").unwrap();
    }
}

/// The places that a query finds, with their scores.
fn found(library: &Library, query: &str, scope: PassageScope) -> Vec<(String, f32)> {
    let filter = PassageFilter { scope, ..PassageFilter::default() };
    let scores = library.passages.find_matching(&query_terms(query), &filter, 100).unwrap().passages;
    let ids: Vec<i64> = scores.iter().map(|scored| scored.id).collect();
    let stored = library.passages.load_passages(&ids).unwrap();
    let mut places: Vec<(String, f32)> = stored
        .iter()
        .zip(&scores)
        .map(|(passage, scored)| (format!("{}:{}", passage.path, passage.lines.0), scored.score))
        .collect();
    places.sort_by(|one, other| one.0.cmp(&other.0));
    places
}

#[test]
fn private_notes_do_not_change_the_scores_of_public_ones() {
    let (with, without) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_vault(with.path(), true);
    write_vault(without.path(), false);
    let [with, without] = [with.path(), without.path()].map(|root| library(root, &["Private"]));
    with.update(false, &|_| {}).unwrap();
    without.update(false, &|_| {}).unwrap();
    for query in ["honey", "hive eats honey", "zanzibar", "diary", "note 7"] {
        let public = found(&with, query, PassageScope::Public);
        assert_eq!(public, found(&without, query, PassageScope::Public), "{query}");
        assert!(public.iter().all(|(place, _)| !place.contains("Diary") && !place.contains("Key")));
        let all = |terms: &str, library: &Library, scope| {
            let filter = PassageFilter { scope, ..PassageFilter::default() };
            library.passages.find_matching(&query_terms(terms), &filter, 100).unwrap().complete.len()
        };
        assert_eq!(
            all(query, &with, PassageScope::Public),
            all(query, &without, PassageScope::All),
            "{query}"
        );
    }
    let filter = |scope| PassageFilter { scope, ..PassageFilter::default() };
    let names = |library: &Library, scope| library.passages.list_names('d', &filter(scope)).unwrap();
    assert_eq!(names(&with, PassageScope::Public), names(&without, PassageScope::All));
    assert!(names(&with, PassageScope::All).iter().any(|name| name.starts_with("diar")));
    let files = |library: &Library, scope| library.passages.list_files(&filter(scope), 100).unwrap().len();
    assert_eq!(files(&with, PassageScope::Public), files(&without, PassageScope::All));
    assert_eq!(files(&with, PassageScope::All), files(&without, PassageScope::All) + 10);
    // On this machine they are found, and as good as others.
    let zanzibar = found(&with, "zanzibar", PassageScope::All);
    assert_eq!(zanzibar.len(), 10, "{zanzibar:?}");
    assert!(zanzibar.iter().all(|(_, score)| *score > 0.1), "{zanzibar:?}");
}

#[test]
fn other_rules_are_applied_at_the_next_update() {
    let folder = tempfile::tempdir().unwrap();
    write_vault(folder.path(), true);
    let count = |library: &Library| found(library, "zanzibar", PassageScope::Public).len();
    let first = library(folder.path(), &[]);
    first.update(false, &|_| {}).unwrap();
    assert_eq!(count(&first), 9);
    let second = library(folder.path(), &["Private"]);
    assert_eq!(second.update(false, &|_| {}).unwrap().changed, 0, "no text changed");
    assert_eq!(count(&second), 0);
    assert_eq!(second.index.read_state().unwrap().rules, second.rules.fingerprint());
    let third = library(folder.path(), &[]);
    third.update(false, &|_| {}).unwrap();
    assert_eq!(count(&third), 9);
}

#[test]
fn a_note_is_judged_again_when_a_folder_with_another_name_of_it_is_moved() {
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join("vault").join(path);
    for folder in ["Open", "Archive", "Private"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    fs::write(at("Open/Bees.md"), "zanzibar\n").unwrap();
    fs::hard_link(at("Open/Bees.md"), at("Archive/Bees.md")).unwrap();
    fs::write(at("Key.md"), "---\nprivate: yes\n---\nzanzibar\n").unwrap();
    fs::hard_link(at("Key.md"), at("Open/Key.md")).unwrap();
    // Every file was changed long ago, and its date is believed.
    let clock = Arc::new(FixedClock::parse("2100-01-01T00:00[+00:00]"));
    let library = Library { clock, ..library(root.path(), &["Private"]) };
    let update = || library.update(false, &|_| {}).unwrap();
    let public = || -> Vec<String> {
        found(&library, "zanzibar", PassageScope::Public).into_iter().map(|(place, _)| place).collect()
    };
    update();
    assert_eq!(public(), ["Archive/Bees.md:1", "Open/Bees.md:1"]);
    let version = library.index.read_state().unwrap().version;
    assert_eq!(update().unchanged, 4);
    assert_eq!(library.index.read_state().unwrap().version, version, "nothing is written");
    // The file itself is not changed by this.
    fs::rename(at("Archive"), at("Private/Archive")).unwrap();
    assert_eq!(update().changed, 1);
    assert_eq!(public(), [""; 0]);
    fs::rename(at("Private/Archive"), at("Archive")).unwrap();
    update();
    assert_eq!(public(), ["Archive/Bees.md:1", "Open/Bees.md:1"]);
    // The same where a few files are looked at.
    fs::rename(at("Archive"), at("Private/Archive")).unwrap();
    let paths = ["Open/Bees.md", "Archive/Bees.md", "Private/Archive/Bees.md"].map(vault_path);
    library.update_files(&CorpusName::Vault, &paths).unwrap();
    assert_eq!(public(), [""; 0]);
    // A name that is gone makes a difference as well, although the text is the same.
    fs::remove_file(at("Private/Archive/Bees.md")).unwrap();
    library.update_files(&CorpusName::Vault, &paths).unwrap();
    assert_eq!(public(), ["Open/Bees.md:1"]);
    fs::hard_link(at("Open/Bees.md"), at("Private/Bees.md")).unwrap();
    library.update_files(&CorpusName::Vault, &[vault_path("Open/Bees.md")]).unwrap();
    assert_eq!(public(), [""; 0]);
}

#[test]
fn a_note_is_judged_again_when_a_link_to_it_comes_or_goes() {
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join("vault").join(path);
    fs::create_dir_all(at("Private")).unwrap();
    fs::create_dir_all(at("Open")).unwrap();
    fs::write(at("Open/Bees.md"), "zanzibar\n").unwrap();
    // Every file was changed long ago, and its date is believed.
    let clock = Arc::new(FixedClock::parse("2100-01-01T00:00[+00:00]"));
    let library = Library { clock, ..library(root.path(), &["Private"]) };
    // What was seen of links is believed for a moment.
    let wait_for_public = |count: usize| {
        let begun = Instant::now();
        let public = || {
            library.update(false, &|_| {}).unwrap();
            found(&library, "zanzibar", PassageScope::Public).len()
        };
        while public() != count {
            assert!(begun.elapsed() < Duration::from_secs(10), "{count}");
        }
    };
    wait_for_public(1);
    for (target, link) in [("../Open/Bees.md", "Private/Bees.md"), ("../Open", "Private/Open")] {
        symlink(target, at(link)).unwrap();
        wait_for_public(0);
        // Known by now, and as it was.
        library.update(false, &|_| {}).unwrap();
        fs::remove_file(at(link)).unwrap();
        wait_for_public(1);
    }
}

#[test]
fn a_model_elsewhere_is_to_embed_what_is_public_and_no_more() {
    let (with, without) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_vault(with.path(), true);
    write_vault(without.path(), false);
    let [with, without] = [with.path(), without.path()].map(|root| library(root, &["Private"]));
    with.update(false, &|_| {}).unwrap();
    without.update(false, &|_| {}).unwrap();
    let model = EmbeddingModel { name: "elsewhere".to_owned(), hash: "1".to_owned(), dimension: 2 };
    let paths = |library: &Library, scope| {
        let pending = library.vectors.pending_passages(&model, scope, 100).unwrap();
        pending.into_iter().map(|passage| passage.path.to_string()).collect::<BTreeSet<String>>()
    };
    let public = paths(&with, PassageScope::Public);
    assert_eq!(public, paths(&without, PassageScope::All));
    assert!(!public.is_empty() && paths(&with, PassageScope::All).contains("Private/Diary 0.md"));
    let progress = |library: &Library, scope| library.vectors.progress(&model, scope).unwrap();
    assert_eq!(progress(&with, PassageScope::Public), progress(&without, PassageScope::All));
    assert_ne!(progress(&with, PassageScope::All), progress(&without, PassageScope::All));
}
