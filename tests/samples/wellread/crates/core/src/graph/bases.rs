//! What a type builds on, and what builds on it.

use std::sync::Arc;

use wellread_text::{Base, Language};

use super::Graph;
use super::files::{File, Spot};
use super::meaning::{Meaning, Scope, Thing, Want, is_type};
use crate::Result;

/// Longer than any line of types that people wrote.
const LONGEST: usize = 100;

/// A line that says that a type builds on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Built {
    pub heir: Spot,
    pub on: Spot,
    pub file: usize,
    pub line: usize,
}

impl Graph<'_> {
    /// A type and all that it builds on, nearest first, in the order in which a member is looked for. None is one that is
    /// not ours.
    pub(super) fn lineage(&self, of: Spot) -> Result<Arc<Vec<Option<Spot>>>> {
        if let Some(known) = self.memory.lineages.borrow().get(&of) {
            return Ok(known.clone());
        }
        // Who comes back here while it is being found out has a type that builds on itself.
        self.memory.lineages.borrow_mut().insert(of, Arc::new(vec![Some(of)]));
        let mut line = vec![Some(of)];
        for base in self.bases(of)? {
            match base {
                None => line.push(None),
                Some(base) => line.extend(self.lineage(base)?.iter().copied()),
            }
        }
        // What is reached by two ways stands behind everything that builds on it.
        let mut kept: Vec<Option<Spot>> = Vec::new();
        for one in line.into_iter().rev() {
            if one.is_none() || !kept.contains(&one) {
                kept.push(one);
            }
        }
        kept.reverse();
        kept.truncate(LONGEST);
        let line = Arc::new(kept);
        if self.memory.is_whole() {
            self.memory.lineages.borrow_mut().insert(of, line.clone());
        } else {
            self.memory.lineages.borrow_mut().remove(&of);
        }
        Ok(line)
    }

    /// What a type builds on directly, in the order of the text; none is what is not ours, or not known.
    pub(super) fn bases(&self, of: Spot) -> Result<Vec<Option<Spot>>> {
        let mut found = Vec::new();
        for built in self.lines_of(of)? {
            let (file, base) = built;
            let Some(read) = self.files.read(file)? else { continue };
            let on = self.base_meant(&read, file, &base)?;
            // A trait of somebody else's has methods of its own and hides none of ours.
            if on.is_some() || read.language != Language::Rust {
                found.push(on);
            }
        }
        found.dedup();
        Ok(found)
    }

    /// The lines of a type's own file that say what it builds on.
    fn lines_of(&self, of: Spot) -> Result<Vec<(usize, Base)>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(Vec::new()) };
        let Some(definition) = file.definition(of.at) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for base in &file.uses().bases {
            if base.heir.last() == Some(&definition.name)
                && self.heir_meant(&file, of.file, base)? == Some(of)
            {
                found.push((of.file, base.clone()));
            }
        }
        Ok(found)
    }

    fn heir_meant(&self, file: &File, at: usize, base: &Base) -> Result<Option<Spot>> {
        let own = base.heir.join(".");
        if let Some(found) = file.qualified(&own).filter(|&found| is_type(file.kind(found))) {
            return Ok(Some(Spot::of(at, found)));
        }
        self.type_meant(Scope { file: at, within: self.module_at(file, base.line) }, &base.heir)
    }

    pub(super) fn base_meant(&self, file: &File, at: usize, base: &Base) -> Result<Option<Spot>> {
        let heir = file.qualified(&base.heir.join(".")).and_then(|heir| file.definitions()[heir].parent);
        let within = heir.or_else(|| self.module_at(file, base.line));
        self.type_meant(Scope { file: at, within }, &base.of)
    }

    /// The innermost definition that is open on a line and is there for what it holds.
    fn module_at(&self, file: &File, line: usize) -> Option<usize> {
        let open = file.definitions().iter().enumerate().filter(|(_, definition)| {
            definition.kind == wellread_text::SymbolKind::Module
                && (definition.lines.0..=definition.lines.1).contains(&line)
        });
        open.map(|(at, _)| at).next_back()
    }

    fn type_meant(&self, scope: Scope, path: &[String]) -> Result<Option<Spot>> {
        let Meaning::Found(found) = self.path(scope, path, Want::Type)? else { return Ok(None) };
        Ok(found.things.iter().find_map(|thing| match thing {
            Thing::Definition(spot) | Thing::Value(spot) => Some(*spot),
            Thing::Module(_) | Thing::Holding(..) => None,
        }))
    }

    /// Every line in a file that says that one of our types builds on another.
    pub(super) fn built_in(&self, file: usize) -> Result<Arc<Vec<Built>>> {
        if let Some(known) = self.memory.built.borrow().get(&file) {
            return Ok(known.clone());
        }
        let Some(read) = self.files.read(file)? else { return Ok(Arc::default()) };
        let mut found = Vec::new();
        for base in &read.uses().bases {
            let (heir, on) = (self.heir_meant(&read, file, base)?, self.base_meant(&read, file, base)?);
            if let (Some(heir), Some(on)) = (heir, on)
                && heir != on
            {
                found.push(Built { heir, on, file, line: base.line });
            }
        }
        let found = Arc::new(found);
        self.memory.built.borrow_mut().insert(file, found.clone());
        Ok(found)
    }

    /// What builds on a type directly, and where that is said.
    pub(super) fn heirs(&self, of: Spot) -> Result<Vec<Built>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(Vec::new()) };
        let Some(definition) = file.definition(of.at) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for name in self.names_of(of, &definition.name)? {
            for &user in self.files.using(&name)?.iter() {
                found.extend(self.built_in(user)?.iter().filter(|built| built.on == of).copied());
            }
        }
        found.sort_by_key(|built| (built.file, built.line, built.heir));
        found.dedup();
        Ok(found)
    }

    /// What a type says it builds on, in whichever file it says so.
    pub(super) fn builds_on(&self, of: Spot) -> Result<Vec<Built>> {
        let mut files = vec![of.file];
        if self.files.language(of.file) == Some(Language::Rust)
            && let Some(file) = self.files.read(of.file)?
            && let Some(definition) = file.definition(of.at)
        {
            files.extend(self.files.using(&definition.name)?.iter().copied());
        }
        files.sort_unstable();
        files.dedup();
        let mut found = Vec::new();
        for file in files {
            found.extend(self.built_in(file)?.iter().filter(|built| built.heir == of).copied());
        }
        Ok(found)
    }

    /// Whether a type of Rust implements a trait, wherever it says so.
    pub(super) fn says_implements(&self, of: Spot, asked: Spot) -> Result<bool> {
        let Some(file) = self.files.read(asked.file)? else { return Ok(false) };
        let Some(definition) = file.definition(asked.at) else { return Ok(false) };
        let Some(own) = self.files.read(of.file)? else { return Ok(false) };
        let Some(heir) = own.definition(of.at) else { return Ok(false) };
        for &user in self.files.using(&definition.name)?.iter() {
            let Some(read) = self.files.read(user)? else { continue };
            for base in &read.uses().bases {
                if base.heir.last() == Some(&heir.name)
                    && base.of.last() == Some(&definition.name)
                    && self.heir_meant(&read, user, base)? == Some(of)
                    && self.base_meant(&read, user, base)? == Some(asked)
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
