//! Matches paths that were written on another machine with the files of the repository.

use std::collections::HashMap;

use crate::Result;
use crate::code::codebase::Codebase;
use crate::domain::corpus::VaultPath;

/// The source files, by name.
pub struct SourcePaths {
    by_name: HashMap<String, Vec<VaultPath>>,
}

/// A file that a written path may refer to.
#[derive(Debug, Clone, PartialEq)]
pub struct PathMatch {
    pub path: VaultPath,
    /// The share of the signal that this file gets: less than 1 if several files match.
    pub share: f32,
    /// Whether only the file's name matches, and its folder does not.
    pub is_namesake: bool,
}

/// Folders into which other people's code is installed.
const INSTALLED: [&str; 17] = [
    "node_modules",
    "bower_components",
    "site-packages",
    "dist-packages",
    ".cargo",
    "rustc",
    "rustlib",
    "toolchains",
    ".rustup",
    "vendor",
    "gems",
    ".gem",
    ".rbenv",
    ".m2",
    ".gradle",
    ".nuget",
    "third_party",
];
/// Where systems and languages install their libraries.
const SYSTEM: [&str; 8] = [
    "/usr/lib/",
    "/usr/include/",
    "/usr/local/go/",
    "/lib/",
    "/usr/share/",
    "/opt/python",
    "/System/",
    "/rustc/",
];
/// Names that occur often in a repository, and say nothing without their folder.
const COMMON: [&str; 12] = [
    "mod.rs",
    "lib.rs",
    "main.rs",
    "index.js",
    "index.ts",
    "index.tsx",
    "__init__.py",
    "main.py",
    "main.go",
    "main.c",
    "setup.py",
    "app.js",
];
/// A name that more files have is ignored.
const MOST: usize = 5;

impl SourcePaths {
    pub fn from_codebase(codebase: &Codebase) -> Result<Self> {
        let mut by_name: HashMap<String, Vec<VaultPath>> = HashMap::new();
        for (path, _) in codebase.sources()? {
            by_name.entry(path.name().to_owned()).or_default().push(path);
        }
        Ok(Self { by_name })
    }

    /// The files that a path may refer to: those that share the most parts with it, counted from the end.
    pub fn find_matches(&self, written: &str) -> Vec<PathMatch> {
        if let Some(folded) = self.fold_installed(written) {
            return vec![folded];
        }
        let parts: Vec<&str> = written.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
        let Some(known) = parts.last().and_then(|name| self.by_name.get(*name)) else { return Vec::new() };
        let agreed = |path: &VaultPath| {
            let own: Vec<&str> = path.parts().collect();
            let same = own.iter().rev().zip(parts.iter().rev()).take_while(|(own, part)| own == part).count();
            (same, same == own.len().min(parts.len()))
        };
        let best = known.iter().map(agreed).max();
        let Some((same, is_whole)) = best else { return Vec::new() };
        let fits: Vec<&VaultPath> = known.iter().filter(|path| agreed(path) == (same, is_whole)).collect();
        let is_namesake = same == 1 && !is_whole;
        let is_installed = is_installed(written, same, parts.len());
        if is_installed || fits.len() > MOST || is_namesake && COMMON.contains(parts.last().unwrap_or(&"")) {
            return Vec::new();
        }
        let share = 1.0 / fits.len() as f32;
        fits.into_iter().map(|path| PathMatch { path: path.clone(), share, is_namesake }).collect()
    }
}

impl SourcePaths {
    /// The file of the repository whose installed copy a path names: `site-packages/hive/store.py` is `src/hive/store.py`.
    fn fold_installed(&self, written: &str) -> Option<PathMatch> {
        let folders = ["/site-packages/", "/dist-packages/"];
        let inside =
            folders.iter().find_map(|folder| written.rsplit_once(folder)).map(|(_, inside)| inside)?;
        let (package, _) = inside.split_once('/')?;
        if matches!(package, "src" | "lib" | "tests" | "test") {
            return None;
        }
        let known = self.by_name.get(inside.rsplit('/').next()?)?;
        let is_it = |path: &&VaultPath| {
            let before = path.as_str().strip_suffix(inside);
            before.is_some_and(|before| before.is_empty() || matches!(before, "src/" | "lib/" | "python/"))
        };
        let path = known.iter().find(is_it)?.clone();
        Some(PathMatch { path, share: 1.0, is_namesake: false })
    }
}

/// Whether the part of a path above the match shows that the file is other people's code.
fn is_installed(written: &str, same: usize, of: usize) -> bool {
    let before = of.saturating_sub(same);
    let foreign = written.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    foreign.take(before).any(|part| INSTALLED.contains(&part))
        || SYSTEM.iter().any(|begin| written.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(paths: &[&str]) -> SourcePaths {
        let mut by_name: HashMap<String, Vec<VaultPath>> = HashMap::new();
        for path in paths {
            let path = VaultPath::from_index((*path).to_owned());
            by_name.entry(path.name().to_owned()).or_default().push(path);
        }
        SourcePaths { by_name }
    }

    #[test]
    fn the_longest_part_that_is_the_same_decides() {
        let ours = sources(&["src/a.py", "lib/a.py", "lib/b/a.py", "app/index.js", "only.rs", "x/main.rs"]);
        for (written, wanted) in [
            ("/home/ci/build/src/a.py", "src/a.py"),
            ("C:/work/proj/lib/b/a.py", "lib/b/a.py"),
            ("b/a.py", "lib/b/a.py"),
            ("src/a.py", "src/a.py"),
            ("../src/./a.py", "src/a.py"),
            ("/srv/other/only.rs", "only.rs"),
            ("elsewhere/main.rs", ""),
            ("elsewhere/index.js", ""),
            ("a.py", "src/a.py lib/a.py lib/b/a.py"),
            ("/venv/lib/python3/site-packages/src/a.py", ""),
            ("node_modules/app/index.js", ""),
            ("/usr/lib/python3.12/only.rs", ""),
            ("/home/me/.cargo/registry/src/x-1.0/src/only.rs", ""),
            ("/__w/app/app/src/a.py", "src/a.py"),
            ("nowhere.py", ""),
        ] {
            let found: Vec<String> =
                ours.find_matches(written).iter().map(|fit| fit.path.to_string()).collect();
            assert_eq!(found.join(" "), wanted, "{written}");
        }
        assert!(ours.find_matches("other/only.rs")[0].share == 1.0);
        assert!((ours.find_matches("a.py")[0].share - 1.0 / 3.0).abs() < 1e-6);
        assert!(sources(&["x/only.rs"]).find_matches("/y/only.rs")[0].is_namesake);
    }

    #[test]
    fn an_installed_copy_of_the_package_is_the_package() {
        let ours = sources(&["src/hive/store.py", "hive/cli.py", "other/store.py", "src/a.py"]);
        for (written, wanted) in [
            ("/venv/lib/python3.12/site-packages/hive/store.py", "src/hive/store.py"),
            ("C:/Python/Lib/site-packages/hive/cli.py", "hive/cli.py"),
            ("/usr/lib/python3/dist-packages/hive/store.py", "src/hive/store.py"),
            ("/venv/lib/python3.12/site-packages/store.py", ""),
            ("/venv/lib/python3.12/site-packages/queen/store.py", ""),
            ("/venv/lib/python3.12/site-packages/src/a.py", ""),
        ] {
            let found: Vec<String> =
                ours.find_matches(written).iter().map(|fit| fit.path.to_string()).collect();
            assert_eq!(found.join(" "), wanted, "{written}");
        }
    }
}
