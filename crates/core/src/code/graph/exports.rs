//! What a module has by a name: a file, a package, a namespace.

use wellread_text::{Language, SymbolKind};

use super::files::NodeKey;
use super::meaning::{LanguageFamily, Meaning, Module, NameQuery, NameScope, is_callable};
use super::{Certainty, EdgeReason, Graph};
use crate::Result;

impl Graph<'_> {
    /// What a module has by that name.
    pub(super) fn module_member(&self, module: &Module, sought: NameQuery<'_>) -> Result<Meaning> {
        match module {
            Module::Folder(folder) => {
                let found = self.find_in_folder(module, sought, None)?;
                if found.is_found() {
                    return Ok(found);
                }
                if let Some(below) = self.python_submodule(module, sought.name) {
                    return Ok(Meaning::module(below));
                }
                // A package below this one, as Java names them.
                let below = super::modules::join_path(folder, sought.name);
                Ok(match self.files.has_folder(&below) {
                    true => Meaning::module(Module::Folder(below)),
                    false => Meaning::Unknown,
                })
            }
            Module::Namespace(namespace) => {
                let meaning = self.find_in_namespace_anywhere(namespace, sought)?;
                Ok(meaning)
            }
            Module::Inline(spot) => self.file_member(spot.file, spot.at, sought),
            Module::File(file) => {
                let found = self.file_member(*file, None, sought)?;
                if found.is_found() {
                    return Ok(found);
                }
                if let Some(below) = self.python_submodule(module, sought.name) {
                    return Ok(Meaning::module(below));
                }
                // Only what is named: who takes all that a module offers takes what it says that it does.
                if found != Meaning::Unknown || !self.memory.is_complete() {
                    return Ok(found);
                }
                match self.rust_submodule(*file, sought.name) {
                    Some(below) => Ok(Meaning::module(below)),
                    None => self.find_type_below(*file, sought),
                }
            }
        }
    }

    /// What a file, or a module in it, offers: its own definitions, then what it hands on.
    fn file_member(&self, file: usize, within: Option<usize>, sought: NameQuery<'_>) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let here =
            read.definitions_named(sought.name).iter().copied().filter(|&at| read.is_directly_in(at, within));
        let here: Vec<NodeKey> = here.map(|at| NodeKey::definition(file, at)).collect();
        let fitting = self.select_best_fit(here, sought)?;
        if !fitting.is_empty() {
            let meaning = self.to_meaning(fitting, Certainty::Certain, EdgeReason::Import)?;
            return match LanguageFamily::from_language(read.language) {
                LanguageFamily::C => self.resolve_prototypes(NameScope { file, within }, meaning),
                _ => Ok(meaning),
            };
        }
        let mut foreign = false;
        let imports = || read.uses().imports.iter().enumerate().filter(|(_, import)| import.within == within);
        for (index, import) in imports().filter(|(_, import)| import.known_as.as_deref() == Some(sought.name))
        {
            // What is said of the file itself: `export { a as b }`.
            let meaning = match (import.module.is_empty(), import.name.as_deref()) {
                (true, Some(name)) if name != sought.name || within.is_none() => {
                    self.lookup(NameScope { file, within }, NameQuery { name, ..sought })?
                }
                _ => self.resolve_import(file, index, sought)?,
            };
            match meaning {
                Meaning::Found(found) => return Ok(Meaning::Found(found)),
                Meaning::Foreign => foreign = true,
                Meaning::Unknown | Meaning::Handed => {}
            }
        }
        let hands_on = |import: &wellread_text::Import| {
            import.handed_on || matches!(read.language, Language::Python | Language::Rust)
        };
        for (index, import) in imports() {
            if import.name.as_deref() != Some("*") || import.known_as.is_some() || !hands_on(import) {
                continue;
            }
            match self.resolve_glob_import(file, index, sought)? {
                Meaning::Found(found) => return Ok(Meaning::Found(found)),
                Meaning::Foreign => foreign = true,
                Meaning::Unknown | Meaning::Handed => {}
            }
        }
        if sought.name == "default" && LanguageFamily::from_language(read.language) == LanguageFamily::Script
        {
            return self.default_export(file);
        }
        Ok(if foreign { Meaning::Foreign } else { Meaning::Unknown })
    }

    /// What a script exports without saying so by a name: the only thing it can be, or what is named like the file.
    fn default_export(&self, file: usize) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let top = (0..read.definitions().len()).filter(|&at| {
            read.is_directly_in(at, None)
                && (is_callable(read.kind(at)) || read.kind(at) == SymbolKind::Class)
        });
        let top: Vec<usize> = top.collect();
        let letters = |name: &str| name.to_lowercase().replace(['-', '_', '.'], "");
        let stem = letters(self.files.import_name(file));
        let like: Vec<usize> =
            top.iter().copied().filter(|&at| letters(&read.definitions()[at].name) == stem).collect();
        Ok(match (like.as_slice(), top.as_slice()) {
            ([one], _) | ([], [one]) => Meaning::definitions(
                vec![NodeKey::definition(file, *one)],
                Certainty::Likely,
                EdgeReason::Import,
            ),
            _ => Meaning::Unknown,
        })
    }

    /// What a namespace holds, in whichever file.
    fn find_in_namespace_anywhere(&self, namespace: &str, sought: NameQuery<'_>) -> Result<Meaning> {
        let mut found = Vec::new();
        for &spot in self.files.find_definitions(sought.name)?.iter() {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(at) = spot.at else { continue };
            let owner = file.owner_name(at);
            if owner == namespace || owner.ends_with(&format!(".{namespace}")) {
                found.push(spot);
            }
        }
        let found = self.select_best_fit(found, sought)?;
        match found.len() {
            0 => Ok(Meaning::Unknown),
            _ => self.to_meaning(found, Certainty::Certain, EdgeReason::Import),
        }
    }
}
