//! The edges of one node: those that leave it, and those that end in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use wellread_text::{Role, SymbolKind};

use super::files::Spot;
use super::meaning::{Meaning, Module, Sought, Thing, Want, is_callable, is_spread, is_type};
use super::resolve::Landed;
use super::{Certainty, EdgeKind, Graph, Why};
use crate::Result;

/// An edge between spots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub from: Spot,
    pub to: Spot,
    pub kind: EdgeKind,
    /// The file with the line that says so, and the line.
    pub file: usize,
    pub line: usize,
    pub certainty: Certainty,
    pub why: Why,
}

/// A mention that could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Open {
    pub from: Spot,
    pub name: String,
    pub file: usize,
    pub line: usize,
    pub candidates: Vec<Spot>,
    pub why: Why,
}

/// What hangs on a node in one direction.
#[derive(Debug, Clone, Default)]
pub(super) struct Edges {
    pub arcs: Vec<Link>,
    pub open: Vec<Open>,
    /// Files that were not looked through.
    pub left_out: usize,
}

impl Edges {
    /// One edge for each pair and kind, by its surest line; in an order that is always the same.
    fn settled(mut self) -> Self {
        let mut best: BTreeMap<(Spot, Spot, EdgeKind), Link> = BTreeMap::new();
        for arc in self.arcs {
            let key = |arc: &Link| (arc.certainty, arc.file, arc.line, arc.why);
            let known = best.entry((arc.from, arc.to, arc.kind)).or_insert(arc);
            if key(&arc) < key(known) {
                *known = arc;
            }
        }
        self.arcs = best.into_values().collect();
        self.open.sort();
        self.open.dedup();
        self
    }
}

impl Graph<'_> {
    pub(super) fn leaving(&self, spot: Spot, kinds: &[EdgeKind]) -> Result<Edges> {
        let mut edges = Edges::default();
        for kind in kinds {
            match kind {
                EdgeKind::Calls => self.calls(spot, &mut edges)?,
                EdgeKind::Contains => edges.arcs.extend(self.held(spot)?),
                EdgeKind::Imports if spot.at.is_none() => {
                    edges.arcs.extend(self.imports(spot.file)?.iter().copied());
                }
                EdgeKind::Imports => {}
                EdgeKind::Implements => {
                    for built in self.builds_on(spot)? {
                        edges.arcs.push(implements(&built));
                    }
                }
            }
        }
        Ok(edges.settled())
    }

    pub(super) fn arriving(&self, spot: Spot, kinds: &[EdgeKind]) -> Result<Edges> {
        let mut edges = Edges::default();
        for kind in kinds {
            match kind {
                EdgeKind::Calls if spot.at.is_some() => self.callers(spot, &mut edges)?,
                EdgeKind::Calls => {}
                EdgeKind::Contains => {
                    if let Some(owner) = self.owner(spot)? {
                        edges.arcs.extend(self.contains(owner, spot)?);
                    }
                }
                EdgeKind::Imports => {
                    for file in self.users(spot)?.files {
                        edges.arcs.extend(self.imports(file)?.iter().filter(|arc| arc.to == spot).copied());
                    }
                }
                EdgeKind::Implements => {
                    for built in self.heirs(spot)? {
                        edges.arcs.push(implements(&built));
                    }
                }
            }
        }
        Ok(edges.settled())
    }

    /// What a definition runs.
    fn calls(&self, spot: Spot, edges: &mut Edges) -> Result<()> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(()) };
        for &index in file.run_by(spot.at) {
            let mention = &file.uses().mentions[index];
            if !matches!(mention.role, Role::Call | Role::Make | Role::Value) {
                continue;
            }
            let landed = self.landed(spot.file, index)?;
            self.enter(spot.file, index, spot, &landed, None, edges)?;
        }
        Ok(())
    }

    fn callers(&self, spot: Spot, edges: &mut Edges) -> Result<()> {
        let users = self.users(spot)?;
        edges.left_out += users.left_out;
        for (file, index, landed) in self.mentions_of(spot, &users, &[Role::Call, Role::Make, Role::Value])? {
            let Some(read) = self.files.read(file)? else { continue };
            let from = Spot { file, at: read.runner(index) };
            self.enter(file, index, from, &landed, Some(spot), edges)?;
        }
        Ok(())
    }

    /// Puts down what a mention says about calls.
    fn enter(
        &self,
        file: usize,
        index: usize,
        from: Spot,
        landed: &Landed,
        only: Option<Spot>,
        edges: &mut Edges,
    ) -> Result<()> {
        let Some(read) = self.files.read(file)? else { return Ok(()) };
        let mention = &read.uses().mentions[index];
        let open = |candidates: Vec<Spot>, why| super::edges::Open {
            from,
            name: mention.name.clone(),
            file,
            line: mention.line,
            candidates,
            why,
        };
        match landed {
            Landed::On(to, certainty, why) if self.is_call(mention, *to)? => {
                let (certainty, why) = (*certainty, *why);
                edges.arcs.push(Link {
                    from,
                    to: *to,
                    kind: EdgeKind::Calls,
                    file,
                    line: mention.line,
                    certainty,
                    why,
                });
            }
            Landed::On(to, ..) if mention.role == Role::Value && self.can_run(*to)? => {
                edges.open.push(open(vec![*to], Why::HandedOn));
            }
            Landed::Among(spots, why) if matches!(mention.role, Role::Call | Role::Make) => {
                let mut candidates = Vec::new();
                for &spot in spots {
                    if self.is_call(mention, spot)? {
                        candidates.push(spot);
                    }
                }
                if !candidates.is_empty() && only.is_none_or(|only| candidates.contains(&only)) {
                    edges.open.push(open(candidates, *why));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn can_run(&self, spot: Spot) -> Result<bool> {
        let file = self.files.read(spot.file)?;
        Ok(file.is_some_and(|file| file.definition(spot.at).is_some_and(|found| is_callable(found.kind))))
    }

    /// What belongs to a definition, or to a file.
    fn held(&self, spot: Spot) -> Result<Vec<Link>> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(Vec::new()) };
        let mut held = Vec::new();
        for at in 0..file.definitions().len() {
            let inner = Spot::of(spot.file, at);
            if self.owner(inner)? == Some(spot) {
                held.extend(self.contains(spot, inner)?);
            }
        }
        let Some(definition) = file.definition(spot.at) else { return Ok(held) };
        if !is_spread(file.language) || !is_type(definition.kind) {
            return Ok(held);
        }
        // Parts of a type that stand elsewhere: in files that name it, or in its package.
        let mut others: Vec<usize> = self.files.using(&definition.name)?.to_vec();
        others.extend(self.files.in_folder(file.path.folder()));
        others.sort_unstable();
        others.dedup();
        for other in others.into_iter().filter(|&other| other != spot.file) {
            let Some(read) = self.files.read(other)? else { continue };
            for at in 0..read.definitions().len() {
                let owner = read.owner_name(at);
                if owner.rsplit('.').next() == Some(&definition.name)
                    && self.owner(Spot::of(other, at))? == Some(spot)
                {
                    held.extend(self.contains(spot, Spot::of(other, at))?);
                }
            }
        }
        Ok(held)
    }

    fn contains(&self, outer: Spot, inner: Spot) -> Result<Option<Link>> {
        let Some(file) = self.files.read(inner.file)? else { return Ok(None) };
        let Some(definition) = file.definition(inner.at) else { return Ok(None) };
        // A module that is only announced is its file.
        if definition.kind == SymbolKind::Module && !definition.has_body {
            return Ok(None);
        }
        Ok(Some(Link {
            from: outer,
            to: inner,
            kind: EdgeKind::Contains,
            file: inner.file,
            line: definition.lines.0,
            certainty: Certainty::Certain,
            why: Why::SameScope,
        }))
    }

    /// What a file brings in: the files, and of them what is named.
    pub(super) fn imports(&self, file: usize) -> Result<Arc<Vec<Link>>> {
        if let Some(known) = self.memory.imports.borrow().get(&file) {
            return Ok(known.clone());
        }
        let Some(read) = self.files.read(file)? else { return Ok(Arc::default()) };
        let mut arcs = Vec::new();
        for (index, import) in read.uses().imports.iter().enumerate() {
            if import.module.is_empty() {
                continue;
            }
            let module = self.imported_module(file, import)?;
            let mut all = vec![module];
            if import.name.as_deref().is_some_and(|name| name != "*") {
                all.push(self.imported(file, index, Sought::new("", Want::Any))?);
            }
            for meaning in all {
                let Meaning::Found(found) = meaning else { continue };
                for to in found.things.iter().flat_map(|thing| self.import_ends(thing)) {
                    if to == Spot::module(file) {
                        continue;
                    }
                    let (certainty, why) = (found.certainty, Why::Import);
                    arcs.push(Link {
                        from: Spot::module(file),
                        to,
                        kind: EdgeKind::Imports,
                        file,
                        line: import.line,
                        certainty,
                        why,
                    });
                }
            }
        }
        let arcs = Arc::new(arcs);
        self.memory.imports.borrow_mut().insert(file, arcs.clone());
        Ok(arcs)
    }

    fn import_ends(&self, thing: &Thing) -> Vec<Spot> {
        match thing {
            Thing::Module(Module::File(file)) => vec![Spot::module(*file)],
            Thing::Module(Module::Folder(folder)) => self.package_files(folder),
            Thing::Module(Module::Inline(spot)) | Thing::Definition(spot) => vec![*spot],
            Thing::Module(Module::Namespace(_)) | Thing::Value(_) | Thing::Holding(..) => Vec::new(),
        }
    }
}

fn implements(built: &super::bases::Built) -> Link {
    Link {
        from: built.heir,
        to: built.on,
        kind: EdgeKind::Implements,
        file: built.file,
        line: built.line,
        certainty: Certainty::Certain,
        why: Why::DeclaredType,
    }
}
