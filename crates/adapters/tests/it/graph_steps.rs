//! The graph of an index that was kept level step by step is the graph of one that is made anew.

use std::fs;
use std::path::Path;

use wellread_core::code::codebase::{Codebase, Scope};
use wellread_core::code::graph::{Direction, Graph};

use crate::shelf::{Opened, Random, Shelf};

/// Files that call each other, so that a change of one is seen in the edges of others.
const FILES: [(&str, &[&str]); 6] = [
    (
        "repo/store.py",
        &[
            "from disk import flush\n\nclass Store:\n    def put(self, jar):\n        self.check(jar)\n        flush(jar)\n\n    def check(self, jar):\n        return jar\n",
            "class Store:\n    def put(self, jar):\n        return self.weigh(jar)\n\n    def weigh(self, jar):\n        return 1\n",
            "import disk\n\ndef put(jar):\n    disk.flush(jar)\n",
        ],
    ),
    (
        "repo/disk.py",
        &[
            "def flush(jar):\n    write(jar)\n\ndef write(jar):\n    print(jar)\n",
            "def flush(jar):\n    print(jar)\n",
            "class Disk:\n    def flush(self, jar):\n        pass\n",
        ],
    ),
    (
        "repo/main.py",
        &[
            "from store import Store\n\ndef main():\n    store = Store()\n    store.put(1)\n\nmain()\n",
            "import store\n\nstore.put(2)\n",
            "from disk import flush as out\n\ndef main():\n    out(3)\n",
        ],
    ),
    (
        "repo/src/lib.rs",
        &[
            "mod jar;\nuse crate::jar::Jar;\n\npub fn fill() -> Jar {\n    Jar::new()\n}\n",
            "mod jar;\n\npub fn fill() {\n    jar::Jar::new().close();\n}\n",
        ],
    ),
    (
        "repo/src/jar.rs",
        &[
            "pub struct Jar;\n\nimpl Jar {\n    pub fn new() -> Self {\n        Jar\n    }\n\n    pub fn close(self) {}\n}\n",
            "pub struct Jar;\n\nimpl Jar {\n    pub fn new() -> Self {\n        make()\n    }\n}\n\nfn make() -> Jar {\n    Jar\n}\n",
        ],
    ),
    (
        "repo/web/app.ts",
        &[
            "import { put } from './store';\nexport function go() { put(1); }\n",
            "export function put(n: number) { return n; }\nput(2);\n",
        ],
    ),
];

const NAMES: [&str; 9] = [
    "repo/store.py",
    "repo/disk.py",
    "repo/main.py",
    "repo/src/lib.rs",
    "repo/src/jar.rs",
    "repo/web/app.ts",
    "repo/web/store.ts",
    "repo/pkg/disk.py",
    "repo/store2.py",
];

fn step(root: &Path, random: &mut Random) -> String {
    let present: Vec<&str> = NAMES.iter().copied().filter(|path| root.join(path).is_file()).collect();
    let what = random.below(8);
    if what < 4 || present.len() < 3 {
        let (path, texts) = random.one_of(&FILES);
        let text = random.one_of(texts);
        crate::shelf::save(root, path, text);
        return format!("save {path}");
    }
    let path = random.one_of(&present);
    let place = root.join(path);
    match what {
        4 => {
            fs::remove_file(place).unwrap();
            format!("delete {path}")
        }
        5 | 6 => {
            let ending = Path::new(path).extension();
            let fitting: Vec<&str> =
                NAMES.iter().copied().filter(|name| Path::new(name).extension() == ending).collect();
            let to = random.one_of(&fitting);
            let target = root.join(to);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::rename(place, target).unwrap();
            format!("rename {path} to {to}")
        }
        _ => {
            let mut text = fs::read_to_string(&place).unwrap();
            text.insert_str(0, if path.ends_with(".py") { "# moved down\n" } else { "// moved down\n" });
            fs::write(place, text).unwrap();
            format!("edit {path}")
        }
    }
}

/// Every edge and everything unknown of every definition and every file.
fn whole(opened: &Opened) -> Vec<String> {
    let codebase = Codebase::new(opened.library.clone(), "hivelog", Scope::default()).unwrap();
    let graph = Graph::new(&codebase).unwrap();
    let mut told = Vec::new();
    for (path, _) in codebase.sources().unwrap() {
        let structure = codebase.structure(&path).unwrap().unwrap().structure;
        let mut symbols = vec![codebase.module(&path).unwrap()];
        for name in structure.definitions.iter().map(|found| &found.name) {
            symbols.extend(
                codebase
                    .find_definitions(name)
                    .unwrap()
                    .iter()
                    .map(|stored| codebase.symbol(stored).unwrap()),
            );
        }
        for symbol in symbols {
            let found = graph.expand(&symbol, Direction::Both, 1, None).unwrap();
            told.extend(found.edges.iter().map(|edge| format!("{edge:?}")));
            told.extend(found.unknown.iter().map(|open| format!("{open:?}")));
        }
    }
    told.sort();
    told.dedup();
    told
}

#[test]
fn after_each_of_two_hundred_steps_the_graph_is_as_one_that_is_made_anew() {
    let shelf = Shelf::new(&[]);
    for (path, texts) in &FILES {
        shelf.save(path, texts[0]);
    }
    let opened = shelf.open();
    opened.update().unwrap();
    let mut random = Random::seeded(6);
    let (mut done, mut most) = (Vec::new(), 0);
    for number in 1..=200 {
        done.push(step(shelf.root(), &mut random));
        opened.update().unwrap();
        let data = tempfile::tempdir().unwrap();
        let fresh = Opened::with(shelf.root(), data.path(), "shelf");
        fresh.update().unwrap();
        let (kept, anew) = (whole(&opened), whole(&fresh));
        assert_eq!(kept, anew, "step {number}: {:?}", done.last());
        most = most.max(kept.len());
    }
    assert!(most > 20, "the graph was never more than {most} edges");
}
