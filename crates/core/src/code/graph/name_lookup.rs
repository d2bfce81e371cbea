//! Resolves calls on values of unknown type, by name alone.

use wellread_text::{ExprValue, Language, Mention, MentionRole, NameAccess, SymbolKind};

use super::files::NodeKey;
use super::meaning::{NameQuery, accepts_arguments, has_prototypes};
use super::resolve::MentionTarget;
use super::{Certainty, EdgeReason, Graph, builtin};
use crate::Result;

impl Graph<'_> {
    /// The candidates for a call on a value that foreign code returned; none if the name is common in libraries.
    pub(super) fn guess_by_name(
        &self,
        file: usize,
        mention: &Mention,
        query: NameQuery<'_>,
    ) -> Result<MentionTarget> {
        let common =
            self.files.language(file).is_none_or(|language| builtin::is_common(language, query.name));
        if common {
            return Ok(MentionTarget::Nowhere);
        }
        Ok(match self.resolve_by_name(file, mention, query)? {
            MentionTarget::On(spot, ..) => MentionTarget::Among(vec![spot], EdgeReason::UnknownType),
            other => other,
        })
    }

    /// The methods that a call on a value of unknown type may mean. If there is only one, and its name is distinctive,
    /// it is the likely target.
    pub(super) fn resolve_by_name(
        &self,
        file: usize,
        mention: &Mention,
        query: NameQuery<'_>,
    ) -> Result<MentionTarget> {
        let Some(language) = self.files.language(file) else { return Ok(MentionTarget::Nowhere) };
        if !matches!(mention.role, MentionRole::Call) {
            return Ok(MentionTarget::Nowhere);
        }
        // A receiver that is spelled like a type restricts the candidates to methods of types with that name.
        let of = match &mention.reached {
            NameAccess::Member(ExprValue::Named(path)) => {
                path.last().filter(|last| looks_like_type_name(last))
            }
            _ => None,
        };
        let mut found = Vec::new();
        for &spot in self.files.find_definitions(query.name)?.iter() {
            let Some(read) = self.files.read(spot.file)? else { continue };
            let Some(definition) = read.definition(spot.at) else { continue };
            let owner = spot.at.map_or("", |at| read.owner_name(at));
            let is_of = of.is_none_or(|of| owner.rsplit('.').next() == Some(of.as_str()));
            if definition.kind == SymbolKind::Method
                && is_of
                && read.language.is_related_to(language)
                && accepts_arguments(definition, query.arguments, read.language)
                && !builtin::is_constructor(read.language, definition)
            {
                found.push(spot);
            }
        }
        if has_prototypes(language) {
            found = self.drop_prototypes(&found)?;
        }
        let caller = NodeKey { file, at: mention.within };
        Ok(match found.as_slice() {
            [] => MentionTarget::Nowhere,
            // A function that calls a method with its own name probably delegates to another type.
            [one] if *one != caller && self.is_distinct(*one, language, file)? => {
                MentionTarget::On(*one, Certainty::Likely, EdgeReason::UniqueName)
            }
            _ => MentionTarget::Among(found, EdgeReason::UnknownType),
        })
    }

    /// Whether the only method with a name is likely to be meant: libraries do not have the name, and the calling file
    /// is that of the method or mentions its type.
    fn is_distinct(&self, one: NodeKey, language: Language, from: usize) -> Result<bool> {
        let Some(read) = self.files.read(one.file)? else { return Ok(false) };
        let (Some(definition), Some(at)) = (read.definition(one.at), one.at) else { return Ok(false) };
        if builtin::is_common(language, &definition.name) {
            return Ok(false);
        }
        let owner = read.owner_name(at).rsplit('.').next().unwrap_or_default();
        Ok(one.file == from || (!owner.is_empty() && self.files.files_using(owner)?.contains(&from)))
    }

    /// Drops declarations of which the definition with a body is also in the list.
    fn drop_prototypes(&self, spots: &[NodeKey]) -> Result<Vec<NodeKey>> {
        let mut kept = Vec::new();
        for &spot in spots {
            let Some(file) = self.files.read(spot.file)? else { continue };
            let Some(definition) = file.definition(spot.at) else { continue };
            let mut stands_for = false;
            for &other in spots.iter().filter(|&&other| other != spot && !definition.has_body) {
                let read = self.files.read(other.file)?;
                let same = read.and_then(|read| {
                    let found = read.definition(other.at)?;
                    Some(found.has_body && found.qualified == definition.qualified)
                });
                stands_for |= same == Some(true);
            }
            if !stands_for {
                kept.push(spot);
            }
        }
        Ok(kept)
    }
}

/// Whether a name is capitalized like a type: `Store`, but neither `store` nor `STORE`.
fn looks_like_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase)
}
