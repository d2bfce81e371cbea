//! Modules that are files, imported by relative paths without an extension, as in JavaScript: `./util`.

use wellread_text::Import;

use super::ModuleRules;
use crate::Result;
use crate::code::graph::meaning::{Meaning, Module, NameScope};
use crate::code::graph::paths::{join_path, parent_folder, resolve_relative};
use crate::code::graph::{Certainty, EdgeReason, Graph};

/// The rules for modules with relative paths.
pub(super) struct RelativeFiles;

impl ModuleRules for RelativeFiles {
    fn resolve_import(&self, graph: &Graph<'_>, file: usize, import: &Import) -> Result<Meaning> {
        Ok(graph.relative_module(file, &import.module))
    }

    /// `exports` and `module.exports` refer to the file's own definitions.
    fn resolve_keyword(
        &self,
        _graph: &Graph<'_>,
        scope: NameScope,
        before: Option<&Meaning>,
        word: &str,
        rest: &[String],
    ) -> Result<Option<Meaning>> {
        let is_exports = word == "exports" || (word == "module" && rest.is_empty());
        Ok((before.is_none() && is_exports).then(|| Meaning::module(Module::File(scope.file))))
    }
}

impl Graph<'_> {
    /// Resolves a relative path: `./util`, `../lib/index.js`.
    fn relative_module(&self, file: usize, module: &str) -> Meaning {
        let folder = self.files.path(file).folder();
        if module == "." || module == ".." || module.starts_with("./") || module.starts_with("../") {
            let Some(path) = resolve_relative(folder, module) else { return Meaning::Foreign };
            return self
                .file_without_ending(file, &path)
                .map_or(Meaning::Foreign, |found| Meaning::module(Module::File(found)));
        }
        // By convention, these prefixes stand for the source folder.
        let alias = ["@/", "~/", "#/"].iter().find_map(|alias| module.strip_prefix(alias));
        let mut at = folder;
        loop {
            let found = match alias {
                Some(path) => self
                    .file_without_ending(file, &join_path(&join_path(at, "src"), path))
                    .or_else(|| self.file_without_ending(file, &join_path(at, path))),
                None if module.contains('/') => self.file_without_ending(file, &join_path(at, module)),
                None => None,
            };
            if let Some(found) = found {
                return Meaning::module(Module::File(found))
                    .cap_certainty(Certainty::Likely, EdgeReason::Import);
            }
            if at.is_empty() {
                return Meaning::Foreign;
            }
            at = parent_folder(at);
        }
    }

    /// The file at a path that may lack its extension, or the index file of the folder there.
    fn file_without_ending(&self, file: usize, path: &str) -> Option<usize> {
        if let Some(found) = self.files.find_path(path) {
            return Some(found);
        }
        // An import may name the compiled file instead of its source.
        let bare = ["js", "mjs", "cjs", "jsx"]
            .iter()
            .find_map(|ending| path.strip_suffix(ending)?.strip_suffix('.'));
        let language = self.files.language(file);
        let endings = || language.iter().flat_map(|language| language.names.import_endings);
        [Some(path), bare].into_iter().flatten().find_map(|path| {
            let files = endings().map(|ending| format!("{path}.{ending}"));
            let indexes = endings().map(|ending| join_path(path, &format!("index.{ending}")));
            files.chain(indexes).find_map(|path| self.files.find_path(&path))
        })
    }
}
