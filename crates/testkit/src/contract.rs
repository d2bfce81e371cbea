//! What every implementation of a port must do: run on the fake and on the real one.

pub mod accounts;
mod agendas;
mod answers;
mod findings;
mod index;
mod jobs;
mod records;
mod symbols;
mod vectors;
pub mod views;

use wellread_core::ErrorKind;
use wellread_core::domain::corpus::{Action, AppliedAction, ChangeSet, Hash, Splice, VaultPath};
use wellread_core::ports::Files;

pub use self::accounts::check_accounts;
pub use self::agendas::check_agendas;
pub use self::index::check_index;
pub use self::records::check_records;
pub use self::symbols::check_symbols;
pub use self::vectors::check_vectors;
pub use self::views::check_views;
use crate::world::path_rules;

/// A fresh vault with these files in it.
pub type MakeFiles<'a> = &'a dyn Fn(&[(&str, &str)]) -> Box<dyn Files>;

/// The contract of `Files`.
pub fn check_files(make: MakeFiles<'_>) {
    lists_sorted_with_folders(make);
    finds_and_reads(make);
    creates_edits_moves_and_removes(make);
    refuses_what_it_does_not_expect(make);
    makes_all_steps_or_none(make);
    edits_a_file_and_moves_it_in_one_change(make);
    keeps_the_newest_operation_first(make);
}

fn path(written: &str) -> VaultPath {
    path_rules().parse_file(written).expect("a path")
}

fn change_set(actions: Vec<Action>) -> ChangeSet {
    ChangeSet::new("test", actions)
}

fn read_text(files: &dyn Files, written: &str) -> String {
    String::from_utf8(files.read(&path(written)).expect("it is there").bytes).expect("UTF-8")
}

fn edit_action(files: &dyn Files, written: &str, span: std::ops::Range<usize>, with: &str) -> Action {
    let expect = files.read(&path(written)).expect("it is there").hash;
    Action::Edit { path: path(written), expect, splices: vec![Splice { span, text: with.to_owned() }] }
}

fn lists_sorted_with_folders(make: MakeFiles<'_>) {
    let files = make(&[("b.md", "b"), ("a/x y.md", "x"), ("a/b/z.png", "z")]);
    let listing = files.list().unwrap();
    let paths: Vec<&str> = listing.files.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["a/b/z.png", "a/x y.md", "b.md"]);
    assert_eq!(listing.folders, ["a", "a/b"]);
    assert!(listing.skipped.is_empty());
    assert_eq!(make(&[]).list().unwrap().files.len(), 0);
}

fn finds_and_reads(make: MakeFiles<'_>) {
    let files = make(&[("a/b.md", "Grüße\r\n")]);
    assert_eq!(files.find(&path("a/b.md")).unwrap().unwrap().size, "Grüße\r\n".len() as u64);
    assert!(files.find(&path("a/c.md")).unwrap().is_none());
    assert!(files.find(&path("no/such/folder.md")).unwrap().is_none());
    assert_eq!(files.find(&path("a")).unwrap_err().kind(), ErrorKind::Invalid);
    let content = files.read(&path("a/b.md")).unwrap();
    assert_eq!(
        (content.bytes.as_slice(), content.hash),
        ("Grüße\r\n".as_bytes(), Hash::compute("Grüße\r\n".as_bytes()))
    );
    let error = files.read(&path("a/c.md")).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::NotFound, "File not found: a/c.md"));
}

fn creates_edits_moves_and_removes(make: MakeFiles<'_>) {
    let files = make(&[("a.md", "one two\n")]);
    files
        .commit(&change_set(vec![Action::Create { path: path("n/e/w.md"), text: "new\n".to_owned() }]))
        .unwrap();
    assert_eq!(read_text(&*files, "n/e/w.md"), "new\n");
    let two = edit_action(&*files, "a.md", 4..7, "2");
    files.commit(&change_set(vec![two])).unwrap();
    assert_eq!(read_text(&*files, "a.md"), "one 2\n");
    files.commit(&change_set(vec![Action::Move { from: path("a.md"), to: path("b/c.md") }])).unwrap();
    assert_eq!(read_text(&*files, "b/c.md"), "one 2\n");
    assert!(files.find(&path("a.md")).unwrap().is_none());
    let expect = Hash::compute(b"one 2\n");
    files.commit(&change_set(vec![Action::Remove { path: path("b/c.md"), expect }])).unwrap();
    assert!(files.find(&path("b/c.md")).unwrap().is_none());
}

fn refuses_what_it_does_not_expect(make: MakeFiles<'_>) {
    let files = make(&[("a.md", "a"), ("b.md", "b")]);
    let other = Hash::compute(b"something else");
    let cases = [
        (Action::Create { path: path("a.md"), text: String::new() }, ErrorKind::Conflict),
        (Action::Edit { path: path("a.md"), expect: other, splices: vec![] }, ErrorKind::Changed),
        (Action::Edit { path: path("c.md"), expect: other, splices: vec![] }, ErrorKind::NotFound),
        (Action::Move { from: path("a.md"), to: path("b.md") }, ErrorKind::Conflict),
        (Action::Move { from: path("c.md"), to: path("d.md") }, ErrorKind::NotFound),
        (Action::Remove { path: path("a.md"), expect: other }, ErrorKind::Changed),
    ];
    for (action, kind) in cases {
        let error = files.commit(&change_set(vec![action.clone()])).unwrap_err();
        assert_eq!(error.kind(), kind, "{action:?}: {error}");
    }
    assert_eq!((read_text(&*files, "a.md"), read_text(&*files, "b.md")), ("a".to_owned(), "b".to_owned()));
    assert_eq!(files.list().unwrap().files.len(), 2);
    assert!(files.operations(10).unwrap().is_empty(), "what did not happen is not in the journal");
}

fn makes_all_steps_or_none(make: MakeFiles<'_>) {
    let files = make(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c")]);
    let actions = vec![
        Action::Create { path: path("new/x.md"), text: "x".to_owned() },
        edit_action(&*files, "a.md", 0..1, "A"),
        edit_action(&*files, "b.md", 0..1, "B"),
        Action::Move { from: path("c.md"), to: path("b.md") },
    ];
    assert_eq!(files.commit(&change_set(actions)).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(read_text(&*files, "a.md") + &read_text(&*files, "b.md") + &read_text(&*files, "c.md"), "abc");
    assert!(files.find(&path("new/x.md")).unwrap().is_none());
    assert!(!files.list().unwrap().folders.contains(&"new".to_owned()));
}

/// How a move with its links is made, and how it is undone.
fn edits_a_file_and_moves_it_in_one_change(make: MakeFiles<'_>) {
    let files = make(&[("a.md", "a [[a]]"), ("b.md", "[[a]]")]);
    let there = vec![
        edit_action(&*files, "a.md", 4..5, "c"),
        edit_action(&*files, "b.md", 2..3, "c"),
        Action::Move { from: path("a.md"), to: path("n/c.md") },
    ];
    files.commit(&change_set(there)).unwrap();
    assert_eq!(
        (read_text(&*files, "n/c.md"), read_text(&*files, "b.md")),
        ("a [[c]]".to_owned(), "[[c]]".to_owned())
    );
    let back = vec![
        edit_action(&*files, "n/c.md", 4..5, "a"),
        edit_action(&*files, "b.md", 2..3, "a"),
        Action::Move { from: path("n/c.md"), to: path("a.md") },
    ];
    files.commit(&change_set(back)).unwrap();
    assert_eq!(
        (read_text(&*files, "a.md"), read_text(&*files, "b.md")),
        ("a [[a]]".to_owned(), "[[a]]".to_owned())
    );
    assert!(files.find(&path("n/c.md")).unwrap().is_none());
}

fn keeps_the_newest_operation_first(make: MakeFiles<'_>) {
    let files = make(&[("a.md", "a")]);
    let mut set = change_set(vec![edit_action(&*files, "a.md", 0..1, "b")]);
    set.group = Some("g".to_owned());
    let first = files.commit(&set).unwrap();
    let second = files.commit(&change_set(vec![edit_action(&*files, "a.md", 1..1, "c")])).unwrap();
    let operations = files.operations(10).unwrap();
    assert_eq!(operations.iter().map(|operation| operation.id).collect::<Vec<_>>(), [second, first]);
    assert_eq!(operations[1].group.as_deref(), Some("g"));
    let (old, new) = (Hash::compute(b"a"), Hash::compute(b"b"));
    assert_eq!(
        operations[1].done,
        [AppliedAction::Edited { path: path("a.md"), old_text: "a".to_owned(), old, new }]
    );
    assert_eq!(files.operations(1).unwrap().len(), 1);
}
