//! The outgoing and incoming edges of one node.

use std::collections::BTreeMap;
use std::sync::Arc;

use wellread_text::{MentionRole, SymbolKind};

use super::files::NodeKey;
use super::meaning::{Meaning, Module, NameQuery, Referent, WantedKind, is_callable, is_type};
use super::resolve::MentionTarget;
use super::{Certainty, EdgeKind, EdgeReason, Graph};
use crate::Result;

/// An edge between nodes, before it is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RawEdge {
    pub from: NodeKey,
    pub to: NodeKey,
    pub kind: EdgeKind,
    /// The file and the line that state the edge.
    pub file: usize,
    pub line: usize,
    pub certainty: Certainty,
    pub why: EdgeReason,
}

/// A mention that could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UnresolvedMention {
    pub from: NodeKey,
    pub name: String,
    pub file: usize,
    pub line: usize,
    pub candidates: Vec<NodeKey>,
    pub why: EdgeReason,
}

/// The edges of a node in one direction.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeEdges {
    pub arcs: Vec<RawEdge>,
    pub open: Vec<UnresolvedMention>,
    /// The number of files that were not searched.
    pub left_out: usize,
}

impl NodeEdges {
    /// Keeps one edge for each pair of nodes and each kind, the most certain one; the order is deterministic.
    fn into_deduplicated(mut self) -> Self {
        let mut best: BTreeMap<(NodeKey, NodeKey, EdgeKind), RawEdge> = BTreeMap::new();
        for arc in self.arcs {
            let key = |arc: &RawEdge| (arc.certainty, arc.file, arc.line, arc.why);
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
    pub(super) fn outgoing_edges(&self, spot: NodeKey, kinds: &[EdgeKind]) -> Result<NodeEdges> {
        let mut edges = NodeEdges::default();
        for kind in kinds {
            match kind {
                EdgeKind::Calls => self.collect_calls(spot, &mut edges)?,
                EdgeKind::Contains => edges.arcs.extend(self.contained_edges(spot)?),
                EdgeKind::Imports if spot.at.is_none() => {
                    edges.arcs.extend(self.imports(spot.file)?.iter().copied());
                }
                EdgeKind::Imports => {}
                EdgeKind::Implements => {
                    for built in self.declared_bases(spot)? {
                        edges.arcs.push(implements_edge(&built));
                    }
                }
            }
        }
        Ok(edges.into_deduplicated())
    }

    pub(super) fn incoming_edges(&self, spot: NodeKey, kinds: &[EdgeKind]) -> Result<NodeEdges> {
        let mut edges = NodeEdges::default();
        for kind in kinds {
            match kind {
                EdgeKind::Calls if spot.at.is_some() => self.collect_callers(spot, &mut edges)?,
                EdgeKind::Calls => {}
                EdgeKind::Contains => {
                    if let Some(owner) = self.owner(spot)? {
                        edges.arcs.extend(self.contains_edge(owner, spot)?);
                    }
                }
                EdgeKind::Imports => {
                    for file in self.find_usage_files(spot)?.files {
                        edges.arcs.extend(self.imports(file)?.iter().filter(|arc| arc.to == spot).copied());
                    }
                }
                EdgeKind::Implements => {
                    for built in self.heirs(spot)? {
                        edges.arcs.push(implements_edge(&built));
                    }
                }
            }
        }
        Ok(edges.into_deduplicated())
    }

    /// The edges to the constructors of a type: whoever calls them creates a value of it.
    pub(super) fn creation_edges(&self, spot: NodeKey, kinds: &[EdgeKind]) -> Result<NodeEdges> {
        let mut edges = NodeEdges::default();
        if kinds.contains(&EdgeKind::Calls) {
            self.collect_creators(spot, &mut edges)?;
            // The same files were searched for the type.
            edges.left_out = 0;
        }
        Ok(edges.into_deduplicated())
    }

    /// Adds the calls that a definition makes.
    fn collect_calls(&self, spot: NodeKey, edges: &mut NodeEdges) -> Result<()> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(()) };
        for &index in file.mentions_run_by(spot.at) {
            let mention = &file.uses().mentions[index];
            if !matches!(mention.role, MentionRole::Call | MentionRole::Make | MentionRole::Value) {
                continue;
            }
            let landed = self.resolve_mention(spot.file, index)?;
            self.add_call_edges(spot.file, index, spot, &landed, None, edges)?;
        }
        Ok(())
    }

    pub(super) fn collect_callers(&self, spot: NodeKey, edges: &mut NodeEdges) -> Result<()> {
        let users = self.find_usage_files(spot)?;
        edges.left_out += users.left_out;
        for (file, index, landed) in
            self.find_mentions(spot, &users, &[MentionRole::Call, MentionRole::Make, MentionRole::Value])?
        {
            let Some(read) = self.files.read(file)? else { continue };
            let from = NodeKey { file, at: read.runner(index) };
            self.add_call_edges(file, index, from, &landed, Some(spot), edges)?;
        }
        Ok(())
    }

    /// Adds the edge or the unresolved mention for one use; with `only`, unresolved ones only if it is a candidate.
    pub(super) fn add_call_edges(
        &self,
        file: usize,
        index: usize,
        from: NodeKey,
        landed: &MentionTarget,
        only: Option<NodeKey>,
        edges: &mut NodeEdges,
    ) -> Result<()> {
        let Some(read) = self.files.read(file)? else { return Ok(()) };
        let mention = &read.uses().mentions[index];
        let open = |candidates: Vec<NodeKey>, why| super::edges::UnresolvedMention {
            from,
            name: mention.name.clone(),
            file,
            line: mention.line,
            candidates,
            why,
        };
        match landed {
            MentionTarget::On(to, certainty, why) if self.is_call(mention, *to)? => {
                let (certainty, why) = (*certainty, *why);
                edges.arcs.push(RawEdge {
                    from,
                    to: *to,
                    kind: EdgeKind::Calls,
                    file,
                    line: mention.line,
                    certainty,
                    why,
                });
            }
            MentionTarget::On(to, ..) if mention.role == MentionRole::Value && self.can_run(*to)? => {
                edges.open.push(open(vec![*to], EdgeReason::HandedOn));
            }
            MentionTarget::Among(spots, why)
                if matches!(mention.role, MentionRole::Call | MentionRole::Make) =>
            {
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

    fn can_run(&self, spot: NodeKey) -> Result<bool> {
        let file = self.files.read(spot.file)?;
        Ok(file.is_some_and(|file| file.definition(spot.at).is_some_and(|found| is_callable(found.kind))))
    }

    /// The definitions that belong to a definition, or to a file.
    fn contained_edges(&self, spot: NodeKey) -> Result<Vec<RawEdge>> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(Vec::new()) };
        let mut contained = Vec::new();
        for at in 0..file.definitions().len() {
            let inner = NodeKey::definition(spot.file, at);
            if self.owner(inner)? == Some(spot) {
                contained.extend(self.contains_edge(spot, inner)?);
            }
        }
        let Some(definition) = file.definition(spot.at) else { return Ok(contained) };
        if !file.language.names.spread_types || !is_type(definition.kind) {
            return Ok(contained);
        }
        // Members of a type may be in other files: in those that name it, or in its package.
        let mut others: Vec<usize> = self.files.files_using(&definition.name)?.to_vec();
        others.extend(self.files.files_in_folder(file.path.folder()));
        others.sort_unstable();
        others.dedup();
        for other in others.into_iter().filter(|&other| other != spot.file) {
            let Some(read) = self.files.read(other)? else { continue };
            for at in 0..read.definitions().len() {
                let owner = read.owner_name(at);
                if owner.rsplit('.').next() == Some(&definition.name)
                    && self.owner(NodeKey::definition(other, at))? == Some(spot)
                {
                    contained.extend(self.contains_edge(spot, NodeKey::definition(other, at))?);
                }
            }
        }
        Ok(contained)
    }

    fn contains_edge(&self, outer: NodeKey, inner: NodeKey) -> Result<Option<RawEdge>> {
        let Some(file) = self.files.read(inner.file)? else { return Ok(None) };
        let Some(definition) = file.definition(inner.at) else { return Ok(None) };
        // A module declaration without a body stands for its file.
        if definition.kind == SymbolKind::Module && !definition.has_body {
            return Ok(None);
        }
        Ok(Some(RawEdge {
            from: outer,
            to: inner,
            kind: EdgeKind::Contains,
            file: inner.file,
            line: definition.lines.0,
            certainty: Certainty::Certain,
            why: EdgeReason::SameScope,
        }))
    }

    /// The import edges of a file: to the imported files, and to the names imported from them.
    pub(super) fn imports(&self, file: usize) -> Result<Arc<Vec<RawEdge>>> {
        if let Some(known) = self.cache.imports.borrow().get(&file) {
            return Ok(known.clone());
        }
        let Some(read) = self.files.read(file)? else { return Ok(Arc::default()) };
        let mut arcs = Vec::new();
        for (index, import) in read.uses().imports.iter().enumerate() {
            if import.module.is_empty() {
                continue;
            }
            let module = self.resolve_import_module(file, import)?;
            let mut all = vec![module];
            if import.name.as_deref().is_some_and(|name| name != "*") {
                all.push(self.resolve_import(file, index, NameQuery::new("", WantedKind::Any))?);
            }
            for meaning in all {
                let Meaning::Found(found) = meaning else { continue };
                for to in found.things.iter().flat_map(|thing| self.import_targets(thing)) {
                    if to == NodeKey::module(file) {
                        continue;
                    }
                    let (certainty, why) = (found.certainty, EdgeReason::Import);
                    arcs.push(RawEdge {
                        from: NodeKey::module(file),
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
        self.cache.imports.borrow_mut().insert(file, arcs.clone());
        Ok(arcs)
    }

    fn import_targets(&self, thing: &Referent) -> Vec<NodeKey> {
        match thing {
            Referent::Module(Module::File(file)) => vec![NodeKey::module(*file)],
            Referent::Module(Module::Folder(folder)) => self.package_files(folder),
            Referent::Module(Module::Inline(spot)) | Referent::Definition(spot) => vec![*spot],
            Referent::Module(Module::Namespace(_)) | Referent::Value(_) | Referent::Holding(..) => Vec::new(),
        }
    }
}

fn implements_edge(built: &super::bases::InheritanceEdge) -> RawEdge {
    RawEdge {
        from: built.heir,
        to: built.on,
        kind: EdgeKind::Implements,
        file: built.file,
        line: built.line,
        certainty: Certainty::Certain,
        why: EdgeReason::DeclaredType,
    }
}
