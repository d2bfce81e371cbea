//! Which files of a repository are in scope.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::domain::corpus::VaultPath;
use crate::{Error, Result};

const LONGEST: usize = 1_000;

/// A set of glob patterns over the paths of a repository. The default matches everything.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    written: String,
    globs: Option<GlobSet>,
}

impl Scope {
    /// Parses patterns separated by commas: `src/**/*.rs`, or `src` for everything below it. Empty matches everything.
    /// An error if a pattern leaves the repository or is malformed.
    pub fn parse(written: &str) -> Result<Self> {
        let written = written.trim();
        if written.len() > LONGEST {
            return Err(Error::invalid(format!("the scope is longer than {LONGEST} characters")));
        }
        let mut globs = GlobSetBuilder::new();
        let mut any = false;
        for part in parts(written) {
            let part = part.trim().trim_start_matches("./").trim_matches('/');
            if part.split('/').any(|name| name == "..") {
                return Err(Error::refused(format!("the scope `{part}` leaves the repository"))
                    .hint("a scope is a pattern over paths in the repository, such as `src/**`"));
            }
            if matches!(part, "" | "." | "**") {
                continue;
            }
            for pattern in [part.to_owned(), format!("{part}/**")] {
                let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
                globs.add(glob.map_err(|error| invalid_pattern(part, &error))?);
            }
            any = true;
        }
        let globs = globs.build().map_err(|error| invalid_pattern(written, &error))?;
        Ok(Self { written: written.to_owned(), globs: any.then_some(globs) })
    }

    /// Parses patterns that are relative to a folder of the repository.
    pub fn parse_below(folder: &str, written: &str) -> Result<Self> {
        // A comma in the folder's name would split the pattern in two.
        let folder = globset::escape(folder.trim_matches('/')).replace(',', "?");
        let below: Vec<String> = parts(written.trim())
            .into_iter()
            .map(|part| format!("{folder}/{}", part.trim().trim_start_matches("./").trim_start_matches('/')))
            .collect();
        Self::parse(&below.join(","))
    }

    /// The patterns as they were given.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether the scope is the whole repository.
    pub fn is_all(&self) -> bool {
        self.globs.is_none()
    }

    /// The scope as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether a file is within the scope.
    pub fn contains(&self, path: &VaultPath) -> bool {
        self.globs.as_ref().is_none_or(|globs| globs.is_match(path.as_str()))
    }

    /// Returns an error of kind `Refused` if the file is outside the scope.
    pub fn ensure_contains(&self, path: &VaultPath) -> Result<()> {
        if self.contains(path) {
            return Ok(());
        }
        Err(Error::refused(format!("`{path}` is outside the scope `{}`", self.written))
            .with_path(path.as_str()))
    }
}

/// Splits at commas, except for those between braces.
fn parts(written: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, letter) in written.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&written[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&written[start..]);
    parts
}

fn invalid_pattern(written: &str, error: &globset::Error) -> Error {
    Error::invalid(format!("the scope `{written}` is not understood: {}", error.kind()))
        .hint("a scope is a pattern over paths in the repository, such as `src/**/*.rs`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_a_folder_a_file_or_a_pattern() {
        for (scope, path, holds) in [
            ("", "a/b.rs", true),
            ("**", "a/b.rs", true),
            ("src", "src/a/b.rs", true),
            ("src/", "src/b.rs", true),
            ("./src", "src/b.rs", true),
            ("src", "srcs/b.rs", false),
            ("src", "lib/src/b.rs", false),
            ("src/*.rs", "src/a/b.rs", false),
            ("src/**/*.rs", "src/a/b.rs", true),
            ("src/**/*.rs", "src/b.rs", true),
            ("*.rs", "b.rs", true),
            ("*.rs", "src/b.rs", false),
            ("{a,b}/**", "b/c.rs", true),
            ("a, b/*.py", "b/c.py", true),
            ("src/b.rs", "src/b.rs", true),
        ] {
            let path = VaultPath::from_index(path.to_owned());
            assert_eq!(Scope::parse(scope).unwrap().contains(&path), holds, "{scope} {path}");
        }
    }

    #[test]
    fn a_scope_below_a_folder_counts_from_there() {
        for (folder, scope, path, holds) in [
            ("src", "", "src/a/b.rs", true),
            ("src", "", "lib/b.rs", false),
            ("src", "*.rs", "src/b.rs", true),
            ("src", "*.rs", "src/a/b.rs", false),
            ("src", "a, c/*.py", "src/c/d.py", true),
            ("src", "a, c/*.py", "c/d.py", false),
            ("a[1], b", "", "a[1], b/c.rs", true),
            ("a[1], b", "", "a1, b/c.rs", false),
        ] {
            let path = VaultPath::from_index(path.to_owned());
            assert_eq!(
                Scope::parse_below(folder, scope).unwrap().contains(&path),
                holds,
                "{folder} {scope} {path}"
            );
        }
        assert!(Scope::parse_below("src", "../x").is_err());
    }

    #[test]
    fn a_scope_that_leads_out_or_is_no_pattern_is_an_error() {
        for scope in ["../x", "a/../../b", "src,..", "a[", "{a"] {
            assert!(Scope::parse(scope).is_err(), "{scope}");
        }
    }
}
