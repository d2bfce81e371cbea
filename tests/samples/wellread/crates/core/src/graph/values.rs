//! What an expression stands for: followed from name to type to member, as far as the files say.

use wellread_text::{Language, SymbolKind, Value};

use super::files::Spot;
use super::meaning::{
    Family, Found, Meaning, Module, Scope, Sought, Thing, Want, is_callable, is_data, is_type,
};
use super::{Certainty, Graph, Why, builtin};
use crate::Result;

impl Graph<'_> {
    pub(super) fn value(&self, scope: Scope, value: &Value, want: Want) -> Result<Meaning> {
        self.deeper(|| match value {
            Value::Unknown => Ok(Meaning::Unknown),
            Value::Own => Ok(match self.own_type(scope)? {
                Some(own) => Meaning::one(Thing::Value(own), Certainty::Certain, Why::DeclaredType),
                None => Meaning::Unknown,
            }),
            Value::Super => self.inherited_from(scope),
            Value::Typed(path) => self.typed(scope, path),
            Value::Named(path) => self.path(scope, path, want),
            Value::Called(callee) => {
                let callee = self.value(scope, callee, Want::Callee)?;
                match callee {
                    Meaning::Foreign => Ok(Meaning::Handed),
                    callee => self.called(&callee),
                }
            }
            Value::Member(of, name) => {
                let of = self.value(scope, of, Want::Around)?;
                self.members(&of, Sought::new(name, want))
            }
            Value::Inner(of) => {
                let of = self.value(scope, of, Want::Any)?;
                self.inner(&of)
            }
        })
    }

    /// What the type around builds on, as a value of each.
    fn inherited_from(&self, scope: Scope) -> Result<Meaning> {
        let Some(own) = self.own_type(scope)? else { return Ok(Meaning::Unknown) };
        let bases = self.bases(own)?;
        if bases.contains(&None) || bases.is_empty() {
            return Ok(Meaning::Foreign);
        }
        // The first that has it is meant: the line is walked from the first.
        let things: Vec<Thing> = bases.into_iter().flatten().map(Thing::Value).collect();
        Ok(Meaning::Found(Found { things, certainty: Certainty::Certain, why: Why::Inherited }))
    }

    /// A value of the type that a path names.
    pub(super) fn typed(&self, scope: Scope, path: &[String]) -> Result<Meaning> {
        if let Some(held) = path.last().and_then(|last| last.strip_prefix('<')?.strip_suffix('>')) {
            let held = held.split(if held.contains("::") { "::" } else { "." });
            let held = held.map(str::to_owned).collect();
            return Ok(Meaning::one(Thing::Holding(scope, held), Certainty::Certain, Why::DeclaredType));
        }
        let is_own = matches!(path, [own] if own == "Self" || own == "self");
        if is_own {
            return self.value(scope, &Value::Own, Want::Any);
        }
        // Such a type says that anything may be there.
        if path.last().is_some_and(|last| builtin::is_anything(last)) {
            return Ok(Meaning::Unknown);
        }
        let meaning = self.path(scope, path, Want::Type)?;
        let Meaning::Found(found) = meaning else { return Ok(meaning) };
        let mut things = Vec::new();
        for thing in found.things {
            let Thing::Definition(spot) = thing else { return Ok(Meaning::Unknown) };
            match self.behind_alias(spot)? {
                Meaning::Found(found) => things.extend(found.things),
                other => return Ok(other),
            }
        }
        Ok(Meaning::Found(Found { things, ..found }).by(Why::DeclaredType))
    }

    /// The type that a name for a type stands for.
    fn behind_alias(&self, spot: Spot) -> Result<Meaning> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(Meaning::Unknown) };
        let Some(definition) = file.definition(spot.at) else { return Ok(Meaning::Unknown) };
        match (&definition.kind, &definition.gives) {
            (SymbolKind::Type, Some(path)) => {
                let scope = Scope { file: spot.file, within: definition.parent };
                self.deeper(|| self.typed(scope, path))
            }
            (kind, _) if is_type(*kind) => {
                Ok(Meaning::one(Thing::Value(spot), Certainty::Certain, Why::DeclaredType))
            }
            _ => Ok(Meaning::Unknown),
        }
    }

    /// What a definition gives: the type that it has, or that calling it gives.
    pub(super) fn given(&self, spot: Spot) -> Result<Meaning> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(Meaning::Unknown) };
        let Some(definition) = file.definition(spot.at) else { return Ok(Meaning::Unknown) };
        let Some(path) = &definition.gives else { return Ok(Meaning::Unknown) };
        self.deeper(|| self.typed(Scope { file: spot.file, within: spot.at }, path))
    }

    /// What calling these gives.
    fn called(&self, callee: &Meaning) -> Result<Meaning> {
        let Meaning::Found(found) = callee else { return Ok(callee.clone()) };
        let mut things: Vec<Thing> = Vec::new();
        for thing in &found.things {
            let given = match thing {
                Thing::Definition(spot) => {
                    let Some(file) = self.files.read(spot.file)? else { return Ok(Meaning::Unknown) };
                    let Some(definition) = file.definition(spot.at) else { return Ok(Meaning::Unknown) };
                    match definition.kind {
                        kind if builtin::is_constructor(file.language, definition) && is_callable(kind) => {
                            match self.owner(*spot)? {
                                Some(owner) => {
                                    Meaning::one(Thing::Value(owner), Certainty::Certain, Why::DeclaredType)
                                }
                                None => Meaning::Unknown,
                            }
                        }
                        kind if is_callable(kind) => self.given(*spot)?,
                        kind if is_type(kind) => {
                            Meaning::one(Thing::Value(*spot), Certainty::Certain, Why::DeclaredType)
                        }
                        _ => Meaning::Unknown,
                    }
                }
                _ => Meaning::Unknown,
            };
            let Meaning::Found(given) = given else { return Ok(given) };
            for thing in given.things {
                if !things.contains(&thing) {
                    things.push(thing);
                }
            }
        }
        // Several that fit give one answer where all of them give the same.
        let certainty = if things.len() == 1 { found.certainty } else { Certainty::Likely };
        Ok(Meaning::Found(Found { things, certainty, why: found.why }))
    }

    /// What is in these, once it is there.
    fn inner(&self, of: &Meaning) -> Result<Meaning> {
        let Meaning::Found(found) = of else { return Ok(of.clone()) };
        let mut things = Vec::new();
        for thing in &found.things {
            let meaning = match thing {
                Thing::Holding(scope, path) => self.typed(*scope, path)?,
                Thing::Definition(spot) if self.is_data_or_method(*spot)? => {
                    self.inner(&self.given(*spot)?)?
                }
                // What holds nothing is what it is.
                Thing::Value(_) => Meaning::one(thing.clone(), found.certainty, found.why),
                _ => Meaning::Unknown,
            };
            match meaning {
                Meaning::Found(found) => things.extend(found.things),
                other => return Ok(other),
            }
        }
        Ok(Meaning::Found(Found { things, ..found.clone() }))
    }

    fn is_data_or_method(&self, spot: Spot) -> Result<bool> {
        let file = self.files.read(spot.file)?;
        let kind = file.and_then(|file| file.definition(spot.at).map(|found| found.kind));
        Ok(kind.is_some_and(|kind| is_data(kind) || kind == SymbolKind::Method))
    }

    /// What a path names, its last part for what is wanted.
    pub(super) fn path(&self, scope: Scope, path: &[String], want: Want) -> Result<Meaning> {
        let Some((first, rest)) = path.split_first() else { return Ok(Meaning::Unknown) };
        let wanted = |left: usize| if left == 0 { want } else { Want::Around };
        let mut meaning = self.first(scope, first, wanted(rest.len()), rest)?;
        for (index, part) in rest.iter().enumerate() {
            if part == "super" && self.files.language(scope.file) == Some(Language::Rust) {
                meaning = self.above(&meaning)?;
                continue;
            }
            let left = rest.len() - index - 1;
            meaning = self.members(&meaning, Sought::new(part, wanted(left)))?;
        }
        Ok(meaning)
    }

    fn first(&self, scope: Scope, first: &str, want: Want, rest: &[String]) -> Result<Meaning> {
        let language = self.files.language(scope.file);
        if language == Some(Language::Rust) {
            match first {
                "crate" | "$crate" => {
                    return Ok(self.crate_root(scope)?.map_or(Meaning::Unknown, Meaning::module));
                }
                "self" => return Ok(Meaning::module(self.rust_module(scope)?)),
                "super" => return self.above(&Meaning::module(self.rust_module(scope)?)),
                "Self" => return self.value(scope, &Value::Own, Want::Any),
                "std" | "core" | "alloc" => return Ok(Meaning::Foreign),
                _ => {}
            }
        }
        // What a script exports is what it defines.
        let is_script = language.map(Family::of) == Some(Family::Script);
        let is_exports = first == "exports" || (first == "module" && rest.is_empty());
        if is_script && is_exports {
            return Ok(Meaning::module(Module::File(scope.file)));
        }
        let meaning = self.lookup(scope, Sought::new(first, want))?;
        if meaning == Meaning::Unknown
            && language == Some(Language::Rust)
            && self.depends_on(scope.file, first)
        {
            return Ok(Meaning::Foreign);
        }
        if meaning == Meaning::Unknown && language == Some(Language::Java) && !rest.is_empty() {
            // A full name: `com.hive.Store`.
            let packages = rest.iter().take_while(|part| part.starts_with(char::is_lowercase)).count();
            if packages > 0 || first.starts_with(char::is_lowercase) {
                return Ok(Meaning::Foreign);
            }
        }
        Ok(meaning)
    }

    fn above(&self, of: &Meaning) -> Result<Meaning> {
        let Meaning::Found(found) = of else { return Ok(of.clone()) };
        match found.things.as_slice() {
            [Thing::Module(module @ (Module::File(_) | Module::Inline(_)))] => {
                Ok(self.module_above(module)?.map_or(Meaning::Unknown, Meaning::module))
            }
            _ => Ok(Meaning::Unknown),
        }
    }
}
