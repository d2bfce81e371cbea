//! Imports without known rules: resolved to the only file that matches.

use wellread_text::Import;

use super::ModuleRules;
use crate::Result;
use crate::code::graph::meaning::{Meaning, Module};
use crate::code::graph::{Certainty, EdgeReason, Graph};

/// The rules for languages without a known module system.
pub(super) struct FileSuffix;

impl ModuleRules for FileSuffix {
    fn resolve_import(&self, graph: &Graph<'_>, file: usize, import: &Import) -> Result<Meaning> {
        Ok(graph.find_imported_file(file, &import.module))
    }
}

impl Graph<'_> {
    /// The only file of the same extension whose path ends with the imported name.
    fn find_imported_file(&self, file: usize, module: &str) -> Meaning {
        let Some(ending) = self.files.path(file).extension() else { return Meaning::Foreign };
        let path = module.trim_start_matches("./").replace(['.', '\\'], "/");
        let path = path.strip_suffix(&format!("/{ending}")).unwrap_or(&path);
        match self.files.files_with_suffix(&format!("{path}.{ending}")).as_slice() {
            [one] => Meaning::module(Module::File(*one)).cap_certainty(Certainty::Likely, EdgeReason::Import),
            _ => Meaning::Foreign,
        }
    }
}
