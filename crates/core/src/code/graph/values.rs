//! Resolves expressions: from name to type to member, as far as the files say.

use wellread_text::{ExprValue, SymbolKind};

use super::files::NodeKey;
use super::meaning::{
    Meaning, NameQuery, NameScope, Referent, Referents, WantedKind, is_callable, is_data, is_type,
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
                let of = self.resolve_value(scope, of, WantedKind::Container)?;
                self.members(&of, NameQuery::new(name, want))
            }
            ExprValue::Inner(of) => {
                let of = self.resolve_value(scope, of, WantedKind::Any)?;
                self.inner(&of)
            }
        })
    }

    /// The bases of the enclosing type, each as a value.
    fn resolve_super(&self, scope: NameScope) -> Result<Meaning> {
        let Some(own) = self.enclosing_type(scope)? else { return Ok(Meaning::Unknown) };
        let bases = self.bases(own)?;
        if bases.contains(&None) || bases.is_empty() {
            return Ok(Meaning::Foreign);
        }
        // In the order in which members are looked up: the first base that has the member is meant.
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
        // Such a type allows any value.
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

    /// The type that a type alias stands for.
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

    /// The type of a variable, or the return type of a function.
    pub(super) fn result_type(&self, spot: NodeKey) -> Result<Meaning> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(Meaning::Unknown) };
        let Some(definition) = file.definition(spot.at) else { return Ok(Meaning::Unknown) };
        let Some(path) = &definition.gives else { return Ok(Meaning::Unknown) };
        self.with_depth_limit(|| {
            self.resolve_type_value(NameScope { file: spot.file, within: spot.at }, path)
        })
    }

    /// The result of calling any of these.
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
        // Several candidates count as one answer if all of them return the same type.
        let certainty = if things.len() == 1 { found.certainty } else { Certainty::Likely };
        Ok(Meaning::Found(Referents { things, certainty, why: found.why }))
    }

    /// The value inside a container, such as the result of a future; a value that is no container stays as it is.
    fn inner(&self, of: &Meaning) -> Result<Meaning> {
        let Meaning::Found(found) = of else { return Ok(of.clone()) };
        let mut things = Vec::new();
        for thing in &found.things {
            let meaning = match thing {
                Referent::Holding(scope, path) => self.resolve_type_value(*scope, path)?,
                Referent::Definition(spot) if self.is_data_or_method(*spot)? => {
                    self.inner(&self.result_type(*spot)?)?
                }
                // A plain value is its own content.
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

    /// What a path refers to; `want` applies to its last part, the others must be containers.
    pub(super) fn resolve_path(
        &self,
        scope: NameScope,
        path: &[String],
        want: WantedKind,
    ) -> Result<Meaning> {
        let Some((first, rest)) = path.split_first() else { return Ok(Meaning::Unknown) };
        let wanted = |left: usize| if left == 0 { want } else { WantedKind::Container };
        let rules = self.module_rules(scope.file);
        let mut meaning = match rules.resolve_keyword(self, scope, None, first, rest)? {
            Some(known) => known,
            None => self.lookup(scope, NameQuery::new(first, wanted(rest.len())))?,
        };
        if meaning == Meaning::Unknown && rules.is_library_path(self, scope.file, first, rest) {
            meaning = Meaning::Foreign;
        }
        for (index, part) in rest.iter().enumerate() {
            let behind = &rest[index + 1..];
            if let Some(known) = rules.resolve_keyword(self, scope, Some(&meaning), part, behind)? {
                meaning = known;
                continue;
            }
            let left = behind.len();
            meaning = self.members(&meaning, NameQuery::new(part, wanted(left)))?;
        }
        Ok(meaning)
    }
}
