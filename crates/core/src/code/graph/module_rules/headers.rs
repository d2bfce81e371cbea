//! Headers and namespaces: what a file sees through its includes.

use std::collections::BTreeSet;
use std::sync::Arc;

use wellread_text::Import;

use super::ModuleRules;
use crate::Result;
use crate::code::graph::files::{GraphFile, NodeKey};
use crate::code::graph::meaning::{
    Meaning, Module, NameQuery, NameScope, Referent, Referents, has_prototypes, is_callable, is_type,
};
use crate::code::graph::paths::{resolve_relative, stem};
use crate::code::graph::{Certainty, EdgeReason, Graph};

/// The most headers that are followed from one file; more than people include.
const MOST_HEADERS: usize = 400;

/// The rules for headers and namespaces, as in C and C++.
pub(super) struct Headers;

impl ModuleRules for Headers {
    fn resolve_import(&self, graph: &Graph<'_>, file: usize, import: &Import) -> Result<Meaning> {
        graph.resolve_include(file, import)
    }

    fn find_beyond_file(
        &self,
        graph: &Graph<'_>,
        file: &GraphFile,
        scope: NameScope,
        query: NameQuery<'_>,
    ) -> Result<Meaning> {
        graph.find_declared(file, scope, query)
    }
}

impl Graph<'_> {
    /// The header that an include refers to, or the namespace that is used.
    fn resolve_include(&self, file: usize, import: &Import) -> Result<Meaning> {
        let module = import.module.as_str();
        if let Some(found) = self.header(file, module) {
            return Ok(Meaning::module(Module::File(found)));
        }
        let is_file = module.contains('.') || module.contains('/');
        if is_file || (import.name.is_none() && import.known_as.is_none()) {
            return Ok(Meaning::Foreign);
        }
        let namespace = module.replace("::", ".");
        if namespace.is_empty()
            || self.files.find_definitions(namespace.rsplit('.').next().unwrap_or(&namespace))?.is_empty()
        {
            return Ok(Meaning::Foreign);
        }
        Ok(Meaning::module(Module::Namespace(namespace)))
    }

    fn header(&self, file: usize, module: &str) -> Option<usize> {
        let folder = self.files.path(file).folder();
        if let Some(found) = resolve_relative(folder, module).and_then(|path| self.files.find_path(&path)) {
            return Some(found);
        }
        let module = module.trim_start_matches("../").trim_start_matches("./");
        let found = self.files.files_with_suffix(module);
        // Of several files, the nearest one.
        let near = |&other: &usize| {
            let other = self.files.path(other).folder();
            let common =
                folder.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count();
            (std::cmp::Reverse(common), other.len())
        };
        found.iter().copied().min_by_key(near).filter(|_| !module.is_empty())
    }

    /// A file and all that it includes, directly or indirectly.
    fn included_files(&self, file: usize) -> Result<Arc<BTreeSet<usize>>> {
        if let Some(known) = self.cache.included.borrow().get(&file) {
            return Ok(known.clone());
        }
        let mut seen = BTreeSet::from([file]);
        let mut open = vec![file];
        while let Some(next) = open.pop() {
            let Some(read) = self.files.read(next)? else { continue };
            for import in &read.uses().imports {
                let header = self.header(next, &import.module);
                if let Some(header) =
                    header.filter(|header| seen.len() < MOST_HEADERS && seen.insert(*header))
                {
                    open.push(header);
                }
            }
        }
        let seen = Arc::new(seen);
        self.cache.included.borrow_mut().insert(file, seen.clone());
        Ok(seen)
    }

    /// What the included files declare under this name, in the namespaces around the use, innermost first.
    fn find_declared(&self, file: &GraphFile, scope: NameScope, query: NameQuery<'_>) -> Result<Meaning> {
        let mut namespace =
            file.definition(scope.within).map_or(String::new(), |inner| inner.qualified.clone());
        loop {
            let meaning = self.find_in_namespace(scope, &namespace, query)?;
            if meaning.is_found() {
                return Ok(meaning);
            }
            if namespace.is_empty() {
                return Ok(Meaning::Unknown);
            }
            namespace = namespace.rsplit_once('.').map_or(String::new(), |(outer, _)| outer.to_owned());
        }
    }

    /// What a namespace contains, visible files first; the empty namespace is the global one.
    fn find_in_namespace(&self, scope: NameScope, namespace: &str, query: NameQuery<'_>) -> Result<Meaning> {
        let seen = self.included_files(scope.file)?;
        let (mut visible, mut elsewhere) = (Vec::new(), Vec::new());
        for &spot in self.files.find_definitions(query.name)?.iter() {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(at) = spot.at else { continue };
            if !has_prototypes(file.language) || file.owner_name(at) != namespace {
                continue;
            }
            if seen.contains(&spot.file) { visible.push(spot) } else { elsewhere.push(spot) }
        }
        let visible = self.select_best_fit(visible, query)?;
        if !visible.is_empty() {
            let meaning = self.to_meaning(visible, Certainty::Certain, EdgeReason::Import)?;
            return self.resolve_prototypes(scope, meaning);
        }
        // The definition may be meant even if no include of it can be seen.
        let elsewhere = self.select_best_fit(elsewhere, query)?;
        let whole = self.prefer_bodies(elsewhere)?;
        match whole.len() {
            0 => Ok(Meaning::Unknown),
            _ => self.to_meaning(whole, Certainty::Likely, EdgeReason::UniqueName),
        }
    }

    /// Only the definitions with a body, if any has one.
    fn prefer_bodies(&self, spots: Vec<NodeKey>) -> Result<Vec<NodeKey>> {
        let mut whole = Vec::new();
        for &spot in &spots {
            let file = self.files.read(spot.file)?;
            if file.is_some_and(|file| file.definition(spot.at).is_some_and(|found| found.has_body)) {
                whole.push(spot);
            }
        }
        Ok(if whole.is_empty() { spots } else { whole })
    }

    /// Replaces prototypes by the functions that they declare.
    pub(in crate::code::graph) fn resolve_prototypes(
        &self,
        scope: NameScope,
        meaning: Meaning,
    ) -> Result<Meaning> {
        let Meaning::Found(found) = meaning else { return Ok(meaning) };
        let (mut things, mut certainty, mut why) = (Vec::new(), found.certainty, found.why);
        for thing in found.things {
            let Referent::Definition(spot) = thing else {
                things.push(thing);
                continue;
            };
            let bodies = self.bodies(scope, spot)?;
            if bodies.len() == 1 && bodies[0] != spot && why == EdgeReason::SameScope {
                why = EdgeReason::Import;
            }
            if bodies.len() > 1 {
                (certainty, why) = (Certainty::Likely, EdgeReason::SeveralFit);
            }
            things.extend(bodies.into_iter().map(Referent::Definition));
        }
        things.dedup();
        Ok(Meaning::Found(Referents { things, certainty, why }))
    }

    /// The definitions that a prototype declares; the definition itself if it has a body, or if none is found.
    fn bodies(&self, scope: NameScope, spot: NodeKey) -> Result<Vec<NodeKey>> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(vec![spot]) };
        let Some(definition) = file.definition(spot.at) else { return Ok(vec![spot]) };
        if definition.has_body || !is_callable(definition.kind) {
            return Ok(vec![spot]);
        }
        let mut bodies = Vec::new();
        for &other in self.files.find_definitions(&definition.name)?.iter() {
            let Some(read) = self.files.read(other.file)? else { continue };
            let Some(found) = read.definition(other.at) else { continue };
            let is_same = found.qualified == definition.qualified && found.has_body;
            let takes_same = definition.takes.is_none()
                || found.takes.is_none()
                || definition.takes.map(|takes| takes.1) == found.takes.map(|takes| takes.1);
            if is_same && takes_same && has_prototypes(read.language) && is_callable(found.kind) {
                bodies.push(other);
            }
        }
        if bodies.len() > 1 {
            // Prefer bodies whose file includes the header; of several, the one whose file is named like it.
            let mut near = Vec::new();
            for &body in &bodies {
                if body.file == scope.file || self.included_files(body.file)?.contains(&spot.file) {
                    near.push(body);
                }
            }
            let own = stem(&file.path);
            let is_like = |near: &&NodeKey| stem(self.files.path(near.file)) == own;
            if near.iter().filter(is_like).count() == 1 && near.len() > 1 {
                near.retain(|near| is_like(&near));
            }
            if !near.is_empty() {
                bodies = near;
            }
        }
        Ok(if bodies.is_empty() { vec![spot] } else { bodies })
    }

    /// The class with this qualified name, for a method that is defined outside of it.
    pub(in crate::code::graph) fn find_class(&self, file: usize, qualified: &str) -> Result<Option<NodeKey>> {
        let name = qualified.rsplit('.').next().unwrap_or(qualified);
        let seen = self.included_files(file)?;
        let mut found: Vec<(bool, bool, NodeKey)> = Vec::new();
        for &spot in self.files.find_definitions(name)?.iter() {
            let Some(read) = self.files.read(spot.file)? else { continue };
            let Some(definition) = read.definition(spot.at) else { continue };
            let exact = definition.qualified == qualified;
            let ends = definition.qualified.ends_with(&format!(".{qualified}"));
            if is_type(definition.kind)
                && definition.has_body
                && has_prototypes(read.language)
                && (exact || ends)
            {
                found.push((!seen.contains(&spot.file), !exact, spot));
            }
        }
        found.sort_unstable();
        Ok(found.first().map(|(.., spot)| *spot))
    }
}
