//! Finds definitions by the modules that they are in: `main.run` for `run` in `main.py`, and `pkg.run` where the package
//! hands it on.
//!
//! Nothing but names is compared here; what an import means exactly, the graph knows.

use super::Codebase;
use crate::Result;
use crate::domain::corpus::VaultPath;
use crate::ports::StoredSymbol;

/// The names of files that stand for their folder.
const INDEX: [&str; 4] = ["mod", "index", "__init__", "lib"];
/// Folders whose index is that of the whole package.
const ROOTS: [&str; 3] = ["", "src", "lib"];

/// The names of the modules that a file is in, the outermost first: its folders, and its own name unless it stands for its
/// folder.
pub fn module_names(path: &VaultPath) -> Vec<&str> {
    let mut names: Vec<&str> = path.folder().split('/').filter(|part| !part.is_empty()).collect();
    let stem = path.name().split('.').next().unwrap_or_default();
    if !INDEX.contains(&stem) {
        names.push(stem);
    }
    names
}

impl Codebase {
    /// The definitions that a name with dots means if its first parts are modules. Empty if they are none.
    pub(super) fn find_in_modules(&self, qualified: &str) -> Result<Vec<StoredSymbol>> {
        let parts: Vec<&str> = qualified.split('.').collect();
        let Some(last) = parts.last() else { return Ok(Vec::new()) };
        let defined = self.find_definitions(last)?;
        for at in (1..parts.len()).rev() {
            let (modules, rest) = (&parts[..at], parts[at..].join("."));
            let all = || defined.iter().filter(|symbol| symbol.qualified == rest);
            let own: Vec<StoredSymbol> =
                all().filter(|symbol| self.is_module(&symbol.path, modules)).cloned().collect();
            if !own.is_empty() {
                return Ok(own);
            }
            let handed_on = self.find_handed_on(modules, &parts[at..])?;
            if !handed_on.is_empty() {
                return Ok(handed_on);
            }
            // In some languages all files of a folder are one module.
            let folder = |symbol: &&StoredSymbol| self.ends_with(symbol.path.folder().split('/'), modules);
            let beside: Vec<StoredSymbol> = all().filter(folder).cloned().collect();
            if !beside.is_empty() {
                return Ok(beside);
            }
        }
        Ok(Vec::new())
    }

    /// The definitions that the index of a package hands on from another module of it.
    fn find_handed_on(&self, modules: &[&str], rest: &[&str]) -> Result<Vec<StoredSymbol>> {
        let Some((first, inner)) = rest.split_first() else { return Ok(Vec::new()) };
        let is_index = |path: &VaultPath| {
            let stem = path.name().split('.').next().unwrap_or_default();
            INDEX.contains(&stem)
                && (self.is_module(path, modules)
                    || *modules == [self.own_name()] && ROOTS.contains(&path.folder()))
        };
        let mut found = Vec::new();
        for (path, _) in self.sources()?.into_iter().filter(|(path, _)| is_index(path)) {
            let Some(stored) = self.structure(&path)? else { continue };
            for import in stored.structure.uses.imports.iter().filter(|import| import.within.is_none()) {
                let from = import.module.rsplit(['/', '.', ':']).find(|part| !part.is_empty());
                let name = match import.name.as_deref() {
                    Some("*") => Some(*first),
                    Some(name) if import.known_as.as_deref().unwrap_or(name) == *first => Some(name),
                    _ => None,
                };
                let (Some(name), Some(from)) = (name, from) else { continue };
                let qualified = [&[name], inner].concat().join(".");
                let last = inner.last().copied().unwrap_or(name);
                let mut named = self.find_definitions(last)?;
                named.retain(|symbol| {
                    symbol.qualified == qualified && module_names(&symbol.path).contains(&from)
                });
                found.append(&mut named);
            }
        }
        found.sort_by(|one, other| (&one.path, one.at).cmp(&(&other.path, other.at)));
        found.dedup_by(|one, other| (&one.path, one.at) == (&other.path, other.at));
        Ok(found)
    }

    fn is_module(&self, path: &VaultPath, modules: &[&str]) -> bool {
        self.ends_with(module_names(path).into_iter(), modules)
    }

    /// Whether these folders end with the modules, below a folder with the repository's own name.
    fn ends_with<'a>(&self, folders: impl Iterator<Item = &'a str>, modules: &[&str]) -> bool {
        let folders: Vec<&str> = folders.filter(|part| !part.is_empty()).collect();
        let below = || modules.split_first().filter(|(first, _)| **first == self.own_name());
        folders.ends_with(modules)
            || below().is_some_and(|(_, below)| match below {
                [] => folders.is_empty(),
                below => folders.ends_with(below),
            })
    }

    /// The repository's name without the folders above it.
    fn own_name(&self) -> &str {
        self.name().trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_stands_for_its_folder() {
        for (path, names) in [
            ("src/press/main.py", &["src", "press", "main"][..]),
            ("press/__init__.py", &["press"]),
            ("src/press/mod.rs", &["src", "press"]),
            ("index.d.ts", &[]),
            ("lid.test.ts", &["lid"]),
        ] {
            assert_eq!(module_names(&VaultPath::from_index(path.to_owned())), names, "{path}");
        }
    }
}
