//! Constructors: what runs when a value of a type is created.

use wellread_text::{ExprValue, Mention, MentionRole, NameAccess};

use super::edges::NodeEdges;
use super::files::NodeKey;
use super::meaning::{Meaning, NameQuery, NameScope, Referent, WantedKind, is_callable, is_type};
use super::resolve::MentionTarget;
use super::{Certainty, EdgeReason, Graph, builtin};
use crate::Result;

impl Graph<'_> {
    /// Resolves `super(…)`, `this(…)` and `cls(…)` to constructors of the enclosing type or of its base. `None` if the
    /// mention is none of these.
    pub(super) fn resolve_constructor_keyword(
        &self,
        scope: NameScope,
        mention: &Mention,
    ) -> Result<Option<MentionTarget>> {
        let language = self.files.language(scope.file);
        let word = mention.name.as_str();
        let class_word = language.and_then(|language| language.names.class_word);
        let is_class = class_word == Some(word) && mention.reached == NameAccess::Local;
        let of = match &mention.reached {
            NameAccess::Member(of @ (ExprValue::Own | ExprValue::Super))
                if matches!(word, "super" | "this") =>
            {
                of
            }
            NameAccess::Local if is_class => &ExprValue::Own,
            _ => return Ok(None),
        };
        if mention.role != MentionRole::Call {
            return Ok(Some(MentionTarget::Nowhere));
        }
        let Meaning::Found(found) = self.resolve_value(scope, of, WantedKind::Any)? else {
            return Ok(Some(MentionTarget::Nowhere));
        };
        // The first base is the class that a class extends.
        let Some(Referent::Value(of)) = found.things.first() else { return Ok(Some(MentionTarget::Nowhere)) };
        let made = self.constructors(
            *of,
            NameQuery { name: "", want: WantedKind::Callee, arguments: mention.arguments },
        )?;
        Ok(Some(match made.as_slice() {
            [one] if is_class => MentionTarget::On(*one, Certainty::Likely, EdgeReason::Overridden),
            // A class without a constructor of its own runs no code of the repository.
            [one] if one == of => MentionTarget::Nowhere,
            [one] => MentionTarget::On(*one, Certainty::Certain, EdgeReason::Inherited),
            _ => MentionTarget::Among(made, EdgeReason::SeveralFit),
        }))
    }

    /// The constructors that run when a value of a type is created; the type itself if none is in the repository.
    pub(super) fn constructors(&self, of: NodeKey, query: NameQuery<'_>) -> Result<Vec<NodeKey>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(vec![of]) };
        let Some(definition) = file.definition(of.at) else { return Ok(vec![of]) };
        let name = builtin::constructor_name(file.language).unwrap_or(&definition.name);
        let inherits = builtin::constructor_name(file.language).is_some();
        let line = if inherits { self.lineage(of)?.to_vec() } else { vec![Some(of)] };
        for ancestor in line {
            // A foreign base may have the constructor.
            let Some(ancestor) = ancestor else { return Ok(vec![of]) };
            let query = NameQuery { name, want: WantedKind::Callee, arguments: query.arguments };
            let own = self.own_members(ancestor, name)?;
            let mut made = Vec::new();
            for spot in self.select_best_fit(own, query)? {
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

    /// The constructors that run when a value of a type is created; none if it is no type, or if it has none in the
    /// repository.
    pub(super) fn constructors_of(&self, of: NodeKey) -> Result<Vec<NodeKey>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(Vec::new()) };
        let is_made = file.definition(of.at).is_some_and(|found| is_type(found.kind));
        if !is_made || !builtin::has_constructors(file.language) {
            return Ok(Vec::new());
        }
        let any = NameQuery { name: "", want: WantedKind::Callee, arguments: None };
        let mut made = self.constructors(of, any)?;
        made.retain(|spot| *spot != of);
        Ok(made)
    }

    /// Who creates values of a type through its constructors. Those of a base count where the type itself is named.
    pub(super) fn collect_creators(&self, of: NodeKey, edges: &mut NodeEdges) -> Result<()> {
        for constructor in self.constructors_of(of)? {
            if self.owner(constructor)? == Some(of) {
                self.collect_callers(constructor, edges)?;
                continue;
            }
            let mut users = self.find_usage_files(of)?;
            edges.left_out += users.left_out;
            let class_word = self.files.language(of.file).and_then(|language| language.names.class_word);
            users.names.retain(|name| Some(name.as_str()) != class_word);
            let roles = [MentionRole::Call, MentionRole::Make];
            for (file, index, landed) in self.find_mentions(constructor, &users, &roles)? {
                let Some(read) = self.files.read(file)? else { continue };
                let from = NodeKey { file, at: read.runner(index) };
                self.add_call_edges(file, index, from, &landed, Some(constructor), edges)?;
            }
        }
        Ok(())
    }
}
