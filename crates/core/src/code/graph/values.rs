//! What an expression stands for: followed from name to type to member, as far as the files say.

use wellread_text::{ExprValue, Language, SymbolKind};

use super::files::NodeKey;
use super::meaning::{
    LanguageFamily, Meaning, Module, NameQuery, NameScope, Referent, Referents, WantedKind, is_callable,
    is_data, is_type,
};
use super::{Certainty, EdgeReason, Graph, builtin};
use crate::Result;

impl Graph<'_> {
    pub(super) fn resolve_value(
        &self,
        scope: NameScope,
        value: &ExprValue,
        want: WantedKind,
    ) -> Result<Meaning> {
        self.with_depth_limit(|| match value {
            ExprValue::Unknown => Ok(Meaning::Unknown),
            ExprValue::Own => Ok(match self.enclosing_type(scope)? {
                Some(own) => {
                    Meaning::single(Referent::Value(own), Certainty::Certain, EdgeReason::DeclaredType)
                }
                None => Meaning::Unknown,
            }),
            ExprValue::Super => self.resolve_super(scope),
            ExprValue::Typed(path) => self.resolve_type_value(scope, path),
            ExprValue::Named(path) => self.resolve_path(scope, path, want),
            ExprValue::Called(callee) => {
                let callee = self.resolve_value(scope, callee, WantedKind::Callee)?;
                match callee {
                    Meaning::Foreign => Ok(Meaning::Handed),
                    callee => self.call_result(&callee),
                }
            }
            ExprValue::Member(of, name) => {
                let of = self.resolve_value(scope, of, WantedKind::Around)?;
                self.members(&of, NameQuery::new(name, want))
            }
            ExprValue::Inner(of) => {
                let of = self.resolve_value(scope, of, WantedKind::Any)?;
                self.inner(&of)
            }
        })
    }

    /// What the type around builds on, as a value of each.
    fn resolve_super(&self, scope: NameScope) -> Result<Meaning> {
        let Some(own) = self.enclosing_type(scope)? else { return Ok(Meaning::Unknown) };
        let bases = self.bases(own)?;
        if bases.contains(&None) || bases.is_empty() {
            return Ok(Meaning::Foreign);
        }
        // The first that has it is meant: the line is walked from the first.
        let things: Vec<Referent> = bases.into_iter().flatten().map(Referent::Value).collect();
        Ok(Meaning::Found(Referents { things, certainty: Certainty::Certain, why: EdgeReason::Inherited }))
    }

    /// A value of the type that a path names.
    pub(super) fn resolve_type_value(&self, scope: NameScope, path: &[String]) -> Result<Meaning> {
        if let Some(held) = path.last().and_then(|last| last.strip_prefix('<')?.strip_suffix('>')) {
            let held = held.split(if held.contains("::") { "::" } else { "." });
            let held = held.map(str::to_owned).collect();
            return Ok(Meaning::single(
                Referent::Holding(scope, held),
                Certainty::Certain,
                EdgeReason::DeclaredType,
            ));
        }
        let is_own = matches!(path, [own] if own == "Self" || own == "self");
        if is_own {
            return self.resolve_value(scope, &ExprValue::Own, WantedKind::Any);
        }
        // Such a type says that anything may be there.
        if path.last().is_some_and(|last| builtin::is_anything(last)) {
            return Ok(Meaning::Unknown);
        }
        let meaning = self.resolve_path(scope, path, WantedKind::Type)?;
        let Meaning::Found(found) = meaning else { return Ok(meaning) };
        let mut things = Vec::new();
        for thing in found.things {
            let Referent::Definition(spot) = thing else { return Ok(Meaning::Unknown) };
            match self.resolve_alias(spot)? {
                Meaning::Found(found) => things.extend(found.things),
                other => return Ok(other),
            }
        }
        Ok(Meaning::Found(Referents { things, ..found }).with_reason(EdgeReason::DeclaredType))
    }

    /// The type that a name for a type stands for.
    fn resolve_alias(&self, spot: NodeKey) -> Result<Meaning> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(Meaning::Unknown) };
        let Some(definition) = file.definition(spot.at) else { return Ok(Meaning::Unknown) };
        match (&definition.kind, &definition.gives) {
            (SymbolKind::Type, Some(path)) => {
                let scope = NameScope { file: spot.file, within: definition.parent };
                self.with_depth_limit(|| self.resolve_type_value(scope, path))
            }
            (kind, _) if is_type(*kind) => {
                Ok(Meaning::single(Referent::Value(spot), Certainty::Certain, EdgeReason::DeclaredType))
            }
            _ => Ok(Meaning::Unknown),
        }
    }

    /// What a definition gives: the type that it has, or that calling it gives.
    pub(super) fn result_type(&self, spot: NodeKey) -> Result<Meaning> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(Meaning::Unknown) };
        let Some(definition) = file.definition(spot.at) else { return Ok(Meaning::Unknown) };
        let Some(path) = &definition.gives else { return Ok(Meaning::Unknown) };
        self.with_depth_limit(|| {
            self.resolve_type_value(NameScope { file: spot.file, within: spot.at }, path)
        })
    }

    /// What calling these gives.
    fn call_result(&self, callee: &Meaning) -> Result<Meaning> {
        let Meaning::Found(found) = callee else { return Ok(callee.clone()) };
        let mut things: Vec<Referent> = Vec::new();
        for thing in &found.things {
            let given = match thing {
                Referent::Definition(spot) => {
                    let Some(file) = self.files.read(spot.file)? else { return Ok(Meaning::Unknown) };
                    let Some(definition) = file.definition(spot.at) else { return Ok(Meaning::Unknown) };
                    match definition.kind {
                        kind if builtin::is_constructor(file.language, definition) && is_callable(kind) => {
                            match self.owner(*spot)? {
                                Some(owner) => Meaning::single(
                                    Referent::Value(owner),
                                    Certainty::Certain,
                                    EdgeReason::DeclaredType,
                                ),
                                None => Meaning::Unknown,
                            }
                        }
                        kind if is_callable(kind) => self.result_type(*spot)?,
                        kind if is_type(kind) => Meaning::single(
                            Referent::Value(*spot),
                            Certainty::Certain,
                            EdgeReason::DeclaredType,
                        ),
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
        Ok(Meaning::Found(Referents { things, certainty, why: found.why }))
    }

    /// What is in these, once it is there.
    fn inner(&self, of: &Meaning) -> Result<Meaning> {
        let Meaning::Found(found) = of else { return Ok(of.clone()) };
        let mut things = Vec::new();
        for thing in &found.things {
            let meaning = match thing {
                Referent::Holding(scope, path) => self.resolve_type_value(*scope, path)?,
                Referent::Definition(spot) if self.is_data_or_method(*spot)? => {
                    self.inner(&self.result_type(*spot)?)?
                }
                // What holds nothing is what it is.
                Referent::Value(_) => Meaning::single(thing.clone(), found.certainty, found.why),
                _ => Meaning::Unknown,
            };
            match meaning {
                Meaning::Found(found) => things.extend(found.things),
                other => return Ok(other),
            }
        }
        Ok(Meaning::Found(Referents { things, ..found.clone() }))
    }

    fn is_data_or_method(&self, spot: NodeKey) -> Result<bool> {
        let file = self.files.read(spot.file)?;
        let kind = file.and_then(|file| file.definition(spot.at).map(|found| found.kind));
        Ok(kind.is_some_and(|kind| is_data(kind) || kind == SymbolKind::Method))
    }

    /// What a path names, its last part for what is wanted.
    pub(super) fn resolve_path(
        &self,
        scope: NameScope,
        path: &[String],
        want: WantedKind,
    ) -> Result<Meaning> {
        let Some((first, rest)) = path.split_first() else { return Ok(Meaning::Unknown) };
        let wanted = |left: usize| if left == 0 { want } else { WantedKind::Around };
        let mut meaning = self.resolve_first_segment(scope, first, wanted(rest.len()), rest)?;
        for (index, part) in rest.iter().enumerate() {
            if part == "super" && self.files.language(scope.file) == Some(Language::Rust) {
                meaning = self.resolve_super_module(&meaning)?;
                continue;
            }
            let left = rest.len() - index - 1;
            meaning = self.members(&meaning, NameQuery::new(part, wanted(left)))?;
        }
        Ok(meaning)
    }

    fn resolve_first_segment(
        &self,
        scope: NameScope,
        first: &str,
        want: WantedKind,
        rest: &[String],
    ) -> Result<Meaning> {
        let language = self.files.language(scope.file);
        if language == Some(Language::Rust) {
            match first {
                "crate" | "$crate" => {
                    return Ok(self.crate_root(scope)?.map_or(Meaning::Unknown, Meaning::module));
                }
                "self" => return Ok(Meaning::module(self.rust_module(scope)?)),
                "super" => return self.resolve_super_module(&Meaning::module(self.rust_module(scope)?)),
                "Self" => return self.resolve_value(scope, &ExprValue::Own, WantedKind::Any),
                "std" | "core" | "alloc" => return Ok(Meaning::Foreign),
                _ => {}
            }
        }
        // What a script exports is what it defines.
        let is_script = language.map(LanguageFamily::from_language) == Some(LanguageFamily::Script);
        let is_exports = first == "exports" || (first == "module" && rest.is_empty());
        if is_script && is_exports {
            return Ok(Meaning::module(Module::File(scope.file)));
        }
        let meaning = self.lookup(scope, NameQuery::new(first, want))?;
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

    fn resolve_super_module(&self, of: &Meaning) -> Result<Meaning> {
        let Meaning::Found(found) = of else { return Ok(of.clone()) };
        match found.things.as_slice() {
            [Referent::Module(module @ (Module::File(_) | Module::Inline(_)))] => {
                Ok(self.parent_module(module)?.map_or(Meaning::Unknown, Meaning::module))
            }
            _ => Ok(Meaning::Unknown),
        }
    }
}
