//! An index that was kept level step by step is the same as one that is made anew.

use std::fs;
use std::path::Path;

use wellread_core::domain::corpus::CorpusName;
use wellread_core::ports::IndexUpkeep as _;

use crate::ground::is_long;
use crate::shelf::{Opened, Random, Shelf, hivelog, vault_path};

const NOTES: [&str; 9] = [
    "Bees.md",
    "Mead.md",
    "Bees/Log.md",
    "Bees/Hives/Oak.md",
    "Grüße.md",
    "hive.png",
    "a b/c d.md",
    "Bees2.md",
    "x/y/z/Deep.md",
];
const SOURCES: [&str; 6] = [
    "repo/lib.rs",
    "repo/src/jar.rs",
    "repo/py/weigh.py",
    "repo/README.md",
    "repo/data.txt",
    "repo/src/x/y.ts",
];

const TEXTS: [&str; 12] = [
    "---\ntags: [bee, bee/queen]\nstatus: done\n---\n# Bees\n\nHoney. See [[Mead]] and #tag/sub.\n",
    "---\naliases: [Met]\nyear: [2024, 2025]\n---\nHoney wine.\n\n## Yeast\n\nIt ferments.\n",
    "",
    "just a line",
    "# A\n\n## B\n\n### C\n\ntext\n\n## B\n\nagain\n",
    "fn weigh(jar: u32) -> u32 {\n    jar\n}\n\nstruct Jar {\n    honey: f32,\n}\n",
    "def weigh(jar):\n    return jar\n\nclass Jar:\n    def fill(self):\n        pass\n",
    "[x](Bees.md) [[Bees/Log#Part|shown]] ![[hive.png]]\r\n\r\nwith other endings\r\n",
    "\u{feff}# With a mark\n\ntext\n",
    "binary \0 content",
    "---\nbroken: [yaml\n---\nbody\n",
    "日本語の本 and English\n",
];

/// One thing that happens to files, and those that it happened to.
fn step(root: &Path, random: &mut Random) -> (String, Vec<String>) {
    let all: Vec<&str> = NOTES.iter().chain(&SOURCES).copied().collect();
    let there = |path: &str| crate::shelf::file(root, path).is_file();
    let present: Vec<&str> = all.iter().copied().filter(|path| there(path)).collect();
    let path = random.one_of(&all);
    let what = random.below(6);
    if what < 2 || present.len() < 4 {
        let times = 1 + random.below(3) * random.below(40);
        let text: String = (0..times).map(|_| random.one_of(&TEXTS)).collect();
        crate::shelf::save(root, path, text);
        return (format!("save {path}"), vec![path.to_owned()]);
    }
    let path = random.one_of(&present);
    let place = crate::shelf::file(root, path);
    match what {
        2 => {
            fs::remove_file(place).unwrap();
            (format!("delete {path}"), vec![path.to_owned()])
        }
        3 => {
            let bytes = fs::read(&place).unwrap();
            fs::write(place, bytes).unwrap();
            (format!("touch {path}"), vec![path.to_owned()])
        }
        4 => {
            let mut bytes = fs::read(&place).unwrap();
            let at = random.below(bytes.len() + 1);
            bytes.splice(at..at, b"\n\nwax and [[Wax]]\n\n".iter().copied());
            fs::write(place, bytes).unwrap();
            (format!("edit {path} at {at}"), vec![path.to_owned()])
        }
        _ => {
            let of_repository = path.starts_with("repo/");
            let to = random.one_of(if of_repository { &SOURCES[..] } else { &NOTES[..] });
            let target = crate::shelf::file(root, to);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::rename(place, target).unwrap();
            (format!("rename {path} to {to}"), vec![path.to_owned(), to.to_owned()])
        }
    }
}

/// Level by a look at everything, or at what is said to have changed.
fn level(opened: &Opened, paths: &[String], random: &mut Random) {
    if random.below(3) > 0 {
        opened.update().unwrap();
        return;
    }
    for path in paths {
        let (corpus, path) = match path.strip_prefix("repo/") {
            Some(path) => (hivelog(), path),
            None => (CorpusName::Vault, path.as_str()),
        };
        opened.library.update_files(&corpus, &[vault_path(path)]).unwrap();
    }
}

#[test]
fn after_any_steps_the_index_is_as_one_that_is_made_anew() {
    let (seeds, every) = if is_long() { (1..21, 1) } else { (1..2, 10) };
    for seed in seeds {
        let mut random = Random::seeded(seed);
        let shelf = Shelf::new(&[]);
        let mut opened = shelf.open();
        opened.update().unwrap();
        let mut done = Vec::new();
        for n in 1..=200 {
            let (what, paths) = step(shelf.root(), &mut random);
            done.push(what);
            level(&opened, &paths, &mut random);
            if random.below(20) == 0 {
                drop(opened);
                opened = shelf.open();
            }
            if n % every == 0 {
                let last = &done[done.len() - every..];
                opened.check_digest(shelf.root(), &format!("seed {seed}, step {n}: {last:?}"));
                assert_eq!(opened.index.take_notice(), None);
            }
        }
    }
}
