//! The modules of Rust: which file is which, and how a path leads through them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use wellread_text::{Language, SymbolKind};

use super::files::Spot;
use super::meaning::{Meaning, Module, Scope, Sought, Thing, Want, is_type};
use super::modules::{above, joined, stem};
use super::{Certainty, Graph, Why};
use crate::Result;

impl Graph<'_> {
    /// The module that code in this scope belongs to.
    pub(super) fn rust_module(&self, scope: Scope) -> Result<Module> {
        let Some(file) = self.files.read(scope.file)? else { return Ok(Module::File(scope.file)) };
        let mut at = scope.within;
        while let Some(inner) = at {
            let Some(definition) = file.definition(at) else { break };
            if definition.kind == SymbolKind::Module && definition.has_body {
                return Ok(Module::Inline(Spot::of(scope.file, inner)));
            }
            at = definition.parent;
        }
        Ok(Module::File(scope.file))
    }

    /// The file of a module that is only announced: `mod store;`.
    pub(super) fn module_file(&self, spot: Spot) -> Result<Option<usize>> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(None) };
        let Some(definition) = file.definition(spot.at) else { return Ok(None) };
        let inner = definition.qualified.replace('.', "/");
        Ok(homes(file.path.as_str()).iter().find_map(|home| {
            let path = joined(home, &inner);
            self.files.at(&format!("{path}.rs")).or_else(|| self.files.at(&format!("{path}/mod.rs")))
        }))
    }

    /// The file of a module that nothing announces where it can be seen, as a macro may.
    pub(super) fn rust_below(&self, file: usize, name: &str) -> Option<Module> {
        if self.files.language(file) != Some(Language::Rust) {
            return None;
        }
        let found = homes(self.files.path(file).as_str()).iter().find_map(|home| {
            let path = joined(home, name);
            self.files.at(&format!("{path}.rs")).or_else(|| self.files.at(&format!("{path}/mod.rs")))
        });
        found.filter(|&found| found != file).map(Module::File)
    }

    /// The type that a module offers though nothing that can be seen says so, as a macro may: the only one of that name in
    /// the files below it.
    pub(super) fn rust_inside(&self, file: usize, sought: Sought<'_>) -> Result<Meaning> {
        if self.files.language(file) != Some(Language::Rust) {
            return Ok(Meaning::Unknown);
        }
        let homes = homes(self.files.path(file).as_str());
        let is_below = |path: &str| {
            homes
                .iter()
                .any(|home| path.strip_prefix(home.as_str()).is_some_and(|rest| rest.starts_with('/')))
        };
        let mut found = Vec::new();
        for &spot in self.files.defined(sought.name)?.iter() {
            let Some(read) = self.files.read(spot.file)? else { continue };
            let is_open = spot.at.is_some_and(|at| read.is_right_in(at, None) && is_type(read.kind(at)));
            if is_open && read.language == Language::Rust && is_below(read.path.as_str()) {
                found.push(spot);
            }
        }
        let found = self.fitting(found, sought)?;
        match found.len() {
            1 => self.things(found, Certainty::Likely, Why::UniqueName),
            _ => Ok(Meaning::Unknown),
        }
    }

    /// The module around a module; none around a crate.
    pub(super) fn module_above(&self, module: &Module) -> Result<Option<Module>> {
        match module {
            Module::Inline(spot) => {
                let Some(file) = self.files.read(spot.file)? else { return Ok(None) };
                let parent = file.definition(spot.at).and_then(|definition| definition.parent);
                self.rust_module(Scope { file: spot.file, within: parent }).map(Some)
            }
            Module::File(file) => self.file_above(*file),
            _ => Ok(None),
        }
    }

    fn file_above(&self, file: usize) -> Result<Option<Module>> {
        let path = self.files.path(file);
        let (name, folder) = match path.name() {
            "mod.rs" => (path.folder().rsplit('/').next().unwrap_or_default(), above(path.folder())),
            "lib.rs" | "main.rs" => return Ok(None),
            _ => (stem(path), path.folder()),
        };
        let around = ["mod.rs", "lib.rs", "main.rs"].map(|around| joined(folder, around));
        let around = around.into_iter().chain([format!("{folder}.rs")]);
        let around: Vec<usize> =
            around.filter_map(|path| self.files.at(&path)).filter(|&other| other != file).collect();
        for &other in &around {
            let Some(read) = self.files.read(other)? else { continue };
            if let Some(&at) = read
                .named(name)
                .iter()
                .find(|&&at| read.kind(at) == SymbolKind::Module && self.is_file(Spot::of(other, at), file))
            {
                let parent = read.definitions()[at].parent;
                return self.rust_module(Scope { file: other, within: parent }).map(Some);
            }
        }
        // Announced by a macro, perhaps.
        let is_own = matches!(folder.rsplit('/').next(), Some("bin" | "tests" | "examples" | "benches"));
        Ok(around.first().filter(|_| !is_own).map(|&other| Module::File(other)))
    }

    fn is_file(&self, spot: Spot, file: usize) -> bool {
        matches!(self.module_file(spot), Ok(Some(found)) if found == file)
    }

    /// The module that a crate begins with; none where it can't be told which file that is.
    pub(super) fn crate_root(&self, scope: Scope) -> Result<Option<Module>> {
        let mut at = self.rust_module(scope)?;
        for _ in 0..64 {
            match self.module_above(&at)? {
                Some(above) => at = above,
                None => break,
            }
        }
        // A file that nothing announces by its name may be announced by an attribute.
        let begins = match &at {
            Module::File(file) => begins_a_crate(self.files.path(*file).as_str()),
            _ => false,
        };
        Ok(begins.then_some(at))
    }

    /// The crates of the repository, by the names that paths have for them.
    pub(super) fn crates(&self) -> Arc<BTreeMap<String, usize>> {
        if let Some(known) = self.memory.crates.borrow().as_ref() {
            return known.clone();
        }
        let mut crates = BTreeMap::new();
        for root in self.files.ending("src/lib.rs").into_iter().chain(self.files.ending("lib.rs")) {
            let folder = self.files.path(root).folder();
            let folder = if folder.rsplit('/').next() == Some("src") { above(folder) } else { folder };
            let manifest = self.files.text(&joined(folder, "Cargo.toml"));
            let name = manifest.as_deref().and_then(package_name);
            let name = name.or_else(|| folder.rsplit('/').next()).unwrap_or_default().replace('-', "_");
            crates.entry(name).or_insert(root);
        }
        let crates = Arc::new(crates);
        *self.memory.crates.borrow_mut() = Some(crates.clone());
        crates
    }

    /// Whether the manifest above a file names a crate of somebody else's so.
    pub(super) fn depends_on(&self, file: usize, name: &str) -> bool {
        let own = self.files.path(file).folder();
        if let Some(known) = self.memory.dependencies.borrow().get(own) {
            return known.contains(name);
        }
        let mut folder = own;
        let manifest = loop {
            let manifest = self.files.text(&joined(folder, "Cargo.toml"));
            if manifest.is_some() || folder.is_empty() {
                break manifest;
            }
            folder = above(folder);
        };
        let dependencies = manifest.as_deref().map(dependencies).unwrap_or_default();
        let holds = dependencies.contains(name);
        self.memory.dependencies.borrow_mut().insert(own.to_owned(), dependencies);
        holds
    }

    /// What a name means in Rust that nothing in its module defines or brings in: a crate, or a macro.
    pub(super) fn beyond_module(&self, scope: Scope, sought: Sought<'_>) -> Result<Meaning> {
        if matches!(sought.want, Want::Around | Want::Data | Want::Any)
            && let Some(&root) = self.crates().get(sought.name)
            && root != scope.file
        {
            return Ok(Meaning::module(Module::File(root)));
        }
        if sought.want != Want::Callee {
            return Ok(Meaning::Unknown);
        }
        // Macros are seen by the order of the text and through the whole crate.
        let mut macros = Vec::new();
        for &spot in self.files.defined(sought.name)?.iter() {
            let Some(file) = self.files.read(spot.file)? else { continue };
            if file.language == Language::Rust
                && file.definition(spot.at).is_some_and(|found| found.kind == SymbolKind::Macro)
            {
                macros.push(spot);
            }
        }
        match macros.as_slice() {
            [] => Ok(Meaning::Unknown),
            [one] if one.file == scope.file => {
                Ok(Meaning::one(Thing::Definition(*one), Certainty::Certain, Why::SameScope))
            }
            [one] => Ok(Meaning::one(Thing::Definition(*one), Certainty::Likely, Why::UniqueName)),
            _ => Ok(Meaning::definitions(macros, Certainty::Likely, Why::SeveralFit)),
        }
    }
}

/// The folders in which the modules of a file are looked for.
fn homes(path: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if matches!(name, "mod.rs" | "lib.rs" | "main.rs") {
        return vec![folder.to_owned()];
    }
    let own = joined(folder, name.trim_end_matches(".rs"));
    match folder.rsplit('/').next() {
        Some("bin" | "tests" | "examples" | "benches") => vec![folder.to_owned(), own],
        _ => vec![own],
    }
}

fn begins_a_crate(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    matches!(name, "lib.rs" | "main.rs" | "build.rs")
        || matches!(folder.rsplit('/').next(), Some("bin" | "tests" | "examples" | "benches"))
}

/// The names by which code knows what a manifest depends on.
fn dependencies(manifest: &str) -> HashSet<String> {
    let mut inside = false;
    let mut names = HashSet::new();
    for line in manifest.lines().map(str::trim) {
        let name = if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            inside = table.ends_with("dependencies");
            table.rsplit_once("dependencies.").map(|(_, own)| own)
        } else {
            line.split(['=', '.', ' ']).next().filter(|key| inside && !key.is_empty())
        };
        names.extend(name.map(|name| name.trim_matches('"').replace('-', "_")));
    }
    names
}

/// The name of the package that a manifest is of.
fn package_name(manifest: &str) -> Option<&str> {
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == "[package]";
        } else if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == "name"
        {
            return Some(value.split('#').next().unwrap_or(value).trim().trim_matches(['"', '\'']));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_of_a_file_stand_beside_it_or_below_its_name() {
        assert_eq!(homes("src/lib.rs"), ["src"]);
        assert_eq!(homes("src/store.rs"), ["src/store"]);
        assert_eq!(homes("src/store/mod.rs"), ["src/store"]);
        assert_eq!(homes("tests/it.rs"), ["tests", "tests/it"]);
    }

    #[test]
    fn a_package_is_named_in_its_manifest() {
        assert_eq!(
            package_name("[lib]\nname = \"x\"\n[package]\nname = \"wax-core\" # ours\n"),
            Some("wax-core")
        );
        assert_eq!(package_name("[workspace]\nmembers = []\n"), None);
    }

    #[test]
    fn a_manifest_says_which_names_are_those_of_other_crates() {
        let manifest = "[package]\nname = \"wax\"\n[dependencies]\nserde-json.workspace = true\n[dev-dependencies.bees]\npath = \"x\"\n";
        assert_eq!(dependencies(manifest), HashSet::from(["serde_json".to_owned(), "bees".to_owned()]));
    }
}
