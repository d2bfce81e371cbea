//! What a definition belongs to, where it may stand in another file than that.

use wellread_text::SymbolKind;

use super::Graph;
use super::files::{File, Spot};
use super::meaning::{Family, Meaning, Scope, Sought, Thing, Want, is_type};
use crate::Result;

impl Graph<'_> {
    /// The definition that this one belongs to, or its file.
    pub(super) fn owner(&self, spot: Spot) -> Result<Option<Spot>> {
        let (Some(file), Some(at)) = (self.files.read(spot.file)?, spot.at) else { return Ok(None) };
        if file.definitions().get(at).is_none() {
            return Ok(None);
        }
        let definition = &file.definitions()[at];
        let around = definition.parent.map_or(Spot::module(spot.file), |parent| Spot::of(spot.file, parent));
        let parent = file.definition(definition.parent).map_or("", |parent| parent.qualified.as_str());
        if file.owner_name(at) == parent {
            return Ok(Some(around));
        }
        Ok(Some(self.owner_elsewhere(spot.file, at)?.unwrap_or(around)))
    }

    /// The type that a definition belongs to though it does not stand in it.
    pub(super) fn owner_elsewhere(&self, file: usize, at: usize) -> Result<Option<Spot>> {
        let spot = Spot::of(file, at);
        if let Some(known) = self.memory.owners.borrow().get(&spot) {
            return Ok(*known);
        }
        // Whoever comes back here while it is being found out gets nothing.
        self.memory.owners.borrow_mut().insert(spot, None);
        let owner = match self.files.read(file)? {
            Some(read) => self.found_owner(&read, file, at)?,
            None => None,
        };
        if self.memory.is_whole() {
            self.memory.owners.borrow_mut().insert(spot, owner);
        } else {
            self.memory.owners.borrow_mut().remove(&spot);
        }
        Ok(owner)
    }

    fn found_owner(&self, read: &File, file: usize, at: usize) -> Result<Option<Spot>> {
        let definition = &read.definitions()[at];
        let owner = read.owner_name(at);
        let parent = read.definition(definition.parent);
        if owner.is_empty() || parent.is_some_and(|parent| parent.qualified == owner) {
            return Ok(None);
        }
        let is_owner = |found: usize| is_type(read.kind(found)) || read.kind(found) == SymbolKind::Module;
        if let Some(found) = read.qualified(owner).filter(|&found| is_owner(found)) {
            return Ok(Some(Spot::of(file, found)));
        }
        let last = owner.rsplit('.').next().unwrap_or(owner);
        if Family::of(read.language) == Family::C {
            return self.class_named(file, owner);
        }
        let scope = Scope { file, within: definition.parent };
        let meaning = self.lookup(scope, Sought::new(last, Want::Type))?;
        let Meaning::Found(found) = meaning else { return Ok(None) };
        Ok(match found.things.as_slice() {
            [Thing::Definition(owner)] => Some(*owner),
            _ => None,
        })
    }

    /// The type that code in this scope belongs to.
    pub(super) fn own_type(&self, scope: Scope) -> Result<Option<Spot>> {
        let Some(file) = self.files.read(scope.file)? else { return Ok(None) };
        let mut at = scope.within;
        while let Some(inner) = at {
            let Some(definition) = file.definition(at) else { return Ok(None) };
            if is_type(definition.kind) {
                return Ok(Some(Spot::of(scope.file, inner)));
            }
            if let Some(owner) = self.owner_elsewhere(scope.file, inner)? {
                return Ok(Some(owner));
            }
            at = definition.parent;
        }
        Ok(None)
    }
}
