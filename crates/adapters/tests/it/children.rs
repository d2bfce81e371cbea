//! The helper program whose processes are killed, stopped and set against each other: `examples/children.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::{
    agendas, crash, index_crash, index_many, postgres_crash, postgres_index_shared, race, records_crash,
    records_versions,
};

/// The body of a child process, given its argument.
type ChildBody = fn(&str);

/// What a child process can be told to do: the module, and its function.
pub const CHILDREN: [(&str, ChildBody); 9] = [
    ("agendas", agendas::child),
    ("crash", crash::child),
    ("index_crash", index_crash::child),
    ("index_many", index_many::child),
    ("postgres_crash", postgres_crash::child),
    ("postgres_index_shared", postgres_index_shared::child),
    ("race", race::child),
    ("records_crash", records_crash::child),
    ("records_versions", records_versions::child),
];

/// The helper program. Whoever builds all tests builds it, too; whoever builds one alone gets it built here.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let program = profile.join("examples/children");
    if !is_fresh(&program) {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "wellread-adapters", "--example", "children"]);
        build.args(profile.ends_with("release").then_some("--release"));
        build.arg("--target-dir").arg(profile.parent().unwrap());
        assert!(build.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success(), "{build:?}");
    }
    program
});

/// Whether the program is no older than any of the sources that it was made of, as its build wrote them down.
fn is_fresh(program: &Path) -> bool {
    let made = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let (Some(built), Ok(sources)) = (made(program), fs::read_to_string(program.with_extension("d"))) else {
        return false;
    };
    let sources = sources.split_once(": ").map_or("", |(_, sources)| sources).split_whitespace();
    sources
        .map(|source| made(Path::new(source)))
        .all(|changed| changed.is_some_and(|changed| changed <= built))
}

/// A process that does what the `child` of this module does, with this order.
pub fn child_process(module: &str, order: &str) -> Command {
    assert!(CHILDREN.iter().any(|(name, _)| *name == module), "{module} has no child");
    let mut child = Command::new(&*PROGRAM);
    child.args([module, order]);
    child
}
