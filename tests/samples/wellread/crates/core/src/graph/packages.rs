//! Packages that are folders: those of Go and of Java.

use wellread_text::Language;

use super::files::{File, Spot};
use super::meaning::{Meaning, Module, Scope, Sought};
use super::modules::{above, joined, stem};
use super::{Certainty, Graph, Why};
use crate::Result;

impl Graph<'_> {
    /// What another file of the same package defines.
    pub(super) fn in_package(&self, file: &File, scope: Scope, sought: Sought<'_>) -> Result<Meaning> {
        let own = Module::Folder(file.path.folder().to_owned());
        let found = self.in_folder(&own, sought, Some(scope.file))?;
        Ok(found.by(Why::SamePackage))
    }

    /// What a package defines, in whichever of its files.
    pub(super) fn in_folder(
        &self,
        package: &Module,
        sought: Sought<'_>,
        from: Option<usize>,
    ) -> Result<Meaning> {
        let Module::Folder(folder) = package else { return Ok(Meaning::Unknown) };
        let sees_tests = from.is_some_and(|from| stem(self.files.path(from)).ends_with("_test"));
        let mut found = Vec::new();
        for spot in self.files.defined(sought.name)?.iter() {
            let path = self.files.path(spot.file);
            let is_test = stem(path).ends_with("_test") && path.ending() == Some("go");
            if path.folder() != folder || (is_test && !sees_tests) {
                continue;
            }
            let Some(file) = self.files.read(spot.file)? else { continue };
            let is_open = |at| file.is_right_in(at, None);
            if spot.at.is_some_and(is_open) && file.language != Language::Python {
                found.push(*spot);
            }
        }
        let found = self.fitting(found, sought)?;
        if found.is_empty() {
            return Ok(Meaning::Unknown);
        }
        self.things(found, Certainty::Certain, Why::Import)
    }

    /// A package of Go by the path that it is imported by.
    pub(super) fn go_package(&self, file: usize, module: &str) -> Meaning {
        let mut at = self.files.path(file).folder();
        loop {
            if let Some(manifest) = self.files.text(&joined(at, "go.mod")) {
                let name = manifest.lines().find_map(|line| line.trim().strip_prefix("module "));
                let name = name.map(|name| name.split("//").next().unwrap_or(name).trim().trim_matches('"'));
                let Some(name) = name else { return Meaning::Foreign };
                let below = module.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/'));
                let Some(below) = below else { return Meaning::Foreign };
                let folder = joined(at, below.trim_start_matches('/'));
                return self.folder(folder.trim_end_matches('/'));
            }
            if at.is_empty() {
                break;
            }
            at = above(at);
        }
        // Without a manifest in the scope: the one folder that the path ends with.
        let (mut rest, mut found) = (module, Vec::new());
        while found.is_empty() && !rest.is_empty() {
            found = self.files.folders_ending(rest);
            found.retain(|folder| {
                self.files
                    .in_folder(folder)
                    .iter()
                    .any(|&file| self.files.language(file) == Some(Language::Go))
            });
            rest = rest.split_once('/').map_or("", |(_, rest)| rest);
        }
        match (found.as_slice(), module.contains('/')) {
            ([one], true) => self.folder(one).at_most(Certainty::Likely, Why::Import),
            _ => Meaning::Foreign,
        }
    }

    fn folder(&self, folder: &str) -> Meaning {
        if self.files.in_folder(folder).is_empty() {
            return Meaning::Foreign;
        }
        Meaning::module(Module::Folder(folder.to_owned()))
    }

    /// A package or a class of Java by its full name.
    pub(super) fn java_package(&self, module: &str) -> Result<Meaning> {
        let path = module.trim_end_matches(".*").replace('.', "/");
        let folders = self.files.folders_ending(&path);
        match folders.as_slice() {
            [one] => return Ok(self.folder(one)),
            // The same package in the sources and in the tests.
            [first, ..] => {
                let main = folders.iter().find(|folder| !folder.contains("test")).unwrap_or(first);
                return Ok(self.folder(main));
            }
            [] => {}
        }
        let Some((package, class)) = path.rsplit_once('/') else { return Ok(Meaning::Foreign) };
        let sought = Sought::new(class, super::meaning::Want::Type);
        let package = self.deeper(|| self.java_package(&package.replace('/', ".")))?;
        self.members(&package, sought)
    }

    /// The files that a package's import stands for.
    pub(super) fn package_files(&self, folder: &str) -> Vec<Spot> {
        let files = self.files.in_folder(folder).iter();
        let whole = files.filter(|&&file| !stem(self.files.path(file)).ends_with("_test"));
        whole.map(|&file| Spot::module(file)).collect()
    }
}
