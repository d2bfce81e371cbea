//! The changes that the crash and fault tests make: each from old files to new ones, all or none.

use wellread_adapters::files::VaultFiles;
use wellread_core::domain::corpus::{Action, ChangeSet, Hash, Splice};
use wellread_core::ports::{Corpus, Files};

use crate::ground::{Ground, Tree, path};

pub struct Scenario {
    pub name: &'static str,
    pub files: &'static [(&'static str, &'static str)],
    /// What the vault holds when the change is made.
    pub new: &'static [(&'static str, &'static str)],
    pub change: fn(&VaultFiles) -> ChangeSet,
}

pub const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "an edit",
        files: &[("a/note.md", "one two three\n"), ("other.md", "other\n")],
        new: &[("a/note.md", "one 2 three\n"), ("other.md", "other\n")],
        change: |files| ChangeSet::new("edit", vec![edit(files, "a/note.md", 4..7, "2")]),
    },
    Scenario {
        name: "a new note in new folders",
        files: &[("other.md", "other\n")],
        new: &[("other.md", "other\n"), ("x/y/new.md", "new\n")],
        change: |files| {
            let create = Action::Create { path: path(files, "x/y/new.md"), text: "new\n".to_owned() };
            ChangeSet::new("create", vec![create])
        },
    },
    Scenario {
        name: "a move with links that follow",
        files: &[("a.md", "[[b]]\n"), ("b.md", "about b\n"), ("sub/c.md", "see [[b]].\n"), ("d.md", "d\n")],
        new: &[
            ("a.md", "[[new/bb]]\n"),
            ("new/bb.md", "about b\n"),
            ("sub/c.md", "see [[new/bb]].\n"),
            ("d.md", "d\n"),
        ],
        change: |files| {
            let actions = vec![
                edit(files, "a.md", 2..3, "new/bb"),
                edit(files, "sub/c.md", 6..7, "new/bb"),
                Action::Move { from: path(files, "b.md"), to: path(files, "new/bb.md") },
            ];
            ChangeSet::new("move", actions)
        },
    },
    Scenario {
        name: "a note taken away, another changed and one made",
        files: &[("gone.md", "gone\n"), ("kept.md", "kept\n")],
        new: &[("kept.md", "kept!\n"), ("made.md", "made\n")],
        change: |files| {
            let actions = vec![
                Action::Remove { path: path(files, "gone.md"), expect: Hash::compute(b"gone\n") },
                edit(files, "kept.md", 4..4, "!"),
                Action::Create { path: path(files, "made.md"), text: "made\n".to_owned() },
            ];
            ChangeSet::new("mixed", actions)
        },
    },
];

impl Scenario {
    pub fn ground(&self) -> Ground {
        Ground::new(self.files)
    }

    pub fn run(&self, files: &VaultFiles) -> wellread_core::Result<()> {
        files.commit(&(self.change)(files)).map(|_| ())
    }

    /// Whether the change is made. Anything between old and new is a failure.
    pub fn is_made(&self, ground: &Ground, when: &str) -> bool {
        let (tree, old, new) = (ground.tree(), tree(self.files), tree(self.new));
        assert!(tree == old || tree == new, "{} {when}: neither old nor new: {}", self.name, shown(&tree));
        tree == new
    }

    /// Whether every note's own place holds old or new text, and none is lost: what a reader sees at any moment.
    pub fn check_readers(&self, ground: &Ground, when: &str) {
        let (tree, old, new) = (ground.tree(), tree(self.files), tree(self.new));
        for (name, bytes) in tree.iter().filter(|(name, _)| !is_hidden(name)) {
            let known = old.get(name) == Some(bytes) || new.get(name) == Some(bytes);
            assert!(known, "{} {when}: `{name}` holds neither old nor new text: {}", self.name, shown(&tree));
        }
        for (name, bytes) in old.iter().filter(|(name, _)| new.contains_key(*name)) {
            assert!(
                tree.contains_key(name),
                "{} {when}: `{name}` ({bytes:?}) is gone: {}",
                self.name,
                shown(&tree)
            );
        }
        for (name, bytes) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
            let somewhere = tree.values().any(|known| known == bytes);
            let meant = self.name.starts_with("a note taken away");
            assert!(somewhere || meant, "{} {when}: what `{name}` held is gone: {}", self.name, shown(&tree));
        }
    }
}

fn edit(files: &VaultFiles, written: &str, span: std::ops::Range<usize>, with: &str) -> Action {
    let path = path(files, written);
    let expect = files.read(&path).map_or_else(|_| Hash::compute(b""), |content| content.hash);
    Action::Edit { path, expect, splices: vec![Splice { span, text: with.to_owned() }] }
}

fn tree(files: &[(&str, &str)]) -> Tree {
    files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

pub fn is_hidden(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with('.'))
}

fn shown(tree: &Tree) -> String {
    let line = |(name, bytes): (&String, &Vec<u8>)| format!("{name}={:?}", String::from_utf8_lossy(bytes));
    tree.iter().map(line).collect::<Vec<_>>().join(", ")
}
