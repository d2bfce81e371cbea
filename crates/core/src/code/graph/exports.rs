//! The names that a module offers: a file, a package or a namespace.

use wellread_text::SymbolKind;

use super::files::NodeKey;
use super::meaning::{Meaning, Module, NameQuery, NameScope, has_prototypes, is_callable};
use super::paths::join_path;
use super::{Certainty, EdgeReason, Graph};
use crate::Result;

impl Graph<'_> {
    /// What a module offers under the name of the query.
    pub(super) fn module_member(&self, module: &Module, query: NameQuery<'_>) -> Result<Meaning> {
        match module {
            Module::Folder(folder) => {
                let found = self.find_in_folder(module, query, None)?;
                if found.is_found() {
                    return Ok(found);
                }
                if let Some(below) = self.dotted_submodule(module, query.name) {
                    return Ok(Meaning::module(below));
                }
                // A package below this one.
                let below = join_path(folder, query.name);
                Ok(match self.files.has_folder(&below) {
                    true => Meaning::module(Module::Folder(below)),
                    false => Meaning::Unknown,
                })
            }
            Module::Namespace(namespace) => self.find_in_namespace_anywhere(namespace, query),
            Module::Inline(spot) => self.file_member(spot.file, spot.at, query),
            Module::File(file) => {
                let found = self.file_member(*file, None, query)?;
                if found.is_found() {
                    return Ok(found);
                }
                if let Some(below) = self.dotted_submodule(module, query.name) {
                    return Ok(Meaning::module(below));
                }
                // Only for a name that was asked for: a glob import takes what the module declares, and nothing more.
                if found != Meaning::Unknown || !self.cache.is_complete() {
                    return Ok(found);
                }
                self.module_rules(*file).find_unannounced(self, *file, query)
            }
        }
    }

    /// What a file, or a module in it, offers: its own definitions, then what it re-exports.
    fn file_member(&self, file: usize, within: Option<usize>, query: NameQuery<'_>) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let here =
            read.definitions_named(query.name).iter().copied().filter(|&at| read.is_directly_in(at, within));
        let here: Vec<NodeKey> = here.map(|at| NodeKey::definition(file, at)).collect();
        let fitting = self.select_best_fit(here, query)?;
        if !fitting.is_empty() {
            let meaning = self.to_meaning(fitting, Certainty::Certain, EdgeReason::Import)?;
            return match has_prototypes(read.language) {
                true => self.resolve_prototypes(NameScope { file, within }, meaning),
                false => Ok(meaning),
            };
        }
        let mut foreign = false;
        let imports = || read.uses().imports.iter().enumerate().filter(|(_, import)| import.within == within);
        for (index, import) in imports().filter(|(_, import)| import.known_as.as_deref() == Some(query.name))
        {
            // An export of the file's own names: `export { a as b }`.
            let meaning = match (import.module.is_empty(), import.name.as_deref()) {
                (true, Some(name)) if name != query.name || within.is_none() => {
                    self.lookup(NameScope { file, within }, NameQuery { name, ..query })?
                }
                _ => self.resolve_import(file, index, query)?,
            };
            match meaning {
                Meaning::Found(found) => return Ok(Meaning::Found(found)),
                Meaning::Foreign => foreign = true,
                Meaning::Unknown | Meaning::Handed => {}
            }
        }
        let hands_on =
            |import: &wellread_text::Import| import.handed_on || read.language.names.hands_on_globs;
        for (index, import) in imports() {
            if import.name.as_deref() != Some("*") || import.known_as.is_some() || !hands_on(import) {
                continue;
            }
            match self.resolve_glob_import(file, index, query)? {
                Meaning::Found(found) => return Ok(Meaning::Found(found)),
                Meaning::Foreign => foreign = true,
                Meaning::Unknown | Meaning::Handed => {}
            }
        }
        if query.name == "default" && read.language.names.default_exports {
            return self.default_export(file);
        }
        Ok(if foreign { Meaning::Foreign } else { Meaning::Unknown })
    }

    /// What a script exports as default without a name: the definition named like the file, or the only candidate.
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

    /// What a namespace contains, in any file.
    fn find_in_namespace_anywhere(&self, namespace: &str, query: NameQuery<'_>) -> Result<Meaning> {
        let mut found = Vec::new();
        for &spot in self.files.find_definitions(query.name)?.iter() {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(at) = spot.at else { continue };
            let owner = file.owner_name(at);
            if owner == namespace || owner.ends_with(&format!(".{namespace}")) {
                found.push(spot);
            }
        }
        let found = self.select_best_fit(found, query)?;
        match found.len() {
            0 => Ok(Meaning::Unknown),
            _ => self.to_meaning(found, Certainty::Certain, EdgeReason::Import),
        }
    }
}
