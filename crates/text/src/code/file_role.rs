//! What a file of a repository is for, judged by its path.

/// What a file of a repository is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// The program or library itself.
    Source,
    /// A test, or what tests use.
    Test,
    /// A document for people: Markdown, reStructuredText, plain text, a license.
    Prose,
    /// An example, a demo, a benchmark or a script that is not part of the program.
    Extra,
}

const TEST_FOLDERS: [&str; 13] = [
    "test",
    "tests",
    "testing",
    "__tests__",
    "spec",
    "specs",
    "testdata",
    "fixtures",
    "__mocks__",
    "__fixtures__",
    "androidTest",
    "e2e",
    "testsuite",
];
const EXTRA_FOLDERS: [&str; 16] = [
    "example",
    "examples",
    "demo",
    "demos",
    "sample",
    "samples",
    "tutorial",
    "tutorials",
    "script",
    "scripts",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "docs",
    "doc",
];
const PROSE_ENDINGS: [&str; 7] = ["md", "markdown", "mdx", "rst", "adoc", "asciidoc", "txt"];
const PROSE_NAMES: [&str; 10] = [
    "readme",
    "changelog",
    "changes",
    "history",
    "news",
    "license",
    "copying",
    "authors",
    "contributing",
    "pkg-info",
];

impl FileRole {
    /// The role of the file at this path, which is relative to its repository and has `/` between its parts.
    pub fn from_path(path: &str) -> Self {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folders = || folders.split('/').filter(|folder| !folder.is_empty());
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        if is_prose(name, ending) {
            Self::Prose
        } else if folders().any(|folder| TEST_FOLDERS.contains(&folder)) || is_test_name(name, stem) {
            Self::Test
        } else if folders().any(|folder| EXTRA_FOLDERS.contains(&folder))
            || matches!(name, "setup.py" | "noxfile.py" | "tasks.py" | "conf.py")
        {
            Self::Extra
        } else {
            Self::Source
        }
    }
}

fn is_prose(name: &str, ending: &str) -> bool {
    let first = name.split(['.', '-', '_']).next().unwrap_or(name).to_ascii_lowercase();
    let is_named = || PROSE_NAMES.iter().any(|known| first == *known || name.eq_ignore_ascii_case(known));
    PROSE_ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) || ending.is_empty() && is_named()
}

fn is_test_name(name: &str, stem: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    let ends = ["_test", "_tests", "_spec", "Test", "Tests", "Spec"];
    first.starts_with("test_")
        || ends.iter().any(|end| first.ends_with(end))
        || [".test", ".spec"].iter().any(|end| stem.ends_with(end))
        || name == "conftest.py"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_a_file_is_for() {
        for (path, wanted) in [
            ("src/store.rs", FileRole::Source),
            ("src/latest.rs", FileRole::Source),
            ("src/contest/a.rs", FileRole::Source),
            ("lib/plugins/static.js", FileRole::Source),
            ("tests/a.rs", FileRole::Test),
            ("pkg/testing/helpers.py", FileRole::Test),
            ("src/test_a.py", FileRole::Test),
            ("a_test.go", FileRole::Test),
            ("src/a.test.ts", FileRole::Test),
            ("src/StoreTest.java", FileRole::Test),
            ("conftest.py", FileRole::Test),
            ("docs/usage.rst", FileRole::Prose),
            ("README", FileRole::Prose),
            ("LICENSE-MIT", FileRole::Prose),
            ("tests/README.md", FileRole::Prose),
            ("docs/conf.py", FileRole::Extra),
            ("examples/one.rs", FileRole::Extra),
            ("scripts/release.py", FileRole::Extra),
            ("setup.py", FileRole::Extra),
        ] {
            assert_eq!(FileRole::from_path(path), wanted, "{path}");
        }
    }
}
