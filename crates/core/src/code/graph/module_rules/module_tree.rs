//! A tree of modules that files declare, as in Rust: which file is which module, and how paths lead through them.

use std::collections::BTreeMap;
use std::sync::Arc;

use wellread_text::{ExprValue, Import, ModuleSystem, SymbolKind};

use super::ModuleRules;
use crate::Result;
use crate::code::graph::files::{GraphFile, NodeKey};
use crate::code::graph::meaning::{Meaning, Module, NameQuery, NameScope, Referent, WantedKind, is_type};
use crate::code::graph::paths::{join_path, parent_folder, stem};
use crate::code::graph::{Certainty, EdgeReason, Graph};

/// The rules for a tree of modules.
pub(super) struct ModuleTree;

impl ModuleRules for ModuleTree {
    fn resolve_import(&self, graph: &Graph<'_>, file: usize, import: &Import) -> Result<Meaning> {
        let path: Vec<String> = import.module.split("::").map(str::to_owned).collect();
        graph.resolve_path(NameScope { file, within: import.within }, &path, WantedKind::Container)
    }

    fn find_beyond_file(
        &self,
        graph: &Graph<'_>,
        _file: &GraphFile,
        scope: NameScope,
        query: NameQuery<'_>,
    ) -> Result<Meaning> {
        graph.resolve_outside_module(scope, query)
    }

    fn resolve_keyword(
        &self,
        graph: &Graph<'_>,
        scope: NameScope,
        before: Option<&Meaning>,
        word: &str,
        _rest: &[String],
    ) -> Result<Option<Meaning>> {
        let own_module = || Ok(Meaning::module(graph.enclosing_module(scope)?));
        match (before, word) {
            (Some(before), "super") => graph.resolve_super_module(before),
            (None, "crate" | "$crate") => {
                Ok(graph.crate_root(scope)?.map_or(Meaning::Unknown, Meaning::module))
            }
            (None, "self") => own_module(),
            (None, "super") => graph.resolve_super_module(&own_module()?),
            (None, "Self") => graph.resolve_value(scope, &ExprValue::Own, WantedKind::Any),
            (None, "std" | "core" | "alloc") => Ok(Meaning::Foreign),
            _ => return Ok(None),
        }
        .map(Some)
    }

    fn is_library_path(&self, graph: &Graph<'_>, file: usize, first: &str, _rest: &[String]) -> bool {
        graph.depends_on(file, first)
    }

    fn find_announced(&self, graph: &Graph<'_>, module: NodeKey) -> Result<Option<Module>> {
        Ok(graph.module_file(module)?.map(Module::File))
    }

    fn find_unannounced(&self, graph: &Graph<'_>, file: usize, query: NameQuery<'_>) -> Result<Meaning> {
        match graph.unannounced_module(file, query.name) {
            Some(below) => Ok(Meaning::module(below)),
            None => graph.find_type_below(file, query),
        }
    }

    fn importer_names(&self, graph: &Graph<'_>, file: usize) -> Vec<String> {
        let crates = graph.crates();
        let own = crates.iter().filter(|(_, root)| **root == file).map(|(name, _)| name.clone());
        own.chain(["crate", "super", "self"].map(str::to_owned)).collect()
    }
}

impl Graph<'_> {
    /// The module that contains the code in this scope.
    fn enclosing_module(&self, scope: NameScope) -> Result<Module> {
        let Some(file) = self.files.read(scope.file)? else { return Ok(Module::File(scope.file)) };
        let mut at = scope.within;
        while let Some(inner) = at {
            let Some(definition) = file.definition(at) else { break };
            if definition.kind == SymbolKind::Module && definition.has_body {
                return Ok(Module::Inline(NodeKey::definition(scope.file, inner)));
            }
            at = definition.parent;
        }
        Ok(Module::File(scope.file))
    }

    /// The file of a module declaration without a body: `mod store;`.
    fn module_file(&self, spot: NodeKey) -> Result<Option<usize>> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(None) };
        let Some(definition) = file.definition(spot.at) else { return Ok(None) };
        let inner = definition.qualified.replace('.', "/");
        Ok(module_folders(file.path.as_str()).iter().find_map(|home| {
            let path = join_path(home, &inner);
            self.files
                .find_path(&format!("{path}.rs"))
                .or_else(|| self.files.find_path(&format!("{path}/mod.rs")))
        }))
    }

    /// The file of a module without a visible declaration; a macro may have declared it.
    fn unannounced_module(&self, file: usize, name: &str) -> Option<Module> {
        let found = module_folders(self.files.path(file).as_str()).iter().find_map(|home| {
            let path = join_path(home, name);
            self.files
                .find_path(&format!("{path}.rs"))
                .or_else(|| self.files.find_path(&format!("{path}/mod.rs")))
        });
        found.filter(|&found| found != file).map(Module::File)
    }

    /// A type that a module may offer without a visible declaration, as a macro may re-export it: the only one with
    /// that name in the files below the module.
    fn find_type_below(&self, file: usize, query: NameQuery<'_>) -> Result<Meaning> {
        let homes = module_folders(self.files.path(file).as_str());
        let is_below = |path: &str| {
            homes
                .iter()
                .any(|home| path.strip_prefix(home.as_str()).is_some_and(|rest| rest.starts_with('/')))
        };
        let mut found = Vec::new();
        for &spot in self.files.find_definitions(query.name)?.iter() {
            let Some(read) = self.files.read(spot.file)? else { continue };
            let is_open = spot.at.is_some_and(|at| read.is_directly_in(at, None) && is_type(read.kind(at)));
            if is_open
                && read.language.names.modules == ModuleSystem::ModuleTree
                && is_below(read.path.as_str())
            {
                found.push(spot);
            }
        }
        let found = self.select_best_fit(found, query)?;
        match found.len() {
            1 => self.to_meaning(found, Certainty::Likely, EdgeReason::UniqueName),
            _ => Ok(Meaning::Unknown),
        }
    }

    /// The parent of the module that `of` refers to.
    fn resolve_super_module(&self, of: &Meaning) -> Result<Meaning> {
        let Meaning::Found(found) = of else { return Ok(of.clone()) };
        match found.things.as_slice() {
            [Referent::Module(module @ (Module::File(_) | Module::Inline(_)))] => {
                Ok(self.parent_module(module)?.map_or(Meaning::Unknown, Meaning::module))
            }
            _ => Ok(Meaning::Unknown),
        }
    }

    /// The parent of a module; `None` for the root of a crate.
    fn parent_module(&self, module: &Module) -> Result<Option<Module>> {
        match module {
            Module::Inline(spot) => {
                let Some(file) = self.files.read(spot.file)? else { return Ok(None) };
                let parent = file.definition(spot.at).and_then(|definition| definition.parent);
                self.enclosing_module(NameScope { file: spot.file, within: parent }).map(Some)
            }
            Module::File(file) => self.parent_module_of_file(*file),
            _ => Ok(None),
        }
    }

    fn parent_module_of_file(&self, file: usize) -> Result<Option<Module>> {
        let path = self.files.path(file);
        let (name, folder) = match path.name() {
            "mod.rs" => (path.folder().rsplit('/').next().unwrap_or_default(), parent_folder(path.folder())),
            "lib.rs" | "main.rs" => return Ok(None),
            _ => (stem(path), path.folder()),
        };
        let parents = ["mod.rs", "lib.rs", "main.rs"].map(|name| join_path(folder, name));
        let parents = parents.into_iter().chain([format!("{folder}.rs")]);
        let parents: Vec<usize> =
            parents.filter_map(|path| self.files.find_path(&path)).filter(|&other| other != file).collect();
        for &other in &parents {
            let Some(read) = self.files.read(other)? else { continue };
            if let Some(&at) = read.definitions_named(name).iter().find(|&&at| {
                read.kind(at) == SymbolKind::Module
                    && self.is_module_file(NodeKey::definition(other, at), file)
            }) {
                let parent = read.definitions()[at].parent;
                return self.enclosing_module(NameScope { file: other, within: parent }).map(Some);
            }
        }
        // No declaration was found; a macro may have made it.
        let is_own = matches!(folder.rsplit('/').next(), Some("bin" | "tests" | "examples" | "benches"));
        Ok(parents.first().filter(|_| !is_own).map(|&other| Module::File(other)))
    }

    fn is_module_file(&self, spot: NodeKey, file: usize) -> bool {
        matches!(self.module_file(spot), Ok(Some(found)) if found == file)
    }

    /// The root module of the crate; `None` if it can't be determined.
    fn crate_root(&self, scope: NameScope) -> Result<Option<Module>> {
        let mut at = self.enclosing_module(scope)?;
        for _ in 0..64 {
            match self.parent_module(&at)? {
                Some(above) => at = above,
                None => break,
            }
        }
        // A file whose module is not declared by its name may be declared by a `path` attribute.
        let begins = match &at {
            Module::File(file) => is_crate_root(self.files.path(*file).as_str()),
            _ => false,
        };
        Ok(begins.then_some(at))
    }

    /// The crates of the repository: the names by which paths refer to them, and their root files.
    fn crates(&self) -> Arc<BTreeMap<String, usize>> {
        if let Some(known) = self.cache.crates.borrow().as_ref() {
            return known.clone();
        }
        let mut crates = BTreeMap::new();
        for root in self
            .files
            .files_with_suffix("src/lib.rs")
            .into_iter()
            .chain(self.files.files_with_suffix("lib.rs"))
        {
            let folder = self.files.path(root).folder();
            let folder =
                if folder.rsplit('/').next() == Some("src") { parent_folder(folder) } else { folder };
            let manifest = self.files.text(&join_path(folder, "Cargo.toml"));
            let manifest = manifest.map(|text| self.files.parse_manifest(&text));
            let name = manifest.as_ref().and_then(|manifest| manifest.package.as_deref());
            let name = name.or_else(|| folder.rsplit('/').next());
            let name = name.unwrap_or_default().replace('-', "_");
            crates.entry(name).or_insert(root);
        }
        let crates = Arc::new(crates);
        *self.cache.crates.borrow_mut() = Some(crates.clone());
        crates
    }

    /// Whether the manifest above a file lists a dependency with this name.
    fn depends_on(&self, file: usize, name: &str) -> bool {
        let own = self.files.path(file).folder();
        if let Some(known) = self.cache.manifests.borrow().get(own) {
            return known.dependencies.contains(name);
        }
        let manifest = self.files.find_text_above(own, "Cargo.toml");
        let manifest = manifest.map_or_else(Arc::default, |(_, text)| self.files.parse_manifest(&text));
        let holds = manifest.dependencies.contains(name);
        self.cache.manifests.borrow_mut().insert(own.to_owned(), manifest);
        holds
    }

    /// What a name refers to that its module neither defines nor imports: a crate, or a macro.
    fn resolve_outside_module(&self, scope: NameScope, query: NameQuery<'_>) -> Result<Meaning> {
        if matches!(query.want, WantedKind::Container | WantedKind::Data | WantedKind::Any)
            && let Some(&root) = self.crates().get(query.name)
            && root != scope.file
        {
            return Ok(Meaning::module(Module::File(root)));
        }
        if query.want != WantedKind::Callee {
            return Ok(Meaning::Unknown);
        }
        // Macros are visible by textual order, and throughout the crate.
        let mut macros = Vec::new();
        for &spot in self.files.find_definitions(query.name)?.iter() {
            let Some(file) = self.files.read(spot.file)? else { continue };
            if file.language.names.modules == ModuleSystem::ModuleTree
                && file.definition(spot.at).is_some_and(|found| found.kind == SymbolKind::Macro)
            {
                macros.push(spot);
            }
        }
        match macros.as_slice() {
            [] => Ok(Meaning::Unknown),
            [one] if one.file == scope.file => {
                Ok(Meaning::single(Referent::Definition(*one), Certainty::Certain, EdgeReason::SameScope))
            }
            [one] => {
                Ok(Meaning::single(Referent::Definition(*one), Certainty::Likely, EdgeReason::UniqueName))
            }
            _ => Ok(Meaning::definitions(macros, Certainty::Likely, EdgeReason::SeveralFit)),
        }
    }
}

/// The folders that may contain the modules that a file declares.
fn module_folders(path: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if matches!(name, "mod.rs" | "lib.rs" | "main.rs") {
        return vec![folder.to_owned()];
    }
    let own = join_path(folder, name.trim_end_matches(".rs"));
    match folder.rsplit('/').next() {
        Some("bin" | "tests" | "examples" | "benches") => vec![folder.to_owned(), own],
        _ => vec![own],
    }
}

fn is_crate_root(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    matches!(name, "lib.rs" | "main.rs" | "build.rs")
        || matches!(folder.rsplit('/').next(), Some("bin" | "tests" | "examples" | "benches"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_of_a_file_stand_beside_it_or_below_its_name() {
        assert_eq!(module_folders("src/lib.rs"), ["src"]);
        assert_eq!(module_folders("src/store.rs"), ["src/store"]);
        assert_eq!(module_folders("src/store/mod.rs"), ["src/store"]);
        assert_eq!(module_folders("tests/it.rs"), ["tests", "tests/it"]);
    }
}
