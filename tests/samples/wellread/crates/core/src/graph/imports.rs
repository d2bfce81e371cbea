//! What an import brings in.

use wellread_text::{Import, Language};

use super::meaning::{Family, Meaning, Module, Scope, Sought, Thing, Want};
use super::{Certainty, Graph, Why};
use crate::Result;

impl Graph<'_> {
    /// What one of a file's imports names, whatever it is called here.
    pub(super) fn imported(&self, file: usize, index: usize, sought: Sought<'_>) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let Some(import) = read.uses().imports.get(index) else { return Ok(Meaning::Unknown) };
        self.deeper(|| {
            let module = self.imported_module(file, import)?;
            let is_script = self.files.language(file).map(Family::of) == Some(Family::Script);
            let name = match import.name.as_deref() {
                // `import a.b` brings in `a`, by which `a.b` is reached.
                None if import.known_as.as_deref().is_some_and(|known| known != sought.name)
                    && self.files.language(file) == Some(Language::Python)
                    && import.module.split('.').next() == Some(sought.name) =>
                {
                    return Ok(self.python_module(file, sought.name));
                }
                // What a script of the older kind exports as a whole can be called.
                None if is_script && matches!(sought.want, Want::Callee | Want::Type) => "default",
                None => return Ok(module),
                // Everything of a module by one name is the module.
                Some("*") => return Ok(module),
                Some(name) => name,
            };
            let meaning = self.members(&module, Sought { name, ..sought })?;
            Ok(meaning.by(Why::Import))
        })
    }

    /// What a module that is brought in as a whole offers by this name.
    pub(super) fn offered(&self, file: usize, index: usize, sought: Sought<'_>) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let Some(import) = read.uses().imports.get(index) else { return Ok(Meaning::Unknown) };
        if !self.memory.globs.borrow_mut().insert((file, index)) {
            return Ok(Meaning::Unknown);
        }
        let meaning = self.deeper(|| {
            let module = self.imported_module(file, import)?;
            if let Meaning::Found(found) = &module
                && let [Thing::Definition(spot)] = found.things.as_slice()
            {
                return self.members_of(*spot, sought);
            }
            self.members(&module, sought)
        });
        self.memory.globs.borrow_mut().remove(&(file, index));
        Ok(meaning?.by(Why::Import))
    }

    /// The module that an import names.
    pub(super) fn imported_module(&self, file: usize, import: &Import) -> Result<Meaning> {
        let scope = Scope { file, within: import.within };
        let module = import.module.as_str();
        if module.is_empty() {
            return Ok(Meaning::module(Module::File(file)));
        }
        match self.files.language(file) {
            Some(Language::Rust) => {
                let path: Vec<String> = module.split("::").map(str::to_owned).collect();
                self.path(scope, &path, Want::Around)
            }
            Some(Language::Python) => Ok(self.python_module(file, module)),
            Some(Language::JavaScript | Language::TypeScript | Language::Tsx) => {
                Ok(self.script_module(file, module))
            }
            Some(Language::Go) => Ok(self.go_package(file, module)),
            Some(Language::Java | Language::Kotlin | Language::CSharp) => self.java_package(module),
            Some(Language::Cpp | Language::C) => self.header_or_namespace(file, import),
            _ => Ok(self.file_named(file, module)),
        }
    }

    /// In languages without rules of their own: the one file that the import ends like.
    fn file_named(&self, file: usize, module: &str) -> Meaning {
        let Some(ending) = self.files.path(file).ending() else { return Meaning::Foreign };
        let path = module.trim_start_matches("./").replace(['.', '\\'], "/");
        let path = path.strip_suffix(&format!("/{ending}")).unwrap_or(&path);
        match self.files.ending(&format!("{path}.{ending}")).as_slice() {
            [one] => Meaning::module(Module::File(*one)).at_most(Certainty::Likely, Why::Import),
            _ => Meaning::Foreign,
        }
    }
}
