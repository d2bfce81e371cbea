//! Packages that are folders: those of Go and of Java.

use wellread_text::Language;

use super::files::{GraphFile, NodeKey};
use super::meaning::{Meaning, Module, NameQuery, NameScope};
use super::modules::{join_path, parent_folder, stem};
use super::{Certainty, EdgeReason, Graph};
use crate::Result;

impl Graph<'_> {
    /// What another file of the same package defines.
    pub(super) fn find_in_package(
        &self,
        file: &GraphFile,
        scope: NameScope,
        sought: NameQuery<'_>,
    ) -> Result<Meaning> {
        let own = Module::Folder(file.path.folder().to_owned());
        let found = self.find_in_folder(&own, sought, Some(scope.file))?;
        Ok(found.with_reason(EdgeReason::SamePackage))
    }

    /// What a package defines, in whichever of its files.
    pub(super) fn find_in_folder(
        &self,
        package: &Module,
        sought: NameQuery<'_>,
        from: Option<usize>,
    ) -> Result<Meaning> {
        let Module::Folder(folder) = package else { return Ok(Meaning::Unknown) };
        let sees_tests = from.is_some_and(|from| stem(self.files.path(from)).ends_with("_test"));
        let mut found = Vec::new();
        for spot in self.files.find_definitions(sought.name)?.iter() {
            let path = self.files.path(spot.file);
            let is_test = stem(path).ends_with("_test") && path.extension() == Some("go");
            if path.folder() != folder || (is_test && !sees_tests) {
                continue;
            }
            let Some(file) = self.files.read(spot.file)? else { continue };
            let is_open = |at| file.is_directly_in(at, None);
            if spot.at.is_some_and(is_open) && file.language != Language::Python {
                found.push(*spot);
            }
        }
        let found = self.select_best_fit(found, sought)?;
        if found.is_empty() {
            return Ok(Meaning::Unknown);
        }
        self.to_meaning(found, Certainty::Certain, EdgeReason::Import)
    }

    /// A package of Go by the path that it is imported by.
    pub(super) fn go_package(&self, file: usize, module: &str) -> Meaning {
        let mut at = self.files.path(file).folder();
        loop {
            if let Some(manifest) = self.files.text(&join_path(at, "go.mod")) {
                let name = manifest.lines().find_map(|line| line.trim().strip_prefix("module "));
                let name = name.map(|name| name.split("//").next().unwrap_or(name).trim().trim_matches('"'));
                let Some(name) = name else { return Meaning::Foreign };
                let below = module.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/'));
                let Some(below) = below else { return Meaning::Foreign };
                let folder = join_path(at, below.trim_start_matches('/'));
                return self.folder_module(folder.trim_end_matches('/'));
            }
            if at.is_empty() {
                break;
            }
            at = parent_folder(at);
        }
        // Without a manifest in the scope: the one folder that the path ends with.
        let (mut rest, mut found) = (module, Vec::new());
        while found.is_empty() && !rest.is_empty() {
            found = self.files.folders_ending(rest);
            found.retain(|folder| {
                self.files
                    .files_in_folder(folder)
                    .iter()
                    .any(|&file| self.files.language(file) == Some(Language::Go))
            });
            rest = rest.split_once('/').map_or("", |(_, rest)| rest);
        }
        match (found.as_slice(), module.contains('/')) {
            ([one], true) => self.folder_module(one).cap_certainty(Certainty::Likely, EdgeReason::Import),
            _ => Meaning::Foreign,
        }
    }

    fn folder_module(&self, folder: &str) -> Meaning {
        if self.files.files_in_folder(folder).is_empty() {
            return Meaning::Foreign;
        }
        Meaning::module(Module::Folder(folder.to_owned()))
    }

    /// A package or a class of Java by its full name.
    pub(super) fn java_package(&self, module: &str) -> Result<Meaning> {
        let path = module.trim_end_matches(".*").replace('.', "/");
        let folders = self.files.folders_ending(&path);
        match folders.as_slice() {
            [one] => return Ok(self.folder_module(one)),
            // The same package in the sources and in the tests.
            [first, ..] => {
                let main = folders.iter().find(|folder| !folder.contains("test")).unwrap_or(first);
                return Ok(self.folder_module(main));
            }
            [] => {}
        }
        let Some((package, class)) = path.rsplit_once('/') else { return Ok(Meaning::Foreign) };
        let sought = NameQuery::new(class, super::meaning::WantedKind::Type);
        let package = self.with_depth_limit(|| self.java_package(&package.replace('/', ".")))?;
        self.members(&package, sought)
    }

    /// The files that a package's import stands for.
    pub(super) fn package_files(&self, folder: &str) -> Vec<NodeKey> {
        let files = self.files.files_in_folder(folder).iter();
        let whole = files.filter(|&&file| !stem(self.files.path(file)).ends_with("_test"));
        whole.map(|&file| NodeKey::module(file)).collect()
    }
}
