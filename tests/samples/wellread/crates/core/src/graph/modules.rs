//! Which file an import of Python or of a script means, by the rules of the language over the paths alone.

use super::files::Files;
use super::meaning::{Meaning, Module};
use super::{Certainty, Graph, Why, builtin};
use crate::corpus::VaultPath;

/// Where code often begins that is imported from elsewhere.
const ROOTS: [&str; 5] = ["", "src", "lib", "python", "app"];
/// What an import may leave out of a script's name, in the order in which it is looked for.
const ENDINGS: [&str; 10] = ["ts", "tsx", "d.ts", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue"];

impl Graph<'_> {
    /// A module of Python: `a.b`, `.sibling`, `..`.
    pub(super) fn python_module(&self, file: usize, module: &str) -> Meaning {
        let folder = self.files.path(file).folder();
        let dots = module.len() - module.trim_start_matches('.').len();
        let path = module[dots..].replace('.', "/");
        if dots > 0 {
            let mut at = folder;
            for _ in 1..dots {
                at = above(at);
            }
            return self.python_at(at, &path).map_or(Meaning::Foreign, Meaning::module);
        }
        // The folder that the file's own package stands in, then those above it.
        let mut at = folder;
        while !at.is_empty() && self.files.at(&joined(at, "__init__.py")).is_some() {
            at = above(at);
        }
        loop {
            if let Some(found) = self.python_at(at, &path) {
                return Meaning::module(found);
            }
            if at.is_empty() {
                break;
            }
            at = above(at);
        }
        let first = path.split('/').next().unwrap_or_default();
        for root in ROOTS {
            if let Some(found) = self.python_at(root, &path) {
                return Meaning::module(found);
            }
        }
        if builtin::is_python_library(first) {
            return Meaning::Foreign;
        }
        let mut found = self.files.ending(&format!("{path}.py"));
        found.extend(self.files.ending(&format!("{path}/__init__.py")));
        match found.as_slice() {
            [one] => Meaning::module(Module::File(*one)).at_most(Certainty::Likely, Why::UniqueName),
            _ => Meaning::Foreign,
        }
    }

    fn python_at(&self, folder: &str, path: &str) -> Option<Module> {
        if path.is_empty() {
            let package = self.files.at(&joined(folder, "__init__.py")).map(Module::File);
            return package.or_else(|| Some(Module::Folder(folder.to_owned())));
        }
        let whole = joined(folder, path);
        let file = ["/__init__.py", ".py", ".pyi"]
            .iter()
            .find_map(|ending| self.files.at(&format!("{whole}{ending}")));
        file.map(Module::File).or_else(|| self.files.has_folder(&whole).then_some(Module::Folder(whole)))
    }

    /// A module below a package of Python.
    pub(super) fn python_below(&self, package: &Module, name: &str) -> Option<Module> {
        match package {
            Module::Folder(folder) => self.python_at(folder, name),
            Module::File(file) => {
                let path = self.files.path(*file);
                (stem(path) == "__init__").then(|| self.python_at(path.folder(), name))?
            }
            _ => None,
        }
    }

    /// A module of JavaScript or TypeScript: `./util`, `../lib/index.js`.
    pub(super) fn script_module(&self, file: usize, module: &str) -> Meaning {
        let folder = self.files.path(file).folder();
        if module == "." || module == ".." || module.starts_with("./") || module.starts_with("../") {
            let Some(path) = walked(folder, module) else { return Meaning::Foreign };
            return self
                .script_at(&path)
                .map_or(Meaning::Foreign, |found| Meaning::module(Module::File(found)));
        }
        // By a convention, an alias for the folder with the sources.
        let alias = ["@/", "~/", "#/"].iter().find_map(|alias| module.strip_prefix(alias));
        let mut at = folder;
        loop {
            let found = match alias {
                Some(path) => self
                    .script_at(&joined(&joined(at, "src"), path))
                    .or_else(|| self.script_at(&joined(at, path))),
                None if module.contains('/') => self.script_at(&joined(at, module)),
                None => None,
            };
            if let Some(found) = found {
                return Meaning::module(Module::File(found)).at_most(Certainty::Likely, Why::Import);
            }
            if at.is_empty() {
                return Meaning::Foreign;
            }
            at = above(at);
        }
    }

    fn script_at(&self, path: &str) -> Option<usize> {
        if let Some(found) = self.files.at(path) {
            return Some(found);
        }
        // The compiled name of what stands there as a source.
        let bare = ["js", "mjs", "cjs", "jsx"]
            .iter()
            .find_map(|ending| path.strip_suffix(ending)?.strip_suffix('.'));
        [Some(path), bare].into_iter().flatten().find_map(|path| {
            let files = ENDINGS.iter().map(|ending| format!("{path}.{ending}"));
            let indexes = ENDINGS.iter().map(|ending| joined(path, &format!("index.{ending}")));
            files.chain(indexes).find_map(|path| self.files.at(&path))
        })
    }
}

impl Files<'_> {
    /// The name by which others import a file: its own, or its folder's where it speaks for that.
    pub fn imported_as(&self, file: usize) -> &str {
        let path = self.path(file);
        let stem = stem(path);
        let stem = stem.strip_suffix(".d").unwrap_or(stem);
        let speaks = matches!(stem, "__init__" | "index" | "mod");
        match path.folder().rsplit('/').next() {
            Some(folder) if speaks && !folder.is_empty() => folder,
            _ => stem,
        }
    }
}

/// A file's name without its ending.
pub(super) fn stem(path: &VaultPath) -> &str {
    path.name().rsplit_once('.').map_or(path.name(), |(stem, _)| stem)
}

pub(super) fn above(folder: &str) -> &str {
    folder.rsplit_once('/').map_or("", |(above, _)| above)
}

pub(super) fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// A relative path from a folder; none where it leads out of the repository.
pub(super) fn walked(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
