//! A repository of code on a real disk: what is listed, what can be read, and which commit it is.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wellread_adapters::files::LARGEST_FILE;
use wellread_adapters::repository::{RepositoryFiles, git_commit};
use wellread_core::ErrorKind;
use wellread_core::ports::{Corpus, FileListing};
use wellread_testkit::skip;

type Files<'a> = &'a [(&'a str, &'a str)];

struct Repository(TempDir);

impl Repository {
    fn new(files: Files<'_>) -> Self {
        let repository = Self(TempDir::new().unwrap());
        for (path, text) in files {
            repository.save(path, text);
        }
        repository
    }

    fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn save(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn open(&self) -> RepositoryFiles {
        RepositoryFiles::open(&self.root()).unwrap()
    }

    fn listing(&self) -> FileListing {
        self.open().list().unwrap()
    }

    fn lists(&self, expected: &[&str]) {
        let listing = self.listing();
        let paths: Vec<&str> = listing.files.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(paths, expected, "{:?}", listing.skipped);
    }
}

fn skipped(listing: &FileListing) -> Vec<(&str, &str)> {
    listing.skipped.iter().map(|skipped| (skipped.path.as_str(), skipped.reason.as_str())).collect()
}

fn fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
}

#[test]
fn source_files_are_listed_and_read() {
    let repository = Repository::new(&[("src/main.rs", "fn main() {}\n"), ("README", "x"), ("a/b/c.py", "")]);
    repository.lists(&["README", "a/b/c.py", "src/main.rs"]);
    let files = repository.open();
    assert_eq!(files.list().unwrap().folders, ["a", "a/b", "src"]);
    let path = files.rules().parse_file("src/main.rs").unwrap();
    let read = files.read(&path).unwrap();
    assert_eq!(read.bytes, b"fn main() {}\n");
    let listed = files.list().unwrap().files.into_iter().find(|entry| entry.path == path).unwrap();
    assert_eq!((Some(&listed), &listed), (files.find(&path).unwrap().as_ref(), &read.entry));
    assert!(listed.number > 0 && listed.changed.as_second() > 0);
    let absolute = repository.root().join("README");
    assert_eq!(files.rules().parse_file(absolute.to_str().unwrap()).unwrap().as_str(), "README");
    for outside in ["../x", "/etc/passwd", "src/../../x", ".git/config", "node_modules/x.js"] {
        assert_eq!(files.rules().parse_file(outside).unwrap_err().kind(), ErrorKind::Refused, "{outside}");
    }
}

#[test]
fn what_is_hidden_made_or_no_text_is_left_out() {
    let repository = Repository::new(&[
        ("main.py", ""),
        (".env", "SECRET=1"),
        (".github/workflow.yml", ""),
        (".git/HEAD", ""),
        (".venv/lib.py", ""),
        ("node_modules/left-pad/index.js", ""),
        ("web/node_modules/x.js", ""),
        ("pkg/__pycache__/x.py", ""),
        ("logo.PNG", ""),
        ("lib.so", ""),
        ("Cargo.lock", ""),
        ("web/package-lock.json", ""),
        ("web/app.min.js", ""),
        ("web/app.js", ""),
    ]);
    repository.lists(&["main.py", "web/app.js"]);
    assert!(repository.listing().skipped.is_empty());
    let files = repository.open();
    let logo = files.rules().parse_file("logo.PNG").unwrap();
    assert!(files.find(&logo).unwrap().is_none());
    assert_eq!(files.read(&logo).unwrap_err().kind(), ErrorKind::Refused);
}

#[test]
fn the_rules_of_gitignore_hold_as_git_has_them() {
    let repository = Repository::new(&[
        (
            ".gitignore",
            "\u{feff}target/\n*.log\r\n!keep.log\n/only_here.txt\n# a comment\n[\ndocs/**/draft.md\n",
        ),
        ("target/debug/x.rs", ""),
        ("sub/target/x.rs", ""),
        ("a.log", ""),
        ("keep.log", ""),
        ("only_here.txt", ""),
        ("sub/only_here.txt", ""),
        ("docs/a/b/draft.md", ""),
        ("docs/a/final.md", ""),
        ("sub/.gitignore", "/local.rs\n!a.log\n"),
        ("sub/local.rs", ""),
        ("sub/a.log", ""),
        ("sub/deep/local.rs", ""),
        ("other/.ignore", "*.gen.rs\n!special.log\n"),
        ("other/x.gen.rs", ""),
        ("other/special.log", ""),
        (".git/info/exclude", "scratch.rs\n"),
        ("scratch.rs", ""),
    ]);
    repository.lists(&[
        "docs/a/final.md",
        "keep.log",
        "other/special.log",
        "sub/a.log",
        "sub/deep/local.rs",
        "sub/only_here.txt",
    ]);
}

#[test]
fn the_folders_above_and_the_users_own_list_say_nothing() {
    let above = Repository::new(&[(".gitignore", "*.rs\n"), ("inner/main.rs", "")]);
    let inner = RepositoryFiles::open(&above.root().join("inner")).unwrap();
    assert_eq!(inner.list().unwrap().files.len(), 1);
}

#[test]
fn what_is_ignored_is_not_found_and_not_read() {
    let repository = Repository::new(&[
        (".gitignore", "secrets.py\nbuild/\n"),
        ("secrets.py", "KEY"),
        ("build/deep/out.py", "KEY"),
        ("main.py", ""),
    ]);
    symlink("secrets.py", repository.root().join("innocent.py")).unwrap();
    let files = repository.open();
    for hidden in ["secrets.py", "build/deep/out.py", "innocent.py"] {
        let path = files.rules().parse_file(hidden).unwrap();
        assert!(files.find(&path).unwrap().is_none(), "{hidden}");
        assert_eq!(files.read(&path).unwrap_err().kind(), ErrorKind::Refused, "{hidden}");
    }
    assert!(files.skips("build", true) && files.skips("build/x/y", false));
    assert!(files.skips(".git", true) && files.skips("../x", false));
    assert!(
        !files.skips("main.py", false) && !files.skips("build", false) && !files.skips("new/x.py", false)
    );
    // A rule that is taken back counts at once.
    repository.save(".gitignore", "build/\n");
    assert_eq!(files.read(&files.rules().parse_file("secrets.py").unwrap()).unwrap().bytes, b"KEY");
    assert_eq!(files.list().unwrap().files.len(), 2);
}

#[test]
fn links_fifos_and_strange_names_are_passed_over_with_a_reason() {
    let repository = Repository::new(&[("src/main.rs", "")]);
    let root = repository.root();
    fifo(&root.join("pipe"));
    symlink("loop", root.join("loop")).unwrap();
    symlink("..", root.join("src/up")).unwrap();
    symlink("/etc/passwd", root.join("passwd.txt")).unwrap();
    fs::write(root.join(OsStr::from_bytes(b"bad\xff.rs")), "").unwrap();
    fs::write(root.join("line\nbreak.rs"), "").unwrap();
    repository.lists(&["src/main.rs"]);
    let listing = repository.listing();
    assert_eq!(
        skipped(&listing),
        [
            ("bad\u{fffd}.rs", "its name is not Unicode"),
            ("line\u{fffd}break.rs", "the path `line\u{fffd}break.rs` contains a control character"),
            ("loop", "a link; links are not followed here"),
            ("passwd.txt", "a link; links are not followed here"),
            ("pipe", "not a regular file"),
            ("src/up", "a link; links are not followed here"),
        ]
    );
    let files = repository.open();
    for link in ["passwd.txt", "loop", "src/up/src/main.rs"] {
        let path = files.rules().parse_file(link).unwrap();
        assert_eq!(files.read(&path).unwrap_err().kind(), ErrorKind::Refused, "{link}");
    }
    let pipe = files.rules().parse_file("pipe").unwrap();
    assert!(files.find(&pipe).unwrap().is_none());
    assert_eq!(files.read(&pipe).unwrap_err().kind(), ErrorKind::Refused);
    let gone = files.rules().parse_file("src/gone.rs").unwrap();
    assert!(files.find(&gone).unwrap().is_none());
    assert_eq!(files.read(&gone).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(files.find(&files.rules().parse_file("src").unwrap()).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn a_folder_that_may_not_be_read_costs_itself_alone() {
    let repository = Repository::new(&[("open/a.rs", ""), ("shut/b.rs", "")]);
    let shut = repository.root().join("shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
    let readable = fs::read_dir(&shut).is_ok();
    let listing = repository.listing();
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o755)).unwrap();
    if readable {
        skip("an administrator may read every folder");
        return;
    }
    assert_eq!(listing.files.len(), 1);
    assert_eq!(skipped(&listing)[0].0, "shut");
}

#[test]
fn rules_that_can_not_be_read_are_named_and_everything_else_is_listed() {
    let repository = Repository::new(&[("a.rs", ""), ("sub/b.rs", ""), ("far/c.rs", "")]);
    fifo(&repository.root().join(".gitignore"));
    repository.save("sub/.gitignore", "*.rs\n".repeat(100_000));
    fs::create_dir(repository.root().join("far/.ignore")).unwrap();
    repository.lists(&["a.rs", "far/c.rs", "sub/b.rs"]);
    let listing = repository.listing();
    assert_eq!(
        skipped(&listing),
        [
            (".gitignore", "its rules are not applied: not a regular file"),
            ("far/.ignore", "its rules are not applied: not a regular file"),
            ("sub/.gitignore", "its rules are not applied: larger than 256 KiB"),
        ]
    );
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let repository = Repository::new(&[]);
    let file = fs::File::create(repository.root().join("huge.c")).unwrap();
    file.set_len(LARGEST_FILE + 1).unwrap();
    let files = repository.open();
    let error = files.read(&files.rules().parse_file("huge.c").unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[test]
fn a_repository_that_is_not_there_says_so() {
    let repository = Repository::new(&[("file", "")]);
    let missing = RepositoryFiles::open(&repository.root().join("none")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert_eq!(
        RepositoryFiles::open(&repository.root().join("file")).unwrap_err().kind(),
        ErrorKind::Invalid
    );
}

const ONE: &str = "0123456789abcdef0123456789abcdef01234567";
const TWO: &str = "89abcdef0123456789abcdef0123456789abcdef";

#[test]
fn the_commit_is_read_from_gits_own_files() {
    let cases: [(Files<'_>, Option<&str>); 8] = [
        (&[], None),
        (&[(".git/HEAD", ONE)], Some(ONE)),
        (
            &[
                (".git/HEAD", "ref: refs/heads/main\n"),
                (".git/refs/heads/main", "0123456789ABCDEF0123456789abcdef01234567\n"),
            ],
            Some(ONE),
        ),
        (&[(".git/HEAD", "ref: refs/heads/main\n")], None),
        (
            &[
                (".git/HEAD", "ref: refs/heads/x/y\n"),
                (
                    ".git/packed-refs",
                    "# pack-refs with: peeled\n89abcdef0123456789abcdef0123456789abcdef refs/heads/x\n0123456789abcdef0123456789abcdef01234567 refs/heads/x/y\n^89abcdef0123456789abcdef0123456789abcdef\n",
                ),
            ],
            Some(ONE),
        ),
        (&[(".git/HEAD", "ref: refs/../../secret\n"), ("secret", ONE)], None),
        (&[(".git/HEAD", "ref: refs/heads/a\n"), (".git/refs/heads/a", "ref: refs/heads/a\n")], None),
        (&[(".git/HEAD", "not a commit\n")], None),
    ];
    for (files, commit) in cases {
        let repository = Repository::new(files);
        assert_eq!(git_commit(&repository.root()).as_deref(), commit, "{files:?}");
    }
}

#[test]
fn a_worktree_has_its_own_head_and_shares_the_branches() {
    let both = Repository::new(&[
        ("main/.git/HEAD", "ref: refs/heads/main\n"),
        ("main/.git/refs/heads/main", ONE),
        ("main/.git/refs/heads/topic", TWO),
        ("main/.git/worktrees/tree/HEAD", "ref: refs/heads/topic\n"),
        ("main/.git/worktrees/tree/commondir", "../..\n"),
        ("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"),
    ]);
    assert_eq!(git_commit(&both.root().join("main")).as_deref(), Some(ONE));
    assert_eq!(git_commit(&both.root().join("tree")).as_deref(), Some(TWO));
}

#[test]
fn a_trap_in_place_of_gits_files_holds_nobody_up() {
    let repository = Repository::new(&[(".git/config", "")]);
    fifo(&repository.root().join(".git/HEAD"));
    assert_eq!(git_commit(&repository.root()), None);
    let other = Repository::new(&[]);
    fifo(&other.root().join(".git"));
    assert_eq!(git_commit(&other.root()), None);
}
