//! What a module, a type or a value has by a name.

use wellread_text::{Language, SymbolKind};

use super::files::Spot;
use super::meaning::{
    Found, Meaning, Sought, Thing, Want, is_callable, is_data, is_spread, is_type, overrides,
};
use super::{Certainty, Graph, Why, builtin};
use crate::Result;

/// So many of a name that it is not asked of each whether it overrides another.
const MANY: usize = 60;

impl Graph<'_> {
    /// What each of these has by that name.
    pub(super) fn members(&self, of: &Meaning, sought: Sought<'_>) -> Result<Meaning> {
        let Meaning::Found(found) = of else { return Ok(of.clone()) };
        let mut all: Option<Found> = None;
        let mut rest = Meaning::Foreign;
        for thing in &found.things {
            match self.deeper(|| self.member(thing, sought))? {
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
            Some(all) => Meaning::Found(all).at_most(found.certainty, found.why),
            None => rest,
        })
    }

    fn member(&self, of: &Thing, sought: Sought<'_>) -> Result<Meaning> {
        match of {
            Thing::Module(module) => self.module_member(module, sought),
            Thing::Value(spot) => self.members_of(*spot, sought),
            Thing::Holding(..) => Ok(Meaning::Foreign),
            Thing::Definition(spot) => {
                let Some(file) = self.files.read(spot.file)? else { return Ok(Meaning::Unknown) };
                let Some(definition) = file.definition(spot.at) else { return Ok(Meaning::Unknown) };
                match definition.kind {
                    kind if is_type(kind) => self.members_of(*spot, sought),
                    kind => {
                        // What stands in it: the parts of an object that is written out, of a function.
                        let own = format!("{}.{}", definition.qualified, sought.name);
                        if let Some(at) = file.qualified(&own) {
                            let own = vec![Spot::of(spot.file, at)];
                            return Ok(Meaning::definitions(own, Certainty::Certain, Why::SameScope));
                        }
                        // A value that is known by a name, or a property that is written as a method.
                        match is_data(kind) || kind == SymbolKind::Method {
                            true => self.members(&self.given(*spot)?, sought),
                            false => Ok(Meaning::Unknown),
                        }
                    }
                }
            }
        }
    }

    /// What a type has by that name, of its own or from what it builds on.
    pub(super) fn members_of(&self, of: Spot, sought: Sought<'_>) -> Result<Meaning> {
        let line = self.lineage(of)?;
        let mut foreign = false;
        for (depth, ancestor) in line.iter().enumerate() {
            let Some(ancestor) = ancestor else {
                foreign = true;
                continue;
            };
            let mut own = self.own_members(*ancestor, sought.name)?;
            if sought.want != Want::Any {
                // What makes values of a class has its name, and is not meant by it.
                own = self.without_makers(own)?;
            }
            let own = self.fitting(own, sought)?;
            if own.is_empty() {
                continue;
            }
            let why = if depth == 0 { Why::DeclaredType } else { Why::Inherited };
            let certainty = if foreign { Certainty::Likely } else { Certainty::Certain };
            let meaning = self.things(own.clone(), certainty, why)?;
            if own.len() == 1 && self.is_overridden(of, own[0], sought.name)? {
                return Ok(meaning.at_most(Certainty::Likely, Why::Overridden));
            }
            return Ok(meaning);
        }
        let language = self.files.language(of.file);
        if language == Some(Language::Go)
            && let Some(part) = self.embedded(&line, sought.name)?
        {
            return Ok(Meaning::one(Thing::Value(part), Certainty::Certain, Why::DeclaredType));
        }
        if language == Some(Language::Rust) && sought.want != Want::Type {
            let traits = self.trait_members(of, sought)?;
            if traits.is_found() {
                return Ok(traits);
            }
        }
        let common = language.is_none_or(|language| builtin::is_common(language, sought.name));
        Ok(if foreign || common { Meaning::Foreign } else { Meaning::Unknown })
    }

    /// What a type of Go takes in is reached by the name of its type, too.
    fn embedded(&self, line: &[Option<Spot>], name: &str) -> Result<Option<Spot>> {
        for part in line.iter().skip(1).copied().flatten() {
            let file = self.files.read(part.file)?;
            if file.is_some_and(|file| file.definition(part.at).is_some_and(|found| found.name == name)) {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    fn without_makers(&self, spots: Vec<Spot>) -> Result<Vec<Spot>> {
        let mut kept = Vec::new();
        for spot in spots {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let named_so = builtin::constructor(file.language).is_none();
            let makes = |found| named_so && builtin::is_constructor(file.language, found);
            if !file.definition(spot.at).is_some_and(makes) {
                kept.push(spot);
            }
        }
        Ok(kept)
    }

    /// What a type has of its own by that name, in whichever file.
    pub(super) fn own_members(&self, of: Spot, name: &str) -> Result<Vec<Spot>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(Vec::new()) };
        let Some(definition) = file.definition(of.at) else { return Ok(Vec::new()) };
        let here = file.named(name).iter().copied().filter(|&at| file.owner_name(at) == definition.qualified);
        let mut members: Vec<Spot> = here.map(|at| Spot::of(of.file, at)).collect();
        if is_spread(file.language) {
            for &spot in self.files.defined(name)?.iter().filter(|spot| spot.file != of.file) {
                let (Some(other), Some(at)) = (self.files.read(spot.file)?, spot.at) else { continue };
                let owner = other.owner_name(at);
                if owner.rsplit('.').next() == Some(&definition.name) && self.owner(spot)? == Some(of) {
                    members.push(spot);
                }
            }
        }
        Ok(members)
    }

    /// Methods that a type of Rust has from traits: those that it says it implements, with a body in the trait.
    fn trait_members(&self, of: Spot, sought: Sought<'_>) -> Result<Meaning> {
        let mut found = Vec::new();
        for &spot in self.files.defined(sought.name)?.iter() {
            let Some(owner) = self.owner(spot)? else { continue };
            let Some(file) = self.files.read(owner.file)? else { continue };
            let is_trait = file.definition(owner.at).is_some_and(|owner| owner.kind == SymbolKind::Trait);
            if is_trait && self.says_implements(of, owner)? {
                found.push(spot);
            }
        }
        let found = self.fitting(found, sought)?;
        match found.len() {
            0 => Ok(Meaning::Unknown),
            _ => self.things(found, Certainty::Certain, Why::Inherited),
        }
    }

    /// Whether a type that builds on this one has another in place of this member.
    fn is_overridden(&self, of: Spot, member: Spot, name: &str) -> Result<bool> {
        let Some(file) = self.files.read(member.file)? else { return Ok(false) };
        let Some(definition) = file.definition(member.at) else { return Ok(false) };
        // What is only asked for is meant to be done by others, and its own name for all of them.
        if !overrides(file.language)
            || !definition.has_body
            || !is_callable(definition.kind)
            || builtin::is_constructor(file.language, definition)
        {
            return Ok(false);
        }
        let others = self.files.defined(name)?;
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
