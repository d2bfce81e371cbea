//! Matches paths that were written on another machine with the files of the repository.

use std::collections::HashMap;

use wellread_text::{CargoManifest, Language};

use super::installed::InstalledFile;
use crate::Result;
use crate::code::codebase::Codebase;
use crate::domain::corpus::VaultPath;

/// The source files, by name.
pub struct SourcePaths<'a> {
    by_name: HashMap<String, Vec<VaultPath>>,
    /// Whose manifests say what its packages are called; `None` in tests.
    codebase: Option<&'a Codebase>,
}

/// A file that a written path may refer to.
#[derive(Debug, Clone, PartialEq)]
pub struct PathMatch {
    pub path: VaultPath,
    /// The share of the signal that this file gets: less than 1 if several files match.
    pub share: f32,
    /// Whether only the file's name matches, and its folder does not.
    pub is_namesake: bool,
    /// Whether the path is that of a file compiled from this one, whose lines are others.
    pub is_built: bool,
}

impl PathMatch {
    /// The only file that matches.
    pub fn sole(path: VaultPath) -> Self {
        Self { path, share: 1.0, is_namesake: false, is_built: false }
    }
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
/// The same, for folders below folders.
const INSTALLED_BELOW: [&str; 2] = ["registry/src", "git/checkouts"];
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

impl<'a> SourcePaths<'a> {
    pub fn from_codebase(codebase: &'a Codebase) -> Result<Self> {
        let mut by_name: HashMap<String, Vec<VaultPath>> = HashMap::new();
        for (path, _) in codebase.sources()? {
            by_name.entry(path.name().to_owned()).or_default().push(path);
        }
        Ok(Self { by_name, codebase: Some(codebase) })
    }

    /// The files that a path may refer to: those that share the most parts with it, counted from the end.
    pub fn find_matches(&self, written: &str) -> Vec<PathMatch> {
        if let Some(source) = self.fold_installed(written).or_else(|| self.find_source(written)) {
            return vec![source];
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
        let fit = |path: &VaultPath| PathMatch { share, is_namesake, ..PathMatch::sole(path.clone()) };
        fits.into_iter().map(fit).collect()
    }
}

impl SourcePaths<'_> {
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
        Some(PathMatch::sole(path))
    }

    /// The file of the repository that an installed package has a copy of, or one compiled from it.
    fn find_source(&self, written: &str) -> Option<PathMatch> {
        let installed = InstalledFile::parse(written)?;
        let name = installed.inside.rsplit('/').next()?;
        let same = self.by_name.get(name).into_iter().flatten();
        if let Some(path) = self.find_in_package(same, &installed, &installed.inside) {
            return Some(PathMatch::sole(path));
        }
        let source = installed.possible_source()?;
        let language = Language::from_path(name)?;
        let is_related = |path: &&VaultPath| {
            Language::from_path(path.name()).is_some_and(|other| other.is_related_to(language))
        };
        let stem = source.rsplit('/').next()?;
        let named =
            self.by_name.iter().filter(|(name, _)| name.rsplit_once('.').map(|(own, _)| own) == Some(stem));
        let named = named.flat_map(|(_, paths)| paths).filter(is_related);
        let path = self.find_in_package(named, &installed, &source)?;
        Some(PathMatch { is_built: true, ..PathMatch::sole(path) })
    }

    /// The first of the files that is in the package at this path, whose ending may be left out.
    fn find_in_package<'p>(
        &self,
        files: impl Iterator<Item = &'p VaultPath>,
        installed: &InstalledFile,
        inside: &str,
    ) -> Option<VaultPath> {
        let is_it = |path: &&VaultPath| {
            let whole = path.as_str();
            let without_ending = || whole.rsplit_once('.')?.0.strip_suffix(inside);
            let root = whole.strip_suffix(inside).or_else(without_ending);
            let root = root.filter(|root| root.is_empty() || root.ends_with('/') && !installed.is_checkout);
            root.is_some_and(|root| self.is_package(root, &installed.package))
        };
        let mut fits: Vec<&VaultPath> = files.filter(is_it).collect();
        fits.sort();
        fits.first().map(|path| (*path).clone())
    }

    /// Whether the package in a folder of the repository has this name: by its manifest, or if there is none, by the
    /// repository's own name.
    fn is_package(&self, root: &str, name: &str) -> bool {
        let Some(codebase) = self.codebase else { return false };
        let read = |file: &str| {
            let path = codebase.parse_path(&format!("{root}{file}")).ok()?;
            codebase.read(&path).ok().map(|source| source.text)
        };
        let of_script = || {
            let manifest: serde_json::Value = serde_json::from_str(&read("package.json")?).ok()?;
            manifest["name"].as_str().map(str::to_owned)
        };
        let of_crate = || CargoManifest::parse(&read("Cargo.toml")?).package;
        let declared: Vec<String> = [of_script(), of_crate()].into_iter().flatten().collect();
        if !declared.is_empty() {
            return declared.iter().any(|declared| declared.replace('_', "-") == name.replace('_', "-"));
        }
        let own = codebase.name().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        root.is_empty() && name.rsplit('/').next() == Some(own) || read(&format!("{name}.gemspec")).is_some()
    }
}

/// Whether the part of a path above the match shows that the file is other people's code.
fn is_installed(written: &str, same: usize, of: usize) -> bool {
    let before = of.saturating_sub(same);
    let foreign = written.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    let foreign: Vec<&str> = foreign.take(before).collect();
    foreign.iter().any(|part| INSTALLED.contains(part))
        || INSTALLED_BELOW.iter().any(|below| foreign.join("/").contains(below))
        || SYSTEM.iter().any(|begin| written.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(paths: &[&str]) -> SourcePaths<'static> {
        let mut by_name: HashMap<String, Vec<VaultPath>> = HashMap::new();
        for path in paths {
            let path = VaultPath::from_index((*path).to_owned());
            by_name.entry(path.name().to_owned()).or_default().push(path);
        }
        SourcePaths { by_name, codebase: None }
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
