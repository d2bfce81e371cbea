//! What an import brings in.

use wellread_text::{Import, Language};

use super::meaning::{LanguageFamily, Meaning, Module, NameQuery, NameScope, Referent, WantedKind};
use super::{Certainty, EdgeReason, Graph};
use crate::Result;

impl Graph<'_> {
    /// What one of a file's imports names, whatever it is called here.
    pub(super) fn resolve_import(&self, file: usize, index: usize, sought: NameQuery<'_>) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let Some(import) = read.uses().imports.get(index) else { return Ok(Meaning::Unknown) };
        self.with_depth_limit(|| {
            let module = self.resolve_import_module(file, import)?;
            let is_script =
                self.files.language(file).map(LanguageFamily::from_language) == Some(LanguageFamily::Script);
            let name = match import.name.as_deref() {
                // `import a.b` brings in `a`, by which `a.b` is reached.
                None if import.known_as.as_deref().is_some_and(|known| known != sought.name)
                    && self.files.language(file) == Some(Language::Python)
                    && import.module.split('.').next() == Some(sought.name) =>
                {
                    return Ok(self.python_module(file, sought.name));
                }
                // What a script of the older kind exports as a whole can be called.
                None if is_script && matches!(sought.want, WantedKind::Callee | WantedKind::Type) => {
                    "default"
                }
                None => return Ok(module),
                // Everything of a module by one name is the module.
                Some("*") => return Ok(module),
                Some(name) => name,
            };
            let meaning = self.members(&module, NameQuery { name, ..sought })?;
            Ok(meaning.with_reason(EdgeReason::Import))
        })
    }

    /// What a module that is brought in as a whole offers by this name.
    pub(super) fn resolve_glob_import(
        &self,
        file: usize,
        index: usize,
        sought: NameQuery<'_>,
    ) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let Some(import) = read.uses().imports.get(index) else { return Ok(Meaning::Unknown) };
        if !self.memory.globs.borrow_mut().insert((file, index)) {
            return Ok(Meaning::Unknown);
        }
        let meaning = self.with_depth_limit(|| {
            let module = self.resolve_import_module(file, import)?;
            if let Meaning::Found(found) = &module
                && let [Referent::Definition(spot)] = found.things.as_slice()
            {
                return self.type_members(*spot, sought);
            }
            self.members(&module, sought)
        });
        self.memory.globs.borrow_mut().remove(&(file, index));
        Ok(meaning?.with_reason(EdgeReason::Import))
    }

    /// The module that an import names.
    pub(super) fn resolve_import_module(&self, file: usize, import: &Import) -> Result<Meaning> {
        let scope = NameScope { file, within: import.within };
        let module = import.module.as_str();
        if module.is_empty() {
            return Ok(Meaning::module(Module::File(file)));
        }
        match self.files.language(file) {
            Some(Language::Rust) => {
                let path: Vec<String> = module.split("::").map(str::to_owned).collect();
                self.resolve_path(scope, &path, WantedKind::Around)
            }
            Some(Language::Python) => Ok(self.python_module(file, module)),
            Some(Language::JavaScript | Language::TypeScript | Language::Tsx) => {
                Ok(self.script_module(file, module))
            }
            Some(Language::Go) => Ok(self.go_package(file, module)),
            Some(Language::Java | Language::Kotlin | Language::CSharp) => self.java_package(module),
            Some(Language::Cpp | Language::C) => self.resolve_include(file, import),
            _ => Ok(self.find_imported_file(file, module)),
        }
    }

    /// In languages without rules of their own: the one file that the import ends like.
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
