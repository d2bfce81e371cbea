//! Calls that may run a member although they name what it overrides or implements.

use super::edges::{NodeEdges, UnresolvedMention};
use super::files::NodeKey;
use super::meaning::{is_callable, is_type};
use super::{EdgeReason, Graph, builtin};
use crate::Result;

impl Graph<'_> {
    /// The calls of members of bases, interfaces and traits that this member stands in for.
    pub(super) fn calls_through_bases(&self, member: NodeKey) -> Result<Vec<UnresolvedMention>> {
        let mut found = Vec::new();
        for stood_for in self.members_stood_for(member)? {
            let Some(file) = self.files.read(stood_for.file)? else { continue };
            // Of a member with a body, only some calls are open to what overrides it: `super` is not.
            let must_be_open = file.language.names.overriding
                && file.definition(stood_for.at).is_some_and(|definition| definition.has_body);
            let mut edges = NodeEdges::default();
            self.collect_callers(stood_for, &mut edges)?;
            for arc in edges.arcs {
                if arc.to != stood_for || must_be_open && arc.why != EdgeReason::Overridden {
                    continue;
                }
                let definition = file.definition(stood_for.at);
                found.push(UnresolvedMention {
                    from: arc.from,
                    name: definition.map(|definition| definition.name.clone()).unwrap_or_default(),
                    file: arc.file,
                    line: arc.line,
                    candidates: vec![stood_for, member],
                    why: EdgeReason::Overridden,
                });
            }
        }
        Ok(found)
    }

    /// The members of the same name that bases of its type have, and traits that its type implements.
    fn members_stood_for(&self, member: NodeKey) -> Result<Vec<NodeKey>> {
        let mut found = Vec::new();
        let Some(file) = self.files.read(member.file)? else { return Ok(found) };
        let Some(definition) = file.definition(member.at) else { return Ok(found) };
        let owner = self.owner(member)?;
        let Some(owner) = owner.filter(|owner| owner.at.is_some()) else { return Ok(found) };
        if !is_callable(definition.kind)
            || builtin::is_constructor(file.language, definition)
            || !self.is_type_definition(owner)?
        {
            return Ok(found);
        }
        for base in self.lineage(owner)?.iter().skip(1).copied().flatten() {
            found.extend(self.own_members(base, &definition.name)?);
        }
        if file.language.names.open_traits {
            found.extend(self.trait_definitions(owner, &definition.name)?);
        }
        found.retain(|other| *other != member);
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn is_type_definition(&self, spot: NodeKey) -> Result<bool> {
        let file = self.files.read(spot.file)?;
        Ok(file.is_some_and(|file| file.definition(spot.at).is_some_and(|found| is_type(found.kind))))
    }
}
