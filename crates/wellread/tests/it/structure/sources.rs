//! The sources that the rules read, and how a rule is applied to them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::repository;

/// A source file by its path from the checkout's root.
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    pub fn made_up(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    pub fn at(&self, line: usize, what: impl std::fmt::Display) -> String {
        format!("{}:{line}: {what}", self.path)
    }

    /// The file's path inside the `src/` of this crate.
    pub fn inside(&self, crate_name: &str) -> Option<&str> {
        self.path.strip_prefix("crates/")?.strip_prefix(crate_name)?.strip_prefix("/src/")
    }

    /// Whether this is code of a crate rather than of its tests, benches or samples.
    pub fn is_in_src(&self) -> bool {
        self.path.split('/').nth(2) == Some("src") && !is_tests_module(&self.path)
    }
}

fn is_tests_module(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// Whether a file is for tests alone: no part of what is shipped.
pub fn is_test(path: &str) -> bool {
    is_tests_module(path)
        || path.contains("/benches/")
        || path.contains("/examples/")
        || path.starts_with("crates/testkit/")
}

/// Every Rust file of the workspace. What stands in a folder `samples` is read by tests as text and is no source.
pub fn sources() -> Vec<Source> {
    let root = repository();
    let mut found = Vec::new();
    for crate_folder in fs::read_dir(root.join("crates")).unwrap() {
        collect(&root, &crate_folder.unwrap().path(), &mut found);
    }
    assert!(found.len() > 50, "{} sources", found.len());
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path: PathBuf = entry.unwrap().path();
        let is_left_out = path.file_name().is_some_and(|name| name == "target" || name == "samples");
        if path.is_dir() && !is_left_out {
            collect(root, &path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push(Source { path: path.strip_prefix(root).unwrap().display().to_string(), text });
        }
    }
}

/// That no source breaks the rule.
pub fn check(rule: impl Fn(&Source) -> Vec<String>) {
    refuse(&sources().iter().flat_map(rule).collect::<Vec<String>>());
}

/// That nothing is wrong.
pub fn refuse(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// That a rule finds exactly these lines wrong in a made-up source.
pub fn finds(rule: impl Fn(&Source) -> Vec<String>, path: &str, text: &str, lines: &[usize]) {
    let found = rule(&Source::made_up(path, text));
    let at: Vec<usize> =
        found.iter().map(|wrong| wrong.split(':').nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!(at, lines, "{found:#?}");
}
