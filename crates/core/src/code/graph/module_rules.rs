//! Resolves imports and paths through modules: one set of rules for each module system.
//!
//! Each language names its module system; the graph asks that system's rules and knows no language.

mod dotted_files;
mod file_suffix;
mod headers;
mod module_tree;
mod packages;
mod relative_files;

use wellread_text::{Import, ModuleSystem};

use super::Graph;
use super::files::{GraphFile, NodeKey};
use super::meaning::{Meaning, Module, NameQuery, NameScope};
use crate::Result;

/// The rules of a module system. The default methods are for systems that have no such rule.
pub(super) trait ModuleRules {
    /// The module that an import names.
    fn resolve_import(&self, graph: &Graph<'_>, file: usize, import: &Import) -> Result<Meaning>;

    /// What a name refers to that its file neither defines nor imports.
    fn find_beyond_file(
        &self,
        _graph: &Graph<'_>,
        _file: &GraphFile,
        _scope: NameScope,
        _query: NameQuery<'_>,
    ) -> Result<Meaning> {
        Ok(Meaning::Unknown)
    }

    /// What a part of a path refers to if it is a keyword, such as `crate`; `None` if it is not. `before` is what the
    /// parts before it refer to, `None` for the first part; `rest` are the parts after it.
    fn resolve_keyword(
        &self,
        _graph: &Graph<'_>,
        _scope: NameScope,
        _before: Option<&Meaning>,
        _word: &str,
        _rest: &[String],
    ) -> Result<Option<Meaning>> {
        Ok(None)
    }

    /// Whether a path whose first part is unknown to the repository leads into a library.
    fn is_library_path(&self, _graph: &Graph<'_>, _file: usize, _first: &str, _rest: &[String]) -> bool {
        false
    }

    /// The module that a module declaration without a body stands for.
    fn find_announced(&self, _graph: &Graph<'_>, _module: NodeKey) -> Result<Option<Module>> {
        Ok(None)
    }

    /// What a file offers although no visible declaration says so.
    fn find_unannounced(&self, _graph: &Graph<'_>, _file: usize, _query: NameQuery<'_>) -> Result<Meaning> {
        Ok(Meaning::Unknown)
    }

    /// The names by which importers refer to a file, besides the file's own.
    fn importer_names(&self, _graph: &Graph<'_>, _file: usize) -> Vec<String> {
        Vec::new()
    }
}

impl Graph<'_> {
    /// The rules for the modules of a file.
    pub(super) fn module_rules(&self, file: usize) -> &'static dyn ModuleRules {
        match self.files.language(file).map_or(ModuleSystem::FileSuffix, |language| language.names.modules) {
            ModuleSystem::FileSuffix => &file_suffix::FileSuffix,
            ModuleSystem::ModuleTree => &module_tree::ModuleTree,
            ModuleSystem::DottedFiles => &dotted_files::DottedFiles,
            ModuleSystem::RelativeFiles => &relative_files::RelativeFiles,
            ModuleSystem::ManifestPackages => &packages::ManifestPackages,
            ModuleSystem::DottedPackages => &packages::DottedPackages,
            ModuleSystem::Headers => &headers::Headers,
        }
    }
}
