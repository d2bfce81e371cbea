//! Packages that are folders, imported by their path below the module of a manifest, or by a dotted name.

use wellread_text::{Import, ModuleSystem};

use super::ModuleRules;
use crate::Result;
use crate::code::graph::files::{GraphFile, NodeKey};
use crate::code::graph::meaning::{Meaning, Module, NameQuery, NameScope, WantedKind};
use crate::code::graph::paths::{join_path, stem};
use crate::code::graph::{Certainty, EdgeReason, Graph};
use crate::domain::corpus::VaultPath;

/// The manifest that names the module which contains the packages.
const MANIFEST: &str = "go.mod";

/// The rules for packages that are imported by their path below the module that a manifest names, as in Go.
pub(super) struct ManifestPackages;

impl ModuleRules for ManifestPackages {
    fn resolve_import(&self, graph: &Graph<'_>, file: usize, import: &Import) -> Result<Meaning> {
        Ok(graph.manifest_package(file, &import.module))
    }

    fn find_beyond_file(
        &self,
        graph: &Graph<'_>,
        file: &GraphFile,
        scope: NameScope,
        query: NameQuery<'_>,
    ) -> Result<Meaning> {
        graph.find_in_package(file, scope, query)
    }

    /// A package is known by the name of its folder; the one at the root also by the name of the module.
    fn importer_names(&self, graph: &Graph<'_>, file: usize) -> Vec<String> {
        let folder = graph.files.path(file).folder();
        graph.folder_name(file).into_iter().chain(graph.manifest_module(folder)).collect()
    }
}

/// The rules for packages that are imported by a dotted name, as in Java.
pub(super) struct DottedPackages;

impl ModuleRules for DottedPackages {
    fn resolve_import(&self, graph: &Graph<'_>, _file: usize, import: &Import) -> Result<Meaning> {
        graph.dotted_package(&import.module)
    }

    fn find_beyond_file(
        &self,
        graph: &Graph<'_>,
        file: &GraphFile,
        scope: NameScope,
        query: NameQuery<'_>,
    ) -> Result<Meaning> {
        graph.find_in_package(file, scope, query)
    }

    /// In a fully qualified name, such as `com.hive.Store`, packages are in lower case.
    fn is_library_path(&self, graph: &Graph<'_>, file: usize, first: &str, rest: &[String]) -> bool {
        let has_full_names = graph.files.language(file).is_some_and(|language| language.names.full_names);
        let is_package = |part: &str| part.starts_with(char::is_lowercase);
        has_full_names && rest.first().is_some_and(|next| is_package(next) || is_package(first))
    }

    fn importer_names(&self, graph: &Graph<'_>, file: usize) -> Vec<String> {
        graph.folder_name(file).into_iter().collect()
    }
}

impl Graph<'_> {
    /// The name of a file's folder.
    fn folder_name(&self, file: usize) -> Option<String> {
        self.files.path(file).folder().rsplit('/').next().map(str::to_owned)
    }

    /// What another file of the same package defines.
    fn find_in_package(&self, file: &GraphFile, scope: NameScope, query: NameQuery<'_>) -> Result<Meaning> {
        let own = Module::Folder(file.path.folder().to_owned());
        let found = self.find_in_folder(&own, query, Some(scope.file))?;
        Ok(found.with_reason(EdgeReason::SamePackage))
    }

    /// What a package defines, in any of its files. Test files are visible only to `from` if that is one, too.
    pub(in crate::code::graph) fn find_in_folder(
        &self,
        package: &Module,
        query: NameQuery<'_>,
        from: Option<usize>,
    ) -> Result<Meaning> {
        let Module::Folder(folder) = package else { return Ok(Meaning::Unknown) };
        let mut found = Vec::new();
        for spot in self.files.find_definitions(query.name)?.iter() {
            let path = self.files.path(spot.file);
            let tests = self.files.language(spot.file).and_then(|language| language.names.package_tests);
            let is_test = |path: &VaultPath| tests.is_some_and(|tests| stem(path).ends_with(tests));
            let sees_tests = from.is_some_and(|from| is_test(self.files.path(from)));
            if path.folder() != folder || (is_test(path) && !sees_tests) {
                continue;
            }
            let Some(file) = self.files.read(spot.file)? else { continue };
            let is_open = |at| file.is_directly_in(at, None);
            if spot.at.is_some_and(is_open) && file.language.names.modules != ModuleSystem::DottedFiles {
                found.push(*spot);
            }
        }
        let found = self.select_best_fit(found, query)?;
        if found.is_empty() {
            return Ok(Meaning::Unknown);
        }
        self.to_meaning(found, Certainty::Certain, EdgeReason::Import)
    }

    /// The last part of the module name in the nearest manifest above the folder.
    fn manifest_module(&self, folder: &str) -> Option<String> {
        let (_, manifest) = self.files.find_text_above(folder, MANIFEST)?;
        let name = manifest.lines().find_map(|line| line.trim().strip_prefix("module "))?;
        name.trim().rsplit('/').next().map(str::to_owned)
    }

    /// The package with this import path.
    fn manifest_package(&self, file: usize, module: &str) -> Meaning {
        if let Some((root, manifest)) = self.files.find_text_above(self.files.path(file).folder(), MANIFEST) {
            let name = manifest.lines().find_map(|line| line.trim().strip_prefix("module "));
            let name = name.map(|name| name.split("//").next().unwrap_or(name).trim().trim_matches('"'));
            let Some(name) = name else { return Meaning::Foreign };
            let below = module.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            let Some(below) = below else { return Meaning::Foreign };
            let folder = join_path(root, below.trim_start_matches('/'));
            return self.folder_module(folder.trim_end_matches('/'));
        }
        // Without a manifest in the scope: the only folder that the path ends with.
        let (mut rest, mut found) = (module, Vec::new());
        while found.is_empty() && !rest.is_empty() {
            found = self.files.folders_ending(rest);
            found.retain(|folder| {
                let language = self.files.language(file);
                self.files.files_in_folder(folder).iter().any(|&other| self.files.language(other) == language)
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

    /// The package or the class with this fully qualified name.
    fn dotted_package(&self, module: &str) -> Result<Meaning> {
        let path = module.trim_end_matches(".*").replace('.', "/");
        let folders = self.files.folders_ending(&path);
        match folders.as_slice() {
            [one] => return Ok(self.folder_module(one)),
            // The same package may exist in the sources and in the tests.
            [first, ..] => {
                let main = folders.iter().find(|folder| !folder.contains("test")).unwrap_or(first);
                return Ok(self.folder_module(main));
            }
            [] => {}
        }
        let Some((package, class)) = path.rsplit_once('/') else { return Ok(Meaning::Foreign) };
        let query = NameQuery::new(class, WantedKind::Type);
        let package = self.with_depth_limit(|| self.dotted_package(&package.replace('/', ".")))?;
        self.members(&package, query)
    }

    /// The files that an import of a package brings in, without tests.
    pub(in crate::code::graph) fn package_files(&self, folder: &str) -> Vec<NodeKey> {
        let files = self.files.files_in_folder(folder).iter();
        let whole = files.filter(|&&file| !stem(self.files.path(file)).ends_with("_test"));
        whole.map(|&file| NodeKey::module(file)).collect()
    }
}
