//! What a call of something may mean of which nothing says what it is: by its name alone.

use wellread_text::{Language, Mention, Reached, Role, SymbolKind, Value};

use super::files::Spot;
use super::meaning::{Family, Sought, takes};
use super::resolve::Landed;
use super::{Certainty, Graph, Why, builtin};
use crate::Result;

impl Graph<'_> {
    /// What a call of something may mean that somebody else's code gave: any of ours, but for names that the libraries have.
    pub(super) fn among_all(&self, file: usize, mention: &Mention, sought: Sought<'_>) -> Result<Landed> {
        let common =
            self.files.language(file).is_none_or(|language| builtin::is_common(language, sought.name));
        if common {
            return Ok(Landed::Nowhere);
        }
        Ok(match self.by_name(file, mention, sought)? {
            Landed::On(spot, ..) => Landed::Among(vec![spot], Why::UnknownType),
            other => other,
        })
    }

    /// Every method that a call of something unknown may mean: the one there is, where its name is like no other.
    pub(super) fn by_name(&self, file: usize, mention: &Mention, sought: Sought<'_>) -> Result<Landed> {
        let Some(language) = self.files.language(file) else { return Ok(Landed::Nowhere) };
        if !matches!(mention.role, Role::Call) {
            return Ok(Landed::Nowhere);
        }
        // A type that is named is none of another name, wherever it is.
        let of = match &mention.reached {
            Reached::Member(Value::Named(path)) => path.last().filter(|last| reads_like_a_type(last)),
            _ => None,
        };
        let mut found = Vec::new();
        for &spot in self.files.defined(sought.name)?.iter() {
            let Some(read) = self.files.read(spot.file)? else { continue };
            let Some(definition) = read.definition(spot.at) else { continue };
            let owner = spot.at.map_or("", |at| read.owner_name(at));
            let is_of = of.is_none_or(|of| owner.rsplit('.').next() == Some(of.as_str()));
            if definition.kind == SymbolKind::Method
                && is_of
                && Family::of(read.language) == Family::of(language)
                && takes(definition, sought.arguments, read.language)
                && !builtin::is_constructor(read.language, definition)
            {
                found.push(spot);
            }
        }
        if Family::of(language) == Family::C {
            found = self.announced_once(&found)?;
        }
        let around = Spot { file, at: mention.within };
        Ok(match found.as_slice() {
            [] => Landed::Nowhere,
            // Who calls a function of its own name on something else hands the call on to another.
            [one] if *one != around && self.is_distinct(*one, language, file)? => {
                Landed::On(*one, Certainty::Likely, Why::UniqueName)
            }
            _ => Landed::Among(found, Why::UnknownType),
        })
    }

    /// Whether the only method of a name is likely the one that is meant: the name is none that libraries have, and the
    /// file knows of the type.
    fn is_distinct(&self, one: Spot, language: Language, from: usize) -> Result<bool> {
        let Some(read) = self.files.read(one.file)? else { return Ok(false) };
        let (Some(definition), Some(at)) = (read.definition(one.at), one.at) else { return Ok(false) };
        if builtin::is_common(language, &definition.name) {
            return Ok(false);
        }
        let owner = read.owner_name(at).rsplit('.').next().unwrap_or_default();
        Ok(one.file == from || (!owner.is_empty() && self.files.using(owner)?.contains(&from)))
    }

    /// Without those that are only announced where the same is there with a body.
    fn announced_once(&self, spots: &[Spot]) -> Result<Vec<Spot>> {
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

/// Whether a name is written as types are: `Store`, and neither `store` nor `STORE`.
fn reads_like_a_type(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase)
}
