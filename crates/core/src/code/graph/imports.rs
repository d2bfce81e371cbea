//! Resolves imports.

use wellread_text::Import;

use super::meaning::{Meaning, Module, NameQuery, Referent, WantedKind};
use super::{EdgeReason, Graph};
use crate::Result;

impl Graph<'_> {
    /// What one of a file's imports refers to, whatever its local name is.
    pub(super) fn resolve_import(&self, file: usize, index: usize, query: NameQuery<'_>) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let Some(import) = read.uses().imports.get(index) else { return Ok(Meaning::Unknown) };
        self.with_depth_limit(|| {
            let module = self.resolve_import_module(file, import)?;
            let language = self.files.language(file);
            let has_default = language.is_some_and(|language| language.names.default_exports);
            let binds_first = language.is_some_and(|language| language.names.import_binds_first_part);
            let name = match import.name.as_deref() {
                // `import a.b` binds `a`, through which `a.b` is reached.
                None if import.known_as.as_deref().is_some_and(|known| known != query.name)
                    && binds_first
                    && import.module.split('.').next() == Some(query.name) =>
                {
                    let first = Import { module: query.name.to_owned(), ..import.clone() };
                    return self.resolve_import_module(file, &first);
                }
                // A CommonJS module may export a function or a class as a whole.
                None if has_default && matches!(query.want, WantedKind::Callee | WantedKind::Type) => {
                    "default"
                }
                None => return Ok(module),
                // A glob import under one name stands for the module.
                Some("*") => return Ok(module),
                Some(name) => name,
            };
            let meaning = self.members(&module, NameQuery { name, ..query })?;
            Ok(meaning.with_reason(EdgeReason::Import))
        })
    }

    /// What a module that is imported with a glob offers under this name.
    pub(super) fn resolve_glob_import(
        &self,
        file: usize,
        index: usize,
        query: NameQuery<'_>,
    ) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let Some(import) = read.uses().imports.get(index) else { return Ok(Meaning::Unknown) };
        if !self.cache.globs.borrow_mut().insert((file, index)) {
            return Ok(Meaning::Unknown);
        }
        let meaning = self.with_depth_limit(|| {
            let module = self.resolve_import_module(file, import)?;
            if let Meaning::Found(found) = &module
                && let [Referent::Definition(spot)] = found.things.as_slice()
            {
                return self.type_members(*spot, query);
            }
            self.members(&module, query)
        });
        self.cache.globs.borrow_mut().remove(&(file, index));
        Ok(meaning?.with_reason(EdgeReason::Import))
    }

    /// The module that an import names.
    pub(super) fn resolve_import_module(&self, file: usize, import: &Import) -> Result<Meaning> {
        if import.module.is_empty() {
            return Ok(Meaning::module(Module::File(file)));
        }
        self.module_rules(file).resolve_import(self, file, import)
    }
}
