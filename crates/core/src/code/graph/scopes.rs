//! Resolves a plain name: by the definitions around it, by imports, by its package.

use wellread_text::{Definition, SymbolKind};

use super::files::{GraphFile, NodeKey};
use super::meaning::{
    Meaning, Module, NameQuery, NameScope, Referent, WantedKind, accepts_arguments, has_prototypes, is_data,
    is_type, rank,
};
use super::{Certainty, EdgeReason, Graph};
use crate::Result;

/// The deepest nesting of lookups; anything deeper is a cycle.
const DEEPEST: usize = 40;

impl Graph<'_> {
    /// Runs a nested lookup; the result is unknown if lookups are nested too deeply.
    pub(super) fn with_depth_limit(&self, step: impl FnOnce() -> Result<Meaning>) -> Result<Meaning> {
        if self.depth.get() >= DEEPEST {
            return Ok(Meaning::Unknown);
        }
        self.depth.set(self.depth.get() + 1);
        let meaning = step();
        self.depth.set(self.depth.get() - 1);
        meaning
    }

    /// What a plain name refers to in a scope.
    pub(super) fn lookup(&self, scope: NameScope, query: NameQuery<'_>) -> Result<Meaning> {
        self.with_depth_limit(|| self.lookup_in_scopes(scope, query))
    }

    fn lookup_in_scopes(&self, scope: NameScope, query: NameQuery<'_>) -> Result<Meaning> {
        let Some(file) = self.files.read(scope.file)? else { return Ok(Meaning::Unknown) };
        let mut at = scope.within;
        let mut is_innermost = true;
        let mut foreign = false;
        loop {
            let meaning = self.find_defined_in(&file, scope, at, is_innermost, query)?;
            if meaning.is_found() {
                // A variable or a type alias may merely rebind what was imported under that name.
                let imported = match self.is_all_data(&meaning)? {
                    true => self.find_imported(scope.file, at, query, &mut foreign)?,
                    false => None,
                };
                return Ok(imported.unwrap_or(meaning));
            }
            if let Some(meaning) = self.find_imported(scope.file, at, query, &mut foreign)? {
                return Ok(meaning);
            }
            let Some(inner) = at else { break };
            if file.language.names.closed_modules && file.kind(inner) == SymbolKind::Module {
                break;
            }
            is_innermost = false;
            at = file.definitions()[inner].parent;
        }
        let meaning = self.module_rules(scope.file).find_beyond_file(self, &file, scope, query)?;
        if meaning != Meaning::Unknown {
            return Ok(meaning);
        }
        let library = foreign || file.language.names.builtins.contains(query.name);
        Ok(if library { Meaning::Foreign } else { Meaning::Unknown })
    }

    /// What is defined directly in this definition, or directly in the file.
    fn find_defined_in(
        &self,
        file: &GraphFile,
        scope: NameScope,
        at: Option<usize>,
        is_innermost: bool,
        query: NameQuery<'_>,
    ) -> Result<Meaning> {
        let enclosing = file.definition(at);
        let implicit = file.language.names.implicit_this;
        if let Some(enclosing) = enclosing
            && is_type(enclosing.kind)
        {
            if implicit {
                let own = NodeKey { file: scope.file, at };
                let inherited = self.type_members(own, query)?;
                if inherited.is_found() {
                    return Ok(inherited.with_reason(EdgeReason::SameScope));
                }
                // The type's own name is found in the enclosing scope.
                return Ok(Meaning::Unknown);
            }
            // Names in a class body are visible in the body itself, but not in its methods.
            if !(is_innermost && file.language.names.class_body_is_scope) {
                return Ok(Meaning::Unknown);
            }
        }
        // A method that is defined outside its type sees the type's members.
        if implicit
            && let Some(inner) = at
            && enclosing.is_some_and(|enclosing| enclosing.kind == SymbolKind::Method)
            && let Some(owner) = self.owner_elsewhere(scope.file, inner)?
        {
            let inherited = self.type_members(owner, query)?;
            if inherited.is_found() {
                return Ok(inherited.with_reason(EdgeReason::SameScope));
            }
        }
        let is_open = enclosing.is_none_or(|enclosing| enclosing.kind == SymbolKind::Module);
        let here = file.definitions_named(query.name).iter().copied().filter(|&found| {
            file.is_directly_in(found, at) && (is_open || file.definitions()[found].parent == at)
        });
        let here = here.map(|found| NodeKey::definition(scope.file, found)).collect();
        let fitting = self.select_best_fit(here, query)?;
        if fitting.is_empty() {
            return Ok(Meaning::Unknown);
        }
        let meaning = self.to_meaning(fitting, Certainty::Certain, EdgeReason::SameScope)?;
        // A prototype stands for the function, which may be in another file.
        if has_prototypes(file.language) {
            return self.resolve_prototypes(scope, meaning);
        }
        Ok(meaning)
    }

    /// What is imported under a name, by itself or with a glob. A foreign import hides definitions with that name
    /// further out; `foreign` is set if a glob import is foreign.
    fn find_imported(
        &self,
        file: usize,
        within: Option<usize>,
        query: NameQuery<'_>,
        foreign: &mut bool,
    ) -> Result<Option<Meaning>> {
        let Some(read) = self.files.read(file)? else { return Ok(None) };
        let imports = || read.uses().imports.iter().enumerate().filter(|(_, import)| import.within == within);
        let mut hidden = None;
        for (index, import) in imports() {
            // `import a.b` binds `a`, through which `a.b` is reached.
            let first = |known: &str| match import.name {
                None => known.split('.').next() == Some(query.name),
                Some(_) => known == query.name,
            };
            if !import.known_as.as_deref().is_some_and(first) || import.module.is_empty() {
                continue;
            }
            match self.resolve_import(file, index, query)? {
                Meaning::Found(found) => {
                    let meaning = Meaning::Found(found);
                    if self.has_wanted_kind(&meaning, query.want)? {
                        return Ok(Some(meaning));
                    }
                }
                other => hidden = Some(other),
            }
        }
        if hidden.is_some() {
            return Ok(hidden);
        }
        for (index, import) in imports() {
            if import.name.as_deref() != Some("*") || import.known_as.is_some() {
                continue;
            }
            match self.resolve_glob_import(file, index, query)? {
                Meaning::Found(found) => return Ok(Some(Meaning::Found(found))),
                Meaning::Foreign => *foreign = true,
                Meaning::Unknown | Meaning::Handed => {}
            }
        }
        Ok(None)
    }

    /// Converts definitions to things, since a module is more than its definition.
    pub(super) fn to_meaning(
        &self,
        spots: Vec<NodeKey>,
        certainty: Certainty,
        why: EdgeReason,
    ) -> Result<Meaning> {
        let mut things = Vec::new();
        for spot in spots {
            things.push(self.to_referent(spot)?);
        }
        things.dedup();
        Ok(Meaning::Found(super::meaning::Referents { things, certainty, why }))
    }

    pub(super) fn to_referent(&self, spot: NodeKey) -> Result<Referent> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(Referent::Definition(spot)) };
        let Some(definition) = file.definition(spot.at) else {
            return Ok(Referent::Module(Module::File(spot.file)));
        };
        if definition.kind != SymbolKind::Module {
            return Ok(Referent::Definition(spot));
        }
        if file.language.names.namespaces {
            return Ok(Referent::Module(Module::Namespace(definition.qualified.clone())));
        }
        let announced = match definition.has_body {
            true => None,
            false => self.module_rules(spot.file).find_announced(self, spot)?,
        };
        Ok(Referent::Module(announced.unwrap_or(Module::Inline(spot))))
    }

    /// The candidates that fit best: by kind, then by the number of arguments, then those with a body.
    pub(super) fn select_best_fit(&self, spots: Vec<NodeKey>, query: NameQuery<'_>) -> Result<Vec<NodeKey>> {
        let mut ranked = Vec::new();
        for spot in spots {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(definition) = file.definition(spot.at) else { continue };
            if let Some(rank) = rank(definition.kind, query.want, file.language) {
                let fits = accepts_arguments(definition, query.arguments, file.language);
                ranked.push((rank, definition.has_body, fits, spot));
            }
        }
        let best = ranked.iter().map(|(rank, ..)| *rank).min();
        ranked.retain(|(rank, ..)| Some(*rank) == best);
        for wanted in [|one: &(u8, bool, bool, NodeKey)| one.2, |one: &(u8, bool, bool, NodeKey)| one.1] {
            if ranked.len() > 1 && ranked.iter().any(wanted) {
                ranked.retain(wanted);
            }
        }
        Ok(ranked.into_iter().map(|(.., spot)| spot).collect())
    }

    fn is_all_data(&self, meaning: &Meaning) -> Result<bool> {
        let Meaning::Found(found) = meaning else { return Ok(false) };
        for thing in &found.things {
            let Referent::Definition(spot) = thing else { return Ok(false) };
            let file = self.files.read(spot.file)?;
            let holds = |found: &Definition| {
                is_data(found.kind) || (found.kind == SymbolKind::Type && found.gives.is_none())
            };
            if !file.is_some_and(|file| file.definition(spot.at).is_some_and(holds)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether any of the things found is of the wanted kind.
    fn has_wanted_kind(&self, meaning: &Meaning, want: WantedKind) -> Result<bool> {
        let Meaning::Found(found) = meaning else { return Ok(true) };
        for thing in &found.things {
            match thing {
                Referent::Module(_)
                    if matches!(want, WantedKind::Container | WantedKind::Data | WantedKind::Any) =>
                {
                    return Ok(true);
                }
                Referent::Module(_) => {}
                Referent::Value(_) | Referent::Holding(..) => return Ok(true),
                Referent::Definition(spot) => {
                    let Some(file) = self.files.read(spot.file)? else { continue };
                    let Some(definition) = file.definition(spot.at) else { continue };
                    if rank(definition.kind, want, file.language).is_some() {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }
}
