//! What a definition belongs to, which may be in another file.

use wellread_text::SymbolKind;

use super::Graph;
use super::files::{GraphFile, NodeKey};
use super::meaning::{Meaning, NameQuery, NameScope, Referent, WantedKind, has_prototypes, is_type};
use crate::Result;

impl Graph<'_> {
    /// The definition that this one belongs to, otherwise its file.
    pub(super) fn owner(&self, spot: NodeKey) -> Result<Option<NodeKey>> {
        let (Some(file), Some(at)) = (self.files.read(spot.file)?, spot.at) else { return Ok(None) };
        if file.definitions().get(at).is_none() {
            return Ok(None);
        }
        let definition = &file.definitions()[at];
        let enclosing = definition
            .parent
            .map_or(NodeKey::module(spot.file), |parent| NodeKey::definition(spot.file, parent));
        let parent = file.definition(definition.parent).map_or("", |parent| parent.qualified.as_str());
        if file.owner_name(at) == parent {
            return Ok(Some(enclosing));
        }
        Ok(Some(self.owner_elsewhere(spot.file, at)?.unwrap_or(enclosing)))
    }

    /// The type that a definition belongs to although it is not nested in it; `None` if it is nested.
    pub(super) fn owner_elsewhere(&self, file: usize, at: usize) -> Result<Option<NodeKey>> {
        let spot = NodeKey::definition(file, at);
        if let Some(known) = self.cache.owners.borrow().get(&spot) {
            return Ok(*known);
        }
        // A recursive lookup of the same owner finds none.
        self.cache.owners.borrow_mut().insert(spot, None);
        let owner = match self.files.read(file)? {
            Some(read) => self.find_owner(&read, file, at)?,
            None => None,
        };
        if self.cache.is_complete() {
            self.cache.owners.borrow_mut().insert(spot, owner);
        } else {
            self.cache.owners.borrow_mut().remove(&spot);
        }
        Ok(owner)
    }

    fn find_owner(&self, read: &GraphFile, file: usize, at: usize) -> Result<Option<NodeKey>> {
        let definition = &read.definitions()[at];
        let owner = read.owner_name(at);
        let parent = read.definition(definition.parent);
        if owner.is_empty() || parent.is_some_and(|parent| parent.qualified == owner) {
            return Ok(None);
        }
        let is_owner = |found: usize| is_type(read.kind(found)) || read.kind(found) == SymbolKind::Module;
        if let Some(found) = read.find_qualified(owner).filter(|&found| is_owner(found)) {
            return Ok(Some(NodeKey::definition(file, found)));
        }
        let last = owner.rsplit('.').next().unwrap_or(owner);
        if has_prototypes(read.language) {
            return self.find_class(file, owner);
        }
        let scope = NameScope { file, within: definition.parent };
        let meaning = self.lookup(scope, NameQuery::new(last, WantedKind::Type))?;
        let Meaning::Found(found) = meaning else { return Ok(None) };
        Ok(match found.things.as_slice() {
            [Referent::Definition(owner)] => Some(*owner),
            _ => None,
        })
    }

    /// The type that the code in this scope belongs to.
    pub(super) fn enclosing_type(&self, scope: NameScope) -> Result<Option<NodeKey>> {
        let Some(file) = self.files.read(scope.file)? else { return Ok(None) };
        let mut at = scope.within;
        while let Some(inner) = at {
            let Some(definition) = file.definition(at) else { return Ok(None) };
            if is_type(definition.kind) {
                return Ok(Some(NodeKey::definition(scope.file, inner)));
            }
            if let Some(owner) = self.owner_elsewhere(scope.file, inner)? {
                return Ok(Some(owner));
            }
            at = definition.parent;
        }
        Ok(None)
    }
}
