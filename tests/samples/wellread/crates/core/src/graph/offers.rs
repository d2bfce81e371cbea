//! What a module has by a name: a file, a package, a namespace.

use wellread_text::{Language, SymbolKind};

use super::files::Spot;
use super::meaning::{Family, Meaning, Module, Scope, Sought, is_callable};
use super::{Certainty, Graph, Why};
use crate::Result;

impl Graph<'_> {
    /// What a module has by that name.
    pub(super) fn module_member(&self, module: &Module, sought: Sought<'_>) -> Result<Meaning> {
        match module {
            Module::Folder(folder) => {
                let found = self.in_folder(module, sought, None)?;
                if found.is_found() {
                    return Ok(found);
                }
                if let Some(below) = self.python_below(module, sought.name) {
                    return Ok(Meaning::module(below));
                }
                // A package below this one, as Java names them.
                let below = super::modules::joined(folder, sought.name);
                Ok(match self.files.has_folder(&below) {
                    true => Meaning::module(Module::Folder(below)),
                    false => Meaning::Unknown,
                })
            }
            Module::Namespace(namespace) => {
                let meaning = self.in_namespace_anywhere(namespace, sought)?;
                Ok(meaning)
            }
            Module::Inline(spot) => self.file_member(spot.file, spot.at, sought),
            Module::File(file) => {
                let found = self.file_member(*file, None, sought)?;
                if found.is_found() {
                    return Ok(found);
                }
                if let Some(below) = self.python_below(module, sought.name) {
                    return Ok(Meaning::module(below));
                }
                // Only what is named: who takes all that a module offers takes what it says that it does.
                if found != Meaning::Unknown || !self.memory.is_whole() {
                    return Ok(found);
                }
                match self.rust_below(*file, sought.name) {
                    Some(below) => Ok(Meaning::module(below)),
                    None => self.rust_inside(*file, sought),
                }
            }
        }
    }

    /// What a file, or a module in it, offers: its own definitions, then what it hands on.
    fn file_member(&self, file: usize, within: Option<usize>, sought: Sought<'_>) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let here = read.named(sought.name).iter().copied().filter(|&at| read.is_right_in(at, within));
        let here: Vec<Spot> = here.map(|at| Spot::of(file, at)).collect();
        let fitting = self.fitting(here, sought)?;
        if !fitting.is_empty() {
            let meaning = self.things(fitting, Certainty::Certain, Why::Import)?;
            return match Family::of(read.language) {
                Family::C => self.with_body(Scope { file, within }, meaning),
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
                    self.lookup(Scope { file, within }, Sought { name, ..sought })?
                }
                _ => self.imported(file, index, sought)?,
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
            match self.offered(file, index, sought)? {
                Meaning::Found(found) => return Ok(Meaning::Found(found)),
                Meaning::Foreign => foreign = true,
                Meaning::Unknown | Meaning::Handed => {}
            }
        }
        if sought.name == "default" && Family::of(read.language) == Family::Script {
            return self.default_of(file);
        }
        Ok(if foreign { Meaning::Foreign } else { Meaning::Unknown })
    }

    /// What a script exports without saying so by a name: the only thing it can be, or what is named like the file.
    fn default_of(&self, file: usize) -> Result<Meaning> {
        let Some(read) = self.files.read(file)? else { return Ok(Meaning::Unknown) };
        let top = (0..read.definitions().len()).filter(|&at| {
            read.is_right_in(at, None) && (is_callable(read.kind(at)) || read.kind(at) == SymbolKind::Class)
        });
        let top: Vec<usize> = top.collect();
        let letters = |name: &str| name.to_lowercase().replace(['-', '_', '.'], "");
        let stem = letters(self.files.imported_as(file));
        let like: Vec<usize> =
            top.iter().copied().filter(|&at| letters(&read.definitions()[at].name) == stem).collect();
        Ok(match (like.as_slice(), top.as_slice()) {
            ([one], _) | ([], [one]) => {
                Meaning::definitions(vec![Spot::of(file, *one)], Certainty::Likely, Why::Import)
            }
            _ => Meaning::Unknown,
        })
    }

    /// What a namespace holds, in whichever file.
    fn in_namespace_anywhere(&self, namespace: &str, sought: Sought<'_>) -> Result<Meaning> {
        let mut found = Vec::new();
        for &spot in self.files.defined(sought.name)?.iter() {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(at) = spot.at else { continue };
            let owner = file.owner_name(at);
            if owner == namespace || owner.ends_with(&format!(".{namespace}")) {
                found.push(spot);
            }
        }
        let found = self.fitting(found, sought)?;
        match found.len() {
            0 => Ok(Meaning::Unknown),
            _ => self.things(found, Certainty::Certain, Why::Import),
        }
    }
}
