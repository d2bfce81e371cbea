//! Modules that are files and folders, imported by dotted names: `a.b`, `.sibling`, `..`.

use wellread_text::Import;

use super::ModuleRules;
use crate::Result;
use crate::code::graph::meaning::{Meaning, Module};
use crate::code::graph::paths::{join_path, parent_folder, stem};
use crate::code::graph::{Certainty, EdgeReason, Graph};

/// The rules for modules with dotted names, as in Python.
pub(super) struct DottedFiles;

impl ModuleRules for DottedFiles {
    fn resolve_import(&self, graph: &Graph<'_>, file: usize, import: &Import) -> Result<Meaning> {
        Ok(graph.dotted_module(file, &import.module))
    }
}

impl Graph<'_> {
    /// Resolves a dotted name: `a.b`, `.sibling`, `..`.
    fn dotted_module(&self, file: usize, module: &str) -> Meaning {
        let folder = self.files.path(file).folder();
        let dots = module.len() - module.trim_start_matches('.').len();
        let path = module[dots..].replace('.', "/");
        if dots > 0 {
            let mut at = folder;
            for _ in 1..dots {
                at = parent_folder(at);
            }
            return self.dotted_module_at(at, &path).map_or(Meaning::Foreign, Meaning::module);
        }
        // First the folder that contains the file's own package, then those above it.
        let mut at = folder;
        while !at.is_empty() && self.files.find_path(&join_path(at, "__init__.py")).is_some() {
            at = parent_folder(at);
        }
        loop {
            if let Some(found) = self.dotted_module_at(at, &path) {
                return Meaning::module(found);
            }
            if at.is_empty() {
                break;
            }
            at = parent_folder(at);
        }
        let first = path.split('/').next().unwrap_or_default();
        let language = self.files.language(file);
        for root in language.iter().flat_map(|language| language.names.import_roots) {
            if let Some(found) = self.dotted_module_at(root, &path) {
                return Meaning::module(found);
            }
        }
        if language.is_some_and(|language| language.names.library_modules.contains(first)) {
            return Meaning::Foreign;
        }
        let mut found = self.files.files_with_suffix(&format!("{path}.py"));
        found.extend(self.files.files_with_suffix(&format!("{path}/__init__.py")));
        match found.as_slice() {
            [one] => {
                Meaning::module(Module::File(*one)).cap_certainty(Certainty::Likely, EdgeReason::UniqueName)
            }
            _ => Meaning::Foreign,
        }
    }

    fn dotted_module_at(&self, folder: &str, path: &str) -> Option<Module> {
        if path.is_empty() {
            let package = self.files.find_path(&join_path(folder, "__init__.py")).map(Module::File);
            return package.or_else(|| Some(Module::Folder(folder.to_owned())));
        }
        let whole = join_path(folder, path);
        let file = ["/__init__.py", ".py", ".pyi"]
            .iter()
            .find_map(|ending| self.files.find_path(&format!("{whole}{ending}")));
        file.map(Module::File).or_else(|| self.files.has_folder(&whole).then_some(Module::Folder(whole)))
    }

    /// A module directly in a package.
    pub(in crate::code::graph) fn dotted_submodule(&self, package: &Module, name: &str) -> Option<Module> {
        match package {
            Module::Folder(folder) => self.dotted_module_at(folder, name),
            Module::File(file) => {
                let path = self.files.path(*file);
                (stem(path) == "__init__").then(|| self.dotted_module_at(path.folder(), name))?
            }
            _ => None,
        }
    }
}
