//! What runs when a value of a type is made.

use wellread_text::{Language, Mention, Reached, Role, Value};

use super::files::Spot;
use super::meaning::{Meaning, Scope, Sought, Thing, Want, is_callable};
use super::resolve::Landed;
use super::{Certainty, Graph, Why, builtin};
use crate::Result;

impl Graph<'_> {
    /// `super(…)`, `this(…)`, `cls(…)`: what makes values of the type around, or of what that builds on.
    pub(super) fn made_by_word(&self, scope: Scope, mention: &Mention) -> Result<Option<Landed>> {
        let language = self.files.language(scope.file);
        let word = mention.name.as_str();
        let is_class =
            language == Some(Language::Python) && word == "cls" && mention.reached == Reached::Local;
        let of = match &mention.reached {
            Reached::Member(of @ (Value::Own | Value::Super)) if matches!(word, "super" | "this") => of,
            Reached::Local if is_class => &Value::Own,
            _ => return Ok(None),
        };
        if mention.role != Role::Call {
            return Ok(Some(Landed::Nowhere));
        }
        let Meaning::Found(found) = self.value(scope, of, Want::Any)? else {
            return Ok(Some(Landed::Nowhere));
        };
        // A class builds on one other class before all else.
        let Some(Thing::Value(of)) = found.things.first() else { return Ok(Some(Landed::Nowhere)) };
        let made =
            self.constructors(*of, Sought { name: "", want: Want::Callee, arguments: mention.arguments })?;
        Ok(Some(match made.as_slice() {
            [one] if is_class => Landed::On(*one, Certainty::Likely, Why::Overridden),
            // A class that says nothing of how its values are made runs nothing of ours.
            [one] if one == of => Landed::Nowhere,
            [one] => Landed::On(*one, Certainty::Certain, Why::Inherited),
            _ => Landed::Among(made, Why::SeveralFit),
        }))
    }

    /// What runs when a value of a type is made, and the type itself where nothing of ours does.
    pub(super) fn constructors(&self, of: Spot, sought: Sought<'_>) -> Result<Vec<Spot>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(vec![of]) };
        let Some(definition) = file.definition(of.at) else { return Ok(vec![of]) };
        let name = builtin::constructor(file.language).unwrap_or(&definition.name);
        let inherits = builtin::constructor(file.language).is_some();
        let line = if inherits { self.lineage(of)?.to_vec() } else { vec![Some(of)] };
        for ancestor in line {
            // One that is not ours may make it.
            let Some(ancestor) = ancestor else { return Ok(vec![of]) };
            let sought = Sought { name, want: Want::Callee, arguments: sought.arguments };
            let own = self.own_members(ancestor, name)?;
            let mut made = Vec::new();
            for spot in self.fitting(own, sought)? {
                let read = self.files.read(spot.file)?;
                if read
                    .is_some_and(|read| read.definition(spot.at).is_some_and(|found| is_callable(found.kind)))
                {
                    made.push(spot);
                }
            }
            if !made.is_empty() {
                return Ok(made);
            }
        }
        Ok(vec![of])
    }
}
