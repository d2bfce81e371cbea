//! Resolves members of modules, types and values.

use wellread_text::SymbolKind;

use super::files::NodeKey;
use super::meaning::{Meaning, NameQuery, Referent, Referents, WantedKind, is_callable, is_data, is_type};
use super::{Certainty, EdgeReason, Graph, builtin};
use crate::Result;

/// With more definitions of one name than this, a member counts as overridden without checking each of them.
const MANY: usize = 60;

impl Graph<'_> {
    /// What any of these has under the name of the query.
    pub(super) fn members(&self, of: &Meaning, query: NameQuery<'_>) -> Result<Meaning> {
        let Meaning::Found(found) = of else { return Ok(of.clone()) };
        let mut all: Option<Referents> = None;
        let mut rest = Meaning::Foreign;
        for thing in &found.things {
            match self.with_depth_limit(|| self.member(thing, query))? {
                Meaning::Found(one) => match &mut all {
                    None => all = Some(one),
                    Some(all) => {
                        for thing in one.things {
                            if !all.things.contains(&thing) {
                                all.things.push(thing);
                            }
                        }
                        all.certainty = all.certainty.max(one.certainty);
                    }
                },
                Meaning::Foreign => {}
                other => rest = other,
            }
        }
        Ok(match all {
            Some(all) => Meaning::Found(all).cap_certainty(found.certainty, found.why),
            None => rest,
        })
    }

    fn member(&self, of: &Referent, query: NameQuery<'_>) -> Result<Meaning> {
        match of {
            Referent::Module(module) => self.module_member(module, query),
            Referent::Value(spot) => self.type_members(*spot, query),
            Referent::Holding(..) => Ok(Meaning::Foreign),
            Referent::Definition(spot) => {
                let Some(file) = self.files.read(spot.file)? else { return Ok(Meaning::Unknown) };
                let Some(definition) = file.definition(spot.at) else { return Ok(Meaning::Unknown) };
                match definition.kind {
                    kind if is_type(kind) => self.type_members(*spot, query),
                    kind => {
                        // Definitions nested in it: properties of an object literal, functions in a function.
                        let own = format!("{}.{}", definition.qualified, query.name);
                        if let Some(at) = file.find_qualified(&own) {
                            let own = vec![NodeKey::definition(spot.file, at)];
                            return Ok(Meaning::definitions(own, Certainty::Certain, EdgeReason::SameScope));
                        }
                        // A variable, or a property that is written as a method: look at its type.
                        match is_data(kind) || kind == SymbolKind::Method {
                            true => self.members(&self.result_type(*spot)?, query),
                            false => Ok(Meaning::Unknown),
                        }
                    }
                }
            }
        }
    }

    /// What a type has under that name, of its own or inherited.
    pub(super) fn type_members(&self, of: NodeKey, query: NameQuery<'_>) -> Result<Meaning> {
        let line = self.lineage(of)?;
        let mut foreign = false;
        for (depth, ancestor) in line.iter().enumerate() {
            let Some(ancestor) = ancestor else {
                foreign = true;
                continue;
            };
            let mut own = self.own_members(*ancestor, query.name)?;
            if query.want != WantedKind::Any {
                // A constructor that is named like its class is not a member with that name.
                own = self.drop_constructors(own)?;
            }
            let own = self.select_best_fit(own, query)?;
            if own.is_empty() {
                continue;
            }
            let why = if depth == 0 { EdgeReason::DeclaredType } else { EdgeReason::Inherited };
            let certainty = if foreign { Certainty::Likely } else { Certainty::Certain };
            let meaning = self.to_meaning(own.clone(), certainty, why)?;
            if own.len() == 1 && self.is_overridden(of, own[0], query.name)? {
                return Ok(meaning.cap_certainty(Certainty::Likely, EdgeReason::Overridden));
            }
            return Ok(meaning);
        }
        let language = self.files.language(of.file);
        if language.is_some_and(|language| language.names.embedding)
            && let Some(part) = self.find_embedded(&line, query.name)?
        {
            return Ok(Meaning::single(Referent::Value(part), Certainty::Certain, EdgeReason::DeclaredType));
        }
        if language.is_some_and(|language| language.names.open_traits) && query.want != WantedKind::Type {
            let traits = self.trait_members(of, query)?;
            if traits.is_found() {
                return Ok(traits);
            }
        }
        let common = language.is_none_or(|language| builtin::is_common(language, query.name));
        Ok(if foreign || common { Meaning::Foreign } else { Meaning::Unknown })
    }

    /// The embedded type with this name, which is reached like a field.
    fn find_embedded(&self, line: &[Option<NodeKey>], name: &str) -> Result<Option<NodeKey>> {
        for part in line.iter().skip(1).copied().flatten() {
            let file = self.files.read(part.file)?;
            if file.is_some_and(|file| file.definition(part.at).is_some_and(|found| found.name == name)) {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    fn drop_constructors(&self, spots: Vec<NodeKey>) -> Result<Vec<NodeKey>> {
        let mut kept = Vec::new();
        for spot in spots {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let named_so = builtin::constructor_name(file.language).is_none();
            let makes = |found| named_so && builtin::is_constructor(file.language, found);
            if !file.definition(spot.at).is_some_and(makes) {
                kept.push(spot);
            }
        }
        Ok(kept)
    }

    /// The members that a type declares itself under that name, in any file.
    pub(super) fn own_members(&self, of: NodeKey, name: &str) -> Result<Vec<NodeKey>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(Vec::new()) };
        let Some(definition) = file.definition(of.at) else { return Ok(Vec::new()) };
        let here = file
            .definitions_named(name)
            .iter()
            .copied()
            .filter(|&at| file.owner_name(at) == definition.qualified);
        let mut members: Vec<NodeKey> = here.map(|at| NodeKey::definition(of.file, at)).collect();
        if file.language.names.spread_types {
            for &spot in self.files.find_definitions(name)?.iter().filter(|spot| spot.file != of.file) {
                let (Some(other), Some(at)) = (self.files.read(spot.file)?, spot.at) else { continue };
                let owner = other.owner_name(at);
                if owner.rsplit('.').next() == Some(&definition.name) && self.owner(spot)? == Some(of) {
                    members.push(spot);
                }
            }
        }
        Ok(members)
    }

    /// Methods that a type gets from traits that it implements.
    fn trait_members(&self, of: NodeKey, query: NameQuery<'_>) -> Result<Meaning> {
        let found = self.select_best_fit(self.trait_definitions(of, query.name)?, query)?;
        match found.len() {
            0 => Ok(Meaning::Unknown),
            _ => self.to_meaning(found, Certainty::Certain, EdgeReason::Inherited),
        }
    }

    /// What the traits that a type implements define under a name.
    pub(super) fn trait_definitions(&self, of: NodeKey, name: &str) -> Result<Vec<NodeKey>> {
        let mut found = Vec::new();
        for &spot in self.files.find_definitions(name)?.iter() {
            let Some(owner) = self.owner(spot)? else { continue };
            let Some(file) = self.files.read(owner.file)? else { continue };
            let is_trait = file.definition(owner.at).is_some_and(|owner| owner.kind == SymbolKind::Trait);
            if is_trait && self.implements_trait(of, owner)? {
                found.push(spot);
            }
        }
        Ok(found)
    }

    /// Whether a type that inherits from this one overrides the member.
    fn is_overridden(&self, of: NodeKey, member: NodeKey, name: &str) -> Result<bool> {
        let Some(file) = self.files.read(member.file)? else { return Ok(false) };
        let Some(definition) = file.definition(member.at) else { return Ok(false) };
        // A member without a body is meant to be implemented by others, and stands for all of them.
        if !file.language.names.overriding
            || !definition.has_body
            || !is_callable(definition.kind)
            || builtin::is_constructor(file.language, definition)
        {
            return Ok(false);
        }
        let others = self.files.find_definitions(name)?;
        if others.len() > MANY {
            return Ok(true);
        }
        for &other in others.iter().filter(|&&other| other != member) {
            let Some(owner) = self.owner(other)?.filter(|&owner| owner != of && owner.at.is_some()) else {
                continue;
            };
            if self.lineage(owner)?.contains(&Some(of)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
